import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One batch as it arrived. */
export interface SplunkBatch {
  readonly path: string;
  readonly authorization: string;
  readonly events: readonly Record<string, unknown>[];
}

/** A stand-in for Splunk's HTTP Event Collector: it takes batches and answers with the statuses that a test gives. */
export class SplunkCollector {
  readonly batches: SplunkBatch[] = [];
  /** Statuses of the next answers; 200 when none is left; 0 cuts the connection. */
  statuses: number[] = [];
  readonly #server: Server;
  #waiters: { readonly count: number; readonly resolve: () => void }[] = [];

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const { authorization = '' } = request.headers;
        const text = Buffer.concat(chunks).toString('utf8');
        const events = text.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
        this.batches.push({ path: request.url ?? '', authorization, events });
        const status = this.statuses.shift() ?? 200;
        if (status === 0) request.socket.destroy();
        else response.writeHead(status, { 'content-type': 'application/json' }).end('{"text":"","code":0}');
        this.#waiters
          .filter(({ count }) => this.batches.length >= count)
          .forEach(({ resolve }) => {
            resolve();
          });
      });
    });
  }

  static async start(): Promise<SplunkCollector> {
    const collector = new SplunkCollector();
    await new Promise<void>((resolve) => collector.#server.listen(0, '127.0.0.1', resolve));
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Waits for the arrival of a batch; the first one is number 1. */
  async arrived(count: number): Promise<SplunkBatch> {
    if (this.batches.length < count) await new Promise<void>((resolve) => this.#waiters.push({ count, resolve }));
    return this.batches[count - 1] as SplunkBatch;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
