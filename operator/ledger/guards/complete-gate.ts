import { refuse, type Outcome } from '../../errors/outcome';
import type { AddressBook, Grant, Preview, ReserveRequest } from '../../ports/address-book';
import type { Clock } from '../../ports/clock';
import { ForwardingAddressBook } from './forwarding-address-book';

/** So long a request waits for the record to be complete, before it is refused. */
const PATIENCE_MS = 4_000;
const LOOK_MS = 50;

/** Tells whether what clusters show without a claim is on record. */
export interface Completeness {
  /** Why not everything that the own cluster shows is on record yet; undefined when it is. */
  problem(): string | undefined;
}

/**
 * Lets reservations wait until everything that the own cluster shows without a claim is on record, since what is not there could be
 * given out. That takes a moment after the start; where it lasts, they are refused.
 *
 * @param book - the ledger
 * @param parts - completeness and clock
 * @returns the book for all that take
 */
export function completeFirst(
  book: AddressBook,
  parts: { readonly completeness: Completeness; readonly clock: Clock },
): AddressBook {
  return new CompleteBook(book, parts);
}

class CompleteBook extends ForwardingAddressBook {
  readonly #parts: { readonly completeness: Completeness; readonly clock: Clock };

  constructor(book: AddressBook, parts: { readonly completeness: Completeness; readonly clock: Clock }) {
    super(book);
    this.#parts = parts;
  }

  // one by one waits
  override get reserveBoth(): AddressBook['reserveBoth'] {
    return this.bothWhile(() => this.#parts.completeness.problem() === undefined);
  }

  override async reserve(request: ReserveRequest): Promise<Outcome<Grant>> {
    return (await this.#untilComplete()) ?? this.book.reserve(request);
  }

  override async preview(request: ReserveRequest, beside?: readonly ReserveRequest[]): Promise<Outcome<Preview>> {
    return (await this.#untilComplete()) ?? this.book.preview(request, beside);
  }

  async #untilComplete(): Promise<Outcome<never> | undefined> {
    const { completeness, clock } = this.#parts;
    const untilMs = clock.nowMs() + PATIENCE_MS;
    for (;;) {
      const problem = completeness.problem();
      if (problem === undefined) return undefined;
      if (clock.nowMs() >= untilMs) return refuse('store/not-ready', `${problem}; try again in a moment`);
      await new Promise<void>((resolve) => clock.after(LOOK_MS, resolve));
    }
  }
}
