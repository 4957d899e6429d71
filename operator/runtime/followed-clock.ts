import { performance } from 'node:perf_hooks';
import type { Clock } from '../ports/clock';

/** A difference below this is the time that an answer was on its way. */
const ANSWER_MS = 250;
/** The same for a server that tells its time to the second. */
export const WHOLE_SECOND_MS = 1_250;

/**
 * The clock of a server that several processes ask, such as a database or the API server, as its answers tell it, carried on by a timer that no change
 * of this machine's clock moves. Before the first answer it shows the own clock. Timers are the own ones.
 */
export class FollowedClock implements Clock {
  readonly #own: Clock;
  readonly #toleranceMs: number;
  readonly #monotonicMs: () => number;
  #offsetMs: number | undefined;

  /**
   * Starts without knowing.
   *
   * @param own - clock of this process
   * @param toleranceMs - difference that changes nothing
   * @param monotonicMs - grows with time, whatever is done to the clock of the machine
   */
  constructor(own: Clock, toleranceMs: number = ANSWER_MS, monotonicMs: () => number = () => performance.now()) {
    this.#own = own;
    this.#toleranceMs = toleranceMs;
    this.#monotonicMs = monotonicMs;
  }

  /** @inheritdoc */
  nowMs(): number {
    if (this.#offsetMs === undefined) return this.#own.nowMs();
    return Math.floor(this.#monotonicMs() + this.#offsetMs);
  }

  /** @inheritdoc */
  after(ms: number, run: () => void): () => void {
    return this.#own.after(ms, run);
  }

  /**
   * Asks for the time and takes it over.
   *
   * @param ask - returns the time of the server, milliseconds since 1970
   */
  async follow(ask: () => Promise<number>): Promise<void> {
    const askedMs = this.#monotonicMs();
    const serverMs = await ask();
    const offsetMs = serverMs - (askedMs + this.#monotonicMs()) / 2;
    if (this.#offsetMs === undefined || Math.abs(offsetMs - this.#offsetMs) > this.#toleranceMs)
      this.#offsetMs = offsetMs;
  }
}
