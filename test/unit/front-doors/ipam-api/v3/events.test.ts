import { get } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { granted, LedgerWorld, askByApi, claimant } from '../../../../support/ledger-world';
import { startV3, type V3Server } from '../../../../support/remote-book';

/** A stream of a client, read event by event. */
class Stream {
  text = '';
  readonly #message: IncomingMessage;

  private constructor(message: IncomingMessage) {
    this.#message = message;
    message.setEncoding('utf8');
    message.on('data', (chunk: string) => (this.text += chunk));
  }

  static open({ address, authority }: V3Server, lastEventId?: string): Promise<Stream> {
    const last = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    const headers = { authorization: 'Bearer token-of-c1', ...last };
    const options = { host: '127.0.0.1', port: address.port, path: '/v3/clusters/c1/events', ca: authority, headers };
    return new Promise((resolve, reject) => {
      get({ ...options, agent: false }, (message) => {
        resolve(new Stream(message));
      }).on('error', reject);
    });
  }

  async until(wanted: string): Promise<string> {
    while (!this.text.includes(wanted)) await new Promise((resolve) => this.#message.once('data', resolve));
    return this.text;
  }

  async ended(): Promise<void> {
    if (!this.#message.readableEnded) await new Promise((resolve) => this.#message.once('end', resolve));
  }

  close(): void {
    this.#message.destroy();
  }
}

const lastId = (text: string): string => [...text.matchAll(/^id: (.*)$/gmu)].at(-1)?.[1] ?? '';

describe('events of version 3', () => {
  const world = new LedgerWorld();
  let v3: V3Server;
  beforeAll(async () => {
    v3 = await startV3(world);
  });
  const free = async (at: string): Promise<void> => {
    await world.book.undo(granted(await world.book.reserve(askByApi(claimant('a/web'), { at }))));
  };

  test('tell each freed address, and after a break those that were missed, each once', async () => {
    const first = await Stream.open(v3);
    await first.until('event: ready');
    await free('192.0.2.1');
    const seen = await first.until('192.0.2.1');
    first.close();
    await free('192.0.2.2');
    const second = await Stream.open(v3, lastId(seen));
    await free('192.0.2.3');
    const text = await second.until('192.0.2.3');
    second.close();
    expect([...text.matchAll(/"address":"([^"]+)"/gu)].map(([, address]) => address)).toEqual([
      '192.0.2.2',
      '192.0.2.3',
    ]);
  });

  test('say that what was missed is unknown where the id is of another process or too old', async () => {
    const stream = await Stream.open(v3, '1-1');
    expect(await stream.until('\n\n')).toContain('event: reset');
    stream.close();
  });

  test('end with the server, which does not wait for their clients', async () => {
    const stream = await Stream.open(v3);
    await stream.until('event: ready');
    await Promise.all([v3.server.close(), stream.ended()]);
    expect(stream.text).toContain('event: ready');
  });
});
