import { celList, celText } from './cel-text';
import { excludedNamespaces, FIELD_MANAGER, IPAM, IPAM_PREFIX, MANAGED_BY, METALLB } from './group';
import { NAMESPACE_NAME_LABEL, type LabelSelector } from './label-selector';

/** A CEL expression under which the API server calls a webhook; several are ANDed. */
export interface MatchCondition {
  readonly name: string;
  readonly expression: string;
}

/** Settings that the conditions depend on. */
export interface WebhookScope {
  /** Classes that the Services door handles; Services without a class always match. */
  readonly loadBalancerClasses: readonly string[];
  /** True where a default zone serves Services that ask for nothing. */
  readonly hasDefaultZone: boolean;
}

/** Name of the condition that tells which Services ask for something. */
export const ASKS_CONDITION = 'asks';

/** Most annotations that are searched for misspelt keys of ours: a search of 256 KiB would pass the cost that CEL may have. */
const MOST_SEARCHED = 10_000;
const KEYS = `[${[...Object.values(IPAM), ...Object.values(METALLB)].map(celText).join(', ')}]`;

/**
 * Writes the conditions of both Service webhooks. Seen on a real API server 1.36.3.
 *
 * They decide by the **new** object that it is a LoadBalancer: one that leaves this type must stay writable while the operator is
 * down. Every step is null-safe, since an expression that errors refuses the write under policy Fail.
 *
 * @param scope - classes, and whether there is a default zone
 * @returns the conditions, the cheapest first
 */
export function webhookConditions({ loadBalancerClasses, hasDefaultZone }: WebhookScope): readonly MatchCondition[] {
  const classless = '!has(object.spec.loadBalancerClass)';
  const listed = `object.spec.loadBalancerClass in ${celList(loadBalancerClasses)}`;
  const ours = loadBalancerClasses.length === 0 ? classless : `(${classless} || ${listed})`;
  return [
    {
      name: 'load-balancer',
      expression: `object != null && has(object.spec) && has(object.spec.type) && object.spec.type == 'LoadBalancer' && ${ours}`,
    },
    { name: ASKS_CONDITION, expression: asksExpression(hasDefaultZone) },
  ];
}

/**
 * Writes the condition under which a LoadBalancer asks for something. It is false for a Service that is being deleted and asks for
 * nothing new, before anything costly is looked at: a condition that is false counts more than one that errors, so taking a finalizer
 * off is never refused. Without a default zone a Service has to name something of ours or of MetalLB, in the new object or in the old.
 *
 * @param hasDefaultZone - whether a Service that names nothing is served as well
 * @returns the CEL expression
 */
export function asksExpression(hasDefaultZone: boolean): string {
  const alive = `!object.?metadata.?deletionTimestamp.hasValue() || ${CHANGED}`;
  return hasDefaultZone ? alive : `(${alive}) && [object, oldObject].exists(o, o != null && ${NAMES_SOMETHING})`;
}

// By fixed names, which costs the same however many annotations there are. What a PUT leaves out of the families stays as stored.
const CHANGED = [
  'oldObject == null',
  `['type', 'loadBalancerClass', 'loadBalancerIP'].exists(f, object.?spec[?f].orValue('') != oldObject.?spec[?f].orValue(''))`,
  ...['ipFamilyPolicy', 'ipFamilies'].map(
    (name) => `(object.?spec.?${name}.hasValue() && object.?spec.?${name} != oldObject.?spec.?${name})`,
  ),
  `${KEYS}.exists(k, object.?metadata.?annotations[?k].orValue('') != oldObject.?metadata.?annotations[?k].orValue(''))`,
].join(' || ');

// MetalLB writes keys of its own on every Service that it serves, so its prefix tells nothing.
const NAMES_SOMETHING = [
  `o.?spec.?type.orValue('') == 'LoadBalancer'`,
  `(${[
    `o.?spec.?loadBalancerIP.orValue('') != ''`,
    `${KEYS}.exists(k, o.?metadata.?annotations[?k].hasValue())`,
    `(o.?metadata.?annotations.orValue({}).size() <= ${String(MOST_SEARCHED)} && o.?metadata.?annotations.orValue({}).exists(k, k.startsWith(${celText(IPAM_PREFIX)})))`,
  ].join(' || ')})`,
].join(' && ');

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

/**
 * Chooses the namespaces whose Services reach the webhooks.
 *
 * @param excluded - names beside those that are always left out
 * @returns the selector; our own namespace and kube-system are never in it, so a dead operator blocks neither
 */
export function webhookNamespaces(excluded: readonly string[] = []): LabelSelector {
  const values = [...excludedNamespaces('minimal', excluded)];
  return { matchExpressions: [{ key: NAMESPACE_NAME_LABEL, operator: 'NotIn', values }] };
}
