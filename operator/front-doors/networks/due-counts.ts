import type { Clock } from '../../ports/clock';
import type { NetworksObjectKey } from './door-parts';

/** Pause between two writes of the counters of one object. */
const COUNT_MS = 500;

/** Objects whose counters changed: many changes of one object within a moment are one write. */
export class DueCounts {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #wake: (key: NetworksObjectKey) => void;
  /** Ends of the timers, by UID. */
  readonly #timers = new Map<string, () => void>();

  /**
   * Starts without an object.
   *
   * @param clock - for the pause
   * @param wake - is told each object whose counters are to be written
   */
  constructor(clock: Pick<Clock, 'after'>, wake: (key: NetworksObjectKey) => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  /**
   * Takes over that the counters of an object changed.
   *
   * @param key - of the object
   */
  add(key: NetworksObjectKey): void {
    if (this.#timers.has(key.uid)) return;
    const cancel = this.#clock.after(COUNT_MS, () => {
      this.#timers.delete(key.uid);
      this.#wake(key);
    });
    this.#timers.set(key.uid, cancel);
  }

  /** Ends the timers. */
  close(): void {
    for (const cancel of this.#timers.values()) cancel();
    this.#timers.clear();
  }
}
