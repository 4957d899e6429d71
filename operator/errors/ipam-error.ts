import { CATALOGUE, type ErrorCode, type RetryClass } from './catalogue';
import type { Outcome, Refusal } from './outcome';

const BRAND = Symbol.for('cdk8s-ipam/error');

/** A broken contract or a broken world, with a code of the catalogue; expected refusals are {@link Refusal} values. */
export class IpamError extends Error {
  readonly code: ErrorCode;
  readonly retry: RetryClass;
  /** Seconds until a new try can help, where the other side told them. */
  readonly retryAfterSeconds: number | undefined;

  /**
   * Builds the error.
   *
   * @param code - code of the catalogue
   * @param message - one sentence; never holds a secret
   * @param options - cause, and the seconds that the other side asked to wait
   */
  constructor(code: ErrorCode, message: string, options: { cause?: unknown; retryAfterSeconds?: number } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'IpamError';
    this.code = code;
    this.retry = CATALOGUE[code].retry;
    this.retryAfterSeconds = options.retryAfterSeconds;
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/**
 * Tells whether something thrown is ours; works across duplicate installs of the package.
 *
 * @param thrown - whatever was caught
 * @param code - when given, the code must match too
 * @returns true for an {@link IpamError} (with that code)
 */
export function isIpamError(thrown: unknown, code?: ErrorCode): thrown is IpamError {
  return (
    typeof thrown === 'object' &&
    thrown !== null &&
    BRAND in thrown &&
    (code === undefined || (thrown as unknown as IpamError).code === code)
  );
}

/**
 * Turns a caught value into a refusal, for edges that must always answer.
 *
 * @param thrown - whatever was caught
 * @returns the refusal; foreign errors become `internal` without their text, which could hold a secret
 */
export function refusalOf(thrown: unknown): Refusal {
  if (!isIpamError(thrown)) return { code: 'internal', message: 'internal error; see the log of the operator' };
  const wait = thrown.retryAfterSeconds;
  return { code: thrown.code, message: thrown.message, ...(wait === undefined ? {} : { retryAfterSeconds: wait }) };
}

/**
 * Returns the value of an outcome whose refusal would be a fault of the caller (constants, tests).
 *
 * @param outcome - what a parser or rule returned
 * @returns its value
 * @throws {@link IpamError} with the refusal's code
 */
export function valueOf<V>(outcome: Outcome<V>): V {
  if (outcome.ok) return outcome.value;
  throw new IpamError(outcome.refusal.code, outcome.refusal.message);
}
