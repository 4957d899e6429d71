import { Agent as HttpAgent, request as httpRequest, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { JsonMap } from '../../contract/loose-json';
import { textOf } from '../../contract/loose-json';
import { CallGate } from './call-gate';
import { failed, judge, type NetBoxAnswer, type NetBoxFault, type RawAnswer } from './netbox-answer';
import { networkFault } from './network-words';
import type { Tools } from '../../ports/tools';
import { awaitSystem } from '../../runtime/awaited-system';

/** How NetBox is reached. */
export interface NetBoxClientOptions extends Pick<Tools, 'clock' | 'meter'> {
  /** Root of NetBox, without `/api`. */
  readonly url: URL;
  /** Reads the token, for each call: a new one needs no restart. */
  readonly token: () => Promise<string>;
  /**
   * Reads the CA certificates of NetBox.
   *
   * @default - those of Node.js
   */
  readonly ca?: () => Promise<string>;
  /**
   * Longest time of one call with all its tries, in milliseconds.
   *
   * @default 4000
   */
  readonly timeoutMs?: number;
  /**
   * Most calls at the same time.
   *
   * @default 8
   */
  readonly parallel?: number;
}

/** One call. */
export interface NetBoxCall {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the root, for example `/api/ipam/prefixes/`. */
  readonly path: string;
  readonly query?: URLSearchParams;
  readonly body?: JsonMap;
}

/** Token, and the CA certificates that NetBox is trusted by. */
interface Login {
  readonly token: string;
  readonly ca?: string;
}

const DEFAULT_TIMEOUT_MS = 4_000;
const DEFAULT_PARALLEL = 8;
const AGAIN_AFTER_MS = 150;
const PEM_CERTIFICATE = /-----BEGIN (TRUSTED )?CERTIFICATE-----/u;
/** Longest body that is read: a page of 1,000 prefixes has about 1.5 MB. */
const MOST_BYTES = 32 * 1024 * 1024;

/**
 * Calls of NetBox's REST API. Keeps its connections; the token goes to the configured origin and nowhere else, since no redirect is
 * followed. A call that may be repeated is tried twice; what failed is said as a value.
 *
 * Safe for parallel calls. After `close()` calls end as `unavailable`.
 */
export class NetBoxClient {
  readonly #options: NetBoxClientOptions;
  readonly #gate: CallGate;
  readonly #line: (() => void)[] = [];
  #running = 0;
  #agent: HttpAgent | undefined;
  #ca: string | undefined;
  #closed = false;
  #problem: string | undefined;

  /**
   * Opens nothing yet.
   *
   * @param options - where NetBox is, and the login
   */
  constructor(options: NetBoxClientOptions) {
    this.#options = options;
    this.#gate = new CallGate(options.clock);
  }

  /**
   * Makes a call.
   *
   * @param call - method, path, query and body
   * @returns the JSON object, or what went wrong; never throws
   */
  call(call: NetBoxCall): Promise<NetBoxAnswer> {
    return awaitSystem('netbox', () => this.#callInTurn(call));
  }

  /**
   * Tells how the newest call ended.
   *
   * @returns why NetBox did not serve it; undefined where it did, whatever it said
   */
  problem(): string | undefined {
    return this.#problem;
  }

  /** Ends every connection. */
  close(): void {
    this.#closed = true;
    this.#agent?.destroy();
  }

  async #callInTurn(call: NetBoxCall): Promise<NetBoxAnswer> {
    await this.#turn();
    try {
      const answer = await this.#tries(call);
      const result = answer.ok ? 'ok' : answer.fault.kind;
      this.#options.meter.count('netbox_requests_total', { method: call.method, result });
      this.#problem = answer.ok || !isOutage(answer.fault) ? undefined : `NetBox ${answer.fault.words}`;
      return answer;
    } finally {
      this.#running--;
      this.#line.shift()?.();
    }
  }

  async #turn(): Promise<void> {
    if (this.#running >= (this.#options.parallel ?? DEFAULT_PARALLEL))
      await new Promise<void>((resolve) => this.#line.push(resolve));
    this.#running++;
  }

  async #tries(call: NetBoxCall): Promise<NetBoxAnswer> {
    const { clock, timeoutMs = DEFAULT_TIMEOUT_MS } = this.#options;
    const deadlineMs = clock.nowMs() + timeoutMs;
    const first = await this.#once(call, timeoutMs);
    if (first.ok || first.fault.kind !== 'unavailable' || first.fault.retryAfterSeconds !== undefined) return first;
    const safe = call.method !== 'POST' || first.fault.acted === 'no';
    if (!safe || clock.nowMs() + AGAIN_AFTER_MS >= deadlineMs) return first;
    await new Promise<void>((resolve) => clock.after(AGAIN_AFTER_MS, resolve));
    return this.#once(call, Math.max(1, deadlineMs - clock.nowMs()));
  }

  async #once(call: NetBoxCall, timeoutMs: number): Promise<NetBoxAnswer> {
    if (this.#closed) return failed('unavailable', 'is not asked any more, since the operator ends');
    const login = await this.#login();
    if (!login.ok) return login;
    const shut = this.#gate.closedTo(login.token);
    if (shut !== undefined) return { ok: false, fault: shut };
    const answer = await this.#exchange(call, login, timeoutMs);
    this.#gate.learn(answer.ok ? undefined : answer.fault, login.token);
    return answer;
  }

  // The files may be away for a moment while a mounted Secret is replaced.
  async #login(): Promise<({ readonly ok: true } & Login) | Extract<NetBoxAnswer, { ok: false }>> {
    const { token, ca } = this.#options;
    try {
      const text = (await token()).trim();
      if (text === '' || /\s/u.test(text)) return failed('login', 'cannot be asked: the token file holds no token');
      if (ca === undefined) return { ok: true, token: text };
      const certificates = await ca();
      // Node.js would take any text, and then trust no server
      if (!PEM_CERTIFICATE.test(certificates))
        return failed('login', 'cannot be asked: the file of --netbox-ca-file holds no certificate in PEM');
      return { ok: true, token: text, ca: certificates };
    } catch (thrown) {
      const { code, path } = thrown as NodeJS.ErrnoException;
      return failed(
        'login',
        `cannot be asked: the file "${textOf(path)}" cannot be read (${textOf(code) || 'unknown'})`,
      );
    }
  }

  async #exchange(call: NetBoxCall, login: Login, timeoutMs: number): Promise<NetBoxAnswer> {
    const { clock } = this.#options;
    const ended = new AbortController();
    const disarm = clock.after(timeoutMs, () => {
      ended.abort();
    });
    try {
      return judge(await this.#send(call, login, ended.signal), clock.nowMs());
    } catch (thrown) {
      if (ended.signal.aborted)
        return failed('unavailable', `gave no answer within ${timeoutMs} ms`, { acted: 'perhaps' });
      const { hostname: host } = this.#options.url;
      const { words, neverSent } = networkFault(thrown, { host, hasOwnCa: login.ca !== undefined });
      return failed('unavailable', words, { acted: neverSent ? 'no' : 'perhaps' });
    } finally {
      disarm();
    }
  }

  #send(call: NetBoxCall, { token, ca }: Login, signal: AbortSignal): Promise<RawAnswer> {
    const url = this.#urlOf(call);
    const body = call.body === undefined ? undefined : JSON.stringify(call.body);
    const options: RequestOptions = {
      method: call.method,
      agent: this.#agentFor(url, ca),
      signal,
      headers: {
        accept: 'application/json',
        // tokens of the second version name their kind (NetBox 4.5)
        authorization: `${token.startsWith('nbt_') ? 'Bearer' : 'Token'} ${token}`,
        'user-agent': 'ipam-operator',
        ...(body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }),
      },
    };
    return new Promise((resolve, reject) => {
      const sent = url.protocol === 'https:' ? httpsRequest(url, options) : httpRequest(url, options);
      sent.on('error', reject);
      sent.once('response', (message) => {
        const { statusCode: status = 0, headers } = message;
        const { 'retry-after': retryAfter, location } = headers;
        let text = '';
        message.setEncoding('utf8');
        message.on('data', (chunk: string) => {
          text += chunk;
          if (text.length > MOST_BYTES) sent.destroy(new RangeError('too long'));
        });
        message.once('error', reject);
        message.once('end', () => {
          resolve({ status, text, retryAfter, location });
        });
      });
      sent.end(body);
    });
  }

  #urlOf({ path, query }: NetBoxCall): URL {
    const url = new URL(this.#options.url);
    url.pathname = `${url.pathname.replace(/\/+$/u, '')}${path}`;
    url.search = query === undefined ? '' : query.toString();
    return url;
  }

  // A new CA means new connections; calls under way end on theirs.
  #agentFor({ protocol }: URL, ca: string | undefined): HttpAgent {
    if (this.#agent !== undefined && ca === this.#ca) return this.#agent;
    for (const socket of Object.values(this.#agent?.freeSockets ?? {}).flat()) socket?.destroy();
    this.#ca = ca;
    const options = { keepAlive: true, timeout: 45_000, maxSockets: this.#options.parallel ?? DEFAULT_PARALLEL };
    const agent =
      protocol === 'https:'
        ? new HttpsAgent({ ...options, ...(ca === undefined ? {} : { ca }) })
        : new HttpAgent(options);
    this.#agent = agent;
    return agent;
  }
}

function isOutage({ kind, lacksRight }: NetBoxFault): boolean {
  return kind === 'unavailable' || (kind === 'login' && lacksRight !== true);
}
