import { DAY_MS } from '../../contract/durations';
import type { OwnedAddress } from '../../ports/address-book';
import type { AddressRecord, Holder } from '../../ports/claims';
import type { LedgerContext } from '../records/ledger-context';

/** Records of one page: each is a message to the store, which looks for all claims of the cluster in it. */
const PAGE = 1_000;
/** Every lease is over before this time passes; one lasts minutes. */
const LONGEST_LEASE_MS = DAY_MS;

/**
 * Lists the claims of a cluster; see `AddressBook.owners`. What is only retained has no owner. O(1) where the store has not changed
 * since the last list. Read in pages, so that a large list makes no other request wait: what changes meanwhile may be told as it was or as it is.
 *
 * @param context - the ledger's parts
 * @param clusterUid - which cluster
 * @returns the claims, lowest address first; the same list while nothing changed
 */
export async function owners(context: LedgerContext, clusterUid: string): Promise<readonly OwnedAddress[]> {
  const { lastOwners } = context;
  // asked before the records: what changes in between is read again at the next call
  const revision = await context.revision?.revision();
  const known = lastOwners.at(clusterUid, revision);
  if (known !== undefined) return known;
  const found = Object.freeze(await readOwners(context, clusterUid));
  if (revision !== undefined) lastOwners.keep({ clusterUid, revision, owners: found });
  return found;
}

async function readOwners({ counts }: LedgerContext, cluster: string): Promise<readonly OwnedAddress[]> {
  const found: OwnedAddress[] = [];
  const networks = new Set<string>();
  for (let after: AddressRecord | undefined; ;) {
    const page: readonly AddressRecord[] = await counts.page(
      { cluster },
      { limit: PAGE, ...(after === undefined ? {} : { after }) },
    );
    for (const record of page) {
      networks.add(record.network);
      found.push(...ownersIn(record, cluster));
    }
    after = page.at(-1);
    if (after === undefined || page.length < PAGE) break;
  }
  // pages go network by network
  return networks.size > 1 ? found.sort((a, b) => a.address.compareTo(b.address)) : found;
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
