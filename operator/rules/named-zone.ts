import type { Address } from '../addressing/address';
import { METALLB_POOL_KEYS } from '../contract/group';
import type { Zone, ZoneCatalogue } from '../contract/zones';
import { namedAddresses, type WishSources } from './wishes';
import { isOfZone } from './zone-limits';

/** The part of the zones by which a name or an address is recognised. */
export type KnownZones = Pick<ZoneCatalogue, 'zones' | 'zone'>;

/**
 * Finds the zone that a Service names without our own keys: by the pool of MetalLB that carries its name, or by an address inside
 * it, in whichever key or field. MetalLB would give such an address, so it has to be asked for here.
 *
 * @param service - annotations and spec
 * @param zones - all of them
 * @returns the zone; undefined where nothing that the Service names belongs to one
 */
export function namedZone(service: WishSources, zones: KnownZones): Zone | undefined {
  for (const key of METALLB_POOL_KEYS) {
    const pool = service.annotations[key];
    const zone = pool === undefined ? undefined : zones.zone(pool);
    if (zone !== undefined) return zone;
  }
  for (const { addresses } of namedAddresses(service)) {
    for (const address of addresses) {
      const zone = zones.zones.find((each) => isOfZone(each, address));
      if (zone !== undefined) return zone;
    }
  }
  return undefined;
}

/**
 * Finds the zone that holds one of some addresses, given out or excluded. Zones of two networks may hold one address: then the default
 * zone counts, else the first one of the document.
 *
 * @param addresses - any
 * @param zones - all of them
 * @returns the zone; undefined where none holds any of the addresses
 */
export function zoneHolding(
  addresses: readonly Address[],
  { zones, defaultZone }: Pick<ZoneCatalogue, 'zones' | 'defaultZone'>,
): Zone | undefined {
  const around = zones.filter((zone) => addresses.some((address) => isOfZone(zone, address)));
  return around.find(({ name }) => name === defaultZone) ?? around[0];
}

/**
 * Chooses the zone of a Service that names none by a key: the one that its wished address is of, else the default zone.
 *
 * @param addresses - that it asks for; the first one decides
 * @param zones - all of them
 * @returns name of the zone; undefined where there is no default zone either
 */
export function impliedZone(
  [first]: readonly Address[],
  zones: Pick<ZoneCatalogue, 'zones' | 'defaultZone'>,
): string | undefined {
  const holding = first === undefined ? undefined : zoneHolding([first], zones);
  return holding?.name ?? zones.defaultZone;
}
