import { isIn, type Address } from '../../addressing/address';
import { termsOf, whyNotJoined } from './join';
import { nameOf } from './refusals';
import { isSameService } from './requested';
import type { HeldAddress, Offer, ServiceFacts, Sharer, VipView } from './types';

/** Addresses that a Service of this door shows without a record, and how each is put on record. */
export type Restored =
  | { readonly ok: true; readonly offers: readonly Offer[]; readonly held: readonly HeldAddress[] }
  | { readonly ok: false; readonly message: string };

/**
 * Decides how the addresses are put on record that a Service of this door shows and the record does not have: of a cluster that the
 * older operator left, or after an `IP` was deleted.
 *
 * @param facts - a Service that this door serves
 * @param view - groups, and the use of addresses
 * @returns exactly the shown addresses; or why one of them cannot be this Service's
 */
export function restoreShown(facts: ServiceFacts, view: VipView): Restored {
  const { held, shown } = facts;
  const onRecord = held.map(({ address }) => address);
  const missing = shown.filter((address) => !isIn(address, onRecord));
  // what stands beside all of its own addresses was added by another program, and goes with the next write
  if (missing.length === 0 || (held.length > 0 && onRecord.every((address) => isIn(address, shown))))
    return { ok: true, offers: [], held: [] };
  const offers: Offer[] = [];
  for (const address of missing) {
    const way = wayBack(address, facts, view);
    if (typeof way === 'string') return { ok: false, message: `${address.toString()} is shown, but ${way}` };
    offers.push(way);
  }
  return { ok: true, offers, held: offers.flatMap(asHeld) };
}

const asHeld = ({ address, group }: Offer): readonly HeldAddress[] =>
  address === undefined ? [] : [{ address, group, isBoundToUid: true, earlier: [] }];

function wayBack(address: Address, facts: ServiceFacts, view: VipView): Offer | string {
  const group = view.groups.find(({ segments }) => segments.contains(address))?.name;
  if (group === undefined) return 'lies in no IPGroup';
  const use = view.useAt(address);
  switch (use.kind) {
    case 'free':
      return { kind: 'take', address, group };
    case 'occupied':
      return `${use.source} has it`;
    case 'quarantined':
      if (isSameService(use.former, facts.service)) return { kind: 'take', address, group, isReturn: true };
      return `it waits for ${nameOf(use.former)}`;
    case 'held':
      return mayJoin(facts, use.holders) ? { kind: 'join', address, group } : `${namesOf(use.holders)} has it`;
  }
}

function mayJoin({ service, wish }: ServiceFacts, holders: readonly Sharer[]): boolean {
  const terms = termsOf(service, wish.ok ? wish.sharingKey : '');
  return holders.length > 0 && whyNotJoined({ owner: service, terms }, holders) === undefined;
}

const namesOf = (holders: readonly Sharer[]): string =>
  holders.length === 0 ? 'another holder' : holders.map(({ owner }) => nameOf(owner)).join(', ');
