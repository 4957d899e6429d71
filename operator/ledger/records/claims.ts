import type { Claimant } from '../../ports/address-book';
import type { AddressRecord, ClaimQuery, Holder, NewHolder, ServiceIdentity } from '../../ports/claim-store';
import { reservationPrefix } from './claim-key';
import type { LedgerContext } from './ledger-context';

/** One holder on its address. */
export interface Claim {
  readonly record: AddressRecord;
  readonly holder: Holder;
}

/**
 * Compares identities; an empty name (`generateName`) is nobody's.
 *
 * @param a - one identity
 * @param b - another identity
 * @returns true for one and the same service
 */
export function sameService(a: ServiceIdentity, b: ServiceIdentity): boolean {
  return a.serviceName !== '' && a.serviceName === b.serviceName && samePlaceOf(a, b);
}

/**
 * Tells whether a holder is the claimant: by the UID of the stored object, by identity, or, while the holder is reserved
 * and has no name, by the reservation.
 *
 * @param holder - a holder of an address, or the one who left it
 * @param claimant - who asks
 * @returns true when it is
 */
export function isClaimant(holder: NewHolder, claimant: Claimant): boolean {
  if (isObjectOf(holder, claimant)) return true;
  if (sameService(holder.service, claimant.service) || sameNamed(holder, claimant)) return true;
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
export function sameNamed(
  a: Pick<NewHolder, 'service' | 'namespace'>,
  b: Pick<NewHolder, 'service' | 'namespace'>,
): boolean {
  if (a.namespace === '' || a.service.serviceName === '' || a.namespace !== b.namespace) return false;
  return a.service.serviceName === b.service.serviceName && a.service.clusterUid === b.service.clusterUid;
}

// Each cluster says itself which UIDs its objects have, so one that names another's object must not become its owner.
function isObjectOf({ serviceUid, service }: NewHolder, claimant: Claimant): boolean {
  if (serviceUid === undefined || serviceUid !== claimant.serviceUid) return false;
  return service.clusterUid === claimant.service.clusterUid;
}

/**
 * Tells whether a holder is a `generateName` Service of a namespace that nobody has bound yet.
 *
 * @param holder - a holder of an address
 * @param place - any service of the namespace
 * @returns true when it has no name there
 */
export function isUnnamedIn(holder: NewHolder, place: ServiceIdentity): boolean {
  return holder.service.serviceName === '' && samePlaceOf(holder.service, place);
}

/**
 * Finds the claimant's own holder on an address.
 *
 * @param record - the address
 * @param claimant - who asks
 * @returns the holder, undefined when the claimant has none there
 */
export function ownHolder(record: AddressRecord, claimant: Claimant): Holder | undefined {
  return record.holders.find((holder) => isClaimant(holder, claimant));
}

/**
 * Reads every live address that the claimant holds, or has left into quarantine.
 *
 * @param context - the ledger's parts
 * @param claimant - who asks
 * @param nowMs - current time, milliseconds since 1970
 * @returns the records, each once, in no particular order
 * @remarks looks by the names only where nothing has the UIDs. O(result), plus the unbound reservations of the namespace for a claimant with a reservation
 */
export async function recordsOf(
  context: LedgerContext,
  claimant: Claimant,
  nowMs: number,
): Promise<readonly AddressRecord[]> {
  const byIds = await Promise.all(queriesFor(claimant).map((query) => context.store.list(query, nowMs)));
  const { service, namespace } = claimant;
  const isNamed = namespace !== '' && service.serviceName !== '';
  const byName = { by: 'name', clusterUid: service.clusterUid, namespace, serviceName: service.serviceName } as const;
  const lists = byIds.some((list) => list.length > 0) || !isNamed ? byIds : [await context.store.list(byName, nowMs)];
  const records = new Map<string, AddressRecord>();
  for (const record of lists.flat()) records.set(`${record.network}/${record.address.toString()}`, record);
  return [...records.values()];
}

/**
 * Picks the claimant's claims out of records.
 *
 * @param records - any records
 * @param claimant - who asks
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

function queriesFor({ service, serviceUid, reservation }: Claimant): readonly ClaimQuery[] {
  const queries: ClaimQuery[] = [];
  if (serviceUid !== undefined) queries.push({ by: 'uid', serviceUid });
  if (service.serviceName !== '') queries.push({ by: 'service', service });
  // what a generateName Service reserved has no name until it is bound
  if (hasReservation(reservation)) queries.push({ by: 'service', service: { ...service, serviceName: '' } });
  return queries;
}

// The id stays readable on the stored object, so it identifies nobody any more once the holder has a name or an owner:
// whoever copies the annotations would else share the address of the original.
function isReservedFor(holder: NewHolder, { service, reservation }: Claimant): boolean {
  if (!hasReservation(reservation) || holder.state !== 'reserved' || !isUnnamedIn(holder, service)) return false;
  return holder.key?.startsWith(reservationPrefix(reservation)) === true;
}

function hasReservation(reservation: string | undefined): reservation is string {
  return reservation !== undefined && reservation !== '';
}

function samePlaceOf(a: ServiceIdentity, b: ServiceIdentity): boolean {
  return a.namespaceUid === b.namespaceUid && a.clusterUid === b.clusterUid;
}
