import type { Address } from '../addressing/address';
import type { Zone } from '../contract/zones';
import type { Refusal } from '../errors/outcome';
import { closedTo, isOfZone } from './zone-limits';

/** An address that is said to be in use already. */
interface AdoptedAddress {
  /** Zone that is named for it. */
  readonly zone: Zone;
  readonly address: Address;
  readonly adopt: 'announced' | 'served' | 'takeover';
  /** Absent: an operator vouches for it. */
  readonly assertedBy?: 'cluster' | 'admin';
}

/**
 * Checks that an address in use may go on record under a zone that would not give it. Where the cluster alone says that it is in
 * use, the zone stands: no other claimant gets such an address either, so refusing it makes no second owner.
 *
 * @param zones - every zone
 * @param adopted - the address, the zone, why it counts as in use, and the source of that
 * @returns undefined when it may; else refusal `address/outside-zone` or `address/excluded`
 */
export function adoptionProblem(zones: readonly Zone[], adopted: AdoptedAddress): Refusal | undefined {
  const { zone, address, adopt, assertedBy } = adopted;
  const closed = closedTo(zone, address);
  if (closed === undefined || assertedBy === 'cluster') return closed;
  if (closed.code === 'address/excluded') return undefined;
  // a status may show what MetalLB took from a pool that is none of ours
  if (adopt === 'announced' && assertedBy === undefined) return closed;
  const owner = zoneAround(zones, zone.network, address);
  if (owner === undefined) return undefined;
  const value = address.toString();
  const message = `address "${value}" belongs to zone "${owner.name}", so it is not adopted for zone "${zone.name}"`;
  return { code: 'address/outside-zone', message, value };
}

/**
 * Finds the zone that an address belongs to, whether the zone gives it or excludes it.
 *
 * @param zones - every zone
 * @param network - network of the address
 * @param address - any address
 * @returns the zone; undefined where no prefix holds the address
 */
export function zoneAround(zones: readonly Zone[], network: string, address: Address): Zone | undefined {
  return zones.find((zone) => zone.network === network && isOfZone(zone, address));
}
