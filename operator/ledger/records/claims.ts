import { placeKey } from '../../addressing/place';
import type { Claimant } from '../../ports/address-book';
import { serviceOwner } from '../../contract/service-identity';
import type { AddressRecord, Holder, NewHolder, Owner, OwnerQuery } from '../../ports/claims';
import { reservationPrefix } from './claim-key';
import type { LedgerContext } from './ledger-context';

/** One holder on its address. */
export interface Claim {
  readonly record: AddressRecord;
  readonly holder: Holder;
}

/**
 * Describes a claimant as the owner that it is, or becomes.
 *
 * @param claimant - the Service that asks
 * @returns its names and UIDs as claims have them
 */
export function ownerOf(claimant: Pick<Claimant, 'service' | 'namespace' | 'serviceUid'>): Owner {
  return serviceOwner(claimant);
}

/**
 * Compares identities; an owner without a name (`generateName`) is the same as no other.
 *
 * @param a - one owner
 * @param b - another owner
 * @returns true for one and the same object, whatever UID it has now
 */
export function sameOwner(a: Owner, b: Owner): boolean {
  return a.name !== '' && a.name === b.name && sameKind(a, b) && samePlaceOf(a, b);
}

/**
 * Tells whether a holder is the claimant: by the UID of the stored object, by identity, or, while the holder is reserved
 * and has no name, by the reservation.
 *
 * @param holder - a holder of an address, or the one that left it
 * @param claimant - the Service that asks
 * @returns true when it is
 */
export function isClaimant(holder: Pick<NewHolder, 'owner' | 'state' | 'key'>, claimant: Claimant): boolean {
  const owner = ownerOf(claimant);
  if (isObjectOf(holder.owner, owner) || isSeenObject(holder.owner, claimant)) return true;
  if (sameOwner(holder.owner, owner) || sameNamed(holder.owner, owner)) return true;
  return isReservedFor(holder, claimant);
}

/**
 * Tells whether two are one Service by the names of cluster, namespace and Service. Names outlive UIDs: a namespace that
 * was made anew, or restored, keeps its addresses, since a cluster has one namespace of a name at a time.
 *
 * @param a - one side
 * @param b - the other side
 * @returns true for equal names; false where a name is not known
 */
export function sameNamed(a: Owner, b: Owner): boolean {
  if (a.namespace === '' || a.name === '' || a.namespace !== b.namespace) return false;
  return a.name === b.name && a.cluster === b.cluster && sameKind(a, b);
}

// Each cluster says itself which UIDs its objects have, so one that names another's object must not become its owner.
function isObjectOf(owner: Owner, claimant: Owner): boolean {
  return owner.uid !== undefined && owner.uid === claimant.uid && owner.cluster === claimant.cluster;
}

// The API server made the UID, whatever this cluster was called when the holder came.
function isSeenObject({ uid, kind, apiVersion }: Owner, claimant: Claimant): boolean {
  const { isSeen, serviceUid } = claimant;
  return (
    isSeen === true && uid !== undefined && uid === serviceUid && sameKind(ownerOf(claimant), { kind, apiVersion })
  );
}

function sameKind(a: Pick<Owner, 'kind' | 'apiVersion'>, b: Pick<Owner, 'kind' | 'apiVersion'>): boolean {
  return a.kind === b.kind && a.apiVersion === b.apiVersion;
}

/**
 * Tells whether a holder is a `generateName` Service of a namespace that is not bound yet.
 *
 * @param holder - a holder of an address
 * @param place - any Service of the namespace
 * @returns true when it has no name there
 */
export function isUnnamedIn({ owner }: Pick<NewHolder, 'owner'>, place: Owner): boolean {
  return owner.name === '' && sameKind(owner, place) && samePlaceOf(owner, place);
}

/**
 * Picks the holders that the record grants an address. A contested one shows it without a claim: no secret, no veto.
 *
 * @param record - the address
 * @returns all holders but the contested ones
 */
export function grantedHolders({ holders }: Pick<AddressRecord, 'holders'>): readonly Holder[] {
  return holders.some(isContested) ? holders.filter((holder) => !isContested(holder)) : holders;
}

