import type { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';

import { CLUSTER_API_KINDS, CLUSTER_GROUP, IPAM_CLUSTER_GROUP } from '../../../operator/contract/cluster-api';
import { NAMES } from '../../objects/names';
import { bindClusterRole } from '../access/rights';
import type { ClusterApiOwner } from './cluster-api-props';

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

/**
 * Lists the right by which the Cluster API door makes a pool an owner of IPAddresses that block its deletion. It stands among those of the
 * door that offers the pools.
 *
 * @param props - of the installation
 * @param pools - API group, and plural names of their kinds
 * @returns nothing where the Cluster API door is closed
 */
export function owningPools(
  { clusterApi }: ClusterApiOwner,
  { group, plurals }: { readonly group: string; readonly plurals: readonly string[] },
): readonly k8s.PolicyRule[] {
  if (clusterApi?.enabled !== true) return [];
  const resources = plurals.map((plural) => `${plural}/finalizers`);
  return [{ apiGroups: [group], resources, verbs: ['update'] }];
}

/** Rights of the Cluster API door. */
export class ClusterApiAccess extends Construct {
  /**
   * Declares role and binding.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   */
  constructor(scope: Construct, id: string) {
    super(scope, id);
    bindClusterRole(this, { name: NAMES.clusterApiRole, binding: NAMES.clusterApiRoleBinding, rules: RULES });
  }
}
