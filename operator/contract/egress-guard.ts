import { celText } from './cel-text';
import { EGRESS_KEYS, EGRESS_MARKS } from './egress';
import { ANTREA_MOST_ADDRESSES, EGRESS_ASSIGNABLE } from './egress-dataplanes';
import type { WriteGuard } from './write-guard';

/** Service account of the operator. */
interface GuardedAccount {
  readonly namespace: string;
  readonly serviceAccount: string;
}

type EgressGuard = Omit<WriteGuard, 'validations'> & { readonly validations: readonly object[] };

const MAPS = { annotations: 'Annotations', labels: 'Labels' } as const;

// These keys of a map may change, every other one stays.
function keepsAllBut(map: keyof typeof MAPS, ...keys: readonly string[]): string {
  const [before, after] = [`variables.before${MAPS[map]}`, `variables.after${MAPS[map]}`];
  const own = keys.map((key) => `k == ${celText(key)}`).join(' || ');
  const stays = `(k in ${before} && ${before}[k] == ${after}[k])`;
  return `${after}.all(k, ${own} || ${stays}) && ${before}.all(k, ${own} || k in ${after})`;
}

const variablesOf = (map: keyof typeof MAPS) => [
  { name: `before${MAPS[map]}`, expression: `oldObject.metadata.?${map}.orValue({})` },
  { name: `after${MAPS[map]}`, expression: `object.metadata.?${map}.orValue({})` },
];

const same = (...fields: readonly string[]): string =>
  fields.map((field) => `object.${field} == oldObject.${field}`).join(' && ');

const guardOf = (
  { namespace, serviceAccount }: GuardedAccount,
  resource: string,
): Pick<EgressGuard, 'failurePolicy' | 'matchConstraints' | 'matchConditions'> => ({
  failurePolicy: 'Fail',
  matchConstraints: {
    resourceRules: [
      {
        apiGroups: [''],
        apiVersions: ['*'],
        operations: ['UPDATE'],
        resources: [resource],
        scope: '*',
      },
    ],
  },
  matchConditions: [
    {
      name: 'the-operator',
      expression: `request.userInfo.username == ${celText(`system:serviceaccount:${namespace}:${serviceAccount}`)}`,
    },
  ],
});

/**
 * Writes the policy that holds the operator's service account to one annotation of Namespaces, since the right to patch their status
 * reaches all of their metadata.
 *
 * @param account - of the operator
 * @returns the spec of a ValidatingAdmissionPolicy
 */
export const egressGuard = (account: GuardedAccount): EgressGuard => ({
  ...guardOf(account, 'namespaces/status'),
  variables: variablesOf('annotations'),
  validations: [
    {
      expression: keepsAllBut('annotations', EGRESS_KEYS.addresses),
      message: 'the operator writes one annotation of Namespaces alone, that of their egress addresses',
      reason: 'Forbidden',
    },
    {
      expression: same('metadata.?labels', 'metadata.?finalizers', 'metadata.?ownerReferences', '?status'),
      message: 'the operator writes no labels, finalizers, owner references and status of Namespaces',
      reason: 'Forbidden',
    },
  ],
});

/**
 * Writes the policy that holds the operator's service account to one label and two annotations of Nodes, by which they carry egress
 * addresses.
 *
 * @param account - of the operator
 * @returns the spec of a ValidatingAdmissionPolicy
 */
export const carrierGuard = (account: GuardedAccount): EgressGuard => ({
  ...guardOf(account, 'nodes'),
  variables: [...variablesOf('annotations'), ...variablesOf('labels')],
  validations: [
    {
      expression: `${keepsAllBut('labels', EGRESS_ASSIGNABLE)} && ${keepsAllBut('annotations', EGRESS_MARKS.carrierFor, ANTREA_MOST_ADDRESSES)}`,
      message: 'the operator writes one label and two annotations of Nodes alone, by which they carry egress addresses',
      reason: 'Forbidden',
    },
    {
      expression: same('metadata.?finalizers', 'metadata.?ownerReferences', 'spec'),
      message: 'the operator writes no finalizers, owner references and spec of Nodes',
      reason: 'Forbidden',
    },
  ],
});
