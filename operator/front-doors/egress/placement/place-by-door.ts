import type { Address } from '../../../addressing/address';
import { optionalField } from '../../../contract/optional-field';
import { isCandidate, placeAddresses } from '../../../rules/egress/placement';
import type { EgressNode, NodeRoom, Placement, UnplacedAddress } from '../../../rules/egress/placement/types';
import type { UnplacedTold } from '../carrier';
import type { LookAgain } from '../door-parts';
import type { ActiveSender } from './active-senders';
import type { Unplaced } from './place-egress-ipam';
import type { Placed, PlacedOne } from './placed';
import { nodesOf, type PlacementContext } from './placement-context';

/** Namespaces whose addresses are placed, and where they were placed before. */
export interface Placing {
  readonly senders: readonly ActiveSender[];
  readonly before: Placed | undefined;
}

/** Where addresses were put, and when that is to be decided again. */
export type PlacedAgain = Pick<Placed, 'namespaces' | 'onNodes' | 'unplaced'> & { readonly again: LookAgain };

/**
 * Puts each address of an EgressIPAM on a node.
 *
 * @param context - of the placement
 * @param parts - of the EgressIPAM
 * @param placing - addresses, and where they were put before
 * @returns where they are to be
 */
export function placeByDoor(context: PlacementContext, parts: Unplaced, placing: Placing): PlacedAgain {
  const { plan } = parts;
  const most = context.rounds.mostMoves(plan.name, isSettled(context, placing.before));
  const placement = placeAddresses(factsOf(context, parts, placing, most));
  const nodeOf = new Map(placement.placed.map(({ address, node }) => [address.toString(), node]));
  if (most > 0 && hasMovedForBalance(context, placing.before, nodeOf)) context.rounds.moved(plan.name);
  const namespaces = new Map<string, readonly PlacedOne[]>();
  const onNodes = new Map<string, readonly PlacedOne[]>();
  for (const { namespace, addresses } of placing.senders) {
    const ones = addresses.map((each) => {
      return { ...each, namespace, ...optionalField('node', nodeOf.get(each.address.toString())) };
    });
    namespaces.set(namespace, ones);
    for (const one of ones) if (one.node !== undefined) onNodes.set(one.node, [...(onNodes.get(one.node) ?? []), one]);
  }
  const unplaced = placement.unplaced.map((each) => toldOf(each, plan.name));
  return { namespaces, onNodes, unplaced, again: againOf(context, plan.name, placement) };
}

function factsOf(
  context: PlacementContext,
  parts: Unplaced,
  { senders, before }: Placing,
  mostMoves: number,
): Parameters<typeof placeAddresses>[0] {
  const { parts: door } = context.door;
  const { dataplane, plan } = parts;
  const objectOf = (node: EgressNode) => door.nodes.get('', node.name) ?? {};
  const decided = [...(before?.onNodes.values() ?? [])].flat();
  return {
    ...{ plan, mostMoves, nodes: nodesOf(context), nowMs: door.clock.nowMs() },
    wanted: senders.flatMap(({ namespace, addresses }) => addresses.map(({ address }) => ({ namespace, address }))),
    // what was decided a moment ago may not be there yet
    placed: [...decided.map(({ address, node = '' }) => ({ address, node })), ...dataplane.placed()],
    roomOf: (node) => roomOf(context, parts, node),
    canCarry: (node, address: Address) => dataplane.canCarry(objectOf(node), address),
  };
}

function roomOf(context: PlacementContext, { dataplane, plan }: Unplaced, node: EgressNode): NodeRoom | undefined {
  const object = context.door.parts.nodes.get('', node.name);
  const capacity = object && dataplane.capacityOf(object);
  if (capacity === undefined) return undefined;
  const others = [...context.placements].filter(([name]) => name !== plan.name);
  const onIt = others.flatMap(([, { placed }]) => (placed?.dataplane === dataplane ? placed : []));
  const used = onIt.reduce((sum, { onNodes }) => sum + (onNodes.get(node.name)?.length ?? 0), capacity.used);
  return { ...capacity, used };
}

// Every address that was put on a node has arrived there.
function isSettled({ told }: PlacementContext, before: Placed | undefined): boolean {
  if (before === undefined) return false;
  const { nodes } = told.of(before.dataplane);
  return [...before.onNodes].every(([node, ones]) => {
    const done = nodes.get(node)?.done;
    return done !== undefined && ones.every(({ address }) => done.has(address.toString()));
  });
}

function hasMovedForBalance(
  context: PlacementContext,
  before: Placed | undefined,
  nodeOf: ReadonlyMap<string, string>,
): boolean {
  const ready = new Set(
    nodesOf(context)
      .filter(isCandidate)
      .map(({ name }) => name),
  );
  return [...(before?.onNodes ?? [])].some(
    ([node, ones]) => ready.has(node) && ones.some(({ address }) => (nodeOf.get(address.toString()) ?? node) !== node),
  );
}

function toldOf({ reason, ...each }: UnplacedAddress, egressIpam: string): UnplacedTold {
  const of = each.cidr === '' ? `EgressIPAM ${egressIpam}` : `${each.cidr} of EgressIPAM ${egressIpam}`;
  const why =
    reason === 'NodesFull' ? 'all nodes carry as many addresses as they can' : 'no node that is ready can carry it';
  return { ...each, reason, message: `${each.address.toString()} is on no usable node: ${why} (${of})` };
}

function againOf({ rounds }: PlacementContext, name: string, { lookAgainAfterMs, isUneven }: Placement): LookAgain {
  // without a pause the round waits for the moves before it, and the last of them asks again
  const roundMs = isUneven ? rounds.leftMs(name) : 0;
  const all = [lookAgainAfterMs ?? 0, roundMs].filter((ms) => ms > 0);
  return all.length === 0 ? {} : { requeueAfterMs: Math.min(...all) };
}
