import type { k8s } from 'cdk8s-plus-28';

import { SELECTOR_LABELS } from '../../objects/names';
import { storeShape } from '../store/store-shape';
import type { PodOwner } from './pod-owner';

type Scheduling = Pick<
  k8s.PodSpec,
  'nodeSelector' | 'tolerations' | 'affinity' | 'topologySpreadConstraints' | 'priorityClassName'
>;

/**
 * Says where the Pods run.
 *
 * @param props - of the installation
 * @returns the fields of the Pod's spec; fields of which nothing is said are absent
 */
export function scheduling(props: PodOwner): Scheduling {
  const { tolerations = [], affinity, priorityClassName } = props;
  const spread = props.topologySpread ?? defaultSpread(storeShape(props).replicas);
  return {
    nodeSelector: { 'kubernetes.io/os': 'linux', ...props.nodeSelector },
    ...(tolerations.length === 0 ? {} : { tolerations: [...tolerations] }),
    ...(affinity === undefined ? {} : { affinity }),
    ...(spread.length === 0 ? {} : { topologySpreadConstraints: [...spread] }),
    ...(priorityClassName === undefined ? {} : { priorityClassName }),
  };
}

// Wished, not demanded: with two nodes the surplus Pod of a rollout must find a place too.
function defaultSpread(replicas: number): readonly k8s.TopologySpreadConstraint[] {
  if (replicas === 1) return [];
  return ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'].map((topologyKey) => ({
    topologyKey,
    maxSkew: 1,
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels: SELECTOR_LABELS },
    matchLabelKeys: ['pod-template-hash'], // else Pods of the old version count in a rollout
  }));
}
