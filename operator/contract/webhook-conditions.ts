import { EXCLUDED_NAMESPACES } from './group';
import type { LabelSelector } from './label-selector';

/** A CEL expression under which the API server calls a webhook; several are ANDed. */
export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

// Single quotes as in the Kubernetes docs; a class is a label-like word, so only these two characters could end the text.
const celText = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

/**
 * Writes the conditions of both Service webhooks.
 *
 * They look at the **new** object only: a Service that leaves the type LoadBalancer, or is dying and loses a finalizer,
 * must stay writable while the operator is down. Every step is null-safe, since an expression that errors refuses the
 * write under policy Fail. Seen on a real API server 1.36.3.
 *
 * @param loadBalancerClasses - classes that the Services door handles; Services without a class always match
 * @returns the conditions, in the order in which they are cheapest to fail
 */
export function webhookConditions(loadBalancerClasses: readonly string[]): readonly MatchCondition[] {
  const classless = '!has(object.spec.loadBalancerClass)';
  const listed = `object.spec.loadBalancerClass in [${loadBalancerClasses.map(celText).join(', ')}]`;
  const ours = loadBalancerClasses.length === 0 ? classless : `(${classless} || ${listed})`;
  return [
    {
      name: 'load-balancer',
      expression: `object != null && has(object.spec) && has(object.spec.type) && object.spec.type == 'LoadBalancer' && ${ours}`,
    },
    {
      name: 'not-being-deleted',
      expression: 'object == null || !has(object.metadata) || !has(object.metadata.deletionTimestamp)',
    },
  ];
}

/** Label by which a namespace is known to selectors; the API server sets it. */
export const NAMESPACE_NAME_LABEL = 'kubernetes.io/metadata.name';

/**
 * Chooses the namespaces whose Services reach the webhooks.
 *
 * @param excluded - names beside those that are always left out
 * @returns the selector; our own namespace and kube-system are never in it, so a dead operator blocks neither
 */
export function webhookNamespaces(excluded: readonly string[] = []): LabelSelector {
  const values = [...new Set([...EXCLUDED_NAMESPACES, ...excluded])];
  return { matchExpressions: [{ key: NAMESPACE_NAME_LABEL, operator: 'NotIn', values }] };
}
