import { IpamError } from './errors/ipam-error';
import { refuse, type Outcome } from './errors/outcome';
import type { AddressBook } from './ports/address-book';

const STILL_LOOKING =
  'whether another cluster goes by the identity of this one is still being looked at; try again in a moment';

/** What is known of others with the identity of this cluster. */
export interface IdentityGuard {
  /** Identity of this cluster. */
  clusterUid(): Promise<string>;
  /** Where another operator with this identity runs; undefined while nobody is known to have it. */
  stranger(): string | undefined;
  /** Whether somebody may be there of whom nothing is known yet. */
  suspects(): Promise<boolean>;
}

/**
 * Puts a book behind a guard: while another cluster goes by the identity of this one, nothing of the cluster is given, bound or
 * released, since nobody can tell whose it is. What other clusters ask for passes.
 *
 * @param book - the ledger
 * @param guard - identity, and who else has it
 * @returns the book to work with
 */
export function guardedByIdentity(book: AddressBook, guard: IdentityGuard): AddressBook {
  const against = async (clusterUid: string | undefined): Promise<string | undefined> => {
    const suspects = await guard.suspects();
    const stranger = guard.stranger();
    if (stranger === undefined && !suspects) return undefined;
    const own = await guard.clusterUid();
    if (clusterUid !== undefined && clusterUid !== own) return undefined;
    if (stranger === undefined) throw new IpamError('store/unavailable', STILL_LOOKING);
    return `cluster identity "${own}": the operator at ${stranger} goes by it as well, so nobody can tell whose addresses these are; give one of both clusters a --cluster-id of its own, or shut it down`;
  };
  const unless = async <T>(clusterUid: string | undefined, act: () => Promise<Outcome<T>>): Promise<Outcome<T>> => {
    const message = await against(clusterUid);
    return message === undefined ? act() : refuse('cluster/identity-shared', message);
  };
  return {
    reserve: (request) => unless(request.claimant.service.clusterUid, () => book.reserve(request)),
    check: (request) => book.check(request),
    holdings: (claimant) => book.holdings(claimant),
    undo: (grant) => book.undo(grant),
    bind: (request) => unless(request.claimant.service.clusterUid, () => book.bind(request)),
    releaseByUid: (request) => unless(request.clusterUid, () => book.releaseByUid(request)),
    releaseByService: (request) => book.releaseByService(request),
    owners: (clusterUid) => book.owners(clusterUid),
    onFreed: (listener) => book.onFreed(listener),
    rotate: (request) => unless(request.claimant.service.clusterUid, () => book.rotate(request)),
    sweep: async (request) => {
      const message = await against(request.clusterUid);
      if (message !== undefined) throw new IpamError('cluster/identity-shared', message);
      return book.sweep(request);
    },
  };
}
