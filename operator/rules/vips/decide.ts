import { isIn, type Address, type Family } from '../../addressing/address';
import type { ServiceTerms } from '../sharing';
import { termsOf, whyNotJoined } from './join';
import { decideLeave, leaveWithConflict } from './leave';
import { nameOf, vipRefusal } from './refusals';
import { restoreShown } from './restore';
import { planFamily, type FamilyPlan } from './slots';
import type { HeldAddress, Offer, ServiceDecision, ServiceFacts, VipRefusal, VipView, VipWish } from './types';
import { wantedFamilies, type WantedFamilies } from './wanted-families';

/**
 * Decides what happens to one Service. The same facts always lead to the same decision, and once it is carried out the next one
 * changes nothing.
 *
 * @param facts - the Service, its wish and what it holds
 * @param view - groups, and the use of addresses
 * @returns what is written, taken and given back, in this order
 */
export function decideService(facts: ServiceFacts, view: VipView): ServiceDecision {
  const left = decideLeave(facts);
  if (left !== undefined) return left;
  const restored = restoreShown(facts, view);
  if (!restored.ok) return leaveWithConflict(restored.message);
  const strayed = facts.held.filter((each) => hasStrayed(each, facts, view));
  const own = facts.held.filter((each) => !strayed.includes(each));
  const held = [...own, ...restored.held];
  const wanted = wantedFamilies(facts.service, view.families);
  const plans = wanted.families.map((family) => {
    const ofFamily = held.filter(({ address }) => address.family === family);
    const plan = planFamily({ family, held: ofFamily }, facts, view);
    return wanted.needs === 'any' && ofFamily.length === 0 ? softened(plan, facts.wish, family) : plan;
  });
  return {
    act: 'serve',
    rebind: own.filter((each) => isStale(each, facts)),
    restore: restored.offers,
    isContested: restored.contested.length > 0,
    areFinalizersCleared: facts.hasOldFinalizer,
    ...combined(plans, { wanted, held, strayed }),
    notes: [
      ...restored.contested,
      ...notesOf(plans),
      ...otherFamilies(facts, wanted.families),
      ...brokenSharing(facts),
    ],
    remarks: [...new Set(plans.flatMap(({ remark }) => remark ?? []))],
  };
}

// A family that was not asked for by address may stay empty where one is enough.
function softened(plan: FamilyPlan, wish: VipWish, family: Family): FamilyPlan {
  if (!wish.ok || wish.addresses.some((address) => address.family === family)) return plan;
  const { slot, refusal } = plan;
  return {
    ...plan,
    ...(slot === undefined ? {} : { slot: { ...slot, ifNone: { ...slot.ifNone, isNote: true } } }),
    ...(refusal === undefined ? {} : { refusal: { ...refusal, isNote: true } }),
  };
}

/** Decision about all families of a Service. */
type Combined = Pick<ServiceDecision & { readonly act: 'serve' }, 'keep' | 'slots' | 'surplus' | 'isAllOrNone'>;

function combined(
  plans: readonly FamilyPlan[],
  {
    wanted,
    held,
    strayed,
  }: { readonly wanted: WantedFamilies } & Readonly<Record<'held' | 'strayed', readonly HeldAddress[]>>,
): Combined {
  const isAllOrNone = wanted.needs === 'all' && wanted.families.length > 1;
  const isHopeless = isAllOrNone && plans.some(({ keep, slot }) => keep.length === 0 && slot === undefined);
  const slots = plans.flatMap(({ slot }) => slot ?? []);
  const left = held.filter(({ address }) => !wanted.families.includes(address.family));
  return {
    keep: plans.flatMap(({ keep }) => keep),
    // of two families that are both needed neither is taken alone
    slots: isHopeless ? slots.filter(({ replaces }) => replaces.length > 0) : slots,
    isAllOrNone,
    surplus: [...plans.flatMap(({ surplus }) => surplus), ...left, ...strayed],
  };
}

// A broken wish is told once, not for each family.
function notesOf(plans: readonly FamilyPlan[]): readonly VipRefusal[] {
  const refusals = plans.flatMap(({ refusal }) => refusal ?? []);
  return refusals.filter((each, index) => refusals.findIndex(({ message }) => message === each.message) === index);
}

function otherFamilies({ wish }: ServiceFacts, families: readonly Family[]): readonly VipRefusal[] {
  if (!wish.ok) return [];
  return wish.addresses
    .filter(({ family }) => !families.includes(family))
    .map((address) => {
      const has = families.map((family) => `IPv${String(family)}`).join(' and ');
      return vipRefusal(
        'RequestedAddressInvalid',
        `${address.toString()} is asked for, but the Service has ${has} only`,
      );
    });
}

