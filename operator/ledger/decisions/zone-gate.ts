import { quoteValue } from '../../contract/quote';
import type { Zone, ZoneCatalogue } from '../../contract/zones';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import type { ReserveRequest } from '../../ports/address-book';
import type { AddressRecord } from '../../ports/claims';
import { drainingProblem, unknownZone, unprovenNamespace } from '../../rules/zone-limits';

type ZoneRequest = Pick<ReserveRequest, 'zone' | 'family' | 'claimant' | 'adopt' | 'assertedBy'>;

/**
 * Finds the zone that something new is to come from.
 *
 * @param catalogue - the zones
 * @param request - who asks, for which zone and family
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
