import { listAt } from '../../../contract/list-at';
import { optionalField } from '../../../contract/optional-field';
import { poolAt } from '../judge-list';
import { Loads } from './loads';
import { isCandidate, nodesOfPool } from './groups';
import { rebalance } from './rebalance';
import type { EgressNode, PlaceableAddress, Placement, PlacementFacts, UnplacedAddress } from './types';

/**
 * Decides which node carries which address. An address stays on its node while that one can carry it; a node that is not ready keeps its
 * addresses for a time, and for good where no other node can carry them.
 *
 * @param facts - nodes, addresses, and where they are now
 * @returns one node for each address, and the addresses for which there is none
 */
export function placeAddresses(facts: PlacementFacts): Placement {
  const loads = new Loads(facts.nodes, (node) => facts.roomOf(node));
  const wanted = placeable(facts);
  const leaving = settle(wanted, facts, loads);
  const unplaced = leaving.flatMap((each) => move(each, loads, facts) ?? []);
  const isUneven = facts.plan.isRebalanced && rebalance(wanted, { loads, leaving, facts });
  return {
    placed: wanted.flatMap(({ address }) => {
      const node = loads.nodeOf(address);
      return node === undefined ? [] : [{ address, node }];
    }),
    unplaced,
    ...optionalField('lookAgainAfterMs', soonestEnd(facts)),
    isUneven,
  };
}

// What lies in no CIDR any more stays on its node, and on no other one.
function placeable({ plan, wanted, nodes, placed }: PlacementFacts): readonly PlaceableAddress[] {
  const groups = new Map(plan.pools.map((pool) => [pool, nodesOfPool(nodes, plan, pool)]));
  return wanted.map((each) => {
    const pool = poolAt(plan, each.address);
    if (pool !== undefined) return { ...each, cidr: pool.cidr, nodes: groups.get(pool) ?? [] };
    const there = placed.filter(({ address }) => address.equals(each.address)).map(({ node }) => node);
    return { ...each, cidr: '', nodes: nodes.filter(({ name }) => there.includes(name)) };
  });
}

// Puts every address where it is now, and lists those that are nowhere, or on a node that goes.
function settle(wanted: readonly PlaceableAddress[], facts: PlacementFacts, loads: Loads): readonly PlaceableAddress[] {
  const now = new Map<string, string[]>();
  for (const { address, node } of facts.placed) listAt(now, address.toString()).push(node);
  return wanted.filter((each) => {
    const at = now.get(each.address.toString()) ?? [];
    const node = at.map((name) => each.nodes.find((of) => of.name === name)).find((of) => of !== undefined);
    if (node !== undefined) loads.put(each, node);
    return node === undefined || !isStaying(node, facts);
  });
}

/** Time, and how long a node may be not ready. */
interface NodePatience {
  readonly plan: Pick<PlacementFacts['plan'], 'notReadyMs'>;
  readonly nowMs: number;
}

/**
 * Tells whether a node keeps the addresses that it carries.
 *
 * @param node - of the cluster
 * @param facts - time, and how long it may be not ready
 * @returns false where it is about to go, or was not ready for too long
 */
export const isStaying = (node: EgressNode, facts: NodePatience): boolean =>
  !node.isDraining && leftMs(node, facts) > 0;

// Time until a node that is not ready loses its addresses.
function leftMs({ notReadySinceMs }: EgressNode, { plan, nowMs }: NodePatience): number {
  return notReadySinceMs === undefined ? Infinity : notReadySinceMs + plan.notReadyMs - nowMs;
}

function move(
  each: PlaceableAddress,
  loads: Loads,
  facts: Pick<PlacementFacts, 'canCarry'>,
): UnplacedAddress | undefined {
  const candidates = each.nodes.filter((node) => isCandidate(node) && facts.canCarry(node, each.address));
  const best = loads.bestOf(candidates, each.namespace);
  if (best !== undefined) {
    loads.put(each, best);
    return undefined;
  }
  const { address, namespace, cidr, nodes } = each;
  const reason = candidates.some((node) => loads.hasRoomAtAll(node)) ? 'NodesFull' : 'NoReadyNode';
  const at = nodes.find(({ name }) => name === loads.nodeOf(address));
  // a node that drains still carries it
  return at !== undefined && at.notReadySinceMs === undefined ? undefined : { address, namespace, cidr, reason };
}

function soonestEnd(facts: PlacementFacts): number | undefined {
  const left = facts.nodes.map((node) => leftMs(node, facts)).filter((ms) => ms > 0 && ms < Infinity);
  return left.length === 0 ? undefined : Math.min(...left);
}
