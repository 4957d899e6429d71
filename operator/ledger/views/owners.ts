import { DAY_MS } from '../../contract/durations';
import type { OwnedAddress } from '../../ports/address-book';
import type { AddressRecord, Holder } from '../../ports/claims';
import type { ClaimRevision } from '../../ports/claim-revision';
import { withPlaces, type ChangedPlace, type FormerOwners } from '../records/last-owners';
import type { LedgerContext } from '../records/ledger-context';

/** Records of one page: each is a message to the store, which looks for all claims of the cluster in it. */
const PAGE = 1_000;
/** Changed claims that are read side by side. */
const AT_ONCE = 64;
/** Every lease is over before this time passes; one lasts minutes. */
const LONGEST_LEASE_MS = DAY_MS;

/**
 * Lists the claims of a cluster; see `AddressBook.owners`. What is only retained has no owner. Of a store that has one writer, only what
 * changed since the last list is read. Else everything is, in pages, so that a large list makes no other request wait. What changes
 * meanwhile may be told as it was or as it is.
 *
 * @param context - the ledger's parts
 * @param clusterUid - which cluster
 * @returns the claims, lowest address first; the same list while nothing changed
 */
export async function owners(context: LedgerContext, clusterUid: string): Promise<readonly OwnedAddress[]> {
  const { revision } = context;
  // where other processes write as well, this one is not told all of their changes
  if (revision === undefined) return Object.freeze(await readOwners(context, clusterUid));
  return context.turns.run('owners', () => recentOwners(context, { clusterUid, revision }));
}

async function recentOwners(
  context: LedgerContext,
  on: { readonly clusterUid: string; readonly revision: ClaimRevision },
): Promise<readonly OwnedAddress[]> {
  const { claims, lastOwners } = context;
  const { clusterUid } = on;
  lastOwners.watch(claims);
  // asked before the records: what changes in between is read again at the next call
  const revision = await on.revision.revision();
  const former = lastOwners.from(clusterUid, revision);
  const found =
    former === undefined ? await readOwners(context, clusterUid) : await broughtUpToDate(context, clusterUid, former);
  const kept = Object.freeze(found);
  lastOwners.keep({ clusterUid, revision, owners: kept });
  return kept;
}

async function broughtUpToDate(
  { claims }: LedgerContext,
  clusterUid: string,
  { owners: before, changed }: FormerOwners,
): Promise<readonly OwnedAddress[]> {
  if (changed.length === 0) return before;
  const present: { readonly place: ChangedPlace; readonly owners: readonly OwnedAddress[] }[] = [];
  for (let from = 0; from < changed.length; from += AT_ONCE) {
    const some = changed.slice(from, from + AT_ONCE).map(async (place) => {
      const record = await claims.get(place);
      return { place, owners: record === undefined ? [] : ownersIn(record, clusterUid) };
    });
    present.push(...(await Promise.all(some)));
  }
  return withPlaces(before, present);
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
