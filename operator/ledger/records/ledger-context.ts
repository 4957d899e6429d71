import { DAY_MS } from '../../contract/durations';
import { DEFAULT_QUARANTINE_SECONDS } from '../../contract/zones';
import type { ClaimCounts } from '../../ports/claim-counts';
import type { ClaimHistory } from '../../ports/claim-history';
import type { ClaimRevision } from '../../ports/claim-revision';
import type { Claims, Exchanges, Expiry } from '../../ports/claims';
import type { Clock } from '../../ports/clock';
import type { ClusterReports } from '../../ports/cluster-reports';
import type { ForeignAddresses } from '../../ports/foreign-addresses';
import type { OccupiedAddresses } from '../../ports/occupied-addresses';
import type { SecretHasher } from '../../ports/secret-hasher';
import type { ZoneSource } from '../../ports/zone-source';
import type { AddressTurns } from './address-turns';
import type { FreedListeners } from './freed-listeners';
import type { LastOwners } from './last-owners';

/** The record that a ledger decides on. */
export interface LedgerRecord {
  readonly claims: Claims;
  readonly counts: ClaimCounts;
  /** Absent where other processes may write as well. */
  readonly revision?: ClaimRevision;
  /** Absent where the record cannot let holders change places in one piece. */
  readonly exchanges?: Exchanges;
  /** Absent where the record keeps nothing of what ended. */
  readonly history?: ClaimHistory;
  /** Absent where the record hears of no cluster but its own. */
  readonly reports?: ClusterReports;
  /** Addresses that clusters show without a claim; absent where the record keeps none of them. */
  readonly occupied?: OccupiedAddresses;
  /** Another source than the record. */
  readonly foreign?: ForeignAddresses;
}

/** Parts that every verb of the ledger works with. */
export interface LedgerContext extends LedgerRecord {
  readonly zones: ZoneSource;
  readonly hasher: SecretHasher;
  readonly clock: Clock;
  /** Order of the changes that this process makes. */
  readonly turns: AddressTurns;
  readonly freed: FreedListeners;
  /** Owners as the last comparison of everything read them. */
  readonly lastOwners: LastOwners;
  /** Until when a cluster may take over what it has, by its UID; see `takeover.ts`. */
  readonly takeovers: Map<string, number>;
  /** Length of a lease in milliseconds. */
  readonly leaseMs: number;
  /** Most unbound reservations of one namespace. */
  readonly maxReservedInNamespace: number;
  /** How far back the history reaches, in milliseconds. */
  readonly historyMs: number;
  /** Most rows of history of one namespace. */
  readonly historyRowsPerNamespace: number;
}

/** Length of a lease in seconds. */
export const DEFAULT_LEASE_SECONDS = 300;
/** Most unbound reservations of one namespace, so that a loop of refused tries cannot empty a zone. */
export const DEFAULT_MAX_RESERVED_IN_NAMESPACE = 64;

/** How far back the history reaches, in days. */
export const DEFAULT_HISTORY_DAYS = 365;
/** Most rows of history of one namespace where nothing else is said. */
export const DEFAULT_HISTORY_ROWS_PER_NAMESPACE = 10_000;

/**
 * Tells how long no other claimant may have an address of a zone after its release.
 *
 * @param context - the ledger's parts
 * @param zone - name of the zone; an unknown one (its document was removed) quarantines as long as the default
 * @returns length of the quarantine in milliseconds
 */
export function quarantineMs(context: LedgerContext, zone: string): number {
  const seconds = context.zones.current().zone(zone)?.quarantineSeconds ?? DEFAULT_QUARANTINE_SECONDS;
  return seconds * 1000;
}

/**
 * Writes a retention that begins now.
 *
 * @param days - its length
 * @returns its end for the store
 */
export function retention(days: number): Expiry {
  return { kind: 'after', ms: days * DAY_MS };
}
