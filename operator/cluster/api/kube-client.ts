import type { IncomingMessage } from 'node:http';

import type { JsonMap } from '../../contract/loose-json';
import { IpamError, isIpamError } from '../../errors/ipam-error';
import {
  decidedStatus,
  foreignFailure,
  mayRepeat,
  networkFailure,
  serverFailure,
  type FailedAttempt,
} from './api-attempt';
import type { ApiAnswer, ApiClient, ApiRequest } from './api-client';
import { CallLimits } from './call-limits';
import { codeOf, inClusterCredentials, type Credentials, type Login } from './credentials';
import { bodyText, HttpConnections } from './http-exchange';
import { answerOf, jsonLines, jsonObject, serverTimeOf } from './json-body';
import { kubeconfigCredentials } from './kubeconfig';
import { awaitSystem } from '../../runtime/awaited-system';
import { backoffMs, retryAfterSeconds } from '../../runtime/retry-pause';
import type { Environment } from './service-account';
import { TokenBucket } from '../../runtime/token-bucket';
import type { Tools } from '../../ports/tools';

/**
 * Requests per second that one process sends on average; watches are not counted. The server guards itself by its priority
 * levels (429 and Retry-After); this only bounds what a fault of ours may cost. At 50, which is common, the conditions of 5,000
 * new Services would take 100 s. The VIPs door makes two writes for a Service, and is to serve 300 of them in a second.
 */
export const DEFAULT_QPS = 650;

/** Requests at once after a quiet time. */
export const DEFAULT_BURST = 1_300;

const TIMEOUT_MS = 10_000;
/** The API server sends a bookmark each minute, so two minutes of silence mean that the server is gone. */
const IDLE_MS = 120_000;
const RETRY = { firstMs: 100, mostMs: 5_000 };

/** How the API server is reached. */
export interface KubeClientOptions extends Pick<Tools, 'clock' | 'logger'>, Partial<Pick<Tools, 'meter'>> {
  /** Path of a kubeconfig; without it the ServiceAccount of the Pod is used. */
  readonly kubeconfig?: string;
  /** Context of the kubeconfig; its current one by default. */
  readonly context?: string;
  /** Where `KUBERNETES_SERVICE_HOST` and `_PORT` come from; without them `kubernetes.default.svc` is called. */
  readonly environment?: Environment;
  /** Where token and CA of the ServiceAccount are mounted. */
  readonly serviceAccountFolder?: string;
  /** Requests per second on average. */
  readonly qps?: number;
  /** Requests at once after a quiet time. */
  readonly burst?: number;
  /** From 0 to 1, for the jitter of retries. */
  readonly random?: () => number;
}

/**
 * Opens the client of one API server. Sends nothing yet.
 *
 * @param options - credentials, limits, clock and telemetry
 * @returns the client; close it at the end
 * @throws IpamError `settings/invalid` when the kubeconfig or the ServiceAccount cannot be used
 */
export async function openKubeClient(options: KubeClientOptions): Promise<ApiClient> {
  const { kubeconfig, context, environment = {}, serviceAccountFolder, clock } = options;
  const credentials =
    kubeconfig === undefined
      ? await inClusterCredentials({
          environment,
          clock,
          ...(serviceAccountFolder === undefined ? {} : { folder: serviceAccountFolder }),
        })
      : await kubeconfigCredentials({ path: kubeconfig, clock, ...(context === undefined ? {} : { context }) });
  return new KubeClient(credentials, options);
}

/** The one try of a call: what the server decided, or why there is no decision. */
type Tried =
  | { readonly kind: 'answer'; readonly answer: ApiAnswer }
  | { readonly kind: 'failure'; readonly failure: FailedAttempt };

class KubeClient implements ApiClient {
  readonly #credentials: Credentials;
  readonly #options: KubeClientOptions;
  readonly #bucket: TokenBucket;
  readonly #connections = new HttpConnections();
  readonly #closing = new AbortController();
  readonly #underWay = new Set<Promise<unknown>>();

  constructor(credentials: Credentials, options: KubeClientOptions) {
    this.#credentials = credentials;
    this.#options = options;
    const { qps = DEFAULT_QPS, burst = DEFAULT_BURST, clock } = options;
    this.#bucket = new TokenBucket({ perSecond: qps, burst, clock });
  }

