import { celList, celText } from './cel-text';
import { EXCLUDED_NAMESPACES, FIELD_MANAGER, MANAGED_BY } from './group';
import type { LabelSelector } from './label-selector';

/** A CEL expression under which the API server calls a webhook; several are ANDed. */
export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

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
  const listed = `object.spec.loadBalancerClass in ${celList(loadBalancerClasses)}`;
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

/**
 * Writes the conditions of the webhook for MetalLB's pools: it is called for pools that our manifests or the operator made, and for
 * no write of the operator itself, which would wait for its own answer. The end of MetalLB's namespace is never held up.
 *
 * @param username - of the operator's service account
 * @returns the conditions, in the order in which they are cheapest to fail
 */
export function poolConditions(username: string): readonly MatchCondition[] {
  const label = celText(MANAGED_BY.label);
  const managers = celList([MANAGED_BY.manifests, FIELD_MANAGER]);
  const namespaces = "'system:serviceaccount:kube-system:namespace-controller'";
  return [
    {
      name: 'ours',
      expression: `oldObject != null && has(oldObject.metadata.labels) && ${label} in oldObject.metadata.labels && oldObject.metadata.labels[${label}] in ${managers}`,
    },
    { name: 'not-the-operator', expression: `request.userInfo.username != ${celText(username)}` },
    {
      name: 'not-namespace-deletion',
      expression: `!(request.operation == 'DELETE' && request.userInfo.username == ${namespaces})`,
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
