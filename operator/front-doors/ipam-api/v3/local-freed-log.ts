import type { Releases } from '../../../ports/address-book';
import type { Clock } from '../../../ports/clock';
import type { FreedEntry, FreedLog } from '../../../ports/freed-log';

/** Events that a client may fetch after a break. */
const KEPT = 4_096;

interface Kept extends FreedEntry {
  readonly number: number;
}

/** Addresses that this process freed, for records that it alone writes to. Another process, or this one after a restart, knows none of them. */
export class LocalFreedLog implements FreedLog {
  /** Tells the places of this process from those of another one. */
  readonly #epoch: number;
  readonly #stop: () => void;
  #kept: Kept[] = [];
  #last = 0;

  /**
   * Begins to listen to the book.
   *
   * @param book - tells what is freed
   * @param clock - present time
   */
  constructor(book: Releases, clock: Clock) {
    this.#epoch = clock.nowMs();
    this.#stop = book.onFreed((freed) => {
      const number = ++this.#last;
      this.#kept.push({ ...freed, number, place: this.#placeOf(number) });
      if (this.#kept.length > 2 * KEPT) this.#kept = this.#kept.slice(-KEPT);
    });
  }

  /** @inheritdoc */
  here(): Promise<string> {
    return Promise.resolve(this.#placeOf(this.#last));
  }

  /** @inheritdoc */
  knows(place: string): Promise<boolean> {
    const number = this.#numberOf(place);
    const oldest = this.#kept[0]?.number ?? this.#last + 1;
    return Promise.resolve(number !== undefined && number >= oldest - 1 && number <= this.#last);
  }

  /** @inheritdoc */
  after(place: string, page: { readonly limit: number; readonly until?: string }): Promise<readonly FreedEntry[]> {
    const from = this.#numberOf(place) ?? this.#last;
    const until = page.until === undefined ? this.#last : (this.#numberOf(page.until) ?? 0);
    const entries = this.#kept.filter(({ number }) => number > from && number <= until).slice(0, page.limit);
    return Promise.resolve(entries);
  }

  /** Listens no more. */
  close(): void {
    this.#stop();
  }

  #placeOf(number: number): string {
    return `${this.#epoch}-${number}`;
  }

  #numberOf(place: string): number | undefined {
    const [, epoch, number] = /^(\d{1,15})-(\d{1,15})$/u.exec(place) ?? [];
    return Number(epoch) === this.#epoch ? Number(number) : undefined;
  }
}
