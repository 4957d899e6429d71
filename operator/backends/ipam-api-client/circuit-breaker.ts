import type { Clock } from '../../ports/clock';

/** When a server counts as away, and for how long it is not asked. */
export interface BreakerLimits {
  /** Failures in a row after which it counts as away. */
  readonly failures: number;
  /** Milliseconds for which every call is refused at once; then one call tries. */
  readonly openMs: number;
}

/** Limits for a server that admissions wait for. */
export const DEFAULT_BREAKER: BreakerLimits = { failures: 5, openMs: 5_000 };

/** Longest time without any call because the server asked for that: one call a minute is no load, and Services wait for it. */
export const MOST_REST_MS = 60_000;

/**
 * Keeps callers from waiting for a server that is away: after some failures in a row they are refused at once, until one
 * call that is let through finds the server well again.
 *
 * Safe for parallel calls; has no timer.
 */
export class CircuitBreaker {
  readonly #clock: Clock;
  readonly #limits: BreakerLimits;
  #failures = 0;
  #openUntilMs = 0;
  #restUntilMs = 0;
  #probing = false;

  /**
   * Begins with a server that counts as well.
   *
   * @param clock - present time
   * @param limits - when it opens, and for how long
   */
  constructor(clock: Clock, limits: BreakerLimits = DEFAULT_BREAKER) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /**
   * Asks to make a call; a caller that may must tell `succeeded`, `failed` or `gaveUp` afterwards.
   *
   * @returns undefined to go on, else the milliseconds until a new try can help
   */
  enter(): number | undefined {
    if (this.#failures < this.#limits.failures) return undefined;
    const waitMs = this.#openUntilMs - this.#clock.nowMs();
    if (waitMs > 0) return waitMs;
    if (this.#probing) return this.#limits.openMs;
    this.#probing = true;
    return undefined;
  }

  /**
   * Tells how long the server is left alone because it asked for that; it is well, so a caller with time left may wait.
   *
   * @returns milliseconds, 0 for none
   */
  get restMs(): number {
    return Math.max(0, this.#restUntilMs - this.#clock.nowMs());
  }

  /**
   * Tells whether the server counts as away.
   *
   * @returns true from the last of some failures in a row to the next success
   */
  get isOpen(): boolean {
    return this.#failures >= this.#limits.failures;
  }

  /** The server answered. */
  succeeded(): void {
    this.#failures = 0;
    this.#probing = false;
  }

  /** The server did not answer, or said that it cannot. */
  failed(): void {
    this.#failures += 1;
    this.#probing = false;
    this.#openUntilMs = this.#clock.nowMs() + this.#limits.openMs;
  }

  /**
   * The server is well, but has too many calls.
   *
   * @param ms - for which it wants none
   */
  rest(ms: number): void {
    this.#restUntilMs = Math.max(this.#restUntilMs, this.#clock.nowMs() + Math.min(ms, MOST_REST_MS));
    this.#probing = false;
  }

  /** The caller went away before anything was learned. */
  gaveUp(): void {
    this.#probing = false;
  }
}
