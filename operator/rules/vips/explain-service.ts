import type { Family } from '../../addressing/address';
import { DRAINING, whyNotServed } from './candidates';
import type { ServiceFacts, VipGroup, VipView, VipWish } from './types';
import { wantedFamilies } from './wanted-families';

/** Counts the free addresses of one family of a group. */
export type FreeCounter = (group: VipGroup, family: Family) => bigint;

/**
 * Tells of every group what it can do for a Service that waits.
 *
 * @param facts - the Service, with its wish
 * @param view - with every group
 * @param freeIn - counts what a group can give
 * @returns one sentence for each group, in the order of choice
 */
export function explainGroups(facts: ServiceFacts, view: VipView, freeIn: FreeCounter): readonly string[] {
  if (view.groups.length === 0) return ['there is no IPGroup in this cluster'];
  const { families } = wantedFamilies(facts.service, view.families);
  return view.groups.map((group) => {
    const why = whyNot(facts, view, group) ?? fullness(group, families, freeIn);
    return `IPGroup ${group.name} ${why}`;
  });
}

function whyNot(facts: ServiceFacts, view: VipView, group: VipGroup): string | undefined {
  const { readiness, draining } = group;
  if (!readiness.ok && readiness.reason === 'InvalidGroup') return `cannot be used: ${readiness.message}`;
  return whyNotServed(group, facts, view) ?? (draining ? DRAINING : whyNotWished(group, facts.wish));
}

// A wish for an address or a group leaves out all others, and some groups serve nothing else.
function whyNotWished(group: VipGroup, wish: VipWish): string | undefined {
  if (!wish.ok) return undefined;
  const { name, segments, explicitOnly } = group;
  if (wish.group !== undefined && wish.group !== name) return 'is not the one that the Service names';
  if (wish.group === name || wish.addresses.some((address) => segments.contains(address))) return undefined;
  if (wish.addresses.length > 0) return 'does not have the address that the Service asks for';
  return explicitOnly ? 'serves only Services that name it or one of its addresses (spec.explicitOnly)' : undefined;
}

function fullness(group: VipGroup, families: readonly Family[], freeIn: FreeCounter): string {
  const texts = families.map((family) => {
    if (group.usable.ranges(family).length === 0) return `has no IPv${String(family)} addresses`;
    const free = freeIn(group, family);
    return free > 0n
      ? `has ${String(free)} free IPv${String(family)} addresses`
      : `has no free IPv${String(family)} address`;
  });
  return `serves it and ${texts.join(', ')}`;
}
