import { isIn, type Address } from '../../../addressing/address';
import { decideNamespace, readNamespace } from '../../../rules/egress';
import { sentFrom } from '../../../rules/egress/placement';
import type { EgressNamespace, EgressPlan } from '../../../rules/egress/types';
import { formerOf, heldBy } from '../facts/record';
import { viewOf } from '../facts/view';
import { isKnown, type PlacementContext } from './placement-context';
import type { Sender } from './senders';

/**
 * Looks at what a namespace is to send from, by its stored object and the record.
 *
 * @param context - of the placement
 * @param name - of the namespace, which may be gone
 * @returns the namespace; undefined for one that opts in to no EgressIPAM that serves it on
 */
export function refreshSender(context: PlacementContext, name: string): Sender | undefined {
  const { senders, door } = context;
  const object = door.parts.namespaces.get('', name);
  const namespace = object && readNamespace(object);
  const plan = namespace?.egressIpam === undefined ? undefined : door.plans.plan(namespace.egressIpam);
  const isServed = namespace !== undefined && plan !== undefined && !plan.isDying;
  for (const egressIpam of senders.set(name, isServed ? senderOf(context, namespace, plan) : undefined))
    context.due(egressIpam);
  return senders.get(name);
}

function senderOf(context: PlacementContext, namespace: EgressNamespace, plan: EgressPlan): Sender {
  const { door } = context;
  const { name, uid, createdAt } = namespace;
  const held = heldBy(door.parts.known, namespace);
  const own = [...held.map(({ address }) => address), ...formerOf(door.parts.known, name, plan.network)];
  const decision = decideNamespace({ namespace, held }, viewOf(door, name));
  const isSettled = decision.slots.length === 0 && decision.problem === undefined;
  const addresses = sentFrom({ decision, own, now: isSettled ? own : nowOf(context, name, own), plan });
  return { name, uid, createdAt, egressIpam: plan.name, addresses };
}

// What it was told in this term; before that, what is on nodes for it.
function nowOf(
  { door: { parts }, writes }: PlacementContext,
  name: string,
  own: readonly Address[],
): readonly Address[] | undefined {
  const open = parts.dataplanes.open().filter(isKnown);
  const entries = open.flatMap((dataplane) => writes.of(dataplane).namespaces.get(name) ?? []);
  if (entries.length > 0) return own.filter((address) => entries.some(({ maybe }) => maybe.has(address.toString())));
  const placed = open.flatMap((dataplane) => dataplane.placed().map(({ address }) => address));
  const there = own.filter((address) => isIn(address, placed));
  return there.length === 0 ? undefined : there;
}
