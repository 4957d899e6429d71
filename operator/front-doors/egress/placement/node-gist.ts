import { listOf, mapOf, metadataOf, type JsonMap } from '../../../contract/loose-json';
import { nodesOfPool, readNode } from '../../../rules/egress/placement';
import type { EgressPlan } from '../../../rules/egress/types';
import { planToPlaceBy, type PlacementContext } from './placement-context';

/**
 * Tells everything that may change what is written to a node: what it is, and the labels and annotations by which dataplanes mark it. Times of
 * conditions, and what its kubelet reports of images and volumes, change with each report.
 *
 * @param node - as the API server has it; undefined for none
 * @returns the same for nodes that are the same in this
 */
export function gistOfNode(node: JsonMap | undefined): string {
  if (node === undefined) return '';
  const { uid, labels, annotations, deletionTimestamp } = metadataOf(node);
  const { unschedulable, taints } = mapOf(node['spec']);
  const { addresses, conditions } = mapOf(node['status']);
  const ready = listOf(conditions)
    .map(mapOf)
    .find(({ type }) => type === 'Ready');
  const isReady = [ready?.['status'], ready?.['lastTransitionTime']];
  return JSON.stringify([uid, labels, annotations, deletionTimestamp, unschedulable, taints, addresses, isReady]);
}

/**
 * Tells everything of a node that the placement of an EgressIPAM reads: the CIDRs that its labels choose, readiness, room, and of which CIDRs
 * it can carry addresses.
 *
 * @param context - of the placement
 * @param plan - of the EgressIPAM
 * @param node - as the API server has it; undefined for none
 * @returns the same for nodes that are the same to the EgressIPAM; empty for one that has nothing to do with it
 */
export function gistFor(context: PlacementContext, plan: EgressPlan, node: JsonMap | undefined): string {
  const by = planToPlaceBy(context, plan);
  if (node === undefined || by === undefined) return '';
  const { labels: _labels, ...read } = readNode(node, Date.parse);
  const { placed } = context.placements.get(plan.name) ?? {};
  const cidrs = by.pools.filter((pool) => nodesOfPool([readNode(node, Date.parse)], by, pool).length > 0);
  // it may carry what is left of a CIDR that was taken out
  if (cidrs.length === 0 && placed?.onNodes.has(read.name) !== true) return '';
  const carries = by.pools.map(({ prefix }) => placed?.dataplane.canCarry(node, prefix.first));
  const uid = metadataOf(node)['uid'];
  return JSON.stringify([uid, read, cidrs.map(({ cidr }) => cidr), placed?.dataplane.capacityOf(node), carries]);
}