  async request(request: ApiRequest): Promise<ApiAnswer> {
    const limits = this.#limits(request);
    const call = awaitSystem('api-server', () => this.#tryUntilAnswered(request, limits));
    this.#underWay.add(call);
    try {
      return await call;
    } finally {
      this.#underWay.delete(call);
      limits.release();
    }
  }

  async stream(request: ApiRequest): Promise<ApiAnswer | AsyncIterable<JsonMap>> {
    const limits = this.#limits(request);
    const what = nameOf(request);
    try {
      const message = await this.#authorized(request, limits, true);
      const status = message.statusCode ?? 0;
      if (status === 200) {
        limits.dropDeadline();
        const ended = (): void => {
          limits.release();
        };
        return jsonLines(message, { what, idleMs: IDLE_MS, clock: this.#options.clock, ended });
      }
      const tried = await this.#decision(message, true);
      if (tried.kind === 'answer') {
        limits.release();
        return tried.answer;
      }
      throw this.#gaveUp(request, tried.failure.what, tried.failure);
    } catch (thrown) {
      limits.release();
      if (isIpamError(thrown)) throw thrown;
      throw this.#gaveUp(request, limits.whyEnded() ?? networkFailure(codeOf(thrown)).what);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.allSettled(this.#underWay);
    this.#connections.close();
  }

  #limits({ timeoutMs = TIMEOUT_MS, signal }: ApiRequest): CallLimits {
    return new CallLimits(this.#options.clock, timeoutMs, { caller: signal, client: this.#closing.signal });
  }

  async #tryUntilAnswered(request: ApiRequest, limits: CallLimits): Promise<ApiAnswer> {
    let last: FailedAttempt | undefined;
    for (let failures = 1; ; failures += 1) {
      await this.#bucket.take(limits.signal);
      const tried = await this.#try(request, limits);
      if (tried.kind === 'answer') return tried.answer;
      const ended = limits.whyEnded();
      if (ended !== undefined) throw this.#gaveUp(request, withLast(ended, last), last);
      last = tried.failure;
      if (!mayRepeat(request, last)) throw this.#gaveUp(request, last.what, last);
      const { random = Math.random, logger } = this.#options;
      const ms = Math.max(backoffMs(RETRY, failures, random()), (last.retryAfterSeconds ?? 0) * 1000);
      logger.debug('call of the API server failed, trying again', { call: nameOf(request), why: last.what, ms });
      if (!(await limits.pause(ms))) throw this.#gaveUp(request, withLast(limits.whyNoMore(), last), last);
    }
  }

  async #try(request: ApiRequest, limits: CallLimits): Promise<Tried> {
    try {
      return await this.#decision(await this.#authorized(request, limits, false), false);
    } catch (thrown) {
      // a login that cannot be read: nothing was sent
      if (isIpamError(thrown)) return { kind: 'failure', failure: { what: thrown.message, acted: 'no', again: true } };
      return { kind: 'failure', failure: networkFailure(codeOf(thrown)) };
    }
  }

  // A login may have ended since it was read; one more try with a new one shows it.
  async #authorized(request: ApiRequest, limits: CallLimits, watch: boolean): Promise<IncomingMessage> {
    const login = await limits.within(this.#credentials.login());
    const message = await this.#send(request, { login, watch, signal: limits.signal });
    if (message.statusCode !== 401) return message;
    message.resume();
    this.#credentials.refused(login);
    const renewed = await limits.within(this.#credentials.login());
    return this.#send(request, { login: renewed, watch, signal: limits.signal });
  }

  async #send(
    request: ApiRequest,
    { login, ...how }: { readonly login: Login; readonly watch: boolean; readonly signal: AbortSignal },
  ): Promise<IncomingMessage> {
    const { method, body, contentType = 'application/json' } = request;
    const headers = { accept: 'application/json', ...(body === undefined ? {} : { 'content-type': contentType }) };
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    let status = 0;
    try {
      const { server } = this.#credentials;
      const call = { method, server, path: pathOf(server, request), headers, ...text, ...how };
      const message = await this.#connections.send(call, login);
      status = message.statusCode ?? 0;
      return message;
    } finally {
      this.#options.meter?.count('cluster_requests_total', { method, status: String(status) });
    }
  }

  async #decision(message: IncomingMessage, asItIs: boolean): Promise<Tried> {
    const status = message.statusCode ?? 0;
    const text = await bodyText(message);
    const wait = retryAfterSeconds(message.headers['retry-after'], this.#options.clock.nowMs());
    const serverTimeMs = serverTimeOf(message.headers.date);
    const body = jsonObject(text);
    if (body === undefined) {
      // so the API server tells that it knows no such path, for example of a CRD that is not installed
      const plain = (message.headers['content-type'] ?? '').startsWith('text/plain');
      if (status === 404 && plain) {
        return {
          kind: 'answer',
          answer: answerOf(404, { reason: 'NotFound', message: text.trim() }, { serverTimeMs }),
        };
      }
      return { kind: 'failure', failure: foreignFailure(status, text, wait) };
    }
    const answer = answerOf(decidedStatus(status, body), body, { retryAfterSeconds: wait, serverTimeMs });
    const final = answer.ok || asItIs || (answer.status !== 429 && answer.status < 500);
    return final
      ? { kind: 'answer', answer }
      : { kind: 'failure', failure: serverFailure(status, answer.message, wait) };
  }

  // With the host: without it nothing tells a wrong kubeconfig or a Pod without DNS from a server that is down.
  #gaveUp(request: ApiRequest, why: string, last?: FailedAttempt): IpamError {
    const wait = last?.retryAfterSeconds;
    const options = wait === undefined ? {} : { retryAfterSeconds: wait };
    const { host } = this.#credentials.server;
    return new IpamError('cluster/unavailable', `${nameOf(request)} at ${host}: ${why}`, options);
  }
}

// The server of a kubeconfig may stand behind a path of a gateway.
function pathOf(server: URL, { path, query }: ApiRequest): string {
  const behind = server.pathname === '/' ? path : `${server.pathname.replace(/\/$/u, '')}${path}`;
  if (query === undefined) return behind;
  const fields = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return fields.length === 0 ? behind : `${behind}?${fields.join('&')}`;
}

const nameOf = ({ method, path }: ApiRequest): string => `${method} ${path}`;
const withLast = (why: string, last: FailedAttempt | undefined): string =>
  last === undefined ? why : `${why}; before, ${last.what}`;
