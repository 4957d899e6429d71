import type { Address } from '../../../addressing/address';
import { listAt } from '../../../contract/list-at';
import { optionalField } from '../../../contract/optional-field';
import { isCandidate, placeAddresses } from '../../../rules/egress/placement';
import type {
  EgressNode,
  NodeRoom,
  Placement,
  PlacementFacts,
  UnplacedAddress,
} from '../../../rules/egress/placement/types';
import type { UnplacedTold } from '../facts/carrier';
import type { LookAgain } from '../facts/door-parts';
import type { NotYetPlaced, Placed, PlacedAgain, PlacedOne, Placing } from './placed';
import { nodesOf, type PlacementContext } from './placement-context';

/**
 * Puts each address of an EgressIPAM on a node.
 *
 * @param context - of the placement
 * @param parts - of the EgressIPAM
 * @param placing - addresses, and where they were put before
 * @returns where they are to be
 */
export function placeByDoor(context: PlacementContext, parts: NotYetPlaced, placing: Placing): PlacedAgain {
  const { plan } = parts;
  const most = context.rounds.mostMoves(plan.name, isSettled(context, placing.before));
  const placement = placeAddresses({ ...factsOf(context, parts, placing), mostMoves: most });
  const nodeOf = new Map(placement.placed.map(({ address, node }) => [address.toString(), node]));
  if (most > 0 && hasMovedForBalance(context, placing.before, nodeOf)) context.rounds.moved(plan.name);
  const namespaces = new Map<string, readonly PlacedOne[]>();
  const onNodes = new Map<string, PlacedOne[]>();
  for (const { namespace, addresses } of placing.senders) {
    const ones = addresses.map((each) => {
      return { ...each, namespace, ...optionalField('node', nodeOf.get(each.address.toString())) };
    });
    namespaces.set(namespace, ones);
    for (const one of ones) if (one.node !== undefined) listAt(onNodes, one.node).push(one);
  }
  const unplaced = placement.unplaced.map((each) => toldOf(each, plan.name));
  return { namespaces, onNodes, unplaced, again: againOf(context, plan.name, placement) };
}

function factsOf(
  context: PlacementContext,
  parts: NotYetPlaced,
  { senders, before }: Placing,
): Omit<PlacementFacts, 'mostMoves'> {
  const { parts: door } = context.door;
  const { dataplane, plan } = parts;
  const objectOf = (node: EgressNode) => door.nodes.get('', node.name) ?? {};
  const decided = [...(before?.onNodes.values() ?? [])].flat();
  return {
    plan,
    nodes: nodesOf(context),
    nowMs: door.clock.nowMs(),
    wanted: senders.flatMap(({ namespace, addresses }) => addresses.map(({ address }) => ({ namespace, address }))),
    // what was decided a moment ago may not be there yet
    placed: [...decided.map(({ address, node = '' }) => ({ address, node })), ...dataplane.placed()],
    roomOf: (node) => roomOf(context, parts, node),
    canCarry: (node, address: Address) => dataplane.canCarry(objectOf(node), address),
  };
}

function roomOf(context: PlacementContext, { dataplane, plan }: NotYetPlaced, node: EgressNode): NodeRoom | undefined {
  const object = context.door.parts.nodes.get('', node.name);
  const capacity = object && dataplane.capacityOf(object);
  if (capacity === undefined) return undefined;
  const others = [...context.placements].filter(([name]) => name !== plan.name);
  const onIt = others.flatMap(([, { placed }]) => (placed?.dataplane === dataplane ? placed : []));
  const used = onIt.reduce((sum, { onNodes }) => sum + (onNodes.get(node.name)?.length ?? 0), capacity.used);
  return { ...capacity, used };
}

// Every address that was put on a node has arrived there.
function isSettled({ writes }: PlacementContext, before: Placed | undefined): boolean {
  if (before === undefined) return false;
  const { nodes } = writes.of(before.dataplane);
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
