import type { Clock } from '../../ports/clock';
import type { OutsideRows } from '../../ports/outside-rows';
import type { OutsideComparison, OutsideDifference } from '../../ports/outside-source';

/** Name of the note in the store. */
const NOTE = 'netbox-comparison';
/** Differences that are kept; more would tell no more. */
const MOST_KEPT = 1_000;

/** The newest comparison, kept beside the record: only the leader compares, but every replica is asked. */
export class KeptComparison {
  readonly #rows: Pick<OutsideRows, 'note' | 'keep'>;
  readonly #clock: Clock;

  /**
   * Reads and writes nothing yet.
   *
   * @param rows - where it is kept
   * @param clock - time of the comparison
   */
  constructor(rows: Pick<OutsideRows, 'note' | 'keep'>, clock: Clock) {
    this.#rows = rows;
    this.#clock = clock;
  }

  /**
   * Keeps what a comparison found, in place of the one before.
   *
   * @param found - its differences
   * @param unread - zones that could not be compared
   */
  async keep(found: readonly OutsideDifference[], unread: readonly string[]): Promise<void> {
    const differences = found.slice(0, MOST_KEPT);
    const kept: OutsideComparison = { atMs: this.#clock.nowMs(), total: found.length, differences, unread };
    await this.#rows.keep(NOTE, JSON.stringify(kept));
  }

  /**
   * Reads the newest comparison.
   *
   * @returns it; undefined before the first one
   */
  async newest(): Promise<OutsideComparison | undefined> {
    const text = await this.#rows.note(NOTE);
    return text === '' ? undefined : (JSON.parse(text) as OutsideComparison);
  }
}
