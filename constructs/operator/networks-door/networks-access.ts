import { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';

import { IPAM_GROUP } from '../../../operator/contract/group';
import { NEPHIO_GROUP } from '../../../operator/contract/nephio';
import { OPTIONS } from '../../../operator/settings/options';
import { clusterScoped, COMMON_LABELS, NAMES } from '../../objects/names';
import { API_SERVER_RULES, bindClusterRole, bindRole } from '../access/rights';
import { owningPools } from '../cluster-api/cluster-api-access';
import type { ClusterApiOwner } from '../cluster-api/cluster-api-props';
import type { NetworksDoorOwner } from './networks-process';

const KINDS = ['networkinstances', 'ipprefixes', 'ipallocations'];
const READ = ['get', 'list', 'watch'];
const EDIT = ['create', 'update', 'patch', 'delete', 'deletecollection'];

/** Rights of the Networks door, each with its reason. */
const RULES: readonly k8s.PolicyRule[] = [
  // their finalizer is put on and taken off; the spec belongs to users
  { apiGroups: [NEPHIO_GROUP], resources: [...KINDS], verbs: ['get', 'list', 'watch', 'patch'] },
  { apiGroups: [NEPHIO_GROUP], resources: KINDS.map((kind) => `${kind}/status`), verbs: ['patch'] },
  // the record, and the order of the decisions about it; a policy keeps everything else from writing either
  {
    apiGroups: [IPAM_GROUP],
    resources: ['addressclaims'],
    verbs: ['get', 'list', 'watch', 'create', 'update', 'delete'],
  },
  { apiGroups: [IPAM_GROUP], resources: ['addresstables'], verbs: ['get', 'list', 'watch', 'create', 'update'] },
  // the namespace of a holder is a part of its identity
  { apiGroups: [''], resources: ['namespaces'], verbs: ['list', 'watch'] },
  // their addresses are never given out of a network that is annotated with the name of one of theirs
  { apiGroups: [''], resources: ['nodes', 'services'], verbs: ['list', 'watch'] },
  // the own ones are listed for `ipam history`
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'list', 'patch'] },
];

// single objects by their names, which IPAllocations tell
function ownerRules({ networks = {} }: NetworksDoorOwner): readonly k8s.PolicyRule[] {
  const { ownerKinds = OPTIONS.networksOwnerKinds.default } = networks;
  return ownerKinds.map((resource) => {
    const [plural = '', ...group] = resource.split('.');
    return { apiGroups: [group.join('.')], resources: [plural], verbs: ['get'] };
  });
}

/** Rights of the Networks door, and those of users on its kinds. */
export class NetworksAccess extends Construct {
  /**
   * Declares roles and bindings.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   * @param props - of the installation
   */
  constructor(scope: Construct, id: string, props: ClusterApiOwner & NetworksDoorOwner) {
    super(scope, id);
    const pools = { group: NEPHIO_GROUP, plurals: ['networkinstances', 'ipprefixes'] };
    const rules = [...RULES, ...owningPools(props, pools)];
    const { networksRole: name, networksRoleBinding: binding } = NAMES;
    bindClusterRole(this, { name, binding, rules });
    bindRole(this, { name, binding, namespace: 'default', rules: API_SERVER_RULES });
    const owners = { name: NAMES.networksOwnersRole, binding: NAMES.networksOwnersRoleBinding };
    bindClusterRole(new Construct(this, 'Owners'), { ...owners, rules: ownerRules(props) });
    // Bound in the whole cluster, `view` shows the record too, which has no namespace.
    this.#aggregate('Viewers', { name: NAMES.networksViewRole, to: 'view' }, [
      { apiGroups: [NEPHIO_GROUP], resources: [...KINDS], verbs: READ },
      { apiGroups: [IPAM_GROUP], resources: ['addressclaims', 'addresstables'], verbs: READ },
    ]);
    // `admin` has what `edit` has
    this.#aggregate('Editors', { name: NAMES.networksEditRole, to: 'edit' }, [
      { apiGroups: [NEPHIO_GROUP], resources: [...KINDS], verbs: EDIT },
    ]);
  }

  #aggregate(
    id: string,
    { name, to }: { readonly name: string; readonly to: string },
    rules: readonly k8s.PolicyRule[],
  ): void {
    const role = new k8s.KubeClusterRole(this, id, {
      metadata: { name, labels: { ...COMMON_LABELS, [`rbac.authorization.k8s.io/aggregate-to-${to}`]: 'true' } },
      rules: [...rules],
    });
    clusterScoped(role);
  }
}
