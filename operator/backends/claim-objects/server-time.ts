import type { Clock } from '../../ports/clock';

/** An answer of the server is good for so long; after that its time is asked for again. */
const GOOD_MS = 5_000;

/** The API server's clock, as its answers tell it, carried on by the own clock for some seconds. */
export class ServerTime {
  readonly #clock: Pick<Clock, 'nowMs'>;
  readonly #ask: () => Promise<{ readonly serverTimeMs: number }>;
  #seen: { readonly serverMs: number; readonly ownMs: number } | undefined;

  /**
   * Starts without knowing.
   *
   * @param clock - the own one
   * @param ask - any call of the server
   */
  constructor(clock: Pick<Clock, 'nowMs'>, ask: () => Promise<{ readonly serverTimeMs: number }>) {
    this.#clock = clock;
    this.#ask = ask;
  }

  /**
   * Takes the time of an answer.
   *
   * @param answer - any one, with its time
   */
  see({ serverTimeMs }: { readonly serverTimeMs: number }): void {
    this.#seen = { serverMs: serverTimeMs, ownMs: this.#clock.nowMs() };
  }

  /**
   * Tells the present by the server's clock.
   *
   * @returns milliseconds since 1970
   */
  async now(): Promise<number> {
    const elapsed = this.#seen === undefined ? Infinity : this.#clock.nowMs() - this.#seen.ownMs;
    if (this.#seen !== undefined && elapsed >= 0 && elapsed < GOOD_MS) return this.#seen.serverMs + elapsed;
    const answer = await this.#ask();
    this.see(answer);
    return answer.serverTimeMs;
  }

  /**
   * Estimates the present without asking.
   *
   * @returns milliseconds since 1970; by the own clock before the first answer
   */
  estimate(): number {
    const ownMs = this.#clock.nowMs();
    return this.#seen === undefined ? ownMs : this.#seen.serverMs + ownMs - this.#seen.ownMs;
  }
}
