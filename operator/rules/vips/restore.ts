import { isIn, type Address } from '../../addressing/address';
import { termsOf, whyNotJoined } from './join';
import { nameOf, vipRefusal } from './refusals';
import { isSameService } from './requested';
import type { HeldAddress, Offer, ServiceFacts, Sharer, VipRefusal, VipView } from './types';

/** Addresses that a Service of this door shows without a record, and how each is put on record. */
export type Restored =
  | {
      readonly ok: true;
      readonly offers: readonly Offer[];
      readonly held: readonly HeldAddress[];
      /** Addresses that the Service goes on showing although another one has them, one refusal each. */
      readonly contested: readonly VipRefusal[];
    }
  | { readonly ok: false; readonly message: string };

/** Way of one address back to the record. */
type WayBack = { readonly group: string } & (
  { readonly offer: Offer } | { readonly offer?: undefined; readonly why: string }
);

/** Outcome for one address; `added`: another program added it, and it goes with the next write. */
type Found = WayBack | 'added' | 'lies in no IPGroup';

/**
 * Decides how the addresses are put on record that a Service of this door shows and the record does not have: of a cluster that the
 * older operator left, or after an `IP` was deleted.
 *
 * @param facts - a Service that this door serves
 * @param view - groups, and the use of addresses
 * @returns exactly the shown addresses; or why one of them cannot be this Service's
 */
export function restoreShown(facts: ServiceFacts, view: VipView): Restored {
  const isGiven = showsOwn(facts) && (facts.isServed || facts.isContested);
  const offers: Offer[] = [];
  const held: HeldAddress[] = [];
  const contested: VipRefusal[] = [];
  const isOnRecord = (address: Address): boolean => facts.held.some((each) => each.address.equals(address));
  for (const address of facts.shown.filter((each) => !isOnRecord(each))) {
    const found = find(address, facts, view);
    if (found === 'added') continue;
    if (typeof found === 'string') return { ok: false, message: `${address.toString()} is shown, but ${found}` };
    const { group } = found;
    if (found.offer !== undefined) offers.push(found.offer);
    else if (isGiven) contested.push(contest(address, found.why, facts));
    else return { ok: false, message: `${address.toString()} is shown, but ${found.why}` };
    held.push({ address, group, isBoundToUid: true, earlier: [] });
  }
  return { ok: true, offers, held, contested };
}

const showsOwn = ({ held, shown }: ServiceFacts): boolean => held.every(({ address }) => isIn(address, shown));

function find(address: Address, facts: ServiceFacts, view: VipView): Found {
  const { held } = facts;
  if (held.length === 0 || !showsOwn(facts)) return wayBack(address, facts, view);
  if (!isOfOtherFamily(address, facts)) return 'added';
  const found = wayBack(address, facts, view);
  return typeof found === 'string' ? 'added' : found;
}

// Of a Service with two families, one record is there.
const isOfOtherFamily = ({ family }: Address, { held, service, isServed, isContested }: ServiceFacts): boolean =>
  (isServed || isContested) &&
  service.ipFamilies.includes(family) &&
  held.every((each) => each.address.family !== family);

function contest(address: Address, why: string, { wish }: ServiceFacts): VipRefusal {
  const sharingKey = wish.ok ? wish.sharingKey : '';
  return vipRefusal('Conflict', `${address.toString()} is shown, but ${why}`, {
    addresses: [address],
    ...(sharingKey === '' ? {} : { sharingKey }),
  });
}

function wayBack(address: Address, facts: ServiceFacts, view: VipView): WayBack | 'lies in no IPGroup' {
  const group = view.groups.find(({ segments }) => segments.contains(address))?.name;
  if (group === undefined) return 'lies in no IPGroup';
  const use = view.useAt(address);
  switch (use.kind) {
    case 'free':
      return { group, offer: { kind: 'take', address, group } };
    case 'occupied':
      return { group, why: `${use.source} has it` };
    case 'quarantined':
      if (isSameService(use.former, facts.service))
        return { group, offer: { kind: 'take', address, group, isReturn: true } };
      return { group, why: `it waits for ${nameOf(use.former)}` };
    case 'held':
      if (mayJoin(facts, use.holders)) return { group, offer: { kind: 'join', address, group } };
      return { group, why: `${namesOf(use.holders)} has it` };
  }
}

function mayJoin({ service, wish }: ServiceFacts, holders: readonly Sharer[]): boolean {
  const terms = termsOf(service, wish.ok ? wish.sharingKey : '');
  return holders.length > 0 && whyNotJoined({ owner: service, terms }, holders) === undefined;
}

const namesOf = (holders: readonly Sharer[]): string =>
  holders.length === 0 ? 'another holder' : holders.map(({ owner }) => nameOf(owner)).join(', ');
