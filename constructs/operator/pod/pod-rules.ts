import { list, props } from '../../props-kit/containers';
import { ANNOTATIONS, DNS_NAME_OR_EMPTY, LABELS, QUANTITY } from '../../props-kit/kubernetes-values';
import { needed, type RulesOf } from '../../props-kit/rule';
import { SECRET_KEY } from '../../props-kit/secret-key';
import { HIDDEN_TEXT, text } from '../../props-kit/values';
import type { OperatorEnvVar, OperatorPodProps, OperatorResources } from './pod-props';
import { AFFINITY, TOLERATION, TOPOLOGY_SPREAD } from './scheduling-rules';

const VARIABLE = props<OperatorEnvVar>({ name: needed(text(), 'ABSENT'), value: HIDDEN_TEXT, secret: SECRET_KEY });

/** Where the Pods run, and what they carry. */
export const POD_RULES: RulesOf<OperatorPodProps> = {
  priorityClassName: DNS_NAME_OR_EMPTY,
  resources: props<OperatorResources>({
    cpuRequest: QUANTITY,
    cpuLimit: QUANTITY,
    memoryRequest: QUANTITY,
    memoryLimit: QUANTITY,
  }),
  nodeSelector: LABELS,
  tolerations: list(TOLERATION),
  affinity: AFFINITY,
  topologySpread: list(TOPOLOGY_SPREAD),
  extraEnv: list(VARIABLE),
  podAnnotations: ANNOTATIONS,
  podLabels: LABELS,
};
