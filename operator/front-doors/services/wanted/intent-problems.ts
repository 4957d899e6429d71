import type { Family } from '../../../addressing/address';
import { IPAM } from '../../../contract/group';
import { quoteValue } from '../../../contract/quote';
import { annotationPath } from '../../../contract/service-annotations';
import type { Zone } from '../../../contract/zones';
import type { Refusal } from '../../../errors/outcome';
import type { Grant } from '../../../ports/address-book';
import { specFamilies, type FamilyPlan } from '../../../rules/family-facts';
import { namedAddresses, type CollectedWishes } from '../../../rules/wishes';
import { closedZone, loopingPool, zoneWishProblems, type ZoneWish } from '../../../rules/zone-wish';
import type { Facts } from './facts';
import type { Review } from './review';
import type { Slot } from './slot';

/**
 * Refuses a move to another zone that keeps an address: a move takes new ones, so an object that asks for the old ones contradicts
 * itself. Keys that we wrote ask for nothing, so another zone alone moves the Service.
 *
 * @param review - object and stored object
 * @param grants - what the Service holds
 * @param to - the zone from now on, and which keys are results
 * @returns at most one refusal
 */
export function moveProblems(
  { service, live }: Review,
  grants: readonly Grant[],
  { zone, isResult }: { zone: string; isResult: (key: string) => boolean },
): readonly Refusal[] {
  const elsewhere = grants.filter((grant) => grant.zone !== zone && grant.state !== 'retained');
  if (live === undefined || elsewhere.length === 0 || grants.some((grant) => grant.zone === zone)) return [];
  const field = annotationPath(IPAM.zone);
  const annotations = Object.fromEntries(Object.entries(service.annotations).filter(([key]) => !isResult(key)));
  for (const { field: source, addresses } of namedAddresses({ ...service, annotations })) {
    const kept = elsewhere.find((grant) => addresses.some((address) => address.equals(grant.address)));
    if (kept === undefined) continue;
    const stays = `${source} keeps ${kept.address.toString()} of zone ${quoteValue(kept.zone)}`;
    const message = `${field}: the zone cannot change to ${quoteValue(zone)} while ${stays}; take that wish away in the same change to move`;
    return [{ code: 'wish/immutable', field, value: zone, message }];
  }
  return [];
}

/**
 * Checks the zone for everything that the Service does not hold yet.
 *
 * @param facts - zones, namespace and families of the pools
 * @param wanted - zone, wishes, slots and plan
 * @param review - object and stored object
 * @returns every problem
 */
export function zoneProblems(
  facts: Facts,
  wanted: {
    zone: string;
    wishes: CollectedWishes;
    slots: readonly Slot[];
    plan: FamilyPlan;
  },
  review: Review,
): readonly Refusal[] {
  const { wishes, slots, plan } = wanted;
  const zone = facts.catalogue.zone(wanted.zone);
  const field = wishes.zoneField ?? annotationPath(IPAM.zone);
  const missing = slots.filter(({ held }) => held === undefined);
  const families = missing.map(({ family }) => family);
  const addresses = missing.flatMap(({ wish }) => (wish === undefined ? [] : [wish]));
  const problems = [
    ...zoneWishProblems(facts.catalogue, {
      zone: wanted.zone,
      field,
      families,
      addresses,
      addressFields: wishes.addressFields,
      ...prefersTwo(review, wishes),
    }),
  ];
  if (zone === undefined) return problems;
  const closed = missing.length > 0 ? closedZone(zone, facts.namespace, field) : undefined;
  if (closed !== undefined) problems.push(closed);
  const { unfulfilled } = plan;
  if (unfulfilled !== undefined && familiesOfPool(facts, zone).includes(unfulfilled)) {
    problems.push(loopingPool(zone, unfulfilled));
  }
  return problems;
}

// The annotation `dual` asks for both: a Service with it does not do with one.
function prefersTwo({ service, stored }: Review, { ipFamily }: CollectedWishes): Pick<ZoneWish, 'prefersTwo'> {
  if (service.ipFamilyPolicy !== 'PreferDualStack' || ipFamily === 'dual') return {};
  const [storedFirst] = stored === undefined ? [] : specFamilies(stored);
  return { prefersTwo: storedFirst === undefined ? {} : { storedFirst } };
}

// What stands in the pool itself counts, whatever zones and settings say of it.
function familiesOfPool({ poolFamilies, familiesOfPool: look }: Facts, zone: Zone): readonly Family[] {
  return look?.(zone.name) ?? poolFamilies.filter((family) => zone.families.includes(family));
}
