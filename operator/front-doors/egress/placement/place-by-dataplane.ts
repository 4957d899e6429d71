import { optionalField } from '../../../contract/optional-field';
import type { EgressDataplane } from '../../../ports/egress-dataplane';
import { isCandidate } from '../../../rules/egress/placement';
import type { UnplacedTold } from '../facts/carrier';
import type { NotYetPlaced, PlacedAgain, PlacedOne, Placing } from './placed';
import type { PlacementContext } from './placement-context';

/** Time that a dataplane has to put an address on a node before that is told as a problem. */
const GRACE_MS = 30_000;

/**
 * Shows where a dataplane has put the addresses of an EgressIPAM.
 *
 * @param context - of the placement
 * @param parts - of the EgressIPAM
 * @param placing - addresses that it is to place
 * @returns where they are
 */
export function placeByDataplane(context: PlacementContext, parts: NotYetPlaced, { senders }: Placing): PlacedAgain {
  const there = new Map<string, string>();
  for (const { address, node } of parts.dataplane.placed())
    if (!there.has(address.toString())) there.set(address.toString(), node);
  const namespaces = new Map<string, readonly PlacedOne[]>();
  const missing: PlacedOne[] = [];
  for (const { namespace, addresses } of senders) {
    const ones = addresses.map((each) => ({ ...each, namespace }));
    namespaces.set(namespace, ones);
    missing.push(...ones.filter(({ address }) => !there.has(address.toString())));
  }
  context.missingSince.keep(
    parts.plan.name,
    missing.map(({ address }) => address.toString()),
  );
  const unplaced = missing.flatMap((one) => whyMissing(context, parts, one) ?? []);
  const leftMs = unplaced.length < missing.length ? context.missingSince.leftMs(parts.plan.name, GRACE_MS) : undefined;
  return { namespaces, onNodes: new Map(), unplaced, again: optionalField('requeueAfterMs', leftMs) };
}

function whyMissing(context: PlacementContext, parts: NotYetPlaced, one: PlacedOne): UnplacedTold | undefined {
  const { address, namespace, group } = one;
  const { dataplane, plan, pools } = parts;
  const isLate = context.missingSince.sinceMs(plan.name, address.toString()) >= GRACE_MS;
  const hasNode = pools.some((each) => each.group === group && each.nodes.some(isCandidate));
  const told = { address, namespace, cidr: group.cidr };
  const at = `${address.toString()} of EgressIPAM ${plan.name}`;
  if (!hasNode)
    return { ...told, reason: 'NoReadyNode', message: `${at} is on no node: no node of ${group.cidr} is ready` };
  const says = saidBy(dataplane, namespace) ?? (isLate ? 'it does not say why' : undefined);
  if (says === undefined) return undefined;
  return { ...told, reason: 'NotPlaced', message: `${dataplane.name} has not put ${at} on a node: ${says}` };
}

function saidBy(dataplane: EgressDataplane, namespace: string): string | undefined {
  const problem = dataplane.problemOf(namespace);
  return problem === undefined ? undefined : `${problem.message} (${problem.reason})`;
}
