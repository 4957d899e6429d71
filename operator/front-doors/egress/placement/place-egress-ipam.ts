import { metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { optionalField } from '../../../contract/optional-field';
import type { DataplaneChoice, EgressDataplane, EgressGroup } from '../../../ports/egress-dataplane';
import { nodesOfPool, selectorOfPool } from '../../../rules/egress/placement';
import type { EgressPlan } from '../../../rules/egress/types';
import type { CarrierView } from '../facts/carrier';
import type { LookAgain } from '../facts/door-parts';
import { isHeldFrom } from '../facts/held-from';
import { activeSenders } from './active-senders';
import { carryingNodes, isSelectionAdvisory } from './carrying-nodes';
import { placeByDataplane } from './place-by-dataplane';
import { placeByDoor } from './place-by-door';
import type { EgressIpamPlacement, NotYetPlaced, Placed, PoolNodes } from './placed';
import { isKnown, nodesOf, planToPlaceBy, type PlacementContext } from './placement-context';
import { tellChanges } from './tell-changes';

/**
 * Decides where the addresses of an EgressIPAM are to be, and asks for work on each node and namespace for which that changed.
 *
 * @param context - of the placement
 * @param name - of the EgressIPAM, which may be gone
 * @returns when it is to be decided again by itself
 */
export function placeEgressIpam(context: PlacementContext, name: string): LookAgain {
  const { parts, plans } = context.door;
  const object = parts.egressIpams.get('', name);
  const plan = plans.plan(name);
  const before = context.placements.get(name);
  if (object === undefined || plan === undefined) {
    context.placements.delete(name);
    tellChanges(context, name, { before, after: undefined });
    return {};
  }
  const { placement, again } = decide(context, { object, plan, before });
  context.placements.set(name, placement);
  tellChanges(context, name, { before, after: placement });
  return again;
}

interface Deciding {
  readonly object: JsonMap;
  readonly plan: EgressPlan;
  readonly before: EgressIpamPlacement | undefined;
}

interface Decided {
  readonly placement: EgressIpamPlacement;
  readonly again: LookAgain;
}

function decide(context: PlacementContext, of: Deciding): Decided {
  const { before } = of;
  const choice = choose(context, of.plan);
  // an EgressIPAM whose dataplane cannot be told any more keeps everything where it is
  if (choice.kind !== 'driver') return nothing(choice, { isFrozen: choice.kind === 'missing' });
  const { dataplane } = choice;
  if (!isKnown(dataplane))
    return nothing(choice, { isFrozen: true, problem: problemOf(dataplane), placed: before?.placed });
  if (isEnded(context, of)) return nothing(choice, { isFrozen: of.plan.isRetained });
  const plan = planToPlaceBy(context, of.plan);
  // its nodes and CIDRs were never known; what it has goes where it is being deleted
  if (plan === undefined) return nothing(choice, { isFrozen: !of.plan.isDying });
  return serve(context, { ...of, plan }, { choice, dataplane });
}

function choose({ door: { parts } }: PlacementContext, { dataplane, cloud, name }: EgressPlan): DataplaneChoice {
  const choice = parts.dataplanes.choose(dataplane);
  const isServed = cloud === 'auto' || cloud === 'none' || cloud === parts.cloud?.name;
  if (choice.kind !== 'driver' || isServed) return choice;
  const set = parts.cloud === undefined ? 'is set up for none' : `is set up for ${parts.cloud.name}`;
  const message = `spec.cloud of EgressIPAM ${name} asks for ${cloud}, and the operator ${set} (egress.cloud, --egress-cloud)`;
  return { kind: 'missing', reason: 'CloudAbsent', message };
}

// Its namespaces have let go, or keep everything.
const isEnded = ({ door }: PlacementContext, { plan }: Deciding): boolean =>
  plan.isDying && (plan.isRetained || !isHeldFrom(door, plan));

const problemOf = ({ feeds, name }: EgressDataplane): string =>
  feeds.map((feed) => feed.problem()).find((problem) => problem !== undefined) ??
  `the objects of ${name} are not listed yet`;

function nothing(
  choice: DataplaneChoice,
  of: { readonly isFrozen: boolean; readonly problem?: string; readonly placed?: Placed | undefined },
): Decided {
  const { isFrozen, problem, placed } = of;
  const view: CarrierView = {
    choice,
    nodes: [],
    unplaced: [],
    isSelectionAdvisory: false,
    ...optionalField('problem', problem),
  };
  return { placement: { choice, isFrozen, view, ...optionalField('placed', placed) }, again: {} };
}

function serve(
  context: PlacementContext,
  { object, plan, before }: Deciding,
  { choice, dataplane }: { readonly choice: DataplaneChoice; readonly dataplane: EgressDataplane },
): Decided {
  const uid = textOf(metadataOf(object)['uid']);
  const pools = poolNodes(context, plan, uid);
  const groups = new Map<string, readonly EgressGroup[]>();
  for (const { nodes, group } of pools)
    for (const node of nodes) groups.set(node.name, [...(groups.get(node.name) ?? []), group]);
  const chooser = dataplane.chooserOf({ cidrs: plan.pools.length });
  const parts: NotYetPlaced = { dataplane, chooser, plan, uid, pools, groups };
  const senders = activeSenders(context, parts);
  const place = chooser === 'door' ? placeByDoor : placeByDataplane;
  const { again, ...where } = place(context, parts, { senders, before: before?.placed });
  const placed: Placed = { ...parts, ...where };
  const view: CarrierView = {
    choice,
    unplaced: placed.unplaced,
    nodes: carryingNodes(context, placed),
    isSelectionAdvisory: isSelectionAdvisory(context, placed),
  };
  return { placement: { choice, placed, isFrozen: false, view }, again };
}

function poolNodes(context: PlacementContext, plan: EgressPlan, uid: string): readonly PoolNodes[] {
  const nodes = nodesOf(context);
  return plan.pools.map((pool) => ({
    pool,
    nodes: nodesOfPool(nodes, plan, pool),
    group: {
      egressIpam: plan.name,
      uid,
      cidr: pool.cidr,
      cidrs: plan.pools.length,
      selector: selectorOfPool(plan, pool),
    },
  }));
}
