import type { Address } from '../../addressing/address';
import { refuse, type Outcome } from '../../errors/outcome';
import { hostPrefix } from '../../addressing/prefix';
import type { Ensured } from './host-prefixes';
import type { NetBoxZones } from './netbox-zones';
import type { NetBoxFault } from './netbox-answer';

/** Addresses that NetBox may turn out to have given to others before a take is told to come back. */
export const MOST_TRIES = 16;
/** Longest time of one take, in milliseconds; the webhook's own deadline is 8 s. */
export const MOST_MS = 6_500;

/**
 * Refuses since NetBox had each address that was tried for another owner.
 *
 * @param zone - its name
 * @returns refusal `store/unavailable`
 */
export function triedInVain(zone: string): Outcome<never> {
  const message = `NetBox has given the addresses of zone "${zone}" that were tried to others; try again in a moment`;
  return refuse('store/unavailable', message, { value: zone, retryAfterSeconds: 1 });
}

/**
 * Refuses since NetBox is to lose the address of its former holder first.
 *
 * @param address - that was asked for
 * @returns refusal `store/unavailable`
 */
export function stillLeaving(address: Address): Outcome<never> {
  const value = address.toString();
  const message = `address "${value}" was released and NetBox still has it; try again in a moment`;
  return refuse('store/unavailable', message, { value, retryAfterSeconds: 2 });
}

/**
 * Refuses since NetBox has the address for another owner.
 *
 * @param address - that was asked for
 * @param words - what NetBox has, without its name in front
 * @returns refusal `address/foreign`
 */
export function heldOutside(address: Address, words: string): Outcome<never> {
  const value = address.toString();
  const message = `address "${value}" is held by another owner: NetBox ${words}; ask for another one or leave the choice to the zone`;
  return refuse('address/foreign', message, { value });
}

/**
 * Finds what an administrator keeps an address for.
 *
 * @param zones - with the IP ranges of the newest reading
 * @param zone - of the address
 * @param address - that was asked for or chosen
 * @returns the range in the way; undefined where there is none
 */
export function inRange(
  zones: Pick<NetBoxZones, 'rangeAt'>,
  zone: string,
  address: Address,
): Extract<Ensured, { kind: 'foreign' }> | undefined {
  const range = zones.rangeAt(zone, address);
  return range && { kind: 'foreign', block: hostPrefix(address), words: `has the IP range ${range.toString()}` };
}

/**
 * Refuses since NetBox did not do or tell what it was asked for.
 *
 * @param fault - of NetBox
 * @param zone - its name
 * @returns refusal `pool/exhausted` or `store/unavailable`
 */
export function refuseFault(fault: NetBoxFault, zone: string): Outcome<never> {
  const { kind, words, retryAfterSeconds } = fault;
  const wait = retryAfterSeconds === undefined ? {} : { retryAfterSeconds };
  if (kind === 'full') {
    return refuse('pool/exhausted', `zone "${zone}" has no free address left in NetBox, which ${words}`, {
      value: zone,
      ...wait,
    });
  }
  return refuse('store/unavailable', `no address of zone "${zone}" can be given now: NetBox ${words}`, {
    value: zone,
    ...wait,
  });
}
