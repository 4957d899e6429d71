import { Chart } from 'cdk8s';

import type { Refusal } from '../../operator/errors/outcome';
import { malformed } from './malformed';
import { isPods, isWorkload, type IPods } from './pods';

/** Labels as a Service selects by. */
export type PodLabels = Readonly<Record<string, string>>;

/** Label by which cdk8s-plus selects by default: a hash of the construct's path, which changes with the path. */
const HASHED = 'cdk8s.io/metadata.addr';

const withoutHash = (labels: PodLabels): PodLabels =>
  Object.fromEntries(Object.entries(labels).filter(([key]) => key !== HASHED));

const labelsOn = ({ podMetadata }: IPods): PodLabels =>
  (podMetadata.toJson() as { readonly labels?: PodLabels } | undefined)?.labels ?? {};

const isEmpty = (labels: PodLabels): boolean => Object.keys(labels).length === 0;

/**
 * Chooses the labels by which a Service finds Pods, without the hash of cdk8s-plus.
 *
 * @param pods - a Pod or a workload
 * @returns the plain labels by which the workload selects, else those that its Pods have; empty where there are none
 */
export function stableLabels(pods: IPods): PodLabels {
  const selected = isWorkload(pods) ? withoutHash(pods.matchLabels) : {};
  return isEmpty(selected) ? withoutHash(labelsOn(pods)) : selected;
}

/**
 * Checks whether plain labels tell Pods from all others of their chart. The hash would, but it is a name that no user knows.
 *
 * @param pods - a Pod or a workload
 * @param field - prop that names it
 * @returns at most one refusal, with the way out
 */
export function stableLabelProblems(pods: IPods, field: string): readonly Refusal[] {
  const labels = stableLabels(pods);
  const name = pods.metadata.name ?? pods.node.id;
  if (isEmpty(labels)) {
    const why = `"${name}" has no label but ${HASHED}, a hash that changes with the path of the construct`;
    return [malformed(field, `${why}; give its Pods a label: podMetadata: { labels: { app: "${pods.node.id}" } }`)];
  }
  const other = podsOf(Chart.of(pods)).find((each) => each !== pods && inOnePlace(each, pods) && carries(each, labels));
  if (other === undefined) return [];
  const shown = Object.entries(labels).map(([key, value]) => `${key}: "${value}"`);
  const why = `${shown.join(', ')} finds the Pods of "${other.node.path}" as well as those of "${name}"`;
  return [malformed(field, `${why}; give each a label of its own in podMetadata`)];
}

/**
 * Refuses the hash where it is written down as a label.
 *
 * @param labels - of a selector
 * @param field - prop that holds it
 * @returns at most one refusal
 */
export function hashProblems(labels: PodLabels, field: string): readonly Refusal[] {
  if (!Object.hasOwn(labels, HASHED)) return [];
  const message = `${HASHED} is a hash that changes with the path of the construct; select by labels that the Pods keep`;
  return [malformed(field, message)];
}

const inOnePlace = (a: IPods, b: IPods): boolean => a.metadata.namespace === b.metadata.namespace;

function carries(pods: IPods, labels: PodLabels): boolean {
  const own = labelsOn(pods);
  return Object.entries(labels).every(([key, value]) => own[key] === value);
}

/** Pods of a chart while it is validated, which nothing interrupts: an app may have thousands of Services. */
const known = new WeakMap<Chart, readonly IPods[]>();

function podsOf(chart: Chart): readonly IPods[] {
  const found = known.get(chart) ?? chart.node.findAll().filter((each) => isPods(each));
  if (!known.has(chart)) queueMicrotask(() => known.delete(chart));
  known.set(chart, found);
  return found;
}
