import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { IpamError, isIpamError } from '../../errors/ipam-error';
import type { Clock } from '../../ports/clock';
import { awaitSystem } from '../../runtime/awaited-system';
import { CircuitBreaker, type BreakerLimits } from './circuit-breaker';
import { networkReason } from './network-reason';
import { askedPauseMs, retryAfterMs } from './pauses';

/** Place of the server. */
interface ExchangeTarget {
  /** Base URL; what it has of a path stands before every path. */
  readonly url: string;
}

/** Certificates and key that the connection is secured with; PEM. */
export interface ExchangeTls {
  /** CA certificates that the server is trusted by; absent: those of Node.js. */
  readonly ca?: string;
  /** Certificate and key of this client. */
  readonly cert?: string;
  readonly key?: string;
}

/** Parts and limits of {@link HttpExchange}. */
export interface ExchangeProps {
  readonly target: ExchangeTarget;
  readonly clock: Clock;
  /** Read at each try; another object than before means new connections. */
  readonly tls?: () => ExchangeTls;
  /** Headers of every request, for example the login; read at each try. */
  readonly headers?: () => Readonly<Record<string, string>>;
  /** Milliseconds for one try; 5 000 by default. */
  readonly attemptMs?: number;
  /** Milliseconds for a call with all its tries; 8 000 by default. */
  readonly callMs?: number;
  /** Tells an answer of a server that cannot answer now; 408, 429 and 5xx by default. */
  readonly isOutage?: (answer: HttpAnswer) => boolean;
  readonly breaker?: BreakerLimits;
  /** From 0 to 1; `Math.random` by default. */
  readonly random?: () => number;
}

/** One call. */
export interface HttpExchangeCall {
  readonly method: string;
  /** Begins with a slash; already encoded. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Made anew for each try where it depends on the time. */
  readonly body?: string | (() => string);
  /** True: sending it twice changes nothing more, so a call without an answer is sent again. */
  readonly repeatable: boolean;
  /** Milliseconds for all tries, in place of {@link ExchangeProps.callMs}. */
  readonly callMs?: number;
  /** Milliseconds for one try, in place of {@link ExchangeProps.attemptMs}. */
  readonly attemptMs?: number;
}

/** A whole answer. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

const ATTEMPT_MS = 5_000;
const CALL_MS = 8_000;
/** A pause is not worth it when less time than this is left afterwards. */
const LEAST_TRY_MS = 100;
const TOO_MANY = 429;
/** Servers in front of us drop idle connections after a minute or more; a request on one of those would fail. */
const IDLE_SOCKET_MS = 30_000;
const MOST_SOCKETS = 32;
/** Most characters of an answer. */
const MOST_CHARACTERS = 256 * 1024 * 1024;

/**
 * Asks one HTTP server: deadline for each try and for the whole, repeats what may be repeated with growing, jittered pauses
 * or as `Retry-After` says, and a circuit breaker. Error texts hold neither bodies nor headers.
 *
 * Safe for parallel calls. After `close` no new call may be made.
 */
export class HttpExchange {
  readonly #props: ExchangeProps;
  readonly #breaker: CircuitBreaker;
  #tls: ExchangeTls | undefined;
  #agent: HttpAgent | undefined;

  /**
   * Opens nothing yet.
   *
   * @param props - target, clock, login, limits
   */
  constructor(props: ExchangeProps) {
    this.#props = props;
    this.#breaker = new CircuitBreaker(props.clock, props.breaker);
  }

