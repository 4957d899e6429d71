import type { Address, Family } from '../addressing/address';
import { IPAM } from '../contract/group';
import { quoteValue } from '../contract/quote';
import { annotationPath } from '../contract/service-annotations';
import { selectorMatches, type Zone, type ZoneCatalogue } from '../contract/zones';
import { refusedAt, type Refusal } from '../errors/outcome';
import { familyName, familyNames } from './family-facts';
import { addressField, type AddressFields } from './wishes';
import { closedTo, drainingProblem, unknownZone } from './zone-limits';

/** Wish of a Service for a zone beyond what it holds. */
export interface ZoneWish {
  readonly zone: string;
  /** Place that names the zone, for messages. */
  readonly field: string;
  /** Families that need a new address. */
  readonly families: readonly Family[];
  /** Wished addresses that it does not hold yet. */
  readonly addresses: readonly Address[];
  /** Places that wish them, for messages. */
  readonly addressFields?: AddressFields;
  /** Given where the Service would do with one family, if MetalLB announced one address for two cluster IPs. */
  readonly prefersTwo?: {
    /** Family that comes first in the stored Service; absent: none is stored yet. */
    readonly storedFirst?: Family;
  };
}

/**
 * Checks a wish against the zones, without a look at holders.
 *
 * @param catalogue - the zones
 * @param wish - zone, families and addresses
 * @returns every problem: `zone/unknown`, `zone/no-family`, `zone/draining`, `address/outside-zone`, `address/excluded`
 */
export function zoneWishProblems(catalogue: ZoneCatalogue, wish: ZoneWish): readonly Refusal[] {
  if (wish.families.length === 0 && wish.addresses.length === 0) return [];
  const zone = catalogue.zone(wish.zone);
  if (zone === undefined) return [refusedAt(unknownZone(catalogue, wish.zone), wish.field)];
  const draining = drainingProblem(zone);
  const problems: Refusal[] = draining === undefined ? [] : [refusedAt(draining, wish.field)];
  const missing = wish.families.filter((family) => !zone.families.includes(family));
  if (missing.length > 0) {
    const has = `zone "${zone.name}" has ${familyNames(zone.families)} prefixes only`;
    problems.push({
      code: 'zone/no-family',
      message: `${wish.field}: ${has}, but the Service needs ${familyNames(missing)}${cureOfTwo(zone, wish)}`,
      field: wish.field,
      value: zone.name,
    });
  }
  for (const address of wish.addresses) {
    const closed = closedTo(zone, address);
    if (closed !== undefined) problems.push(refusedAt(closed, addressField(address, wish.addressFields)));
  }
  return problems;
}

// With SingleStack alone the API server gives the first family of the cluster, or keeps the first one that is stored.
function cureOfTwo({ families: [family] }: Zone, { prefersTwo }: ZoneWish): string {
  if (prefersTwo === undefined || family === undefined) return '';
  const { storedFirst = family } = prefersTwo;
  const why = 'MetalLB announces no single address for a Service with two families';
  const fields = `spec.ipFamilyPolicy: SingleStack and spec.ipFamilies: [${familyName(family)}]`;
  if (storedFirst === family) return `; ${why}, so set ${fields}`;
  const first = `${familyName(storedFirst)} comes first in this Service, which cannot change while it is stored`;
  return `; ${why}, and ${first}; make a new Service with ${fields}, or name a zone with ${familyName(storedFirst)} prefixes`;
}

/**
 * Refuses a Service that names no zone where there is no default.
 *
 * @param catalogue - the zones
 * @returns refusal `zone/unknown`
 */
export function noZone(catalogue: ZoneCatalogue): Refusal {
  const field = annotationPath(IPAM.zone);
  const names = catalogue.names.map((name) => `"${name}"`).join(', ');
  return {
    code: 'zone/unknown',
    field,
    message: `${field} is missing and there is no default zone; name one of ${names}`,
  };
}

/**
 * Refuses a zone that is not open to a namespace.
 *
 * @param zone - with its selector
 * @param namespace - that the Service is in
 * @param namespace.name - for the message
 * @param namespace.labels - that the selector looks at
 * @param field - place that names the zone
 * @returns refusal `zone/forbidden`, or undefined where the zone is open
 */
export function closedZone(
  zone: Zone,
  namespace: { readonly name: string; readonly labels: Readonly<Record<string, string>> },
  field: string,
): Refusal | undefined {
  if (selectorMatches(zone.namespaces, namespace.labels)) return undefined;
  const message = `${field}: zone "${zone.name}" is not open to namespace ${quoteValue(namespace.name)}; its labels must match the selector of the zone`;
  return { code: 'zone/forbidden', field, value: zone.name, message };
}

/**
 * Refuses PreferDualStack on a cluster with one family beside a pool that has addresses of the other one: MetalLB takes
 * and drops such an address for ever, about 220 writes a second.
 *
 * @param zone - zone whose pool MetalLB gives from
 * @param family - the family that the Service will not have
 * @returns refusal `wish/family`
 */
export function loopingPool(zone: Zone, family: Family): Refusal {
  const pool = `pool "${zone.name}" (zone "${zone.name}") has ${familyName(family)} addresses, which this cluster has no Services for`;
  return {
    code: 'wish/family',
    field: 'spec.ipFamilyPolicy',
    value: 'PreferDualStack',
    suggestion: 'SingleStack',
    message: `spec.ipFamilyPolicy is PreferDualStack but ${pool}; set SingleStack, or take that family out of the pool`,
  };
}