/**
 * Finds the holder by which a stored object contests an address.
 *
 * @param record - the address
 * @param object - UID of the object and its cluster
 * @returns the holder, undefined where the object contests nothing there
 */
export function contestedHolder(
  { holders }: Pick<AddressRecord, 'holders'>,
  { uid, cluster }: Pick<Owner, 'uid' | 'cluster'>,
): Holder | undefined {
  if (uid === undefined) return undefined;
  return holders.find((each) => isContested(each) && each.owner.uid === uid && each.owner.cluster === cluster);
}

function isContested({ state }: Holder): boolean {
  return state === 'contested';
}

/**
 * Finds the claimant's own holder on an address.
 *
 * @param record - the address
 * @param claimant - the Service that asks
 * @returns the holder, undefined when the claimant has none there
 */
export function ownHolder(record: AddressRecord, claimant: Claimant): Holder | undefined {
  return grantedHolders(record).find((holder) => isClaimant(holder, claimant));
}

/**
 * Reads every live address that the claimant holds, or has left into quarantine.
 *
 * @param context - the ledger's parts
 * @param claimant - the Service that asks
 * @returns the records, each once, in no particular order
 * @remarks looks by the names only where nothing has the UIDs. O(result), plus the unbound reservations of the namespace for a claimant with a reservation
 */
export async function recordsOf(context: LedgerContext, claimant: Claimant): Promise<readonly AddressRecord[]> {
  const byIds = await Promise.all(queriesFor(claimant).map((query) => context.claims.list(query)));
  const byName = byIds.some((list) => list.length > 0) ? undefined : nameQuery(claimant);
  const lists = byName === undefined ? byIds : [await context.claims.list(byName)];
  const records = new Map<string, AddressRecord>();
  for (const record of lists.flat()) records.set(placeKey(record), record);
  return [...records.values()];
}

/**
 * Picks the claimant's claims out of records.
 *
 * @param records - any records
 * @param claimant - the Service that asks
 * @returns its claims, lowest address first
 */
export function claimsOf(records: readonly AddressRecord[], claimant: Claimant): readonly Claim[] {
  const claims: Claim[] = [];
  for (const record of records) {
    const holder = ownHolder(record, claimant);
    if (holder !== undefined) claims.push({ record, holder });
  }
  return claims.sort((a, b) => a.record.address.compareTo(b.record.address));
}

/**
 * Lists the queries by which {@link recordsOf} finds anything of a claimant.
 *
 * @param claimant - the Service that asks
 * @returns the queries; empty for a claimant that could not be recognised again
 */
export function everyQueryFor(claimant: Claimant): readonly OwnerQuery[] {
  const byName = nameQuery(claimant);
  return [...queriesFor(claimant), ...(byName === undefined ? [] : [byName])];
}

function nameQuery(claimant: Claimant): OwnerQuery | undefined {
  const { cluster, namespace, name } = ownerOf(claimant);
  return namespace === '' || name === '' ? undefined : { by: 'name', cluster, namespace, name };
}

function queriesFor(claimant: Claimant): readonly OwnerQuery[] {
  const owner = ownerOf(claimant);
  const queries: OwnerQuery[] = [];
  if (owner.uid !== undefined) queries.push({ by: 'uid', uid: owner.uid });
  if (owner.name !== '') queries.push({ by: 'owner', owner });
  // what a generateName Service reserved has no name until it is bound
  if (hasReservation(claimant.reservation)) queries.push({ by: 'owner', owner: { ...owner, name: '' } });
  return queries;
}

// The id stays readable on the stored object, so it identifies no claimant any more once the holder has a name or an owner:
// a copy of the annotations would else share the address of the original.
function isReservedFor(holder: Pick<NewHolder, 'owner' | 'state' | 'key'>, claimant: Claimant): boolean {
  const { reservation } = claimant;
  if (!hasReservation(reservation) || holder.state !== 'reserved') return false;
  if (!isUnnamedIn(holder, ownerOf(claimant))) return false;
  return holder.key?.startsWith(reservationPrefix(reservation)) === true;
}

function hasReservation(reservation: string | undefined): reservation is string {
  return reservation !== undefined && reservation !== '';
}

function samePlaceOf(a: Owner, b: Owner): boolean {
  return a.namespaceUid === b.namespaceUid && a.cluster === b.cluster;
}