function ownTerms({ service, wish }: ServiceFacts): ServiceTerms {
  return termsOf(service, wish.ok ? wish.sharingKey : '');
}

/**
 * Tells whether a Service may not show an address that the record grants it: its `IP` came after another one was deleted past the
 * policy.
 *
 * @param address - on record for the Service
 * @param facts - the Service
 * @param view - what others show
 * @returns false for what it shows already; and for what it has back, where its status was emptied
 */
export function isTakenByOthers(address: Address, { held, isServed, shown }: ServiceFacts, view: VipView): boolean {
  const isEmptied = isServed && shown.length === 0 && held.some((each) => each.address.equals(address));
  return !isIn(address, shown) && !isEmptied && view.isShownByOthers(address);
}

// Others took it to be shared before the Service was told of it, and it shares no more. One that was told keeps what it has.
function hasStrayed({ address }: HeldAddress, facts: ServiceFacts, view: VipView): boolean {
  if (isTakenByOthers(address, facts, view)) return true;
  if (facts.isServed || isIn(address, facts.shown)) return false;
  const { service } = facts;
  const use = view.useAt(address);
  const others = (use.kind === 'held' ? use.holders : []).filter(
    ({ owner }) => owner.namespace !== service.namespace || owner.name !== service.name,
  );
  return whyNotJoined({ owner: service, terms: ownTerms(facts) }, others) !== undefined;
}

// The record is to name the live object, and the terms that it has now.
function isStale(each: HeldAddress, facts: ServiceFacts): boolean {
  if (!each.isBoundToUid) return true;
  const now = ownTerms(facts);
  if (now.key === '' && each.terms === undefined) return false;
  return facts.wish.ok && JSON.stringify(ordered(now)) !== JSON.stringify(each.terms && ordered(each.terms));
}

const ordered = ({ key, ports, trafficPolicy, selector }: ServiceTerms) => [
  key,
  [...ports].sort(),
  trafficPolicy,
  selector,
];

// Services that may not share any more keep what they have; the one that came later is told.
function brokenSharing(facts: ServiceFacts): readonly VipRefusal[] {
  return facts.held.flatMap(({ address, earlier }) => {
    const why = whyNotJoined({ owner: facts.service, terms: ownTerms(facts) }, earlier);
    if (why === undefined || earlier.length === 0) return [];
    const names = earlier.map(({ owner }) => nameOf(owner)).join(', ');
    return [
      vipRefusal('Conflict', `${address.toString()} is shared with ${names} against the rules: ${why}`, {
        addresses: [address],
      }),
    ];
  });
}

/** Result of a decision. */
export interface ServiceOutcome {
  /** Addresses that the Service has now, in the order of its families. */
  readonly addresses: readonly HeldAddress['address'][];
  readonly groups: readonly string[];
  readonly release: readonly HeldAddress[];
  readonly refusals: readonly VipRefusal[];
  readonly remarks: readonly string[];
}

/**
 * Tells what a Service has once its slots were tried.
 *
 * @param decision - what was decided
 * @param filled - the address of each slot, in the order of the slots; absent where no offer succeeded
 * @returns addresses, and what is given back after the status shows them
 */
export function outcomeOf(
  decision: ServiceDecision & { readonly act: 'serve' },
  filled: readonly (Required<Pick<Offer, 'address' | 'group'>> | undefined)[],
): ServiceOutcome {
  const { slots, keep, surplus, notes, remarks } = decision;
  const replaced = slots.flatMap(({ replaces }, index) => (filled[index] === undefined ? [] : replaces));
  const kept = keep.filter((each) => !replaced.includes(each));
  const all = [...kept, ...filled.flatMap((each) => each ?? [])];
  const unfilled = slots.filter((_, index) => filled[index] === undefined).map(({ ifNone }) => ifNone);
  return {
    addresses: all.map(({ address }) => address),
    groups: [...new Set(all.map(({ group }) => group))],
    release: [
      ...replaced,
      ...surplus.filter(
        ({ address }) =>
          !isIn(
            address,
            all.map((each) => each.address),
          ),
      ),
    ],
    refusals: [...notes, ...unfilled],
    remarks,
  };
}

/**
 * Orders the addresses of a status as the families of the Service are ordered.
 *
 * @param facts - the Service
 * @param addresses - at most one of each family
 * @returns the same addresses
 */
export function ingressOf(
  { service }: Pick<ServiceFacts, 'service'>,
  addresses: readonly HeldAddress['address'][],
): readonly HeldAddress['address'][] {
  const place = ({ family }: HeldAddress['address']): number => ((service.ipFamilies[0] ?? family) === family ? 0 : 1);
  return [...addresses].sort((a, b) => place(a) - place(b));
}
