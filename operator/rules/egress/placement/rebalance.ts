import type { Loads } from './loads';
import { isCandidate } from './groups';
import type { EgressNode, PlaceableAddress, PlacementFacts } from './types';

/** Limits of one round of moves. */
interface Round {
  readonly loads: Loads;
  /** Addresses that move anyway; their namespaces are left alone, so that never two addresses of one move at once. */
  readonly leaving: readonly PlaceableAddress[];
  readonly facts: Pick<PlacementFacts, 'mostMoves' | 'canCarry'>;
}

/**
 * Moves addresses from nodes that carry many to those of the same CIDR that carry few, one of each namespace at most.
 *
 * @param wanted - every address, placed by now
 * @param round - nodes, and what limits the moves
 * @returns true where further moves are needed
 */
export function rebalance(wanted: readonly PlaceableAddress[], round: Round): boolean {
  const moved = new Set(round.leaving.map(({ namespace }) => namespace));
  let left = round.facts.mostMoves;
  for (;;) {
    const next = nextMove(wanted, round, moved);
    if (next === undefined) return false;
    if (left === 0) return true;
    round.loads.put(next.each, next.to);
    moved.add(next.each.namespace);
    left--;
  }
}

interface Move {
  readonly each: PlaceableAddress;
  readonly to: EgressNode;
}

// The first address whose move makes two nodes more even; ends, since each move brings the two closer together.
function nextMove(
  wanted: readonly PlaceableAddress[],
  { loads, facts }: Round,
  moved: ReadonlySet<string>,
): Move | undefined {
  const byLoad = (a: PlaceableAddress, b: PlaceableAddress): number => loadOf(b, loads) - loadOf(a, loads);
  for (const each of wanted.filter(({ namespace }) => !moved.has(namespace)).toSorted(byLoad)) {
    const from = nodeOf(each, loads);
    if (from === undefined || !isCandidate(from)) continue;
    const others = each.nodes.filter(
      (node) =>
        isCandidate(node) &&
        facts.canCarry(node, each.address) &&
        loads.on(node).length + 1 < loads.on(from).length &&
        !loads.on(node).some(({ namespace }) => namespace === each.namespace),
    );
    const to = loads.bestOf(others, each.namespace);
    if (to !== undefined) return { each, to };
  }
  return undefined;
}

function nodeOf({ address, nodes }: PlaceableAddress, loads: Loads): EgressNode | undefined {
  const at = loads.nodeOf(address);
  return nodes.find(({ name }) => name === at);
}

function loadOf(each: PlaceableAddress, loads: Loads): number {
  const at = nodeOf(each, loads);
  return at === undefined ? 0 : loads.on(at).length;
}
