import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as a stand-in saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** An answer of a stand-in. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A fault that is injected: the answer in place of the true one, or before the connection breaks; undefined lets the request pass. */
export type CloudFault = (request: SeenRequest) => Answer | 'reset' | undefined;

/** The API of a cloud over HTTP on loopback. */
export abstract class CloudServer {
  readonly calls: SeenRequest[] = [];
  /** Tried for each request until one does something. */
  faults: CloudFault[] = [];
  readonly #server: Server;

  constructor() {
    this.#server = createServer((message, response) => {
      const chunks: Buffer[] = [];
      message.on('data', (chunk: Buffer) => chunks.push(chunk));
      message.on('end', () => {
        const url = new URL(message.url ?? '/', this.url);
        const { method = 'GET', headers } = message;
        const request = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') };
        this.calls.push(request);
        const fault = this.faults.map((each) => each(request)).find((each) => each !== undefined);
        if (fault === 'reset') {
          message.socket.destroy();
          return;
        }
        const { status, headers: more = {}, body } = fault ?? this.answer(request);
        response.writeHead(status, more).end(body);
      });
    });
  }

  get url(): URL {
    return new URL(`http://127.0.0.1:${String((this.#server.address() as AddressInfo).port)}`);
  }

  async listen(): Promise<this> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return this;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  protected abstract answer(request: SeenRequest): Answer;
}

/** A JSON answer. */
export const json = (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Answer => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(value),
});
