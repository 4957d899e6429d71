import { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';

import {
  CLUSTER_IDENTITY_SECRET,
  DEFAULT_SECRET,
  INTENT_SECRETS,
  KEYS_SECRET,
  LEASE,
  OPERATOR_NAMESPACE,
  SELF_SIGNED_SECRET,
} from '../../../operator/contract/group';
import type { IpamOperatorProps } from '../ipam-operator-props';
import { COMMON_LABELS, NAMES } from '../../objects/names';
import { bindClusterRole, bindRole } from './rights';
import { servesServices, storeKind } from '../store/store-shape';

/** Identity of the operator, and what it may do whatever its front doors are. */
export class OperatorAccess extends Construct {
  /**
   * Declares service account, roles and bindings.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   * @param props - of the installation
   */
  constructor(scope: Construct, id: string, props: IpamOperatorProps) {
    super(scope, id);
    new k8s.KubeServiceAccount(this, 'ServiceAccount', {
      metadata: { name: NAMES.serviceAccount, namespace: OPERATOR_NAMESPACE, labels: COMMON_LABELS },
      automountServiceAccountToken: false, // only the Deployment mounts it
    });
    if (servesServices(props)) {
      bindClusterRole(this, {
        name: NAMES.managerRole,
        binding: NAMES.managerRoleBinding,
        // its UID names the cluster
        rules: [{ apiGroups: [''], resources: ['namespaces'], resourceNames: ['kube-system'], verbs: ['get'] }],
      });
    }
    bindRole(this, {
      name: NAMES.managerRole,
      binding: NAMES.managerRoleBinding,
      namespace: OPERATOR_NAMESPACE,
      rules: ownRules(props),
    });
  }
}

function ownRules(props: IpamOperatorProps): readonly k8s.PolicyRule[] {
  const kind = storeKind(props.store);
  const services = servesServices(props);
  const written = services && props.certificates === 'self-managed' ? [SELF_SIGNED_SECRET] : [];
  const read = (names: readonly string[]): k8s.PolicyRule => ({
    ...{ apiGroups: [''], resources: ['secrets'], resourceNames: [...names], verbs: ['get'] },
  });
  return [
    // nothing can limit the creation of objects to their names
    { apiGroups: [''], resources: ['secrets'], verbs: ['create'] },
    // two rules: in the Helm chart only one value may shape a list
    ...(services ? [read([DEFAULT_SECRET, CLUSTER_IDENTITY_SECRET])] : []),
    ...(kind === 'remote' ? [] : [read([KEYS_SECRET])]),
    ...(written.length === 0
      ? []
      : [{ apiGroups: [''], resources: ['secrets'], resourceNames: written, verbs: ['get', 'update'] }]),
    // each of them is followed by its name, since a list of all would show the Secrets of others
    ...(kind === 'remote'
      ? [
          {
            ...{ apiGroups: [''], resources: ['secrets'], resourceNames: [...INTENT_SECRETS] },
            verbs: ['get', 'list', 'watch', 'patch'],
          },
        ]
      : []),
    // with SQLite the lock on the file makes the leader
    ...(kind === 'sqlite' ? [] : leaseRules()),
  ];
}

function leaseRules(): readonly k8s.PolicyRule[] {
  const lease = { apiGroups: ['coordination.k8s.io'], resources: ['leases'] };
  return [
    { ...lease, verbs: ['create'] },
    { ...lease, resourceNames: [LEASE], verbs: ['get', 'update'] },
  ];
}
