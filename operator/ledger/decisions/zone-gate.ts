import type { Address } from '../../addressing/address';
import { quoteValue } from '../../contract/quote';
import type { Zone, ZoneCatalogue } from '../../contract/zones';
import { accept, refuse, type Outcome, type Refusal } from '../../errors/outcome';
import type { ReserveRequest } from '../../ports/address-book';
import type { AddressRecord } from '../../ports/claims';
import { adoptionProblem } from '../../rules/adoption';
import { closedTo, drainingProblem, unknownZone, unprovenNamespace } from '../../rules/zone-limits';

type ZoneRequest = Pick<ReserveRequest, 'zone' | 'family' | 'claimant' | 'adopt' | 'assertedBy'>;

/** A request, and the zones that it may be given from. */
interface ZoneCase {
  readonly request: ZoneRequest;
  readonly catalogue: ZoneCatalogue;
}

/**
 * Checks that the zone may give an address to a claimant that does not hold it. One that only left it, in quarantine or with a
 * retention, does not hold it: what a zone excludes, lost or drains goes back to none, however it is asked for.
 *
 * @param on - the request and the zones
 * @param wish - the address
 * @returns the zone, or the refusal
 */
export function wishZone(on: ZoneCase, wish: Address): Outcome<Zone> {
  const zone = openZone(on.catalogue, on.request);
  if (!zone.ok) return zone;
  const closed = closedToCase(on, zone.value, wish);
  return closed === undefined ? zone : { ok: false, refusal: closed };
}

function closedToCase({ request, catalogue }: ZoneCase, zone: Zone, address: Address): Refusal | undefined {
  const { adopt, assertedBy } = request;
  if (adopt === undefined) return closedTo(zone, address);
  return adoptionProblem(catalogue.zones, {
    zone,
    address,
    adopt,
    ...(assertedBy === undefined ? {} : { assertedBy }),
  });
}

/**
 * Finds the zone that something new is to come from.
 *
 * @param catalogue - the zones
 * @param request - claimant, zone and family
 * @returns the zone; or refusal `zone/unknown`, `zone/forbidden`, `zone/no-family`, `zone/draining`
 */
export function openZone(
  catalogue: ZoneCatalogue,
  { zone: name, family, claimant, adopt, assertedBy }: ZoneRequest,
): Outcome<Zone> {
  const zone = catalogue.zone(name);
  if (zone === undefined) return { ok: false, refusal: unknownZone(catalogue, name) };
  // a standing claim is no namespace's: only administrators make one
  const isStanding = claimant.service.clusterUid === '' && claimant.service.namespaceUid === '';
  const unproven = isStanding ? undefined : unprovenNamespace(zone, claimant.namespace, assertedBy);
  if (unproven !== undefined) return { ok: false, refusal: unproven };
  // what the zone gives now says nothing of an address that is in use; see `adoptionProblem`
  if (adopt !== undefined) return accept(zone);
  if (!zone.families.includes(family)) {
    const has = zone.families.map((each) => `IPv${each}`).join(' and ');
    return refuse('zone/no-family', `zone ${quoteValue(name)} has no IPv${family} prefix, it has ${has}`, {
      value: name,
    });
  }
  const refusal = drainingProblem(zone);
  return refusal === undefined ? accept(zone) : { ok: false, refusal };
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
  if (zone === undefined) return record.pool === name;
  return record.network === zone.network && (record.pool === name || zone.space.contains(record.address));
}
