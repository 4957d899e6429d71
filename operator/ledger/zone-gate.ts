import type { Address, Family } from '../addressing/address';
import type { Zone, ZoneCatalogue } from '../contract/zones';
import { accept, refuse, type Outcome, type Refusal } from '../errors/outcome';
import type { AddressRecord } from '../ports/claim-store';

/**
 * Finds the zone that something new is to come from.
 *
 * @param catalogue - the zones
 * @param name - the zone that was asked for
 * @param family - the family that was asked for
 * @returns the zone; or refusal `zone/unknown`, `zone/no-family`, `zone/draining`
 */
export function openZone(catalogue: ZoneCatalogue, name: string, family: Family): Outcome<Zone> {
  const zone = catalogue.zone(name);
  if (zone === undefined) return unknownZone(catalogue, name);
  if (!zone.families.includes(family)) {
    const has = zone.families.map((each) => `IPv${each}`).join(' and ');
    return refuse('zone/no-family', `zone "${name}" has no IPv${family} prefix, it has ${has}`, { value: name });
  }
  if (zone.draining) {
    return refuse('zone/draining', `zone "${name}" is draining: who has an address keeps it, nothing new is given`, {
      value: name,
    });
  }
  return accept(zone);
}

/**
 * Refuses a zone that does not exist.
 *
 * @param catalogue - the zones
 * @param name - the zone that was asked for
 * @returns refusal `zone/unknown` that names the zones there are
 */
export function unknownZone(catalogue: ZoneCatalogue, name: string): Outcome<never> {
  const names = catalogue.names.map((each) => `"${each}"`).join(', ');
  const known = names === '' ? 'no zone is configured' : `the zones are ${names}`;
  return refuse('zone/unknown', `zone "${name}" does not exist; ${known}`, { value: name });
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
  if (zone.prefixes.some((prefix) => prefix.contains(address))) {
    const message = `address "${value}" is excluded from zone "${zone.name}", which never gives it`;
    return { code: 'address/excluded', message, value };
  }
  const prefixes = zone.prefixes.map((prefix) => prefix.toString()).join(', ');
  const message = `address "${value}" lies outside of zone "${zone.name}", which has ${prefixes}`;
  return { code: 'address/outside-zone', message, value };
}

/**
 * Tells whether a record belongs to a zone, under its present name or the name it was taken under.
 *
 * @param record - a live address
 * @param name - what a request calls the zone
 * @param zone - the zone of this name; undefined when the document lost it, and its holders stay all the same
 * @returns true when it does
 */
export function belongsToZone(record: AddressRecord, name: string, zone: Zone | undefined): boolean {
  if (zone === undefined) return record.zone === name;
  return record.network === zone.network && (record.zone === name || zone.space.contains(record.address));
}
