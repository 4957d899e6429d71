import type { AdmissionPolicySpec } from '../admission-policy-spec';
import { celList, celText } from '../cel-text';
import { VIRTUAL_IP, VIRTUAL_IP_STATES } from './virtual-ip';
import { MIGRATION_KEYS, MIGRATION_ORDERS } from '../paas';

/** Accounts that a VirtualIP may be written by without these rules. */
export interface VirtualIpGuardProps {
  /** Namespace of the operator's service account. */
  readonly namespace: string;
  /** Name of the operator's service account. */
  readonly serviceAccount: string;
  /** Group whose members may restore VirtualIPs, and end what cannot be ended otherwise. */
  readonly breakGlassGroup: string;
}

const { valid, cleaningUp, converting, assigning, migrated, error } = VIRTUAL_IP_STATES;
/** States from which there is no way back. */
const LATE = [cleaningUp, converting, assigning, migrated];

const orderIn = (object: string): string => `${object}.metadata.?annotations[?${celText(MIGRATION_KEYS.migrate)}]`;
const NOW = 'variables.now';
const BEFORE = 'variables.before';
const DRY_RUN = celText(MIGRATION_ORDERS.dryRun);
// an order that is more than a look
const isOrder = (order: string): string => `(${order}.hasValue() && ${order}.value() != ${DRY_RUN})`;
const created = "request.operation == 'CREATE'";
const changed = (test: string): string => `${created} || (${test})`;

const rule = (expression: string, message: string) => ({ expression, message, reason: 'Forbidden' });

/**
 * Writes the policy of VirtualIPs, in place of the older operator's webhook: none is made anew, one is migrated only where it is
 * valid, and what is being migrated stays as it is. Every expression was tried on an API server 1.36.3.
 *
 * The status of a new object is dropped before policies see it, so the annotation tells of a backup that it was migrated.
 *
 * @param props - accounts that are let through
 * @returns the spec of a ValidatingAdmissionPolicy
 */
export function virtualIpGuard({
  namespace,
  serviceAccount,
  breakGlassGroup,
}: VirtualIpGuardProps): AdmissionPolicySpec {
  const { group, plural } = VIRTUAL_IP;
  const username = `system:serviceaccount:${namespace}:${serviceAccount}`;
  return {
    failurePolicy: 'Fail',
    matchConstraints: {
      resourceRules: [
        { apiGroups: [group], apiVersions: ['*'], operations: ['CREATE', 'UPDATE'], resources: [plural], scope: '*' },
      ],
    },
    matchConditions: [
      { name: 'not-the-operator', expression: `request.userInfo.username != ${celText(username)}` },
      { name: 'not-break-glass', expression: `!(${celText(breakGlassGroup)} in request.userInfo.groups)` },
    ],
    variables: [
      { name: 'now', expression: orderIn('object') },
      { name: 'before', expression: `${created} ? optional.none() : ${orderIn('oldObject')}` },
      { name: 'state', expression: `${created} ? '' : oldObject.?status.?state.orValue('')` },
      {
        name: 'stage',
        expression: `variables.state == ${celText(error)} ? oldObject.?status.?resumeAt.orValue('') : variables.state`,
      },
    ],
    validations: [
      rule(
        `!(${created}) || object.metadata.?annotations[?${celText(MIGRATION_KEYS.migrated)}].hasValue()`,
        `VirtualIPs are not made any more; use a Service of type LoadBalancer (a backup of one that was migrated has the annotation ${MIGRATION_KEYS.migrated})`,
      ),
      rule(
        changed(`!${isOrder(BEFORE)} || ${NOW}.hasValue() && ${NOW}.value() != ${DRY_RUN}`),
        `a migration cannot be stopped by taking ${MIGRATION_KEYS.migrate} away; set it to "${MIGRATION_ORDERS.rollback}"`,
      ),
      rule(
        changed(`${isOrder(BEFORE)} || !${isOrder(NOW)} || variables.state == ${celText(valid)}`),
        `only a VirtualIP in state ${valid} can be migrated`,
      ),
      rule(
        changed(
          `!${NOW}.hasValue() || ${NOW}.value() != ${celText(MIGRATION_ORDERS.rollback)} || (${BEFORE}.hasValue() && ${BEFORE}.value() == ${celText(MIGRATION_ORDERS.rollback)}) || !(variables.stage in ${celList(LATE)})`,
        ),
        'it is too late for a rollback: its copy of the Service is being taken away, or is gone',
      ),
      rule(
        changed(`!${isOrder(BEFORE)} || object.spec.service == oldObject.spec.service`),
        'spec.service cannot be changed during the migration',
      ),
      rule(changed('object.spec.?ip == oldObject.spec.?ip'), 'spec.ip cannot be changed'),
    ],
  };
}
