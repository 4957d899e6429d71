import { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';

import { INTENT_SECRETS, KEYS_SECRET, LEASE, OPERATOR_NAMESPACE } from '../../../operator/contract/group';
import { COMMON_LABELS, NAMES } from '../../objects/names';
import { isKeptHere, type StoreKind } from '../store/store-shape';
import type { DoorRights } from './door-rights';
import { OperatorWriteGuard } from './operator-write-guard';
import { bindClusterRole, bindRole } from './rights';

/** The store, and the rights of the front doors that are open. */
export interface OperatorAccessProps {
  readonly store: StoreKind;
  readonly doors: readonly DoorRights[];
}

/** Identity of the operator, what it may do whatever its front doors are, and the policy that holds it to that. */
export class OperatorAccess extends Construct {
  /**
   * Declares service account, roles and bindings.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   * @param props - for which the rights are
   */
  constructor(scope: Construct, id: string, props: OperatorAccessProps) {
    super(scope, id);
    new k8s.KubeServiceAccount(this, 'ServiceAccount', {
      metadata: { name: NAMES.serviceAccount, namespace: OPERATOR_NAMESPACE, labels: COMMON_LABELS },
      automountServiceAccountToken: false, // only the Deployment mounts it
    });
    const cluster = props.doors.flatMap((door) => door.cluster);
    if (cluster.length > 0) {
      bindClusterRole(this, { name: NAMES.managerRole, binding: NAMES.managerRoleBinding, rules: cluster });
    }
    bindRole(this, {
      name: NAMES.managerRole,
      binding: NAMES.managerRoleBinding,
      namespace: OPERATOR_NAMESPACE,
      rules: ownRules(props),
    });
    new OperatorWriteGuard(this, 'WriteGuard', props);
  }
}

function ownRules({ store, doors }: OperatorAccessProps): readonly k8s.PolicyRule[] {
  const [read, written] = [doors.flatMap((door) => door.secretsRead), doors.flatMap((door) => door.secretsWritten)];
  return [
    // nothing can limit the creation of objects to their names; beside objects alone there is no Secret
    ...(store === 'objects' ? [] : [{ apiGroups: [''], resources: ['secrets'], verbs: ['create'] }]),
    // two rules: in the Helm chart only one value may shape a list
    ...secretRule(read, ['get']),
    ...(isKeptHere(store) ? secretRule([KEYS_SECRET], ['get']) : []),
    ...secretRule(written, ['get', 'update']),
    // each of them is followed by its name, since a list of all would show the Secrets of others
    ...(store === 'remote' ? secretRule(INTENT_SECRETS, ['get', 'list', 'watch', 'patch']) : []),
    // with SQLite the lock on the file makes the leader
    ...(store === 'sqlite' ? [] : leaseRules()),
  ];
}

const secretRule = (resourceNames: readonly string[], verbs: string[]): readonly k8s.PolicyRule[] =>
  resourceNames.length === 0
    ? []
    : [{ apiGroups: [''], resources: ['secrets'], resourceNames: [...resourceNames], verbs }];

function leaseRules(): readonly k8s.PolicyRule[] {
  const lease = { apiGroups: ['coordination.k8s.io'], resources: ['leases'] };
  return [
    { ...lease, verbs: ['create'] },
    { ...lease, resourceNames: [LEASE], verbs: ['get', 'update'] },
  ];
}
