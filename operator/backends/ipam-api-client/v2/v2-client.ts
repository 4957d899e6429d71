import { hostPrefix } from '../../../addressing/prefix';
import type { Address } from '../../../addressing/address';
import { isIpamError } from '../../../errors/ipam-error';
import type { Refusal } from '../../../errors/outcome';
import { V2_PATHS } from '../../../contract/ipam-api/v2';
import { CircuitBreaker, DEFAULT_BREAKER } from '../circuit-breaker';
import { HttpExchange, type ExchangeTls } from '../api-exchange';
import { networkReason } from '../network-reason';
import { pauseMs, retryAfterMs } from '../pauses';
import { unanswered, understand, type Operation } from './v2-answer';
import type { V2Call, V2Calls, V2Result } from './v2-call';
import type { Tools } from '../../../ports/tools';

/** Longest wait for one release; it may be sent again, so a stuck connection need not use up the whole time. */
const RELEASE_TRY_MS = 3_000;
/** A pause is not worth it when less time than this is left afterwards. */
const LEAST_TRY_MS = 250;

/** Parts of {@link V2Client}. */
export interface V2ClientProps extends Tools {
  /** Base URL without the version. */
  readonly url: string;
  readonly tls?: () => ExchangeTls;
  /** From 0 to 1, for the jitter of pauses; `Math.random` by default. */
  readonly random?: () => number;
}

/**
 * Calls version 2 of an IPAM-API, the original's or ours. Repeats within its time only what cannot take a second address: a
 * call that never arrived or that ended there. After some failures in a row it is not called for a while.
 *
 * Safe for parallel calls; logs neither bodies nor secrets.
 */
export class V2Client implements V2Calls {
  readonly #props: V2ClientProps;
  readonly #exchange: HttpExchange;
  readonly #breaker: CircuitBreaker;
  #isAway = false;
  #failedAtMs = 0;
  /** Set by an answer that asks to wait. */
  #restUntilMs = 0;

