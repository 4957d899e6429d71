import type { Clock } from '../ports/clock';

/** Pause between two writes of the counters of one object, in milliseconds. */
export const COUNTERS_MS = 500;

/** Objects that are due for a write: many changes of one object within a moment are one piece of work. */
export class DueKeys<K> {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #pauseMs: number;
  readonly #wake: (key: K) => void;
  /** Ends of the timers, by object. */
  readonly #timers = new Map<string, () => void>();

  /**
   * Starts without an object.
   *
   * @param clock - for the pause
   * @param pauseMs - time from the first change of an object to its work
   * @param wake - is told each key once its pause is over
   */
  constructor(clock: Pick<Clock, 'after'>, pauseMs: number, wake: (key: K) => void) {
    this.#clock = clock;
    this.#pauseMs = pauseMs;
    this.#wake = wake;
  }

  /**
   * Takes over that an object changed.
   *
   * @param id - of the object
   * @param key - its piece of work
   */
  add(id: string, key: K): void {
    if (this.#timers.has(id)) return;
    const cancel = this.#clock.after(this.#pauseMs, () => {
      this.#timers.delete(id);
      this.#wake(key);
    });
    this.#timers.set(id, cancel);
  }

  /** Ends the timers. */
  close(): void {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
  }
}
