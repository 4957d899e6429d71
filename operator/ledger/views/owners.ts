import type { Owner } from '../../ports/address-book';
import type { AddressRecord, Holder } from '../../ports/claim-store';
import type { LedgerContext } from '../records/ledger-context';

/**
 * Lists the claims of a cluster; see `AddressBook.owners`. What is only retained has no owner. O(1) where the store has not changed
 * since the last list.
 *
 * @param context - the ledger's parts
 * @param clusterUid - which cluster
 * @returns the claims, lowest address first; the same list while nothing changed
 */
export async function owners(context: LedgerContext, clusterUid: string): Promise<readonly Owner[]> {
  const { store, lastOwners } = context;
  // asked before the records: what changes in between is read again at the next call
  const revision = await store.revision();
  const known = lastOwners.at(clusterUid, revision);
  if (known !== undefined) return known;
  const records = await store.list({ by: 'cluster', clusterUid }, context.clock.nowMs());
  const found = Object.freeze(records.flatMap((record) => ownersIn(record, clusterUid)));
  if (revision !== undefined) lastOwners.keep({ clusterUid, revision, owners: found });
  return found;
}

function ownersIn(record: AddressRecord, clusterUid: string): readonly Owner[] {
  return record.holders
    .filter(({ service, state }) => service.clusterUid === clusterUid && state !== 'retained')
    .map((holder) => ownerOf(record, holder));
}

// A literal of one shape: these are kept, one for each claim.
function ownerOf({ network, zone, address }: AddressRecord, holder: Holder): Owner {
  const { state, serviceUid, namespace, service } = holder;
  const { serviceName: name } = service;
  return serviceUid === undefined
    ? { network, zone, address, state, namespace, name }
    : { network, zone, address, state, serviceUid, namespace, name };
}
