import { ApiObject } from 'cdk8s';
import { k8s } from 'cdk8s-plus-28';
import type { Construct } from 'constructs';

import { OPERATOR_NAMESPACE } from '../../../operator/contract/group';
import { clusterScoped, COMMON_LABELS, NAMES } from '../../objects/names';

const RBAC = 'rbac.authorization.k8s.io';
const SUBJECT = { kind: 'ServiceAccount', name: NAMES.serviceAccount, namespace: OPERATOR_NAMESPACE };

/** Rights to follow the addresses of the API server, which are never given out, in namespace `default`; by name, so that no other slice can be read. */
export const API_SERVER_RULES: readonly k8s.PolicyRule[] = [
  {
    apiGroups: ['discovery.k8s.io'],
    resources: ['endpointslices'],
    resourceNames: ['kubernetes'],
    verbs: ['list', 'watch'],
  },
];

/** Rights to ask whose token a request has, and what that user may do. */
export const REVIEW_RULES: readonly k8s.PolicyRule[] = [
  { apiGroups: ['authentication.k8s.io'], resources: ['tokenreviews'], verbs: ['create'] },
  { apiGroups: ['authorization.k8s.io'], resources: ['subjectaccessreviews'], verbs: ['create'] },
];

/** A role and its binding, always to the service account of the operator. */
export interface ClusterRights {
  readonly name: string;
  readonly binding: string;
  readonly rules: readonly k8s.PolicyRule[];
}

/** The same within one namespace. */
export interface NamespaceRights extends ClusterRights {
  readonly namespace: string;
}

/**
 * Gives the operator rights in the whole cluster.
 *
 * @param scope - construct that becomes the parent of `ClusterRole` and `ClusterRoleBinding`
 * @param rights - names and rules
 */
export function bindClusterRole(scope: Construct, { name, binding, rules }: ClusterRights): void {
  // not the typed object, which walks through its rules: those of a chart may be one late-bound list
  const role = new ApiObject(scope, 'ClusterRole', {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata: { name, labels: COMMON_LABELS },
    rules: [...rules],
  });
  const bound = new k8s.KubeClusterRoleBinding(scope, 'ClusterRoleBinding', {
    metadata: { name: binding, labels: COMMON_LABELS },
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
    subjects: [SUBJECT],
  });
  [role, bound].forEach(clusterScoped);
}

/**
 * Gives the operator rights in one namespace.
 *
 * @param scope - construct that becomes the parent of `Role` and `RoleBinding`
 * @param rights - names, namespace and rules
 */
export function bindRole(scope: Construct, { name, binding, namespace, rules }: NamespaceRights): void {
  new k8s.KubeRole(scope, 'Role', { metadata: { name, namespace, labels: COMMON_LABELS }, rules: [...rules] });
  new k8s.KubeRoleBinding(scope, 'RoleBinding', {
    metadata: { name: binding, namespace, labels: COMMON_LABELS },
    roleRef: { apiGroup: RBAC, kind: 'Role', name },
    subjects: [SUBJECT],
  });
}
