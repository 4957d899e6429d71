import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

import type { JsonMap } from '../../operator/contract/loose-json';

/** Key and certificate in PEM. */
interface ServingPair {
  readonly key: string;
  readonly cert: string;
}

/** A watch that the test plays. */
export class FakeWatch {
  readonly #response: ServerResponse;

  constructor(response: ServerResponse) {
    this.#response = response;
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
  }

  send(type: string, object: JsonMap): this {
    return this.raw(`${JSON.stringify({ type, object })}\n`);
  }

  bookmark(resourceVersion: string): this {
    return this.send('BOOKMARK', { kind: 'Service', metadata: { resourceVersion } });
  }

  raw(text: string | Buffer): this {
    this.#response.write(text);
    return this;
  }

  end(): void {
    this.#response.end();
  }

  /** Breaks the connection in the middle of the body. */
  reset(): void {
    this.#response.socket?.destroy();
  }

  /** Resolves when the client went away. */
  get left(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#response.closed) resolve();
      else this.#response.once('close', resolve);
    });
  }
}

/** One request that the test answers. */
export class FakeCall {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  readonly #response: ServerResponse;

  constructor(request: IncomingMessage, response: ServerResponse, text: string) {
    const url = new URL(request.url ?? '', 'http://fake');
    this.method = request.method ?? '';
    this.path = url.pathname;
    this.query = Object.fromEntries(url.searchParams);
    this.headers = request.headers;
    this.text = text;
    this.#response = response;
  }

  json(status: number, body: JsonMap, headers: Readonly<Record<string, string>> = {}): void {
    this.#response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  }

  /** A Status object, as the API server refuses. */
  status(code: number, reason: string, headers: Readonly<Record<string, string>> = {}): void {
    const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, message: `said ${reason}`, code };
    this.json(code, body, headers);
  }

  /** A list of Services. */
  list(items: readonly JsonMap[], metadata: JsonMap = { resourceVersion: '100' }): void {
    this.json(200, { kind: 'ServiceList', apiVersion: 'v1', metadata, items });
  }

  plain(status: number, text: string, type: string): void {
    this.#response.writeHead(status, { 'content-type': type }).end(text);
  }

  watch(): FakeWatch {
    return new FakeWatch(this.#response);
  }

  reset(): void {
    this.#response.socket?.destroy();
  }

  /** Sends half of a body, then breaks the connection. */
  breakMidBody(): void {
    this.#response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    this.#response.write('{"kind":', () => this.#response.socket?.destroy());
  }
}

/** An API server without a mind: every request waits until the test answers it. */
export class FakeApiServer {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #calls: FakeCall[] = [];
  readonly #waiting: ((call: FakeCall) => void)[] = [];
  #seen = 0;
  /** Answers lists of one, by which clients ask for the newest version; the highest unless a test says otherwise. */
  newest = String(Number.MAX_SAFE_INTEGER);

  private constructor(tls: ServingPair | undefined) {
    const take: RequestListener = (request, response) => {
      let text = '';
      request.setEncoding('utf8');
      request.on('data', (chunk) => (text += String(chunk)));
      request.on('end', () => {
        this.#take(new FakeCall(request, response, text));
      });
    };
    this.#server = tls === undefined ? createServer(take) : createTlsServer(tls, take);
    this.#server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
  }

  static async start(tls?: ServingPair): Promise<FakeApiServer> {
    const fake = new FakeApiServer(tls);
    await new Promise<void>((resolve) => fake.#server.listen(0, '127.0.0.1', resolve));
    return fake;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Connections that are open now. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** Requests that ever came. */
  get seen(): number {
    return this.#seen;
  }

  /** The next request that nobody has answered. */
  next(): Promise<FakeCall> {
    const call = this.#calls.shift();
    return call === undefined ? new Promise((resolve) => this.#waiting.push(resolve)) : Promise.resolve(call);
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => {
      this.#server.close(() => {
        resolve();
      });
    });
  }

  #take(call: FakeCall): void {
    if (call.query['limit'] === '1' && call.method === 'GET') {
      call.list([], { resourceVersion: this.newest });
      return;
    }
    this.#seen += 1;
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#calls.push(call);
    else waiting(call);
  }
}
