import { mapOf } from '../../operator/contract/loose-json';
import { type Json } from './fields';
import type { KubernetesObject } from './plugin';

/** A Pod or the template of one. */
export interface PodSpec {
  readonly spec: Json;
  /** Where it stands in its object. */
  readonly path: string;
}

const TEMPLATE = ['spec', 'template', 'spec'];
const PATHS: Readonly<Record<string, readonly string[]>> = {
  Pod: ['spec'],
  PodTemplate: ['template', 'spec'],
  Deployment: TEMPLATE,
  ReplicaSet: TEMPLATE,
  ReplicationController: TEMPLATE,
  StatefulSet: TEMPLATE,
  DaemonSet: TEMPLATE,
  Job: TEMPLATE,
  CronJob: ['spec', 'jobTemplate', ...TEMPLATE],
};
const GROUPS = ['v1', 'apps/v1', 'batch/v1'];

/**
 * Finds the Pod that an object of Kubernetes makes.
 *
 * @param object - of any kind
 * @returns the Pod's spec; undefined for kinds that make none
 */
export function podSpecOf(object: KubernetesObject): PodSpec | undefined {
  const steps = GROUPS.includes(object.apiVersion) ? PATHS[object.kind] : undefined;
  if (steps === undefined) return undefined;
  const spec = steps.reduce<Json>((value, step) => mapOf(value[step]), object);
  return { spec, path: steps.join('.') };
}
