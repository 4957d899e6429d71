import { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';

import { OPERATOR_NAMESPACE } from '../../operator/contract/group';
import { clusterScoped, COMMON_LABELS, NAMES } from './names';

const RBAC = 'rbac.authorization.k8s.io';

/** What the operator needs in the whole cluster, rule by rule with its reason. */
const CLUSTER_RULES: readonly k8s.PolicyRule[] = [
  // UID and labels of a Service's namespace, and the UID of kube-system, which names the cluster
  { apiGroups: [''], resources: ['namespaces'], verbs: ['get'] },
  // the one Secret that a Service names; without list and watch nobody can read them all through us
  { apiGroups: [''], resources: ['secrets'], verbs: ['get'] },
  { apiGroups: [''], resources: ['services'], verbs: ['get', 'list', 'watch'] },
  // conditions and result keys; no right to write `services`, so no webhook of ours is ever called by us
  { apiGroups: [''], resources: ['services/status'], verbs: ['patch'] },
  // families of the cluster, the primary one first
  { apiGroups: ['networking.k8s.io'], resources: ['servicecidrs'], verbs: ['get'] },
  { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
];

/** What it needs in its own namespace. */
const OWN_RULES: readonly k8s.PolicyRule[] = [
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['get', 'create', 'update'] },
  // the cluster's default secret and the key of the stored ones, made at the first start
  { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
];

/** Identity and rights of the operator. */
export class OperatorAccess extends Construct {
  /**
   * Declares service account, roles and bindings.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   */
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const account = { kind: 'ServiceAccount', name: NAMES.serviceAccount, namespace: OPERATOR_NAMESPACE };
    new k8s.KubeServiceAccount(this, 'ServiceAccount', {
      metadata: { name: NAMES.serviceAccount, namespace: OPERATOR_NAMESPACE, labels: COMMON_LABELS },
      automountServiceAccountToken: false, // only the Deployment mounts it
    });
    clusterScoped(
      new k8s.KubeClusterRole(this, 'ClusterRole', {
        metadata: { name: NAMES.managerRole, labels: COMMON_LABELS },
        rules: [...CLUSTER_RULES],
      }),
    );
    clusterScoped(
      new k8s.KubeClusterRoleBinding(this, 'ClusterRoleBinding', {
        metadata: { name: NAMES.managerRoleBinding, labels: COMMON_LABELS },
        roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: NAMES.managerRole },
        subjects: [account],
      }),
    );
    new k8s.KubeRole(this, 'Role', {
      metadata: { name: NAMES.managerRole, namespace: OPERATOR_NAMESPACE, labels: COMMON_LABELS },
      rules: [...OWN_RULES],
    });
    new k8s.KubeRoleBinding(this, 'RoleBinding', {
      metadata: { name: NAMES.managerRoleBinding, namespace: OPERATOR_NAMESPACE, labels: COMMON_LABELS },
      roleRef: { apiGroup: RBAC, kind: 'Role', name: NAMES.managerRole },
      subjects: [account],
    });
  }
}