  /**
   * Sends a call and reads the whole answer.
   *
   * @param call - what is asked
   * @returns the answer, whatever its status, unless it tells of an outage
   * @throws IpamError `store/unavailable` when no answer could be had in time
   */
  call(call: HttpExchangeCall): Promise<HttpAnswer> {
    return awaitSystem('ipam-api', () => this.#callUntilAnswered(call));
  }

  /**
   * Opens an answer that goes on for long, such as server-sent events; sent once. It has to begin within the time of one try, and may
   * go on for ever.
   *
   * @param call - what is asked
   * @param signal - ends it
   * @returns the answer with its body unread
   * @throws IpamError `store/unavailable`
   */
  async open(call: HttpExchangeCall, signal: AbortSignal): Promise<IncomingMessage> {
    const { clock, attemptMs = ATTEMPT_MS } = this.#props;
    const late = new AbortController();
    const lateMs = call.attemptMs ?? attemptMs;
    const stop = clock.after(lateMs, () => {
      late.abort();
    });
    try {
      return await this.#send(call, AbortSignal.any([signal, late.signal]), true);
    } catch (error) {
      throw unavailable(this.#name(call), { kind: 'failure', error, ...(late.signal.aborted ? { lateMs } : {}) });
    } finally {
      stop();
    }
  }

  /** Ends idle connections; calls under way finish. */
  close(): void {
    retire(this.#agent);
  }

  async #callUntilAnswered(call: HttpExchangeCall): Promise<HttpAnswer> {
    const { clock, callMs = CALL_MS } = this.#props;
    const endMs = clock.nowMs() + (call.callMs ?? callMs);
    let last: IpamError | undefined;
    for (let tries = 1; ; tries++) {
      await this.#rested(call, endMs);
      this.#enter(call, last);
      const tried = await this.#try(call, endMs);
      if (tried.kind === 'answer' && this.#isWell(tried.answer)) return tried.answer;
      const { waitMs, error } = this.#failed(call, tried, tries);
      last = error;
      if (!call.repeatable || clock.nowMs() + waitMs + LEAST_TRY_MS >= endMs) throw last;
      await new Promise<void>((resolve) => clock.after(waitMs, resolve));
    }
  }

  // A caller with time left waits until the server wants calls again.
  async #rested(call: HttpExchangeCall, endMs: number): Promise<void> {
    const { clock, random = Math.random } = this.#props;
    for (let waitMs = this.#breaker.restMs; waitMs > 0; waitMs = this.#breaker.restMs) {
      const pauseMs = askedPauseMs(waitMs, 1, random());
      if (clock.nowMs() + pauseMs + LEAST_TRY_MS >= endMs)
        throw away(`${this.#name(call)}: the server has too many calls`, waitMs);
      await new Promise<void>((resolve) => clock.after(pauseMs, resolve));
    }
  }

  // What the server said last tells more than that it is not asked now.
  #enter(call: HttpExchangeCall, last: IpamError | undefined): void {
    const waitMs = this.#breaker.enter();
    if (waitMs !== undefined) throw last ?? away(`${this.#name(call)}: the server is away`, waitMs);
  }

  #isWell(answer: HttpAnswer): boolean {
    const isOutage = this.#props.isOutage ?? isOutageStatus;
    if (isOutage(answer)) return false;
    this.#breaker.succeeded();
    return true;
  }

  #failed(call: HttpExchangeCall, tried: Tried, tries: number): { readonly waitMs: number; readonly error: IpamError } {
    const { clock, random = Math.random } = this.#props;
    const answer = tried.kind === 'answer' ? tried.answer : undefined;
    const askedMs = retryAfterMs(answer?.headers['retry-after'], clock.nowMs());
    const waitMs = askedPauseMs(askedMs, tries, random());
    if (answer?.status === TOO_MANY) this.#breaker.rest(askedMs ?? waitMs);
    else this.#breaker.failed();
    return { waitMs, error: unavailable(this.#name(call), tried, askedMs) };
  }

  async #try(call: HttpExchangeCall, endMs: number): Promise<Tried> {
    const { clock, attemptMs = ATTEMPT_MS } = this.#props;
    const ended = new AbortController();
    const ms = Math.max(1, Math.min(call.attemptMs ?? attemptMs, endMs - clock.nowMs()));
    const stop = clock.after(ms, () => {
      ended.abort();
    });
    try {
      const message = await this.#send(call, ended.signal, false);
      const text = await textOf(message);
      return { kind: 'answer', answer: { status: message.statusCode ?? 0, headers: message.headers, text } };
    } catch (error) {
      return { kind: 'failure', error, ...(ended.signal.aborted ? { lateMs: ms } : {}) };
    } finally {
      stop();
    }
  }

