import type { Address } from '../addressing/address';
import { quoteValue } from '../contract/quote';
import type { Zone, ZoneCatalogue } from '../contract/zones';
import type { Refusal } from '../errors/outcome';

/**
 * Refuses a zone that does not exist.
 *
 * @param catalogue - the zones
 * @param name - the zone that was asked for
 * @returns refusal `zone/unknown` that names the zones there are
 */
export function unknownZone(catalogue: ZoneCatalogue, name: string): Refusal {
  const names = catalogue.names.map((each) => `"${each}"`).join(', ');
  const known = names === '' ? 'no zone is configured' : `the zones are ${names}`;
  return { code: 'zone/unknown', value: name, message: `no zone is named ${quoteValue(name)}; ${known}` };
}

/**
 * Refuses something new from a draining zone.
 *
 * @param zone - any zone
 * @returns refusal `zone/draining`; undefined when the zone is not draining
 */
export function drainingProblem({ name, draining }: Zone): Refusal | undefined {
  if (!draining) return undefined;
  const message = `zone "${name}" is draining: its claims stay, nothing new is given`;
  return { code: 'zone/draining', value: name, message };
}

/**
 * Refuses something new from a zone of chosen namespaces to a caller whose namespace is unproven. The IPAM-API takes any
 * text for the name of a namespace and sees no labels, so a caller proves none; an operator has compared them.
 *
 * @param zone - any zone
 * @param namespace - name of the claimant's namespace, empty where only an id was claimed
 * @param assertedBy - source of the name of the namespace; absent: an operator
 * @returns refusal `zone/forbidden`; undefined when the zone is open
 */
export function unprovenNamespace(
  { name, namespaces }: Zone,
  namespace: string,
  assertedBy?: 'cluster' | 'admin',
): Refusal | undefined {
  const demands = Object.keys(namespaces?.matchLabels ?? {}).length + (namespaces?.matchExpressions ?? []).length;
  if (demands === 0 || (namespace !== '' && assertedBy !== 'cluster')) return undefined;
  const how = 'name a zone that is open to all, or call as a client that is told to be an operator';
  const message = `zone "${name}" is open to some namespaces only, and a caller of the IPAM-API cannot prove its namespace; ${how}`;
  return { code: 'zone/forbidden', value: name, message };
}

/**
 * Tells whether a zone holds an address, given out or excluded.
 *
 * @param zone - its prefixes
 * @param address - any address
 * @returns true where one of the prefixes contains it
 * @remarks O(number of prefixes)
 */
export function isOfZone({ prefixes }: Pick<Zone, 'prefixes'>, address: Address): boolean {
  return prefixes.some((prefix) => prefix.contains(address));
}

/**
 * Checks that a zone may give an address.
 *
 * @param zone - which zone is to give it
 * @param address - the wished address
 * @returns undefined when it may; else refusal `address/outside-zone` or `address/excluded`
 */
export function closedTo(zone: Zone, address: Address): Refusal | undefined {
  if (zone.space.contains(address)) return undefined;
  const value = address.toString();
  if (isOfZone(zone, address)) {
    const message = `address "${value}" is excluded from zone "${zone.name}", which never gives it`;
    return { code: 'address/excluded', message, value };
  }
  const prefixes = zone.prefixes.map(String).join(', ');
  const message = `address "${value}" lies outside of zone "${zone.name}", which has ${prefixes}`;
  return { code: 'address/outside-zone', message, value };
}