  /**
   * Opens nothing yet.
   *
   * @param props - where the IPAM-API is, and the tools
   */
  constructor(props: V2ClientProps) {
    const { url, clock, tls } = props;
    this.#props = props;
    this.#breaker = new CircuitBreaker(clock);
    this.#exchange = new HttpExchange({
      target: { url },
      clock,
      isOutage: () => false,
      ...(tls === undefined ? {} : { tls }),
      // this client counts for itself, since it tells a refusal behind status 500 from an outage
      breaker: { failures: Number.POSITIVE_INFINITY, openMs: 0 },
    });
  }

  /** @inheritdoc */
  register(call: V2Call, budgetMs: number): Promise<V2Result> {
    return this.#within('register', call, budgetMs);
  }

  /** @inheritdoc */
  release(call: V2Call & { readonly address: Address }, budgetMs: number): Promise<V2Result> {
    return this.#within('release', call, budgetMs);
  }

  /** @inheritdoc */
  closedBecause(): Refusal | undefined {
    const nowMs = this.#props.clock.nowMs();
    const openUntilMs = this.#isAway ? this.#failedAtMs + DEFAULT_BREAKER.openMs : 0;
    const waitMs = Math.max(openUntilMs, this.#restUntilMs) - nowMs;
    return waitMs > 0 ? away(waitMs) : undefined;
  }

  /** @inheritdoc */
  away(): boolean {
    return this.#isAway;
  }

  /** Ends idle connections. */
  close(): void {
    this.#exchange.close();
  }

  async #within(operation: Operation, call: V2Call, budgetMs: number): Promise<V2Result> {
    const { clock, random = Math.random } = this.#props;
    const endMs = clock.nowMs() + budgetMs;
    for (let tries = 1; ; tries += 1) {
      const leftMs = endMs - clock.nowMs();
      const result = await this.#once(operation, call, leftMs);
      if (result.as !== 'failed' || !mayRepeat(operation, result)) return result;
      const waitMs = pauseMs(tries, random());
      if (clock.nowMs() + waitMs + LEAST_TRY_MS > endMs) return result;
      await new Promise<void>((resolve) => clock.after(waitMs, resolve));
      // what the IPAM-API said last tells more than that it is not asked now
      if (this.closedBecause() !== undefined) return result;
    }
  }

  async #once(operation: Operation, call: V2Call, leftMs: number): Promise<V2Result> {
    const closed = this.closedBecause();
    const waitMs = closed === undefined ? this.#breaker.enter() : 0;
    if (waitMs !== undefined) return { as: 'failed', doubt: 'no', refusal: closed ?? away(waitMs) };
    const result = await this.#send(operation, call, leftMs);
    this.#judge(result);
    const label = result.as === 'failed' ? result.doubt : result.as;
    this.#props.meter.count('remote_calls_total', { operation, result: label === 'no' ? 'unsent' : label });
    return result;
  }

  async #send(operation: Operation, call: V2Call, leftMs: number): Promise<V2Result> {
    const [method, path] = operation === 'register' ? ['POST', V2_PATHS.address] : ['DELETE', V2_PATHS.service];
    const ms = operation === 'release' ? Math.min(leftMs, RELEASE_TRY_MS) : leftMs;
    try {
      const { status, text, headers } = await this.#exchange.call({
        method,
        path,
        repeatable: false,
        callMs: ms,
        attemptMs: ms,
        body: JSON.stringify(bodyOf(call)),
      });
      const waitMs = retryAfterMs(headers['retry-after'], this.#props.clock.nowMs());
      const asked = waitMs === undefined ? {} : { retryAfterMs: waitMs };
      return understand(operation, call, { status, body: text, ...asked });
    } catch (thrown) {
      return withoutAnswer(thrown);
    }
  }

  // A refusal is an answer of a server that is well, and so is a failure of one zone; an answer that asks to wait is obeyed by every call.
  #judge(result: V2Result): void {
    const { clock, logger, meter } = this.#props;
    if (result.as === 'failed' && result.refusal.retryAfterSeconds !== undefined) {
      this.#restUntilMs = clock.nowMs() + result.refusal.retryAfterSeconds * 1_000;
      this.#breaker.gaveUp();
      return;
    }
    if (result.as === 'failed' && result.ofZone !== true) {
      this.#failedAtMs = clock.nowMs();
      this.#breaker.failed();
    } else this.#breaker.succeeded();
    if (this.#breaker.isOpen === this.#isAway) return;
    this.#isAway = this.#breaker.isOpen;
    meter.set('remote_away', this.#isAway ? 1 : 0);
    if (this.#isAway && result.as === 'failed') {
      logger.warn('the IPAM-API counts as away; one call at a time tries it', { problem: result.refusal.message });
    } else logger.info('the IPAM-API answers again');
  }
}

// A second try of a register could run beside the first one, and the original would take two addresses (W-02).
function mayRepeat(operation: Operation, { doubt, refusal }: V2Result & { as: 'failed' }): boolean {
  if (refusal.retryAfterSeconds !== undefined) return false;
  return doubt === 'no' || doubt === 'done' || operation === 'release';
}

// Failures of these kinds happen before the request is sent.
const UNSENT = /^(ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|CERT_|ERR_TLS|ERR_SSL|DEPTH_|SELF_|UNABLE_)/u;

function withoutAnswer(thrown: unknown): V2Result {
  const cause = isIpamError(thrown) ? (thrown as Error).cause : thrown;
  if (cause === undefined) return unanswered('running', 'time ran out');
  const { code = 'broken connection' } = cause as NodeJS.ErrnoException;
  return unanswered(UNSENT.test(code) ? 'no' : 'cut', networkReason(cause));
}

function away(waitMs: number): Refusal {
  const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
  const message = `the IPAM-API is away; it is asked again in ${String(retryAfterSeconds)} s`;
  return { code: 'store/unavailable', message, retryAfterSeconds };
}

function bodyOf({
  secret,
  zone,
  family,
  address,
  service,
  options,
  newSecret,
}: V2Call): Readonly<Record<string, unknown>> {
  const { retentionPeriodDays, denyExternalCleanup } = options;
  return {
    secret,
    zone,
    ip_family: family === 4 ? 'ipv4' : 'ipv6',
    address: address === undefined ? '' : hostPrefix(address).toString(),
    service: {
      service_name: service.serviceName,
      namespace_id: service.namespaceUid,
      cluster_id: service.clusterUid,
      ...(retentionPeriodDays === 0 ? {} : { retention_period_days: retentionPeriodDays }),
      ...(denyExternalCleanup ? { deny_external_cleanup: true } : {}),
    },
    ...(newSecret === undefined ? {} : { new_secret: newSecret }),
  };
}