  #send(call: HttpExchangeCall, signal: AbortSignal, stream: boolean): Promise<IncomingMessage> {
    const body = typeof call.body === 'function' ? call.body() : call.body;
    const { target, headers } = this.#props;
    const tls = this.#props.tls?.();
    const options: RequestOptions = {
      method: call.method,
      signal,
      headers: {
        accept: 'application/json',
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        ...headers?.(),
        ...call.headers,
      },
    };
    return new Promise((resolve, reject) => {
      const agent = stream ? { agent: false as const } : { agent: this.#agentFor(tls) };
      const sent = requestTo(new URL(target.url.replace(/\/$/u, '') + call.path), { ...options, ...agent }, tls);
      sent.once('response', resolve);
      // stays: a connection that breaks later tells it here too, and an error without listener ends the process
      sent.on('error', reject);
      sent.end(body);
    });
  }

  #agentFor(tls: ExchangeTls | undefined): HttpAgent {
    const { target } = this.#props;
    if (this.#agent !== undefined && tls === this.#tls) return this.#agent;
    this.#tls = tls;
    retire(this.#agent);
    const options = { keepAlive: true, timeout: IDLE_SOCKET_MS, maxSockets: MOST_SOCKETS };
    const secure = target.url.startsWith('https:');
    return (this.#agent = secure ? new HttpsAgent({ ...options, ...tls }) : new HttpAgent(options));
  }

  #name({ method, path }: HttpExchangeCall): string {
    return `${method} ${path.split('?', 1)[0] ?? ''} of "${this.#props.target.url}"`;
  }
}

/** Result of one try. */
type Tried =
  | { readonly kind: 'answer'; readonly answer: HttpAnswer }
  | { readonly kind: 'failure'; readonly error: unknown; readonly lateMs?: number };

function requestTo(url: URL, options: RequestOptions, tls: ExchangeTls | undefined): ReturnType<typeof httpRequest> {
  return url.protocol === 'https:' ? httpsRequest(url, { ...options, ...tls }) : httpRequest(url, options);
}

async function textOf(message: IncomingMessage): Promise<string> {
  message.setEncoding('utf8');
  let text = '';
  for await (const chunk of message) {
    text += String(chunk);
    if (text.length > MOST_CHARACTERS) throw new IpamError('store/unavailable', 'the answer is too long to be read');
  }
  return text;
}

function away(why: string, waitMs: number): IpamError {
  const retryAfterSeconds = Math.ceil(waitMs / 1000);
  return new IpamError('store/unavailable', `${why}; a new try is made in ${retryAfterSeconds} s`, {
    retryAfterSeconds,
  });
}

// `destroy` would break the calls under way, whose outcome would not be known then.
function retire(agent: HttpAgent | undefined): void {
  if (agent === undefined) return;
  agent.maxFreeSockets = 0; // connections that are done now are closed
  for (const sockets of Object.values(agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
}

function isOutageStatus({ status }: HttpAnswer): boolean {
  return status >= 500 || status === 429 || status === 408;
}

function unavailable(name: string, tried: Tried, askedMs?: number): IpamError {
  const wait = askedMs === undefined ? {} : { retryAfterSeconds: Math.ceil(askedMs / 1000) };
  if (tried.kind === 'answer') {
    return new IpamError('store/unavailable', `${name}: the server answered with status ${tried.answer.status}`, wait);
  }
  const { error, lateMs } = tried;
  if (lateMs !== undefined) return new IpamError('store/unavailable', `${name}: no answer within ${lateMs} ms`, wait);
  if (isIpamError(error)) return error;
  return new IpamError('store/unavailable', `${name}: ${networkReason(error)}`, { cause: error });
}
