import { Lazy } from 'cdk8s';
import type { k8s } from 'cdk8s-plus-28';

import type { Refusal } from '../../operator/errors/outcome';
import { isLate } from '../props-kit/values';
import type { IpamServiceProps } from './ipam-service-props';
import { isPods, type ILabelSelector, type IPodSelector } from './pods';
import { hashProblems, stableLabelProblems, stableLabels, type PodLabels } from './stable-labels';

const SELECTORS = ['selector', 'labelSelector', 'pods'] as const satisfies readonly (keyof IpamServiceProps)[];

// The only way to what a LabelSelector holds; it offers nothing to the public.
const kubeOf = (selector: ILabelSelector): k8s.LabelSelector =>
  (selector as ILabelSelector & { _toKube: () => k8s.LabelSelector })._toKube();

const labelsOf = (selector: ILabelSelector): PodLabels => kubeOf(selector).matchLabels ?? {};

// A workload of cdk8s-plus would name the hash of its path.
const labelsOfPods = (pods: IPodSelector): PodLabels =>
  isPods(pods) ? stableLabels(pods) : labelsOf(pods.toPodSelectorConfig().labelSelector);

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
  return Lazy.any({ produce: () => labelsOfPods(pods) }) as PodLabels;
}

function labelSelectorProblems(field: string, selector: ILabelSelector): readonly Refusal[] {
  const { matchExpressions = [], matchLabels = {} } = kubeOf(selector);
  const keys = matchExpressions.map(({ key, operator }) => `"${key} ${operator}"`);
  if (keys.length > 0) {
    const message = `${field}: a Service selects Pods by labels alone, but there are expressions (${keys.join(', ')}); name labels`;
    return [{ code: 'wish/malformed', field, message }];
  }
  if (Object.keys(matchLabels).length > 0) return hashProblems(matchLabels, field);
  const message = `${field}: it has no label, which means every Pod elsewhere but no Pod to a Service; name labels`;
  return [{ code: 'wish/malformed', field, message }];
}

function podsProblems(pods: IPodSelector, namespace: string | undefined): readonly Refusal[] {
  const { labelSelector, namespaces } = pods.toPodSelectorConfig();
  const problems = isPods(pods) ? stableLabelProblems(pods, 'pods') : labelSelectorProblems('pods', labelSelector);
  if (namespaces === undefined || namespace === undefined) return problems; // the place of the Service is not known here
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
  const { selector, labelSelector, pods } = props;
  return [
    ...(selector === undefined || isLate(selector) ? [] : hashProblems(selector, 'selector')),
    ...(labelSelector === undefined ? [] : labelSelectorProblems('labelSelector', labelSelector)),
    ...(pods === undefined ? [] : podsProblems(pods, namespace)),
  ];
}
