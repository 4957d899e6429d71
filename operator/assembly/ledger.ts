import { withPausedSecrets } from '../ledger/guards/wrong-secrets';
import type { LedgerProps } from '../ledger/local-address-book';
import { openLedger } from '../ledger/open-ledger';
import type { AddressBook } from '../ports/address-book';
import type { Clock } from '../ports/clock';
import type { Registry } from '../ports/registry';
import type { SecretHasher } from '../ports/secret-hasher';
import type { ZoneSource } from '../ports/zone-source';
import type { RecordedClaims } from './claims';

/** Life of a reservation, most reservations of a namespace, length of the history. */
type LedgerLimits = Pick<
  LedgerProps,
  'leaseSeconds' | 'maxReservedInNamespace' | 'historyDays' | 'historyRowsPerNamespace'
>;

/** Ports that the ledger works over. */
interface LedgerParts {
  readonly claims: RecordedClaims;
  readonly zones: ZoneSource;
  readonly hasher: SecretHasher;
  readonly clock: Clock;
}

/** The ledger, or the remote one that stands for it. */
export interface BuiltLedger {
  /** Record that it works over. */
  readonly claims: RecordedClaims;
  readonly book: AddressBook;
  /** Absent where another operator keeps the claims. */
  readonly registry?: Registry;
}

/**
 * Builds the ledger over the claims.
 *
 * @param limits - lease, reservations of a namespace, history
 * @param parts - claims, zones, hasher, clock
 * @returns the book, and the registry where the claims are our own
 */
export function buildLedger(limits: LedgerLimits, parts: LedgerParts): BuiltLedger {
  const { claims, zones, hasher, clock } = parts;
  if (claims.kind === 'remote') return { claims, book: claims.book };
  const { store, exchanges, revision, history, reports, foreign, occupied } = claims;
  const record = {
    claims: store,
    counts: store,
    ...(exchanges === undefined ? {} : { exchanges }),
    ...(revision === undefined ? {} : { revision }),
    ...(history === undefined ? {} : { history }),
    ...(reports === undefined ? {} : { reports }),
    ...(foreign === undefined ? {} : { foreign }),
    ...(occupied === undefined ? {} : { occupied }),
  };
  const { book, registry } = openLedger({ record, zones, hasher, clock, ...limits });
  return { claims, book: withPausedSecrets(claims.withOwnSweep?.(book) ?? book, clock), registry };
}
