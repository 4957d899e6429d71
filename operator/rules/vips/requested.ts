import type { Address } from '../../addressing/address';
import { DRAINING, whyNotServed } from './candidates';
import { termsOf, whyNotJoined } from './join';
import { nameOf, vipRefusal } from './refusals';
import type { AddressUse, Offer, ServiceFacts, ServiceName, VipGroup, VipRefusal, VipView } from './types';

/** The only way to a wished address, or why there is none. */
export type Requested =
  { readonly ok: true; readonly offer: Offer } | { readonly ok: false; readonly refusal: VipRefusal };

const refused = (
  reason: VipRefusal['reason'],
  message: string,
  wokenBy: Partial<VipRefusal['wokenBy']>,
): Requested => ({ ok: false, refusal: vipRefusal(reason, message, wokenBy) });

/**
 * Judges a wished address: it is given exactly or not at all.
 *
 * @param address - the wish, which the Service does not hold yet
 * @param facts - the Service
 * @param view - groups, and the use of addresses
 * @returns the one offer
 */
export function judgeRequested(address: Address, facts: ServiceFacts, view: VipView): Requested {
  const group = view.groups.find(({ segments }) => segments.contains(address));
  const wokenBy = { addresses: [address] };
  if (group === undefined)
    return refused('RequestedAddressNotInAnyGroup', `${address.toString()} lies in no IPGroup`, wokenBy);
  const named = facts.wish.ok ? facts.wish.group : undefined;
  if (named !== undefined && named !== group.name) {
    const message = `${address.toString()} lies in IPGroup ${group.name}, and the Service names IPGroup ${named}`;
    return refused('RequestedAddressNotInAnyGroup', message, wokenBy);
  }
  const why = whyNotServed(group, facts, view);
  if (why !== undefined)
    return refused('NoMatchingGroup', `IPGroup ${group.name} of ${address.toString()} ${why}`, wokenBy);
  return judgeUse(address, group, { facts, view });
}

function judgeUse(
  address: Address,
  group: VipGroup,
  { facts, view }: { readonly facts: ServiceFacts; readonly view: VipView },
): Requested {
  const text = `${address.toString()} of IPGroup ${group.name}`;
  const wokenBy = { addresses: [address], groups: [group.name] };
  if (!group.readiness.ok && group.readiness.reason === 'InvalidGroup')
    return refused('InvalidGroup', `IPGroup ${group.name} cannot be used: ${group.readiness.message}`, wokenBy);
  if (group.excluded.contains(address))
    return refused('RequestedAddressExcluded', `${text} is excluded (spec.excludedIPs)`, wokenBy);
  if (!group.usable.contains(address))
    return refused('RequestedAddressInUse', `${text} belongs to another front door or to an older IPGroup`, wokenBy);
  const way = wayTo(address, view.useAt(address), facts);
  if (typeof way === 'string') return refused('RequestedAddressInUse', `${text} is in use: ${way}`, wokenBy);
  if (group.draining)
    return refused('NoMatchingGroup', `IPGroup ${group.name} of ${address.toString()} ${DRAINING}`, wokenBy);
  return { ok: true, offer: { ...way, address, group: group.name } };
}

type Way = { readonly kind: 'join' } | { readonly kind: 'take'; readonly isReturn?: boolean };

// How the address can be had, or half a sentence why not.
function wayTo(address: Address, use: AddressUse, facts: ServiceFacts): Way | string {
  switch (use.kind) {
    case 'free':
      return { kind: 'take' };
    case 'occupied':
      return `${use.source} has it`;
    case 'quarantined':
      if (isSameService(use.former, facts.service)) return { kind: 'take', isReturn: true };
      return `it was released a moment ago and waits for ${nameOf(use.former)}`;
    case 'held':
      return wayToHeld(use, facts);
  }
}

function wayToHeld({ holders }: AddressUse & { readonly kind: 'held' }, { service, wish }: ServiceFacts): Way | string {
  const names = holders.map(({ owner }) => nameOf(owner)).join(', ');
  const key = wish.ok ? wish.sharingKey : '';
  const why = whyNotJoined({ owner: service, terms: termsOf(service, key) }, holders);
  if (holders.length > 0 && why === undefined) return { kind: 'join' };
  return `${names === '' ? 'another holder' : names} has it${key === '' || why === undefined ? '' : ` (${why})`}`;
}

/**
 * Tells whether a recorded name is that of a Service, which may have been made anew under its name.
 *
 * @param recorded - what the record has
 * @param service - as it is stored
 * @returns true where UID, or namespace and name, are the same
 */
export function isSameService(recorded: ServiceName, service: ServiceName): boolean {
  if (recorded.uid !== '' && recorded.uid === service.uid) return true;
  return recorded.namespace === service.namespace && recorded.name === service.name;
}
