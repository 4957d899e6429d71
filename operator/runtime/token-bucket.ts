import type { Clock } from '../ports/clock';

/** How much a {@link TokenBucket} lets through. */
export interface TokenBucketOptions {
  readonly perSecond: number;
  /** Most tokens at once after a quiet time. */
  readonly burst: number;
  readonly clock: Clock;
}

/**
 * Lets calls through at a steady rate with bursts, in the order in which they came. Safe for parallel calls; needs no end, since a
 * wait that is aborted leaves no timer.
 */
export class TokenBucket {
  readonly #options: TokenBucketOptions;
  #tokens: number;
  #filledMs: number;

  /**
   * Begins full.
   *
   * @param options - rate, burst and clock
   */
  constructor(options: TokenBucketOptions) {
    this.#options = options;
    this.#tokens = options.burst;
    this.#filledMs = options.clock.nowMs();
  }

  /**
   * Waits for a token.
   *
   * @param signal - ends the wait; the token goes to the next one
   * @returns when the caller may go on; at once after an abort too, so the caller looks at its signal
   */
  async take(signal: AbortSignal): Promise<void> {
    this.#fill();
    // Debts are places in the line: a later caller waits for more tokens.
    this.#tokens -= 1;
    if (this.#tokens >= 0) return;
    const waitMs = (-this.#tokens / this.#options.perSecond) * 1000;
    const served = await pause(this.#options.clock, waitMs, signal);
    if (!served) this.#tokens += 1;
  }

  #fill(): void {
    const now = this.#options.clock.nowMs();
    // a wall clock may be set back
    const seconds = Math.max(0, now - this.#filledMs) / 1000;
    this.#filledMs = now;
    this.#tokens = Math.min(this.#options.burst, this.#tokens + seconds * this.#options.perSecond);
  }
}

/**
 * Waits.
 *
 * @param clock - whose time counts
 * @param ms - how long
 * @param signal - ends the wait
 * @returns false when the signal ended it
 */
export function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const abort = (): void => {
      cancel();
      resolve(false);
    };
    const cancel = clock.after(ms, () => {
      signal.removeEventListener('abort', abort);
      resolve(true);
    });
    signal.addEventListener('abort', abort, { once: true });
  });
}
