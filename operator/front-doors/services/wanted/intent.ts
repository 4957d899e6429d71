import { isIn } from '../../../addressing/address';
import { IPAM, METALLB, WAITING_POOL } from '../../../contract/group';
import {
  annotationPath,
  parseServiceAnnotations,
  WISH_KEYS,
  type ServiceWish,
} from '../../../contract/service-annotations';
import type { ServiceView } from '../../../contract/service';
import type { Refusal } from '../../../errors/outcome';
import type { Grant } from '../../../ports/address-book';
import { planFamilies } from '../../../rules/families';
import type { FamilyPlan } from '../../../rules/family-facts';
import { impliedZone, zoneHolding } from '../../../rules/named-zone';
import { pairedAddressProblems, specAddressProblems } from '../../../rules/spec-address';
import { collectWishes, namedAddresses, type AddressFields, type CollectedWishes } from '../../../rules/wishes';
import { noZone } from '../../../rules/zone-wish';
import type { Facts } from './facts';
import { moveProblems, zoneProblems } from './intent-problems';
import { droppedKeys, isStripped, resultTest, takenOverKeys } from './result-marks';
import { isOldProblem, type Review } from './review';
import { termsOf, type ServiceTerms } from './service-terms';
import { slotOf, type Slot } from './slot';

/** Intended addresses and terms of a Service, after all its wishes and its record. */
export interface ServiceIntent extends ServiceTerms {
  readonly zone: string;
  /** Place that names the zone, for messages. */
  readonly zoneField: string;
  /** Places that wish addresses, for messages. */
  readonly addressFields: AddressFields;
  readonly plan: FamilyPlan;
  /** In the order of the result. */
  readonly slots: readonly Slot[];
  readonly isResult: (key: string) => boolean;
  /** Keys of wishes that were given up, which the controller writes anew. */
  readonly dropped: readonly string[];
  /** Keys of MetalLB that their user gave up and that are put back as ours. */
  readonly takenOver: readonly string[];
}

/** An intent, or everything that stands against it. */
export type IntentOutcome =
  | { readonly ok: true; readonly intent: ServiceIntent }
  | { readonly ok: false; readonly refusals: readonly [Refusal, ...Refusal[]] };

/**
 * Turns a Service into what it is to have; pure.
 *
 * @param review - object and stored object
 * @param facts - zones, families and what the Service holds
 * @param known - the wishes, where the caller has collected them and no key is a result
 * @returns the intent, or every refusal at once
 */
export function readIntent(review: Review, facts: Facts, known?: CollectedWishes): IntentOutcome {
  const isResult = resultTest(review, facts.grants);
  const wishes = wishesOf(review, isResult, known);
  const problems = wishes.problems.filter((problem) => !isOldProblem(problem, review));
  const inherited = inheritedWish(review, isResult);
  const zone = wishes.zone ?? presentZone(review, facts) ?? impliedZone(wishes.addresses, facts.catalogue);
  if (zone === undefined) return refuseAll([...problems, noZone(facts.catalogue)]);
  const planned = planFamilies({
    spec: review.service,
    ...(review.stored === undefined ? {} : { stored: review.stored }),
    ...(wishes.ipFamily === undefined ? {} : { wish: wishes.ipFamily }),
    addresses: wishes.addresses,
    addressFields: wishes.addressFields,
    clusterFamilies: facts.clusterFamilies,
  });
  const plan: FamilyPlan = planned.ok ? planned.value : { families: [] };
  const slots = plan.families.map((family) => slotOf(family, { review, facts, wishes, zone }));
  const refusals = [
    ...problems,
    ...(planned.ok ? [] : [planned.refusal]),
    ...moveProblems(review, facts.grants, { zone, isResult }),
    ...zoneProblems(facts, { zone, wishes, slots, plan }, review),
    ...specAddressProblems(review.service, plan),
    ...(problems.length > 0 ? [] : pairedAddressProblems(review.service, isResult)),
  ];
  if (refusals.length > 0) return refuseAll(refusals);
  const held = slots.flatMap((slot) => (slot.held === undefined ? [] : [slot.held]));
  const results = { isResult, dropped: droppedKeys(review, held), takenOver: takenOverKeys(review, held) };
  const terms = termsOf(review, wishes, inherited);
  return { ok: true, intent: { zone, ...placesOf(wishes), plan, slots, ...results, ...terms } };
}

function placesOf({ zoneField, addressFields }: CollectedWishes): Pick<ServiceIntent, 'zoneField' | 'addressFields'> {
  return { zoneField: zoneField ?? annotationPath(IPAM.zone), addressFields };
}

function wishesOf({ service }: Review, isResult: (key: string) => boolean, known?: CollectedWishes): CollectedWishes {
  return known ?? collectWishes(service, isResult);
}

function refuseAll(refusals: readonly Refusal[]): IntentOutcome {
  const [first, ...others] = refusals;
  const fault: Refusal = { code: 'internal', message: 'a refusal without a reason' };
  return { ok: false, refusals: [first ?? fault, ...others] };
}

// What vanished from the object but was there before, and results of ours: neither is a new wish, both stay in force.
function inheritedWish({ service, live }: Review, isResult: (key: string) => boolean): ServiceWish {
  // a PUT without any key of ours lost them all; where some are left, a missing option was taken out on purpose
  const stripped = isStripped(service);
  const always: readonly string[] = [IPAM.zone, IPAM.secret];
  const kept = WISH_KEYS.flatMap((key): [string, string][] => {
    const present = service.annotations[key];
    if (present !== undefined) return isResult(key) ? [[key, present]] : [];
    const before = live?.annotations[key];
    return before !== undefined && (stripped || always.includes(key)) ? [[key, before]] : [];
  });
  return parseServiceAnnotations(Object.fromEntries(kept)).wish;
}

// Keys of another writer on a stored object say less than the record.
function recordedZone(service: ServiceView, grants: readonly Grant[]): string | undefined {
  const named = namedAddresses(service).flatMap(({ addresses }) => addresses);
  const used = grants.find(({ address }) => isIn(address, named));
  return (used ?? grants.at(-1))?.zone;
}

// Zone of what the status shows.
function shownZone({ shown = [] }: Review, { catalogue }: Facts): string | undefined {
  return zoneHolding(shown, catalogue)?.name;
}

// Zone in which the Service is served now.
function presentZone(review: Review, facts: Facts): string | undefined {
  const { operation, service, live } = review;
  const { grants } = facts;
  if (operation === 'STORED') return recordedZone(service, grants) ?? shownZone(review, facts);
  const named = [live?.annotations[IPAM.zone], live?.annotations[METALLB.pool]];
  const zone = named.find((name) => name !== undefined && name !== '' && name !== WAITING_POOL);
  return zone ?? grants.at(-1)?.zone ?? shownZone(review, facts);
}
