import { celList, celText } from './cel-text';
import { EGRESS_KEYS, EGRESS_LOAD_BALANCER } from './egress';
import type { MatchCondition } from './webhook-conditions';

/** Paths of the webhooks of the Egress door. */
export const EGRESS_WEBHOOK_PATHS = {
  egressIpams: '/validate-redhatcop-redhat-io-v1alpha1-egressipam',
  namespaces: '/validate--v1-namespace',
} as const;

const NOT_DYING: MatchCondition = {
  name: 'not-dying',
  expression: '!object.?metadata.?deletionTimestamp.hasValue()',
};
const isChanged = (key: string): string =>
  `object.?metadata.?annotations[?${key}].orValue('') != oldObject.?metadata.?annotations[?${key}].orValue('')`;

/**
 * Writes the conditions of the webhook for EgressIPAMs: it is called when the spec changes, or the one annotation that is judged, and never to keep
 * one from being deleted.
 *
 * @returns what must hold for a call, all of it
 */
export function egressIpamConditions(): readonly MatchCondition[] {
  return [
    NOT_DYING,
    {
      name: 'changed',
      expression: `oldObject == null || object.?spec != oldObject.?spec || ${isChanged(celText(EGRESS_LOAD_BALANCER.key))}`,
    },
  ];
}

/**
 * Writes the conditions of the webhook for Namespaces: it is called where an annotation of the door is set to something else, and for no
 * write of the operator itself. A Namespace without these annotations is made whatever becomes of the operator.
 *
 * @param username - of the operator's service account
 * @returns the conditions, the cheapest first
 */
export function namespaceConditions(username: string): readonly MatchCondition[] {
  const keys = celList(Object.values(EGRESS_KEYS));
  return [
    NOT_DYING,
    {
      name: 'sets-annotations',
      expression: `${keys}.exists(k, object.?metadata.?annotations[?k].hasValue() && (oldObject == null || ${isChanged('k')}))`,
    },
    { name: 'not-the-operator', expression: `request.userInfo.username != ${celText(username)}` },
  ];
}
