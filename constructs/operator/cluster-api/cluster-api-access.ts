import type { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';

import { CLUSTER_API_KINDS, CLUSTER_GROUP, IPAM_CLUSTER_GROUP } from '../../../operator/contract/cluster-api';
import { NEPHIO_GROUP } from '../../../operator/contract/nephio';
import { PAAS_GROUP } from '../../../operator/contract/paas';
import { NAMES } from '../../objects/names';
import { bindClusterRole } from '../access/rights';
import { servesNetworks, type NetworksDoorOwner } from '../networks-door/networks-process';
import { servesVips, type VipsDoorOwner } from '../vips-door/vips-process';

const { claim, address, cluster } = CLUSTER_API_KINDS;

/** Rights of the Cluster API door, each with its reason. */
const RULES: readonly k8s.PolicyRule[] = [
  // the patch is for the finalizer alone
  { apiGroups: [IPAM_CLUSTER_GROUP], resources: [claim.plural], verbs: ['get', 'list', 'watch', 'patch'] },
  { apiGroups: [IPAM_CLUSTER_GROUP], resources: [`${claim.plural}/status`], verbs: ['patch'] },
  // update puts owners back after a restore, and the patch takes the finalizer off
  {
    apiGroups: [IPAM_CLUSTER_GROUP],
    resources: [address.plural],
    verbs: ['get', 'list', 'watch', 'create', 'update', 'patch', 'delete'],
  },
  // a paused Cluster is left alone
  { apiGroups: [CLUSTER_GROUP], resources: [cluster.plural], verbs: ['list', 'watch'] },
  // owner references that block a deletion; asked for where OwnerReferencesPermissionEnforcement is on, as on OpenShift
  { apiGroups: [IPAM_CLUSTER_GROUP], resources: [`${claim.plural}/finalizers`], verbs: ['update'] },
];

// an IPAddress is owned by its pool too
const OF_GROUPS: k8s.PolicyRule = { apiGroups: [PAAS_GROUP], resources: ['ipgroups/finalizers'], verbs: ['update'] };
const OF_NETWORKS: k8s.PolicyRule = {
  apiGroups: [NEPHIO_GROUP],
  resources: ['networkinstances/finalizers', 'ipprefixes/finalizers'],
  verbs: ['update'],
};

/** Rights of the Cluster API door. */
export class ClusterApiAccess extends Construct {
  /**
   * Declares role and binding.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   * @param props - of the installation: which doors have pools
   */
  constructor(scope: Construct, id: string, props: VipsDoorOwner & NetworksDoorOwner) {
    super(scope, id);
    const rules = [...RULES, ...(servesVips(props) ? [OF_GROUPS] : []), ...(servesNetworks(props) ? [OF_NETWORKS] : [])];
    bindClusterRole(this, { name: NAMES.clusterApiRole, binding: NAMES.clusterApiRoleBinding, rules });
  }
}
