import type { k8s } from 'cdk8s-plus-28';

import { listOf } from '../../../operator/contract/loose-json';
import { list, props } from '../../props-kit/containers';
import { DNS_LABEL, LABEL_VALUE, LABELS, QUALIFIED_NAME } from '../../props-kit/kubernetes-values';
import { lateBoundProblems } from '../../props-kit/placeholder';
import { needed, type Rule } from '../../props-kit/rule';
import { formed, isLate, single, text, word } from '../../props-kit/values';

// Types of cdk8s-plus, whose own code drops what it does not know. Words are those of the API server.

const whole = (min: number, max: number): Rule<number> =>
  single({
    types: ['number'],
    allowed: `a whole number from ${String(min)} to ${String(max)}`,
    holds: (value) => Number.isInteger(value) && value >= min && value <= max,
  });
const MAX = 2_147_483_647;
const as = <T extends string>({ type: _type, ...rule }: Rule<T>): Rule<string> => rule;
const WEIGHT = whole(1, 100);

interface Requirement {
  readonly operator?: unknown;
  readonly values?: unknown;
}

const COUNT_OF_VALUES: Readonly<Record<string, (count: number) => string | undefined>> = {
  In: (count) => (count === 0 ? 'operator In needs values; give at least one' : undefined),
  NotIn: (count) => (count === 0 ? 'operator NotIn needs values; give at least one' : undefined),
  Exists: (count) => (count > 0 ? 'operator Exists takes no values; leave them out' : undefined),
  DoesNotExist: (count) => (count > 0 ? 'operator DoesNotExist takes no values; leave them out' : undefined),
  Gt: (count) => (count === 1 ? undefined : 'operator Gt compares with one value; give one'),
  Lt: (count) => (count === 1 ? undefined : 'operator Lt compares with one value; give one'),
};

function requirementFault({ operator, values }: Requirement): string | undefined {
  return COUNT_OF_VALUES[String(operator)]?.(listOf(values).length);
}

function tolerationFault({ key = '', operator = '', value = '', effect, tolerationSeconds }: k8s.Toleration) {
  if (key === '' && operator !== 'Exists')
    return 'without a key it bears no taint; give the key, or operator Exists for every taint';
  if (operator === 'Exists' && value !== '') return 'operator Exists takes no value; leave it out';
  return tolerationSeconds !== undefined && effect !== 'NoExecute'
    ? 'tolerationSeconds counts with effect NoExecute only; give this effect, or leave it out'
    : undefined;
}

function spreadFault({ minDomains, whenUnsatisfiable }: k8s.TopologySpreadConstraint): string | undefined {
  if (minDomains === undefined || whenUnsatisfiable === 'DoNotSchedule') return undefined;
  return 'minDomains counts with whenUnsatisfiable DoNotSchedule only; give this, or leave it out';
}

// What the API server says of several fields at once; of late-bound ones the renderer does.
function together<T>(rule: Rule<T>, faultIn: (value: T) => string | undefined): Rule<T> {
  return {
    ...rule,
    judge: (value, at) => {
      const judged = rule.judge(value, at);
      if (judged.faults.length > 0 || isLate(value) || lateBoundProblems(value, at).length > 0) return judged;
      const text = faultIn(value as T);
      return text === undefined ? judged : { ...judged, faults: [{ field: at, message: `${at}: ${text}` }] };
    },
  };
}

const LABEL_REQUIREMENT = together(
  props<k8s.LabelSelectorRequirement>({
    key: needed(QUALIFIED_NAME, 'absent'),
    operator: needed(as(word('In', 'NotIn', 'Exists', 'DoesNotExist')), 'Exists'),
    values: list(LABEL_VALUE),
  }),
  requirementFault,
);
const LABEL_SELECTOR = props<k8s.LabelSelector>({ matchLabels: LABELS, matchExpressions: list(LABEL_REQUIREMENT) });

const NODE_REQUIREMENT = together(
  props<k8s.NodeSelectorRequirement>({
    key: needed(QUALIFIED_NAME, 'absent'),
    operator: needed(as(word('In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt')), 'Exists'),
    values: list(text()),
  }),
  requirementFault,
);
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
export const TOLERATION = together(
  props<k8s.Toleration>({
    effect: as(word('', 'NoSchedule', 'PreferNoSchedule', 'NoExecute')),
    key: as(
      formed(/^(?:[A-Za-z0-9](?:[-\w./]*[A-Za-z0-9])?)?$/u, 'the key of a taint, or an empty text for every taint'),
    ),
    operator: as(word('', 'Exists', 'Equal')),
    tolerationSeconds: whole(-MAX, MAX),
    value: LABEL_VALUE,
  }),
  tolerationFault,
);

/** How replicas are spread. */
export const TOPOLOGY_SPREAD = together(
  props<k8s.TopologySpreadConstraint>({
    labelSelector: LABEL_SELECTOR,
    matchLabelKeys: list(QUALIFIED_NAME),
    maxSkew: needed(whole(1, MAX), 1),
    minDomains: whole(1, MAX),
    nodeAffinityPolicy: as(word('Honor', 'Ignore')),
    nodeTaintsPolicy: as(word('Honor', 'Ignore')),
    topologyKey: needed(QUALIFIED_NAME, 'absent'),
    whenUnsatisfiable: needed(as(word('DoNotSchedule', 'ScheduleAnyway')), 'ScheduleAnyway'),
  }),
  spreadFault,
);
