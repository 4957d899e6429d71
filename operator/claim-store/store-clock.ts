import { performance } from 'node:perf_hooks';
import type { Clock } from '../../../ports/clock';

/** A difference below this is the time that an answer was on its way. */
const TOLERANCE_MS = 250;

/**
 * The clock of the database, as its answers tell it, carried on by a timer that no change of this machine's clock moves. Before the
 * first answer it shows the own clock. Timers are the own ones.
 */
export class DatabaseClock implements Clock {
  readonly #own: Clock;
  readonly #monotonicMs: () => number;
  #offsetMs: number | undefined;

  /**
   * Starts without knowing.
   *
   * @param own - clock of this process
   * @param monotonicMs - grows with time, whatever is done to the clock of the machine
   */
  constructor(own: Clock, monotonicMs: () => number = () => performance.now()) {
    this.#own = own;
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
   * @param ask - returns the time of the database, milliseconds since 1970
   */
  async follow(ask: () => Promise<number>): Promise<void> {
    const askedMs = this.#monotonicMs();
    const databaseMs = await ask();
    const offsetMs = databaseMs - (askedMs + this.#monotonicMs()) / 2;
    if (this.#offsetMs === undefined || Math.abs(offsetMs - this.#offsetMs) > TOLERANCE_MS) this.#offsetMs = offsetMs;
  }
}
