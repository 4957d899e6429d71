import { DEFAULT_QUARANTINE_SECONDS } from '../../contract/zones';
import type { ClaimStore } from '../../ports/claim-store';
import type { Clock } from '../../ports/clock';
import type { SecretHasher } from '../../ports/secret-hasher';
import type { ZoneSource } from '../../ports/zone-source';
import type { AddressTurns } from './address-turns';
import type { FreedListeners } from './freed-listeners';
import type { LastOwners } from './last-owners';

/** What every verb of the ledger works with. */
export interface LedgerContext {
  readonly store: ClaimStore;
  readonly zones: ZoneSource;
  readonly hasher: SecretHasher;
  readonly clock: Clock;
  /** Order of the changes that this process makes. */
  readonly turns: AddressTurns;
  readonly freed: FreedListeners;
  /** What the last comparison of everything read. */
  readonly lastOwners: LastOwners;
  /** Until when a cluster may take over what it has, by its UID; see `takeover.ts`. */
  readonly takeovers: Map<string, number>;
  /** Length of a lease in milliseconds. */
  readonly leaseMs: number;
  /** Most unbound reservations of one namespace. */
  readonly maxReservedInNamespace: number;
  /** How far back the history reaches, in milliseconds. */
  readonly historyMs: number;
}

/** Length of a lease in seconds. */
export const DEFAULT_LEASE_SECONDS = 300;
/** Most unbound reservations of one namespace, so that a loop of refused tries cannot empty a zone. */
export const DEFAULT_MAX_RESERVED_IN_NAMESPACE = 64;

/** How far back the history reaches, in days. */
export const DEFAULT_HISTORY_DAYS = 365;
/** Length of a day in milliseconds. */
export const DAY_MS = 86_400_000;

/**
 * Tells how long nobody else may have an address of a zone after its release.
 *
 * @param context - the ledger's parts
 * @param zone - name of the zone; an unknown one (its document was removed) quarantines as long as the default
 * @param nowMs - moment of the release
 * @returns end of the quarantine, milliseconds since 1970
 */
export function quarantineEnd(context: LedgerContext, zone: string, nowMs: number): number {
  const seconds = context.zones.current().zone(zone)?.quarantineSeconds ?? DEFAULT_QUARANTINE_SECONDS;
  return nowMs + seconds * 1000;
}

/**
 * Adds a retention to a moment.
 *
 * @param nowMs - moment of the release
 * @param days - length of the retention
 * @returns its end, milliseconds since 1970
 */
export function retentionEnd(nowMs: number, days: number): number {
  return nowMs + days * DAY_MS;
}
