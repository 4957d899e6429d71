import { refuse } from '../../errors/outcome';
import type { AddressBook } from '../../ports/address-book';

/**
 * Puts a gate before a book: nothing new is given out before every existing holder is known. What was held already is answered, bound
 * and released all the same.
 *
 * @param book - the ledger
 * @param open - true once the stored Services were compared with the record
 * @returns the book for those who ask from outside; the controller that adopts uses the book itself
 */
export function gated(book: AddressBook, open: () => boolean): AddressBook {
  return {
    reserve: async (request) => {
      if (open()) return book.reserve(request);
      const message =
        'the Services of the cluster are still being compared with the record of addresses; try again in a moment';
      return refuse('store/unavailable', message);
    },
    check: (request) => book.check(request),
    holdings: (claimant) => book.holdings(claimant),
    undo: (grant) => book.undo(grant),
    bind: (request) => book.bind(request),
    releaseByUid: (request) => book.releaseByUid(request),
    releaseByService: (request) => book.releaseByService(request),
    owners: (clusterUid) => book.owners(clusterUid),
    onFreed: (listener) => book.onFreed(listener),
    rotate: (request) => book.rotate(request),
    sweep: (request) => book.sweep(request),
  };
}
