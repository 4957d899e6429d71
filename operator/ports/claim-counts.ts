import type { Address, Family } from '../addressing/address';
import type { PrefixSet } from '../addressing/prefix-set';
import type { AddressRecord, HolderState } from './claims';

/** Space of a pool in one family. */
export interface PoolSpace {
  readonly network: string;
  readonly pool: string;
  readonly family: Family;
  readonly space: PrefixSet;
}

/**
 * Live claims of one pool and family, each counted once, under the strongest state of its holders (bound first). Where another operator keeps
 * the claims, what it does not tell of is absent.
 */
export interface PoolUsage {
  readonly network: string;
  readonly pool: string;
  readonly family: Family;
  readonly reserved: number;
  readonly bound: number;
  readonly retained?: number;
  /** Claims that no holder but contested ones has. */
  readonly contested?: number;
  readonly quarantined?: number;
  /** Of those, the ones that the asked space does not hold; all of them where no space was asked for. */
  readonly outside: number;
  /** Live rows of the network that the asked space holds, whatever pool they were taken under, and those in use without a claim. */
  readonly occupied: number;
  /** Of those, the ones that clusters show without a claim; absent: none. */
  readonly inUse?: number;
  /**
   * Addresses of the asked space that an outside source has for others, as far as it was read, and that no live row holds; absent:
   * none.
   */
  readonly foreign?: bigint;
}

/** Numbers of one pool and family. */
export interface PoolTally {
  readonly network: string;
  readonly pool: string;
  readonly family: Family;
  readonly held: number;
  /** Absent where another operator keeps the claims and does not tell. */
  readonly quarantined?: number;
}

/** Which live records {@link ClaimCounts.page} returns; one holder, or the former one in quarantine, has all that is named. */
export interface RecordFilter {
  readonly network?: string;
  readonly pool?: string;
  readonly cluster?: string;
  /** Name of the namespace. */
  readonly namespace?: string;
  /** Name of the owner. */
  readonly name?: string;
  /** State of a holder, or the quarantine of the claim. */
  readonly state?: HolderState | 'quarantined';
}

/** Where a page begins, and how long it is. */
export interface RecordPage {
  readonly limit: number;
  /** The last record of the page before. */
  readonly after?: { readonly network: string; readonly address: Address };
}

/** Numbers and listings of live records. Reads see what was asked for before them. */
export interface ClaimCounts {
  /**
   * Counts every pool: one entry for each space, and one for each other pool and family with claims; by network,
   * pool, family. O(live records), never O(space).
   */
  usage(spaces: readonly PoolSpace[]): Promise<readonly PoolUsage[]>;
  /** Counts the live claims of every pool. */
  tally(): Promise<readonly PoolTally[]>;
  /** Reads live records by network, then lowest address first (IPv4 before IPv6). */
  page(filter: RecordFilter, page: RecordPage): Promise<readonly AddressRecord[]>;
}
