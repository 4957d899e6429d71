import type { Clock } from '../../../ports/clock';

/** How much one client may call. */
export interface RateLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** Lets calls of one client through at a steady rate with bursts; one that comes too often is told when to come again. */
export class RequestRate {
  readonly limit: RateLimit;
  readonly #clock: Clock;
  #tokens: number;
  #filledMs: number;

  /**
   * Begins full.
   *
   * @param limit - calls a second, and at once
   * @param clock - present time
   */
  constructor(limit: RateLimit, clock: Clock) {
    this.limit = limit;
    this.#clock = clock;
    this.#tokens = limit.burst;
    this.#filledMs = clock.nowMs();
  }

  /**
   * Asks for one call.
   *
   * @returns undefined when it may be made, else the seconds until the next may
   */
  take(): number | undefined {
    const { perSecond, burst } = this.limit;
    const nowMs = this.#clock.nowMs();
    // a wall clock may be set back
    this.#tokens = Math.min(burst, this.#tokens + (Math.max(0, nowMs - this.#filledMs) / 1000) * perSecond);
    this.#filledMs = nowMs;
    if (this.#tokens < 1) return Math.max(1, Math.ceil((1 - this.#tokens) / perSecond));
    this.#tokens -= 1;
    return undefined;
  }
}
