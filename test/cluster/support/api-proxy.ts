import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import type { Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { freePort } from '../../support/free-ports';
import type { ControlPlane } from './control-plane';

/** On which side of a step something happens to it. */
export type Side = 'before' | 'after';

interface Cut {
  left: number;
  readonly side: Side;
  readonly act: () => Promise<void>;
  /** Only writes whose path has it count; absent: all. */
  readonly part?: string;
  /** The write is carried out and answered as if nothing had been. */
  readonly goesOn?: boolean;
}

const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE'];

/** Stands between one caller and the API server: counts what is written, and does something at a write of one's choice. */
export class ApiProxy {
  /** `METHOD path` of every write that came, Leases left out. */
  readonly writes: string[] = [];
  readonly #server: Server;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #sockets = new Set<Socket>();
  readonly #plane: ControlPlane;
  #port = 0;
  #token = '';
  #cut: Cut | undefined;
  #old: { readonly path: string; readonly list: Buffer; asked: number } | undefined;

  private constructor(plane: ControlPlane) {
    this.#plane = plane;
    this.#server = createServer((asked, answer) => {
      this.#pass(asked, answer).catch(() => answer.destroy());
    });
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
  }

  /** Starts one that ends with the control plane. */
  static async start(plane: ControlPlane): Promise<ApiProxy> {
    const proxy = new ApiProxy(plane);
    await proxy.comeBack();
    plane.onStop(async () => {
      await proxy.goAway();
      proxy.#agent.destroy();
    });
    return proxy;
  }

  /** Kubeconfig of a caller with a token, through here. */
  kubeconfigOf(name: string, token: string): string {
    this.#token = token;
    const path = this.#plane.kubeconfigOf(name, token);
    const direct = readFileSync(path, 'utf8');
    writeFileSync(path, direct.replace(this.#plane.url, `http://127.0.0.1:${this.#port}`));
    return path;
  }

  /** Does something once, at the given write from now on, which is held meanwhile; a write that is cut is never answered. */
  cutAt(write: number, side: Side, act: () => Promise<void>): void {
    this.#cut = { left: write, side, act };
  }

  /** Breaks the answer off of the first write whose path has this part, after it was carried out. */
  cutAtFirst(part: string, act: () => Promise<void>): void {
    this.#cut = { left: 1, side: 'after', act, part };
  }

  /** Does something before the first write whose path has this part, which is carried out then: the server judges what it meets. */
  overtakeAtFirst(part: string, act: () => Promise<void>): void {
    this.#cut = { left: 1, side: 'before', act, part, goesOn: true };
  }

  /** True when nothing is cut any more. */
  get isUncut(): boolean {
    return this.#cut === undefined;
  }

  /** Takes a cut back that may not have come. */
  uncut(): void {
    this.#cut = undefined;
  }

  /** Lists a path from now on as it is now, as a server does whose cache is behind; a watch tells what came after. */
  async fallBehind(path: string): Promise<void> {
    const { url, ca, token } = this.#plane;
    const call = request(new URL(path, url), { ca, agent: this.#agent, headers: { authorization: `Bearer ${token}` } });
    call.end();
    const [given] = (await once(call, 'response')) as [IncomingMessage];
    this.#old = { path, list: await buffer(given), asked: 0 };
  }

  /** Lists everything as it is again, and tells how often it did not. */
  catchUp(): number {
    const asked = this.#old?.asked ?? 0;
    this.#old = undefined;
    return asked;
  }

  /** As when the API server is lost: open connections break, and nobody answers. */
  async goAway(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** Answers again, at the same place. */
  async comeBack(): Promise<void> {
    this.#port ||= await freePort();
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  async #pass(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    if (this.#isOld(asked, answer)) return;
    const cut = this.#isWrite(asked) ? this.#due(asked) : undefined;
    if (cut?.side === 'before') await cut.act();
    if (cut?.side === 'before' && cut.goesOn !== true) {
      answer.destroy();
      return;
    }
    const given = await this.#forward(asked, answer);
    if (cut?.side === 'after') {
      await buffer(given);
      await cut.act();
      answer.destroy();
      return;
    }
    this.#answerWith(given, answer);
  }

  #answerWith(given: IncomingMessage, answer: ServerResponse): void {
    answer.writeHead(given.statusCode ?? 500, given.headers);
    given.once('close', () => {
      if (!given.complete) answer.destroy(); // a stream that broke must not look like a quiet one
    });
    answer.flushHeaders(); // a watch of what never changes has nothing else to say
    given.pipe(answer);
  }

  async #forward(asked: IncomingMessage, answer: ServerResponse): Promise<IncomingMessage> {
    const { url, ca } = this.#plane;
    const { method } = asked;
    // programs in Go tell nobody their token without TLS
    const headers = { authorization: `Bearer ${this.#token}`, ...asked.headers };
    const call = request(new URL(asked.url ?? '/', url), { method, headers, ca, agent: this.#agent });
    call.on('error', () => answer.destroy());
    answer.once('close', () => call.destroy()); // a watch ends with whoever watches
    asked.pipe(call);
    const [given] = (await once(call, 'response')) as [IncomingMessage];
    return given;
  }

  #isWrite({ method = 'GET', url = '' }: IncomingMessage): boolean {
    if (!WRITES.includes(method) || url.includes('/leases')) return false;
    this.writes.push(`${method} ${url}`);
    return true;
  }

  #isOld({ method, url = '' }: IncomingMessage, answer: ServerResponse): boolean {
    const { pathname, searchParams } = new URL(url, this.#plane.url);
    const old = this.#old;
    if (old === undefined || method !== 'GET' || pathname !== old.path) return false;
    if (searchParams.get('sendInitialEvents') === 'true') {
      // a client that would rather watch than list lists where a server cannot do this
      answer.writeHead(422, { 'content-type': 'application/json' });
      answer.end(JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'Invalid', code: 422 }));
      return true;
    }
    if (searchParams.get('watch') === 'true') return false;
    old.asked++;
    answer.writeHead(200, { 'content-type': 'application/json' });
    answer.end(old.list);
    return true;
  }

  #due({ url = '' }: IncomingMessage): Cut | undefined {
    const cut = this.#cut;
    if (cut === undefined || !url.includes(cut.part ?? '') || --cut.left > 0) return undefined;
    this.#cut = undefined;
    return cut;
  }
}
