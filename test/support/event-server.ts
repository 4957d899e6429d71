import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One connection of a follower. */
export interface EventConnection {
  readonly headers: IncomingHttpHeaders;
  readonly response: ServerResponse;
  /** Resolves when the follower went away or was cut. */
  readonly closed: Promise<void>;
}

/** A server of server-sent events whose every byte a test writes itself. */
export class EventServer {
  readonly connections: EventConnection[] = [];
  /** Status and content type of the next answers; 200 and an event stream when none is left. */
  answers: { readonly status: number; readonly type: string }[] = [];
  readonly #server: Server;
  #waiters: { readonly count: number; readonly resolve: () => void }[] = [];

  private constructor() {
    this.#server = createServer((request, response) => {
      const { status, type } = this.answers.shift() ?? { status: 200, type: 'text/event-stream; charset=utf-8' };
      response.writeHead(status, { 'content-type': type });
      if (status === 200) response.flushHeaders();
      else response.end();
      const closed = new Promise<void>((resolve) => response.once('close', resolve));
      this.connections.push({ headers: request.headers, response, closed });
      for (const { count, resolve } of this.#waiters) if (this.connections.length >= count) resolve();
    });
  }

  static async start(): Promise<EventServer> {
    const server = new EventServer();
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/events`;
  }

  /** Waits for a connection; the first one is number 1. */
  async connection(count: number): Promise<EventConnection> {
    if (this.connections.length < count) await new Promise<void>((resolve) => this.#waiters.push({ count, resolve }));
    return this.connections[count - 1] as EventConnection;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
