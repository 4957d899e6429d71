import type { ClaimCounts } from './claim-counts';
import type { ClaimHistory } from './claim-history';
import type { AddressRecord, ClaimQuery, Claims, Exchanges, Previews } from './claims';
import type { ClaimRevision } from './claim-revision';
import type { ClusterRenames } from './cluster-renames';
import type { ClusterReports } from './cluster-reports';
import type { KeyMark } from './key-mark';
import type { Notes } from './notes';

/** A place where records are kept, from its opening to its end. After `close()` every call throws `store/closed`. */
export interface Store {
  /**
   * Tries whether the store serves: what a claim writes is tried, unless one was stored a moment ago. Costs the same however many
   * claims it holds.
   *
   * @throws IpamError `store/unavailable`, `store/closed`
   */
  ping(): Promise<void>;
  /** Finishes what runs, then lets go of files and connections. Idempotent. */
  close(): Promise<void>;
}

/** A store that tells its size. */
export interface StoreBytes {
  /** Counts the bytes that it takes on its disk. */
  bytes(): Promise<number>;
}

/** The complete record of one installation, in a store of its own. */
export interface OwnStore
  extends
    Claims,
    Exchanges,
    ClusterRenames,
    ClaimCounts,
    ClaimHistory,
    ClusterReports,
    KeyMark,
    Notes,
    Store,
    Partial<ClaimRevision> {
  peek: Previews['peek'];
}

/** Asks for the records of one pool. */
export type PoolQuery = Extract<ClaimQuery, { readonly by: 'pool' }>;

/**
 * Reads of a record beside the address book: numbers, the claims of a pool, whether it serves. A
 * store of ours is one; a record that another operator keeps shows itself in this form, too.
 */
export interface RecordView
  extends
    Pick<Claims, 'watch'>,
    Pick<ClaimCounts, 'usage' | 'tally'>,
    // absent where the claims are elsewhere: of other clusters nothing is told then
    Partial<Pick<ClusterReports, 'clusters'> & Pick<ClaimCounts, 'page'>>,
    Pick<Store, 'ping'> {
  /** Reads the live records of a pool. */
  list(query: PoolQuery): Promise<readonly AddressRecord[]>;
}
