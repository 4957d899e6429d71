import { selectorMatches, type LabelSelector } from '../../../contract/label-selector';
import { CONTROL_PLANE_LABELS } from './read-node';
import type { EgressPlan, EgressPool } from '../types';
import type { EgressNode } from './types';

type Selecting = Pick<EgressPlan, 'topologyLabel' | 'nodeSelector'>;

// A selector that is left out does not mean the control plane.
const choosesAll = ({ nodeSelector = {} }: Selecting): boolean => Object.keys(nodeSelector).length === 0;

const isSelected = ({ labels, isControlPlane }: EgressNode, plan: Selecting): boolean =>
  choosesAll(plan) ? !isControlPlane : selectorMatches(plan.nodeSelector, labels);

/**
 * Writes what chooses the nodes of a CIDR as one selector.
 *
 * @param plan - of the EgressIPAM
 * @param pool - one of its CIDRs; without one the nodes of every CIDR are chosen
 * @returns a selector that matches the nodes of {@link nodesOfPool}
 */
export function selectorOfPool(plan: Selecting, pool: Pick<EgressPool, 'labelValue'> | undefined): LabelSelector {
  const { nodeSelector = {}, topologyLabel: key } = plan;
  const noControlPlane = choosesAll(plan)
    ? CONTROL_PLANE_LABELS.map((label) => ({ key: label, operator: 'DoesNotExist' as const }))
    : [];
  const ofPool =
    pool === undefined
      ? { key, operator: 'Exists' as const }
      : { key, operator: 'In' as const, values: [pool.labelValue] };
  const { matchExpressions = [] } = nodeSelector;
  return { ...nodeSelector, matchExpressions: [...matchExpressions, ...noControlPlane, ofPool] };
}

/**
 * Lists the nodes that carry the addresses of a CIDR.
 *
 * @param nodes - of the cluster
 * @param plan - of the EgressIPAM
 * @param pool - one of its CIDRs
 * @returns the nodes that its selector chooses and whose topology label has the value of the CIDR
 */
export function nodesOfPool(
  nodes: readonly EgressNode[],
  plan: Selecting,
  { labelValue }: Pick<EgressPool, 'labelValue'>,
): readonly EgressNode[] {
  const { topologyLabel } = plan;
  return nodes.filter(
    (node) =>
      Object.hasOwn(node.labels, topologyLabel) && node.labels[topologyLabel] === labelValue && isSelected(node, plan),
  );
}

/**
 * Tells whether a node takes further addresses.
 *
 * @param node - of the cluster
 * @returns false where it is not ready, cordoned or about to go
 */
export const isCandidate = ({ notReadySinceMs, isCordoned, isDraining }: EgressNode): boolean =>
  notReadySinceMs === undefined && !isCordoned && !isDraining;
