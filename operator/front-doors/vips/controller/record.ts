import type { Address } from '../../../addressing/address';
import { IP_NETWORK } from '../../../contract/paas';
import { SERVICE } from '../../../contract/service-identity';
import type { ServiceView } from '../../../contract/service';
import type { AddressRecord, Holder, NewHolder, Place } from '../../../ports/claims';
import type { KnownClaims } from '../../../ports/known-claims';
import { termsOf } from '../../../rules/vips';
import type { HeldAddress, ServiceFacts, ServiceName, Sharer } from '../../../rules/vips/types';

/**
 * Names the place of an address on record.
 *
 * @param address - any address
 * @returns its place
 */
export const placeOf = (address: Address): Place => ({ network: IP_NETWORK, address });

/**
 * Names the holder of an address.
 *
 * @param holder - as it is on record
 * @returns its name, with its kind where it is no Service
 */
export function nameOfHolder({ owner }: Holder): ServiceName {
  const { kind, namespace, name, uid = '' } = owner;
  // no Service has such a namespace, so that none is taken for the holder
  const named = namespace === '' ? kind : `${kind} ${namespace}`;
  return kind === SERVICE.kind ? { namespace, name, uid } : { namespace: named, name, uid };
}

/**
 * Reads the terms under which a holder shares.
 *
 * @param holder - as it is on record
 * @returns name and terms
 */
export function sharerOf(holder: Holder): Sharer {
  return { owner: nameOfHolder(holder), ...recordedTerms(holder) };
}

// what an older release stored is not bounded
const recordedTerms = ({ sharing }: Pick<Holder, 'sharing'>): Pick<Sharer, 'terms'> =>
  sharing === undefined ? {} : { terms: termsOf(sharing, sharing.key) };

type Named = Pick<ServiceView, 'namespace' | 'name' | 'uid'>;

/**
 * Tells whether a holder is a stored Service: by UID, or by its name where no Service of the recorded UID can be stored, since one of
 * another UID has its name.
 *
 * @param holder - as it is on record
 * @param service - stored
 * @returns true where the Service has what the record gives to the holder
 */
export function isHolder({ owner }: Holder, { namespace, name, uid }: Named): boolean {
  if (owner.kind !== SERVICE.kind) return false;
  return owner.uid === uid || (owner.namespace === namespace && owner.name === name);
}

/**
 * Tells whether a holder is to keep its address until a migration ends, even where its Service is gone.
 *
 * @param holder - as it is on record
 * @returns true for a Service that gets the address of a VirtualIP
 */
export const isForMigration = ({ owner, purpose }: Holder): boolean =>
  owner.kind === SERVICE.kind && purpose !== undefined;

/**
 * Finds what a stored Service holds.
 *
 * @param known - the record
 * @param service - stored
 * @returns the records, lowest address first
 */
export function heldRecords(known: KnownClaims, service: Named): readonly AddressRecord[] {
  const { namespace, name, uid } = service;
  const byName = known.find({ by: 'name', cluster: '', namespace, name });
  const byUid = known.find({ by: 'uid', uid }).filter((record) => !byName.includes(record));
  return [...byUid, ...byName].filter(
    ({ state, holders }) => state === 'held' && holders.some((each) => isHolder(each, service)),
  );
}

/**
 * Reads what a Service has of a record.
 *
 * @param record - one that it holds
 * @param service - stored
 * @returns the address, with the holders that came before
 */
export function heldAddress(record: AddressRecord, service: Named): Omit<HeldAddress, 'isReserved'> {
  const { address, pool: group, holders } = record;
  const index = holders.findIndex((each) => isHolder(each, service));
  const mine = holders[index];
  const terms = mine === undefined ? {} : recordedTerms(mine);
  const earlier = holders.slice(0, Math.max(index, 0)).map(sharerOf);
  // a purpose is written over by the Service that the address was kept for
  const isBoundToUid = mine?.owner.uid === service.uid && mine.purpose === undefined;
  return { address, group, isBoundToUid, ...terms, earlier };
}

/**
 * Makes the holder that a Service is written as.
 *
 * @param facts - the Service and its wish
 * @returns the holder, with its terms where it can share
 */
export function holderOf({ service, wish }: Pick<ServiceFacts, 'service' | 'wish'>): NewHolder {
  const { namespace, name, uid } = service;
  const key = wish.ok ? wish.sharingKey : '';
  const owner = { cluster: '', ...SERVICE, namespace, namespaceUid: '', name, uid };
  const sharing = termsOf(service, key);
  return { owner, state: 'bound', ...(sharing.key === '' ? {} : { sharing }) };
}
