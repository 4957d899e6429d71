import { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';

import { PAAS_GROUP } from '../../../operator/contract/paas';
import { clusterScoped, COMMON_LABELS, NAMES } from '../../objects/names';
import { API_SERVER_RULES, bindClusterRole, bindRole } from '../access/rights';
import { owningPools } from '../cluster-api/cluster-api-access';
import type { ClusterApiOwner } from '../cluster-api/cluster-api-props';

/** Rights of the VIPs door, each with its reason. */
const RULES: readonly k8s.PolicyRule[] = [
  { apiGroups: [PAAS_GROUP], resources: ['ipgroups'], verbs: ['get', 'list', 'watch', 'patch'] },
  { apiGroups: [PAAS_GROUP], resources: ['ipgroups/status'], verbs: ['patch'] },
  // the record; a policy keeps everything else from writing it
  {
    apiGroups: [PAAS_GROUP],
    resources: ['ips'],
    verbs: ['get', 'list', 'watch', 'create', 'update', 'delete'],
  },
  // the labels of a namespace decide which groups serve it
  { apiGroups: [''], resources: ['namespaces'], verbs: ['list', 'watch'] },
  { apiGroups: [''], resources: ['services'], verbs: ['get', 'list', 'watch'] },
  // ingress, condition and finalizers of the older operator; no right to write `services`
  { apiGroups: [''], resources: ['services/status'], verbs: ['patch'] },
  // families of the cluster, the primary one first
  { apiGroups: ['networking.k8s.io'], resources: ['servicecidrs'], resourceNames: ['kubernetes'], verbs: ['get'] },
  // their addresses are never given out
  { apiGroups: [''], resources: ['nodes'], verbs: ['list', 'watch'] },
  // the own ones are listed for `ipam history`
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'list', 'patch'] },
];

/** Rights of the VIPs door, and those of users on its kinds. */
export class VipsAccess extends Construct {
  /**
   * Declares roles and bindings.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   * @param props - of the installation
   */
  constructor(scope: Construct, id: string, props: ClusterApiOwner) {
    super(scope, id);
    const rules = [...RULES, ...owningPools(props, { group: PAAS_GROUP, plurals: ['ipgroups'] })];
    bindClusterRole(this, { name: NAMES.vipsRole, binding: NAMES.vipsRoleBinding, rules });
    bindRole(this, {
      name: NAMES.vipsRole,
      binding: NAMES.vipsRoleBinding,
      namespace: 'default',
      rules: API_SERVER_RULES,
    });
    this.#aggregate(
      'Viewers',
      { name: NAMES.vipsViewRole, to: 'view' },
      { resources: ['ipgroups', 'ips'], verbs: ['get', 'list', 'watch'] },
    );
    // IPs are written by the operator alone; `edit` is what authors of Services have, who take addresses of groups and make none
    this.#aggregate(
      'Editors',
      { name: NAMES.vipsEditRole, to: 'admin' },
      { resources: ['ipgroups'], verbs: ['create', 'update', 'patch', 'delete'] },
    );
  }

  // Bound in the whole cluster, the roles of Kubernetes show groups and their holders, and change groups.
  #aggregate(
    id: string,
    { name, to }: { readonly name: string; readonly to: string },
    rule: Pick<k8s.PolicyRule, 'resources' | 'verbs'>,
  ): void {
    const role = new k8s.KubeClusterRole(this, id, {
      metadata: { name, labels: { ...COMMON_LABELS, [`rbac.authorization.k8s.io/aggregate-to-${to}`]: 'true' } },
      rules: [{ ...rule, apiGroups: [PAAS_GROUP] }],
    });
    clusterScoped(role);
  }
}
