import type { k8s } from 'cdk8s-plus-28';

import { list, props } from './containers';
import { DNS_LABEL, LABEL_VALUE, LABELS, QUALIFIED_NAME } from './kubernetes-values';
import { needed, type Rule } from './rule';
import { single, text, word } from './values';

// Types of cdk8s-plus, whose own code drops what it does not know. Words are those of the API server.

const whole = (min: number, max: number): Rule<number> =>
  single({
    types: ['number'],
    allowed: `a whole number from ${String(min)} to ${String(max)}`,
    holds: (value) => Number.isInteger(value) && value >= min && value <= max,
  });
const MAX = 2_147_483_647;
const as = <T extends string>(rule: Rule<T>): Rule<string> => ({ allowed: rule.allowed, judge: rule.judge });
const WEIGHT = whole(1, 100);

const LABEL_REQUIREMENT = props<k8s.LabelSelectorRequirement>({
  key: needed(QUALIFIED_NAME, 'absent'),
  operator: needed(as(word('In', 'NotIn', 'Exists', 'DoesNotExist')), 'Exists'),
  values: list(LABEL_VALUE),
});
const LABEL_SELECTOR = props<k8s.LabelSelector>({ matchLabels: LABELS, matchExpressions: list(LABEL_REQUIREMENT) });

const NODE_REQUIREMENT = props<k8s.NodeSelectorRequirement>({
  key: needed(QUALIFIED_NAME, 'absent'),
  operator: needed(as(word('In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt')), 'Exists'),
  values: list(text()),
});
const NODE_TERM = props<k8s.NodeSelectorTerm>({
  matchExpressions: list(NODE_REQUIREMENT),
  matchFields: list(NODE_REQUIREMENT),
});
const POD_TERM = props<k8s.PodAffinityTerm>({
  labelSelector: LABEL_SELECTOR,
  namespaceSelector: LABEL_SELECTOR,
  namespaces: list(DNS_LABEL),
  topologyKey: needed(QUALIFIED_NAME, 'absent'),
});
const WEIGHTED_POD_TERM = props<k8s.WeightedPodAffinityTerm>({
  podAffinityTerm: needed(POD_TERM, { topologyKey: 'absent' }),
  weight: needed(WEIGHT, 1),
});

/** Affinity to nodes and Pods. */
export const AFFINITY = props<k8s.Affinity>({
  nodeAffinity: props<k8s.NodeAffinity>({
    preferredDuringSchedulingIgnoredDuringExecution: list(
      props<k8s.PreferredSchedulingTerm>({ preference: needed(NODE_TERM, {}), weight: needed(WEIGHT, 1) }),
    ),
    requiredDuringSchedulingIgnoredDuringExecution: props<k8s.NodeSelector>({
      nodeSelectorTerms: needed(list(NODE_TERM, 1), []),
    }),
  }),
  podAffinity: props<k8s.PodAffinity>({
    preferredDuringSchedulingIgnoredDuringExecution: list(WEIGHTED_POD_TERM),
    requiredDuringSchedulingIgnoredDuringExecution: list(POD_TERM),
  }),
  podAntiAffinity: props<k8s.PodAntiAffinity>({
    preferredDuringSchedulingIgnoredDuringExecution: list(WEIGHTED_POD_TERM),
    requiredDuringSchedulingIgnoredDuringExecution: list(POD_TERM),
  }),
});

/** A taint that the Pods bear. */
export const TOLERATION = props<k8s.Toleration>({
  effect: as(word('', 'NoSchedule', 'PreferNoSchedule', 'NoExecute')),
  key: as(text()),
  operator: as(word('', 'Exists', 'Equal')),
  tolerationSeconds: whole(-MAX, MAX),
  value: LABEL_VALUE,
});

/** How replicas are spread. */
export const TOPOLOGY_SPREAD = props<k8s.TopologySpreadConstraint>({
  labelSelector: LABEL_SELECTOR,
  matchLabelKeys: list(QUALIFIED_NAME),
  maxSkew: needed(whole(1, MAX), 1),
  minDomains: whole(1, MAX),
  nodeAffinityPolicy: as(word('Honor', 'Ignore')),
  nodeTaintsPolicy: as(word('Honor', 'Ignore')),
  topologyKey: needed(QUALIFIED_NAME, 'absent'),
  whenUnsatisfiable: needed(as(word('DoNotSchedule', 'ScheduleAnyway')), 'ScheduleAnyway'),
});
