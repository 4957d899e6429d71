import { IPAM } from '../contract/group';
import { annotationPath } from '../contract/service-annotations';
import type { Refusal } from '../errors/outcome';
import { namedZone, type KnownZones } from './named-zone';
import { namedAddresses, type WishSources } from './wishes';
import { isOfZone } from './zone-limits';

const FIELD = annotationPath(IPAM.optOut);

/**
 * Refuses a Service that opts out of the default zone and names a zone all the same, by its pool or by an address inside it.
 *
 * @param service - annotations without results of ours, and the spec
 * @param zones - all of them
 * @returns at most one refusal, which names both places
 */
export function optOutProblem(service: WishSources, zones: KnownZones): Refusal | undefined {
  const beside = ownWish(service) ?? otherWish(service, zones);
  if (beside === undefined) return undefined;
  const message = `${FIELD} is "true" but ${beside}; an opt-out ends only the effect of the default zone, so take one of both out`;
  return { code: 'wish/contradiction', field: FIELD, value: 'true', message };
}

function ownWish({ annotations }: WishSources): string | undefined {
  const key = [IPAM.zone, IPAM.addresses].find((each) => (annotations[each] ?? '').trim() !== '');
  return key === undefined ? undefined : `${annotationPath(key)} asks for an address`;
}

function otherWish(service: WishSources, zones: KnownZones): string | undefined {
  const zone = namedZone(service, zones);
  if (zone === undefined) return undefined;
  const fields = namedAddresses(service)
    .filter(({ addresses }) => addresses.some((each) => isOfZone(zone, each)))
    .map(({ field }) => field);
  return `${fields[0] ?? 'the pool'} names ${fields.length > 0 ? 'an address of ' : ''}zone "${zone.name}"`;
}
