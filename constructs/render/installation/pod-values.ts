import type { k8s } from 'cdk8s-plus-28';

import type { OperatorEnvVar } from '../../operator/pod/pod-props';
import { ENTRIES, handedOn, optional, part, TEXT, type ChartValue } from '../helm/chart-value';
import { valueAt } from '../helm/value-reader';
import type { InstallationProps } from './installation';
import {
  AFFINITY,
  affinityCarrier,
  ANNOTATIONS,
  LABELS,
  NAME_OR_NONE,
  QUANTITY,
  SPREAD,
  TOLERATIONS,
  VARIABLES,
} from './value-schemas';

function quantity(
  path: string,
  about: { readonly comment: string; readonly initial: string },
  props: (value: string) => InstallationProps,
): ChartValue<InstallationProps> {
  return handedOn(path, { ...about, schema: QUANTITY, read: TEXT }, props);
}

/** Values that say where the Pods run, and what they get and carry. */
export const POD_VALUES: readonly ChartValue<InstallationProps>[] = [
  quantity(
    'resources.requests.cpu',
    { comment: 'CPU that is kept free for the operator.', initial: '50m' },
    (cpuRequest) => ({ resources: { cpuRequest } }),
  ),
  quantity(
    'resources.requests.memory',
    { comment: 'Memory that is kept free for the operator.', initial: '192Mi' },
    (memoryRequest) => ({ resources: { memoryRequest } }),
  ),
  optional(
    'resources.limits.cpu',
    {
      comment: 'Most CPU; empty is no limit, since a throttled webhook makes every Service wait.',
      initial: '',
      schema: { anyOf: [{ const: '' }, QUANTITY] },
      read: TEXT,
    },
    (cpuLimit): InstallationProps => ({ resources: { cpuLimit } }),
  ),
  quantity('resources.limits.memory', { comment: 'Most memory.', initial: '512Mi' }, (memoryLimit) => ({
    resources: { memoryLimit },
  })),
  optional(
    'priorityClassName',
    {
      comment: 'Priority class of the Pods, for example system-cluster-critical; empty is none.',
      initial: '',
      schema: NAME_OR_NONE,
      read: TEXT,
    },
    (priorityClassName): InstallationProps => ({ priorityClassName }),
  ),
  optional(
    'nodeSelector',
    {
      comment: 'Labels of the nodes to run on, beside kubernetes.io/os: linux.',
      initial: {},
      schema: LABELS,
      read: ENTRIES,
    },
    (nodeSelector): InstallationProps => ({ nodeSelector }),
  ),
  optional(
    'tolerations',
    {
      comment: 'Taints that the Pods bear.',
      initial: [],
      schema: TOLERATIONS,
      read: (read, path) => read.objects<k8s.Toleration>(path, 'key'),
    },
    (tolerations): InstallationProps => ({ tolerations }),
  ),
  optional(
    'affinity',
    {
      comment: 'Affinity of the Pods to nodes and other Pods.',
      initial: {},
      schema: AFFINITY,
      read: (read, path) => read.object<k8s.Affinity>(path, affinityCarrier),
    },
    (affinity): InstallationProps => ({ affinity }),
  ),
  part<InstallationProps>(
    'topologySpread.constraints',
    {
      comment: 'How Pods are spread; empty spreads several over zones and nodes, as well as it can be done.',
      initial: [],
      schema: SPREAD,
    },
    (constraints) => {
      const topologySpread = constraints as unknown as readonly k8s.TopologySpreadConstraint[];
      return topologySpread.length === 0 ? {} : { topologySpread };
    },
  ),
  part<InstallationProps>(
    'topologySpread.enabled',
    { comment: 'Whether Pods are spread at all.', initial: true },
    (enabled) => (enabled === true ? {} : { topologySpread: [] }),
  ),
  {
    ...part<InstallationProps>(
      'extraEnv',
      {
        comment:
          'Variables of the process, for example of a proxy; each has `name` and either `value` or `secret` with the `name` of a Secret of ipam-system and, unless it is named like the variable, its `key`.',
        initial: [],
        schema: VARIABLES,
      },
      (variables) => {
        const extraEnv = variables as unknown as readonly OperatorEnvVar[];
        return extraEnv.length === 0 ? {} : { extraEnv };
      },
    ),
    // a variable has one of two forms, so the list is put on the finished Deployment
    shapes: () => [
      { props: {} },
      { condition: valueAt('extraEnv'), props: { extraEnv: [{ name: 'LATE', value: '' }] } },
    ],
  },
  optional(
    'podAnnotations',
    { comment: 'Annotations of the Pods.', initial: {}, schema: ANNOTATIONS, read: ENTRIES },
    (podAnnotations): InstallationProps => ({ podAnnotations }),
  ),
  optional(
    'podLabels',
    { comment: 'Labels of the Pods, beside those that select them.', initial: {}, schema: LABELS, read: ENTRIES },
    (podLabels): InstallationProps => ({ podLabels }),
  ),
];
