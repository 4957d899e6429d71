import { isMap, listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';
import { optionalField } from '../../../contract/optional-field';
import type { EgressNode } from './types';

const ZONE_LABELS = ['topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone'] as const;
/** Labels of nodes of the control plane. */
export const CONTROL_PLANE_LABELS = [
  'node-role.kubernetes.io/control-plane',
  'node-role.kubernetes.io/master',
] as const;
/** Taints of a node that is about to go: those of the cluster autoscaler and of a shutdown by hand. */
const LEAVING_TAINTS: readonly string[] = ['ToBeDeletedByClusterAutoscaler', 'node.kubernetes.io/out-of-service'];

/**
 * Reads a Node.
 *
 * @param object - as the API server has it
 * @param msOf - reads a time in milliseconds since 1970; NaN where it is none
 * @returns what decides about the addresses that it carries
 */
export function readNode(object: JsonMap, msOf: (text: string) => number): EgressNode {
  const metadata = metadataOf(object);
  const labels = mapOf(metadata['labels']) as Readonly<Record<string, string>>;
  const spec = mapOf(object['spec']);
  const taints = listOf(spec['taints']).map((taint) => textOf(mapOf(taint)['key']));
  return {
    name: textOf(metadata['name']),
    labels,
    isControlPlane: CONTROL_PLANE_LABELS.some((key) => Object.hasOwn(labels, key)),
    ...optionalField('notReadySinceMs', notReadySince(object, msOf)),
    isCordoned: spec['unschedulable'] === true,
    isDraining: taints.some((key) => LEAVING_TAINTS.includes(key)),
    zone: ZONE_LABELS.map((key) => labels[key]).find((zone) => zone !== undefined) ?? '',
  };
}

// A node that never told its state is not ready from the beginning.
function notReadySince(object: JsonMap, msOf: (text: string) => number): number | undefined {
  const conditions = listOf(mapOf(object['status'])['conditions']).filter(isMap);
  const ready = conditions.find(({ type }) => type === 'Ready');
  if (ready?.['status'] === 'True') return undefined;
  const sinceMs = msOf(textOf(ready?.['lastTransitionTime']));
  return Number.isNaN(sinceMs) ? 0 : sinceMs;
}
