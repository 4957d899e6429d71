import { get } from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { V3Server } from './remote-book';

/** A stream of a client, read event by event. */
export class EventStream {
  text = '';
  readonly #message: IncomingMessage;

  private constructor(message: IncomingMessage) {
    this.#message = message;
    message.setEncoding('utf8');
    message.on('data', (chunk: string) => (this.text += chunk));
  }

  static open({ address, authority }: V3Server, lastEventId?: string): Promise<EventStream> {
    const last = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    const headers = { authorization: 'Bearer token-of-c1', ...last };
    const options = { host: '127.0.0.1', port: address.port, path: '/v3/clusters/c1/events', ca: authority, headers };
    return new Promise((resolve, reject) => {
      get({ ...options, agent: false }, (message) => {
        resolve(new EventStream(message));
      }).on('error', reject);
    });
  }

  async until(wanted: string): Promise<string> {
    while (!this.text.includes(wanted)) await new Promise((resolve) => this.#message.once('data', resolve));
    return this.text;
  }

  async ended(): Promise<string> {
    if (!this.#message.readableEnded) await new Promise((resolve) => this.#message.once('end', resolve));
    return this.text;
  }

  get status(): number {
    return this.#message.statusCode ?? 0;
  }

  get headers(): IncomingMessage['headers'] {
    return this.#message.headers;
  }

  close(): void {
    this.#message.destroy();
  }
}

/** Id of the last event of a text. */
export const lastIdOf = (text: string): string => [...text.matchAll(/^id: (.*)$/gmu)].at(-1)?.[1] ?? '';

/** Addresses that a text of events tells, in its order. */
export const freedIn = (text: string): readonly string[] =>
  [...text.matchAll(/"address":"([^"]+)"/gu)].map(([, address = '']) => address);
