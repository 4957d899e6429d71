import type { k8s } from 'cdk8s-plus-28';

import { ENTRIES, handedOn, optional, TEXT, type ChartValue } from '../helm/chart-value';
import type { InstallationProps } from './installation';
import { affinityCarrier, QUANTITY, TEXTS_BY_KEY } from './value-schemas';

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
      read: TEXT,
    },
    (priorityClassName): InstallationProps => ({ priorityClassName }),
  ),
  optional(
    'nodeSelector',
    {
      comment: 'Labels of the nodes to run on, beside kubernetes.io/os: linux.',
      initial: {},
      schema: TEXTS_BY_KEY,
      read: ENTRIES,
    },
    (nodeSelector): InstallationProps => ({ nodeSelector }),
  ),
  optional(
    'tolerations',
    {
      comment: 'Taints that the Pods bear.',
      initial: [],
      schema: { items: { type: 'object' } },
      read: (read, path) => read.objects<k8s.Toleration>(path, 'key'),
    },
    (tolerations): InstallationProps => ({ tolerations }),
  ),
  optional(
    'affinity',
    {
      comment: 'Affinity of the Pods to nodes and other Pods.',
      initial: {},
      read: (read, path) => read.object<k8s.Affinity>(path, affinityCarrier),
    },
    (affinity): InstallationProps => ({ affinity }),
  ),
  optional(
    'podAnnotations',
    { comment: 'Annotations of the Pods.', initial: {}, schema: TEXTS_BY_KEY, read: ENTRIES },
    (podAnnotations): InstallationProps => ({ podAnnotations }),
  ),
  optional(
    'podLabels',
    { comment: 'Labels of the Pods, beside those that select them.', initial: {}, schema: TEXTS_BY_KEY, read: ENTRIES },
    (podLabels): InstallationProps => ({ podLabels }),
  ),
];
