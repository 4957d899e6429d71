import { isIn, type Address } from '../../../addressing/address';
import { IPAM, IPAM_PREFIX, METALLB } from '../../../contract/group';
import { addressesReadByMetalLb } from '../../../contract/read-by-metallb';
import type { ServiceView } from '../../../contract/service';
import { parseAddressList } from '../../../contract/service-annotations';
import type { Grant } from '../../../ports/address-book';
import { familyWord } from '../../../rules/family-facts';
import { namedAddresses } from '../../../rules/wishes';
import { METALLB_KEYS, type Review } from './review';

/** Annotation keys by which results name addresses. */
export const ADDRESS_KEYS: readonly string[] = [IPAM.addresses, METALLB.addresses];
const ZONE_KEYS: readonly string[] = [IPAM.zone, METALLB.pool];
/** Keys of ours whose value follows from the addresses. */
export const RECORDED_KEYS: readonly string[] = [IPAM.addresses, IPAM.zone, IPAM.ipFamily];

/**
 * Tells whether an object lost every key of ours, as by a PUT that knows nothing of them. Where some are left, a missing one was
 * taken out on purpose.
 *
 * @param service - the object
 * @returns true when no key of ours is there
 */
export function isStripped({ annotations }: Pick<ServiceView, 'annotations'>): boolean {
  return !Object.keys(annotations).some((key) => key.startsWith(IPAM_PREFIX));
}

/**
 * Lists the wishes that a stored Service has given up: keys that are not there, and that the record does not have as written by
 * us. Put back at once, they would stand there as wishes for ever, since nothing would tell the controller; left away, the
 * controller makes them results on record and object.
 *
 * @param review - object and stored object
 * @param held - what the Service has and keeps
 * @returns the keys that admission leaves away; none for a new address, whose record says from the start what we write
 */
export function droppedKeys({ operation, service }: Review, held: readonly Grant[]): readonly string[] {
  if (operation !== 'UPDATE' || held.length === 0 || isStripped(service)) return [];
  const written = new Set(held.flatMap(({ writtenKeys }) => writtenKeys));
  return RECORDED_KEYS.filter((key) => !(key in service.annotations) && !written.has(key));
}

/** Begins the text that stands in place of a reservation id. */
const GIVEN_UP = 'given-up:';

/**
 * Lists the keys of MetalLB by which a stored Service made a wish that it has given up. MetalLB needs them, so admission puts them back
 * at once; nothing but a mark on the object tells the controller that they are results from then on.
 *
 * @param review - object and stored object
 * @param held - what the Service has and keeps
 * @returns the keys that the record does not have as written by us
 */
export function takenOverKeys({ operation, service }: Review, held: readonly Grant[]): readonly string[] {
  if (operation !== 'UPDATE' || isStripped(service)) return [];
  const needed = service.loadBalancerIP === undefined ? [METALLB.pool, METALLB.addresses] : [METALLB.pool];
  const missing = needed.filter((key) => !(key in service.annotations));
  return missing.filter((key) => held.some(({ writtenKeys }) => !writtenKeys.includes(key)));
}

/**
 * Marks keys as given up, in the key of the reservation: the object is bound, so it has no id there, and the controller takes the
 * mark away once the record has the keys. Where the object is not bound yet, the id stays and the keys stay wishes.
 *
 * @param reservation - what stands there
 * @param keys - given up by this change
 * @returns what is to stand there
 */
export function markGivenUp(reservation: string | undefined, keys: readonly string[]): string | undefined {
  if (keys.length === 0 || (reservation !== undefined && !reservation.startsWith(GIVEN_UP))) return reservation;
  return `${GIVEN_UP}${[...new Set([...keysIn(reservation), ...keys])].join(',')}`;
}

function keysIn(reservation: string | undefined): readonly string[] {
  const text = reservation?.startsWith(GIVEN_UP) === true ? reservation.slice(GIVEN_UP.length) : '';
  return text.split(',').filter((key) => METALLB_KEYS.includes(key));
}

function givenUpOn(service: ServiceView | undefined): readonly string[] {
  return keysIn(service?.annotations[IPAM.reservation]);
}

/**
 * Tells results from wishes: a key is a result when the record says that we wrote it and that it was not changed since.
 *
 * @param review - object and stored object
 * @param grants - what the Service holds, with the keys that we wrote
 * @returns the test for a key that stands on the object
 */
export function resultTest(review: Review, grants: readonly Grant[]): (key: string) => boolean {
  const { operation, service, live } = review;
  if (operation === 'STORED') return storedResultTest(review, grants);
  const written = new Set([...grants.flatMap(({ writtenKeys }) => writtenKeys), ...givenUpOn(live)]);
  return (key) => {
    const value = service.annotations[key];
    if (value === undefined || !written.has(key)) return false;
    return live === undefined ? saysTheSame(key, value, grants) : value === live.annotations[key];
  };
}

// What stands on a stored object may have passed admission or not. MetalLB's keys that we wrote are ours whatever they say now:
// they are no wishes beside our own keys. Of ours, one that says what the record has of the addresses that MetalLB reads is what
// admission wrote with them; where the record cannot tell, one with another value than before is a wish.
function storedResultTest({ service, live }: Review, grants: readonly Grant[]): (key: string) => boolean {
  const read = announcedBy(service);
  const used = grants.filter(({ address }) => isIn(address, read));
  const relevant = used.length > 0 ? used : grants;
  const written = new Set([...relevant.flatMap(({ writtenKeys }) => writtenKeys), ...givenUpOn(service)]);
  return (key) => {
    const value = service.annotations[key];
    if (value === undefined || !written.has(key)) return false;
    if (METALLB_KEYS.includes(key)) return true;
    const before = live?.annotations[key];
    const isOld = before === undefined || before === value;
    const isTold = used.length > 0 && RECORDED_KEYS.includes(key);
    return (isOld || isTold) && isOnRecord(key, value, relevant);
  };
}

// Where MetalLB reads no address, all that are named.
function announcedBy(service: ServiceView): readonly Address[] {
  const read = addressesReadByMetalLb(service);
  return read.length > 0 ? read : namedAddresses(service).flatMap(({ addresses }) => addresses);
}

function isOnRecord(key: string, value: string, grants: readonly Grant[]): boolean {
  if (key !== IPAM.ipFamily) return saysTheSame(key, value, grants);
  return value === familyWord([...new Set(grants.map(({ family }) => family))]);
}

// Without a stored object (re-invocation of a CREATE) the record itself is what the value is compared with.
function saysTheSame(key: string, value: string, grants: readonly Grant[]): boolean {
  if (ZONE_KEYS.includes(key)) return grants.some(({ zone }) => zone === value);
  if (!ADDRESS_KEYS.includes(key)) return true;
  const parsed = parseAddressList(value, key);
  return parsed.ok && parsed.value.every((address) => grants.some((grant) => grant.address.equals(address)));
}
