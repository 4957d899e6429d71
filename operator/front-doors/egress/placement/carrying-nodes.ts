import { listAt } from '../../../contract/list-at';
import { optionalField } from '../../../contract/optional-field';
import type { CarriedNow } from '../../../ports/egress-dataplane';
import { compareText } from '../../../rules/by-age';
import { isCandidate } from '../../../rules/egress/placement';
import type { CarryingNode } from '../facts/carrier';
import type { Placed } from './placed';
import type { PlacementContext } from './placement-context';

/**
 * Lists the nodes that carry the addresses of an EgressIPAM.
 *
 * @param context - of the placement
 * @param placed - its placement
 * @returns each node once for each of its CIDRs
 */
export function carryingNodes({ door }: PlacementContext, placed: Placed): readonly CarryingNode[] {
  const { dataplane, pools } = placed;
  const now = countsOf(placed);
  const rows = pools.flatMap(({ pool, nodes }) =>
    nodes.map((node) => {
      const object = door.parts.nodes.get('', node.name);
      const room = object && dataplane.capacityOf(object);
      const here = now.get(node.name) ?? [];
      return {
        name: node.name,
        cidr: pool.cidr,
        isKnown: room !== undefined,
        ...optionalField('capacity', room?.capacity),
        allocated: here.filter(({ address }) => pool.prefix.contains(address)).length,
        used: (room?.used ?? 0) + here.length,
        isReady: room !== undefined && isCandidate(node),
      };
    }),
  );
  return rows.sort((a, b) => compareText(a.name, b.name));
}

// As the dataplane shows them, those of other EgressIPAMs included.
function countsOf({ dataplane }: Placed): ReadonlyMap<string, readonly CarriedNow[]> {
  const now = new Map<string, CarriedNow[]>();
  for (const each of dataplane.placed()) listAt(now, each.node).push(each);
  return now;
}

/**
 * Tells whether the CIDRs of the nodes are advice to the dataplane and no more.
 *
 * @param context - of the placement
 * @param placed - placement of an EgressIPAM
 * @returns true where the dataplane chooses the nodes, and a node can carry addresses of a CIDR that its label does not choose
 */
export function isSelectionAdvisory({ door }: PlacementContext, { dataplane, chooser, pools }: Placed): boolean {
  if (chooser === 'door') return false;
  return pools.some(({ pool }) =>
    pools.some(
      (other) =>
        other.pool.labelValue !== pool.labelValue &&
        other.nodes.some((node) => {
          const object = door.parts.nodes.get('', node.name);
          return object !== undefined && dataplane.canCarry(object, pool.prefix.first);
        }),
    ),
  );
}
