import type { Address, Family } from '../addressing/address';
import type { HolderState, Owner, Place } from './claims';

/** One span of time in which an owner had a space in one state. Times are those of the store's clock. */
export interface PastClaim {
  /** Position in the history of its space; grows with time. */
  readonly place: number;
  readonly pool: string;
  readonly owner: Owner;
  readonly state: HolderState | 'quarantined';
  readonly fromMs: number;
  /** Absent while it lasts. */
  readonly untilMs?: number;
}

/** Whose last address is asked for. */
export interface FormerHolder {
  readonly network: string;
  readonly family: Family;
  /** The name of the namespace counts beside its UID, unless empty. */
  readonly owner: Omit<Owner, 'uid'>;
}

/** Which of the rows that ended go. */
export interface PruneRequest {
  /** Milliseconds for which a row has ended, at least. */
  readonly endedForMs: number;
  /** Most rows that go at once. */
  readonly limit: number;
  /** Most ended rows of one namespace of a cluster, the newest ones; absent: any number. */
  readonly perNamespace?: number;
}

/** History of claims that ended. */
export interface ClaimHistory {
  /** Reads the former holders of a space, newest first, beginning before the position `before`; bounded by what was pruned. */
  history(of: Place, page: { readonly limit: number; readonly before?: number }): Promise<readonly PastClaim[]>;
  /** Finds the address that an owner, once stored, gave up last. */
  lastAddress(of: FormerHolder): Promise<Address | undefined>;
  /**
   * Deletes some of what ended long ago, and some of the oldest rows of namespaces that have too many and of which something ended
   * within the last day; never what is live.
   *
   * @returns how many rows went: less than `limit` when all are gone
   */
  prune(old: PruneRequest): Promise<number>;
}
