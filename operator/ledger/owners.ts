import type { Owner } from '../ports/address-book';
import type { AddressRecord, Holder } from '../ports/claim-store';
import type { LedgerContext } from './ledger-context';

/**
 * Lists the claims of a cluster; see `AddressBook.owners`. What is only retained has no owner.
 *
 * @param context - the ledger's parts
 * @param clusterUid - which cluster
 * @returns the claims, lowest address first
 */
export async function owners(context: LedgerContext, clusterUid: string): Promise<readonly Owner[]> {
  const records = await context.store.list({ by: 'cluster', clusterUid }, context.clock.nowMs());
  return records.flatMap((record) =>
    record.holders
      .filter(({ service, state }) => service.clusterUid === clusterUid && state !== 'retained')
      .map((holder) => ownerOf(record, holder)),
  );
}

function ownerOf({ network, zone, address }: AddressRecord, holder: Holder): Owner {
  const { state, serviceUid, namespace, service } = holder;
  const uid = serviceUid === undefined ? {} : { serviceUid };
  return { network, zone, address, state, ...uid, namespace, name: service.serviceName };
}
