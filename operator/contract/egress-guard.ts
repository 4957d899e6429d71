import { celText } from './cel-text';
import { EGRESS_KEYS } from './egress';
import type { WriteGuard } from './write-guard';

/** Service account of the operator. */
interface GuardedAccount {
  readonly namespace: string;
  readonly serviceAccount: string;
}

const METADATA = ['labels', 'finalizers', 'ownerReferences'];
const KEY = celText(EGRESS_KEYS.addresses);

/**
 * Writes the policy that holds the operator's service account to one annotation of Namespaces, since the right to patch their status
 * reaches all of their metadata.
 *
 * @param account - of the operator
 * @returns the spec of a ValidatingAdmissionPolicy
 */
export function egressGuard({
  namespace,
  serviceAccount,
}: GuardedAccount): Omit<WriteGuard, 'validations'> & { readonly validations: readonly object[] } {
  const username = `system:serviceaccount:${namespace}:${serviceAccount}`;
  const [before, after] = ['variables.before', 'variables.after'];
  const isKept = METADATA.map((field) => `object.metadata.?${field} == oldObject.metadata.?${field}`).join(' && ');
  return {
    failurePolicy: 'Fail',
    matchConstraints: {
      resourceRules: [
        {
          ...{ apiGroups: [''], apiVersions: ['*'], operations: ['UPDATE'] },
          ...{ resources: ['namespaces/status'], scope: '*' },
        },
      ],
    },
    matchConditions: [{ name: 'the-operator', expression: `request.userInfo.username == ${celText(username)}` }],
    variables: [
      { name: 'before', expression: 'oldObject.metadata.?annotations.orValue({})' },
      { name: 'after', expression: 'object.metadata.?annotations.orValue({})' },
    ],
    validations: [
      {
        expression: `${after}.all(k, k == ${KEY} || (k in ${before} && ${before}[k] == ${after}[k])) && ${before}.all(k, k == ${KEY} || k in ${after})`,
        message: 'the operator writes one annotation of Namespaces alone, that of their egress addresses',
        reason: 'Forbidden',
      },
      {
        expression: `${isKept} && object.?status == oldObject.?status`,
        message: 'the operator writes no labels, finalizers, owner references and status of Namespaces',
        reason: 'Forbidden',
      },
    ],
  };
}
