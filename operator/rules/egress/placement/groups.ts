import { selectorMatches } from '../../../contract/label-selector';
import type { EgressPlan, EgressPool } from '../types';
import type { EgressNode } from './types';

type Selecting = Pick<EgressPlan, 'topologyLabel' | 'nodeSelector'>;

// A selector that is left out does not mean the control plane.
const isSelected = ({ labels, isControlPlane }: EgressNode, { nodeSelector }: Selecting): boolean =>
  nodeSelector === undefined || Object.keys(nodeSelector).length === 0
    ? !isControlPlane
    : selectorMatches(nodeSelector, labels);

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
