import type { JsonMap } from '../../../contract/loose-json';
import type { EgressDataplane } from '../../../ports/egress-dataplane';
import { readNode } from '../../../rules/egress/placement';
import type { EgressNode } from '../../../rules/egress/placement/types';
import type { EgressPlan } from '../../../rules/egress/types';
import type { EgressContext } from '../facts/context';
import type { PlacementKey } from './placement-key';
import type { EgressIpamPlacement } from './placed';
import type { MissingSince } from './missing-since';
import type { RebalanceRounds } from './rebalance-rounds';
import type { Senders } from './senders';
import type { Writes } from './writes';
import type { Waits } from './waits';

/** Everything that the placement shares between pieces of its work. */
export interface PlacementContext {
  /** The allocation beside it: what it decides is read, never waited for. */
  readonly door: Pick<EgressContext, 'parts' | 'plans' | 'inUse' | 'states' | 'waiting' | 'isGiving'>;
  readonly senders: Senders;
  /** By the name of the EgressIPAM. */
  readonly placements: Map<string, EgressIpamPlacement>;
  readonly writes: Writes;
  readonly waits: Waits;
  readonly rounds: RebalanceRounds;
  readonly missingSince: MissingSince;
  /** Nodes as they were read last. */
  readonly nodesRead: WeakMap<JsonMap, EgressNode>;
  /** True once the cluster was searched for dataplanes, in the term in which this process leads. */
  areDataplanesKnown: boolean;
  /** Asks for a piece of work. */
  wake(key: PlacementKey): void;
  /** Asks for the placement of an EgressIPAM, after a moment in which more may change. */
  due(egressIpam: string): void;
  /** Is told that a dataplane may have let go of something. */
  changed(): void;
  /** Is told that something changed of what users are shown of an EgressIPAM. */
  viewChanged(egressIpam: string): void;
}

/**
 * Lists the nodes of the cluster.
 *
 * @param context - of the placement
 * @returns every stored one
 */
export const nodesOf = (context: PlacementContext): readonly EgressNode[] =>
  context.door.parts.nodes.list().map((object) => {
    const known = context.nodesRead.get(object);
    if (known !== undefined) return known;
    const node = readNode(object, Date.parse);
    context.nodesRead.set(object, node);
    return node;
  });

/**
 * Tells by which spec the addresses of an EgressIPAM are placed: the last valid one of this term, or else of the status.
 *
 * @param context - of the placement
 * @param plan - of the EgressIPAM as it is now
 * @returns undefined where none was ever valid
 */
export function planToPlaceBy({ placements }: PlacementContext, plan: EgressPlan): EgressPlan | undefined {
  if (plan.readiness.ok || plan.readiness.reason === 'Overlap') return plan;
  return placements.get(plan.name)?.placed?.plan ?? plan.lastValid;
}

/**
 * Tells whether everything of a dataplane is known.
 *
 * @param dataplane - one that is open
 * @returns false before the first complete list of each of its objects
 */
export const isKnown = ({ feeds }: EgressDataplane): boolean => feeds.every((feed) => feed.synced());

/**
 * Tells whether addresses may be on nodes for the sake of an EgressIPAM that is gone or cannot be read: no node loses anything then. What
 * an EgressIPAM left behind that was deleted is known by its claims.
 *
 * @param context - of the placement
 * @returns true while there are such
 */
export function hasUnknownGroups({ door: { parts, plans }, placements }: PlacementContext): boolean {
  if ([...placements.values()].some(({ isFrozen }) => isFrozen)) return true;
  const records = parts.known.find({ by: 'cluster', cluster: '' });
  return records.some(
    ({ door, pool, state, holders }) =>
      door === 'egress' &&
      state === 'held' &&
      plans.plan(pool) === undefined &&
      holders.every(({ isEnding = false }) => !isEnding),
  );
}
