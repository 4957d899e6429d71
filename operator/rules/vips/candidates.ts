import type { Family } from '../../addressing/address';
import { selectorMatches } from '../../contract/label-selector';
import { quoteValue } from '../../contract/quote';
import { vipRefusal } from './refusals';
import type { ServiceFacts, VipGroup, VipRefusal, VipView } from './types';

/**
 * Tells why a group does not serve a Service.
 *
 * @param group - the one that is looked at
 * @param facts - the Service
 * @param view - for the labels of its namespace
 * @returns half a sentence about the group; undefined where it serves
 */
export function whyNotServed(group: VipGroup, { service, labels }: ServiceFacts, view: VipView): string | undefined {
  const { loadBalancerClass, namespaces, services } = group;
  if (loadBalancerClass !== undefined && service.loadBalancerClass !== loadBalancerClass)
    return `serves only Services of spec.loadBalancerClass ${quoteValue(loadBalancerClass)}`;
  if (!selectorMatches(namespaces, view.namespaceLabels(service.namespace)))
    return `does not serve the namespace ${service.namespace} (spec.namespaces)`;
  return selectorMatches(services, labels) ? undefined : 'does not serve Services with these labels (spec.services)';
}

/** Half a sentence about a group that is draining or being deleted. */
export const DRAINING = 'is draining and gives nothing new';

const whyNothingNew = (group: VipGroup, facts: ServiceFacts, view: VipView): string | undefined =>
  whyNotServed(group, facts, view) ?? (group.draining ? DRAINING : undefined);

/** Groups to ask for an address, or why there are none. */
export type Candidates =
  { readonly ok: true; readonly groups: readonly VipGroup[] } | { readonly ok: false; readonly refusal: VipRefusal };

/**
 * Finds the groups from which a Service that names no address may be served.
 *
 * @param facts - the Service
 * @param view - all groups
 * @param of - family of the address, and the group that the Service names
 * @returns them in the order of choice
 */
export function candidatesOf(
  facts: ServiceFacts,
  view: VipView,
  of: { readonly family: Family; readonly group?: string | undefined },
): Candidates {
  if (of.group !== undefined) return namedGroup(facts, view, { family: of.family, group: of.group });
  const served = view.groups.filter((group) => !group.explicitOnly && whyNothingNew(group, facts, view) === undefined);
  const groups = served.filter((group) => hasFamily(group, of.family));
  if (groups.length > 0) return { ok: true, groups };
  return { ok: false, refusal: noneOf(served, of.family) };
}

const hasFamily = (group: VipGroup, family: Family): boolean => group.usable.ranges(family).length > 0;

function namedGroup(
  facts: ServiceFacts,
  view: VipView,
  { family, group: name }: { readonly family: Family; readonly group: string },
): Candidates {
  const group = view.groups.find((each) => each.name === name);
  const why = group === undefined ? 'does not exist' : whyNothingNew(group, facts, view);
  if (group === undefined || why !== undefined)
    return refusedBy('NoMatchingGroup', `IPGroup ${quoteValue(name)}${namedBy(facts)} ${why ?? ''}`);
  if (hasFamily(group, family)) return { ok: true, groups: [group] };
  return { ok: false, refusal: noneOf([group], family) };
}

// Its author knows it as a pool of another load balancer.
const namedBy = ({ wish }: ServiceFacts): string =>
  wish.ok && wish.groupField !== undefined ? `, which ${wish.groupField} names,` : '';

const refusedBy = (reason: VipRefusal['reason'], message: string): Candidates => ({
  ok: false,
  refusal: vipRefusal(reason, message),
});

// Groups that serve the Service, and have nothing of the family.
function noneOf(served: readonly VipGroup[], family: Family): VipRefusal {
  const invalid = served.find(({ readiness }) => !readiness.ok && readiness.reason === 'InvalidGroup');
  if (invalid !== undefined) {
    const message = invalid.readiness.ok ? '' : invalid.readiness.message;
    return vipRefusal('InvalidGroup', `IPGroup ${invalid.name} cannot be used: ${message}`);
  }
  const message =
    served.length === 0
      ? 'no IPGroup serves this Service'
      : `no IPGroup that serves this Service has IPv${String(family)} addresses`;
  return vipRefusal('NoMatchingGroup', message);
}
