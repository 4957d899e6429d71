import { refuse, type Outcome } from '../../errors/outcome';
import type { AddressBook, Grant, Preview, ReserveRequest } from '../../ports/address-book';
import { ForwardingAddressBook } from './forwarding-address-book';

/**
 * Puts a gate before a book: nothing new is given out before every existing holder is known. What was held already is answered, bound
 * and released all the same.
 *
 * @param book - the ledger
 * @param open - true once the stored Services were compared with the record, and while they are those of the cluster as it is now
 * @returns the book for those that ask from outside; the controller that adopts uses the book itself
 */
export function behindAdoptionGate(book: AddressBook, open: () => boolean | Promise<boolean>): AddressBook {
  return new GatedAddressBook(book, open);
}

class GatedAddressBook extends ForwardingAddressBook {
  readonly #open: () => boolean | Promise<boolean>;

  constructor(book: AddressBook, open: () => boolean | Promise<boolean>) {
    super(book);
    this.#open = open;
  }

  override get reserveBoth(): AddressBook['reserveBoth'] {
    return this.bothWhile(this.#open);
  }

  override async reserve(request: ReserveRequest): Promise<Outcome<Grant>> {
    return (await this.#open()) ? this.book.reserve(request) : stillComparing();
  }

  override async preview(request: ReserveRequest, beside?: readonly ReserveRequest[]): Promise<Outcome<Preview>> {
    return (await this.#open()) ? this.book.preview(request, beside) : stillComparing();
  }
}

function stillComparing(): Outcome<never> {
  const message =
    'the Services of the cluster are still being compared with the record of addresses; try again in a moment';
  return refuse('store/unavailable', message);
}
