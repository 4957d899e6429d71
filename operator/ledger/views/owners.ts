import { DAY_MS } from '../../contract/durations';
import type { OwnedAddress } from '../../ports/address-book';
import type { AddressRecord, Holder } from '../../ports/claims';
import type { LedgerContext } from '../records/ledger-context';

/** Every lease is over before this time passes; one lasts minutes. */
const LONGEST_LEASE_MS = DAY_MS;

/**
 * Lists the claims of a cluster; see `AddressBook.owners`. What is only retained has no owner. O(1) where the store has not changed
 * since the last list.
 *
 * @param context - the ledger's parts
 * @param clusterUid - which cluster
 * @returns the claims, lowest address first; the same list while nothing changed
 */
export async function owners(context: LedgerContext, clusterUid: string): Promise<readonly OwnedAddress[]> {
  const { claims, lastOwners } = context;
  // asked before the records: what changes in between is read again at the next call
  const revision = await context.revision?.revision();
  const known = lastOwners.at(clusterUid, revision);
  if (known !== undefined) return known;
  const records = await claims.list({ by: 'cluster', cluster: clusterUid });
  const found = Object.freeze(records.flatMap((record) => ownersIn(record, clusterUid)));
  if (revision !== undefined) lastOwners.keep({ clusterUid, revision, owners: found });
  return found;
}

/**
 * Lists the reservations of a cluster; see `AddressBook.unbound`. Found by the index of what ends by itself.
 *
 * @param context - the ledger's parts
 * @param clusterUid - which cluster
 * @returns the reservations, lowest address first
 */
export async function unbound({ claims }: LedgerContext, clusterUid: string): Promise<readonly OwnedAddress[]> {
  const records = await claims.list({ by: 'expired', state: 'reserved', sinceMs: -LONGEST_LEASE_MS });
  return records.flatMap((record) => ownersIn(record, clusterUid)).filter(({ state }) => state === 'reserved');
}

function ownersIn(record: AddressRecord, clusterUid: string): readonly OwnedAddress[] {
  return record.holders
    .filter(({ owner, state }) => owner.cluster === clusterUid && state !== 'retained')
    .map((holder) => ownedOf(record, holder));
}

// A literal of one shape: these are kept, one for each claim.
function ownedOf({ network, pool: zone, address }: AddressRecord, holder: Holder): OwnedAddress {
  const { owner } = holder;
  const { state } = holder;
  const { uid: serviceUid, namespace, name } = owner;
  return serviceUid === undefined
    ? { network, zone, address, state, namespace, name }
    : { network, zone, address, state, serviceUid, namespace, name };
}
