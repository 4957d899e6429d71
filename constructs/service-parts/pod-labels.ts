import { Lazy } from 'cdk8s';
import type { IPodSelector, k8s, LabelSelector } from 'cdk8s-plus-28';

import type { Refusal } from '../../operator/errors/outcome';
import type { IpamServiceProps } from '../ipam-service-props';

/** Labels as a Service selects by. */
export type PodLabels = Readonly<Record<string, string>>;

const SELECTORS = ['selector', 'labelSelector', 'pods'] as const satisfies readonly (keyof IpamServiceProps)[];

// The only way to what a LabelSelector holds; a LabelSelector offers nothing to the public.
const kubeOf = (selector: LabelSelector): k8s.LabelSelector => selector._toKube();

const labelsOf = (selector: LabelSelector): PodLabels => kubeOf(selector).matchLabels ?? {};

/**
 * Finds the labels of the Pods behind a Service. Workloads may still get labels after this call, so theirs are read at synth.
 *
 * @param props - of the Service
 * @returns the selector of the spec; undefined where the Service has none
 */
export function podLabels({ selector, labelSelector, pods }: IpamServiceProps): PodLabels | undefined {
  if (selector !== undefined) return selector;
  if (labelSelector !== undefined) return labelsOf(labelSelector);
  if (pods === undefined) return undefined;
  return Lazy.any({ produce: () => labelsOf(pods.toPodSelectorConfig().labelSelector) }) as PodLabels;
}

function labelSelectorProblems(field: string, selector: LabelSelector): readonly Refusal[] {
  const { matchExpressions = [], matchLabels = {} } = kubeOf(selector);
  const keys = matchExpressions.map(({ key, operator }) => `"${key} ${operator}"`);
  if (keys.length > 0) {
    const message = `${field}: a Service selects Pods by labels alone, but there are expressions (${keys.join(', ')}); name labels`;
    return [{ code: 'wish/malformed', field, message }];
  }
  if (Object.keys(matchLabels).length > 0) return [];
  const message = `${field}: it has no label, which means every Pod elsewhere but no Pod to a Service; name labels`;
  return [{ code: 'wish/malformed', field, message }];
}

function podsProblems(pods: IPodSelector, namespace: string | undefined): readonly Refusal[] {
  const { labelSelector, namespaces } = pods.toPodSelectorConfig();
  const problems = labelSelectorProblems('pods', labelSelector);
  if (namespaces === undefined || namespace === undefined) return problems; // nobody knows here where the Service will be
  const { names = [], labelSelector: byLabel } = namespaces;
  const named = names.length > 0 && (byLabel === undefined || byLabel.isEmpty());
  if (named && names.every((name) => name === namespace)) return problems;
  const where = !named ? 'namespaces chosen by label' : `namespace ${names.map((name) => `"${name}"`).join(', ')}`;
  const message = `pods: they are in ${where}, but a Service reaches Pods of its own namespace only ("${namespace}"); give both the same one`;
  return [...problems, { code: 'wish/malformed', field: 'pods', message }];
}

/**
 * Checks how the Pods are selected.
 *
 * @param props - of the Service
 * @param namespace - where the Service will be; undefined where its manifest does not say so
 * @returns selectors that exclude each other, and what a Service cannot select by
 */
export function podLabelProblems(props: IpamServiceProps, namespace: string | undefined): readonly Refusal[] {
  const given = SELECTORS.filter((key) => props[key] !== undefined);
  const [first = '', ...others] = given;
  if (others.length > 0) {
    const message = `${first}: ${others.join(' and ')} ${others.length > 1 ? 'are' : 'is'} given too; select the Pods in one way`;
    return [{ code: 'wish/contradiction', field: first, message }];
  }
  const { labelSelector, pods } = props;
  return [
    ...(labelSelector === undefined ? [] : labelSelectorProblems('labelSelector', labelSelector)),
    ...(pods === undefined ? [] : podsProblems(pods, namespace)),
  ];
}
