import { isIn, type Family } from '../../addressing/address';
import { candidatesOf } from './candidates';
import { termsOf, whyNotJoined } from './join';
import { vipRefusal } from './refusals';
import { judgeRequested } from './requested';
import { findStay } from './stay';
import type { HeldAddress, Offer, ServiceFacts, Slot, VipGroup, VipRefusal, VipView, VipWish } from './types';

/** Plan of one family of a Service. */
export interface FamilyPlan {
  /** Addresses that it keeps whatever happens. */
  readonly keep: readonly HeldAddress[];
  /** An address to get. */
  readonly slot?: Slot;
  readonly surplus: readonly HeldAddress[];
  readonly refusal?: VipRefusal;
  /** A sentence for the author of the Service, who need not wait for anything. */
  readonly remark?: string;
}

/** Facts that one family is planned from. */
interface Asked {
  readonly family: Family;
  /** Addresses of the family that the Service holds or shows by right. */
  readonly held: readonly HeldAddress[];
}

type Wish = VipWish & { readonly ok: true };

/**
 * Plans one family of a Service: what works is kept until what is asked for is there.
 *
 * @param asked - the family, and what is held of it
 * @param facts - the Service
 * @param view - groups, and the use of addresses
 * @returns what is kept, taken and given back
 */
export function planFamily(asked: Asked, facts: ServiceFacts, view: VipView): FamilyPlan {
  const { wish } = facts;
  const held = bestFirst(asked.held, facts);
  if (!wish.ok) return { ...keepFirst(held), refusal: wish.refusal };
  const address = wish.addresses.find(({ family }) => family === asked.family);
  const stay = findStay(held, address, { ...facts, wish });
  if (stay !== undefined)
    return { ...keepOnly([stay.held], held), ...(stay.remark === undefined ? {} : { remark: stay.remark }) };
  if (address === undefined) return planFree({ ...asked, held }, { ...facts, wish }, view);
  const judged = judgeRequested(address, facts, view);
  if (!judged.ok) return { ...keepFirst(held), refusal: judged.refusal };
  const ifNone = vipRefusal('RequestedAddressInUse', `${address.toString()} was taken at the same time`, {
    addresses: [address],
  });
  return withSlot(held, { family: asked.family, offers: [judged.offer], ifNone });
}

// Any address, of the named group or of all groups.
function planFree({ family, held }: Asked, facts: ServiceFacts & { readonly wish: Wish }, view: VipView): FamilyPlan {
  const candidates = candidatesOf(facts, view, { family, group: facts.wish.group });
  if (!candidates.ok) return { ...keepFirst(held), refusal: candidates.refusal };
  const { groups } = candidates;
  const { sharingKey } = facts.wish;
  const names = groups.map(({ name }) => name);
  const takes = names.map((group): Offer => ({ kind: 'take', group }));
  const ifNone = vipRefusal('NoFreeAddress', `no IPv${String(family)} address is free in IPGroup ${names.join(', ')}`, {
    groups: names,
    ...(sharingKey === '' ? {} : { sharingKey }),
  });
  return withSlot(held, { family, offers: [...joinsOf(family, groups, { facts, view }), ...takes], ifNone });
}

function joinsOf(
  family: Family,
  groups: readonly VipGroup[],
  { facts, view }: { readonly facts: ServiceFacts & { readonly wish: Wish }; readonly view: VipView },
): readonly Offer[] {
  const { service, wish } = facts;
  if (wish.sharingKey === '') return [];
  const terms = termsOf(service, wish.sharingKey);
  return view.sharedBy(wish.sharingKey).flatMap((address): Offer[] => {
    const group = groups.find(({ usable }) => address.family === family && usable.contains(address));
    const use = view.useAt(address);
    if (group === undefined || use.kind !== 'held') return [];
    return whyNotJoined({ owner: service, terms }, use.holders) === undefined
      ? [{ kind: 'join', address, group: group.name }]
      : [];
  });
}

// What the status shows, then the lowest; so that a second look, or another process, keeps the same one.
function bestFirst(held: readonly HeldAddress[], { shown }: ServiceFacts): readonly HeldAddress[] {
  const rank = ({ address }: HeldAddress): number => (isIn(address, shown) ? 0 : 1);
  return [...held].sort((a, b) => rank(a) - rank(b) || a.address.compareTo(b.address));
}

const keepOnly = (keep: readonly HeldAddress[], held: readonly HeldAddress[]): FamilyPlan => ({
  keep,
  surplus: held.filter((each) => !keep.includes(each)),
});

const keepFirst = (held: readonly HeldAddress[]): FamilyPlan => keepOnly(held.slice(0, 1), held);

// The best of what is held works until the slot is filled.
function withSlot(held: readonly HeldAddress[], slot: Omit<Slot, 'replaces'>): FamilyPlan {
  const { keep, surplus } = keepFirst(held);
  return { keep, surplus, slot: { ...slot, replaces: keep } };
}
