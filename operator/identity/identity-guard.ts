import { IpamError } from '../errors/ipam-error';
import { refuse, type Outcome } from '../errors/outcome';
import type { AddressBook } from '../ports/address-book';

const STILL_LOOKING =
  'whether another cluster goes by the identity of this one is still being looked at, which takes some seconds; try again in a moment';

/** What is known of others with the identity of this cluster. */
export interface IdentityGuard {
  /** Identity of this cluster. */
  clusterUid(): Promise<string>;
  /** Where another operator with this identity runs; undefined while nobody is known to have it. */
  stranger(): string | undefined;
  /** Whether somebody may be there of whom nothing is known yet; only at the start of a process. */
  suspects(): Promise<boolean>;
  /** Whether nobody else has it for sure. */
  alone(): boolean;
}

/** Why something is not done now. */
interface Against {
  readonly code: 'cluster/identity-shared' | 'store/unavailable';
  readonly message: string;
}

/**
 * Puts a book behind a guard. While another cluster goes by the identity of this one, nothing of the cluster is given, bound or
 * released, since nobody can tell whose it is; the same while a process that just started has found a note that may be of somebody
 * else, who would release what is given here. Releases wait until nobody else is there for sure. What other clusters ask for passes.
 *
 * @param book - the ledger
 * @param guard - identity, and who else has it
 * @returns the book to work with
 */
export function guardedByIdentity(book: AddressBook, guard: IdentityGuard): AddressBook {
  const isOther = async (clusterUid: string | undefined): Promise<boolean> =>
    clusterUid !== undefined && clusterUid !== (await guard.clusterUid());
  const against = async (clusterUid: string | undefined): Promise<Against | undefined> => {
    const suspects = await guard.suspects();
    const stranger = guard.stranger();
    if (stranger === undefined && suspects && !(await isOther(clusterUid)))
      throw new IpamError('store/unavailable', STILL_LOOKING);
    if (stranger === undefined || (await isOther(clusterUid))) return undefined;
    const message = `cluster identity "${await guard.clusterUid()}": the operator at ${stranger} goes by it as well, so nobody can tell whose addresses these are; give one of both clusters a --cluster-id of its own, or shut it down`;
    return { code: 'cluster/identity-shared', message };
  };
  const againstRelease = async (clusterUid: string | undefined): Promise<Against | undefined> => {
    const shared = await against(clusterUid);
    if (shared !== undefined || guard.alone() || (await isOther(clusterUid))) return shared;
    return { code: 'store/unavailable', message: STILL_LOOKING };
  };
  const unless = async <T>(
    objection: Promise<Against | undefined>,
    act: () => Promise<Outcome<T>>,
  ): Promise<Outcome<T>> => {
    const found = await objection;
    return found === undefined ? act() : refuse(found.code, found.message);
  };
  return {
    reserve: (request) => unless(against(request.claimant.service.clusterUid), () => book.reserve(request)),
    check: (request) => book.check(request),
    holdings: (claimant) => book.holdings(claimant),
    undo: (grant) => book.undo(grant),
    bind: (request) => unless(against(request.claimant.service.clusterUid), () => book.bind(request)),
    releaseByUid: (request) => unless(againstRelease(request.clusterUid), () => book.releaseByUid(request)),
    releaseByService: (request) => book.releaseByService(request),
    owners: (clusterUid) => book.owners(clusterUid),
    onFreed: (listener) => book.onFreed(listener),
    rotate: (request) => unless(against(request.claimant.service.clusterUid), () => book.rotate(request)),
    sweep: async (request) => {
      const found = await againstRelease(request.clusterUid);
      if (found !== undefined) throw new IpamError(found.code, found.message);
      return book.sweep(request);
    },
  };
}
