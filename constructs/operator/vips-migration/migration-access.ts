import { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';

import { PAAS_GROUP } from '../../../operator/contract/paas';
import { COMMON_LABELS, NAMES } from '../../objects/names';
import { bindClusterRole } from '../access/rights';

/** Rights of the migration beside those of the VIPs door, rule by rule with its reason. */
const RULES: readonly k8s.PolicyRule[] = [
  // finalizers of the older operator, and the mark at the end
  { apiGroups: [PAAS_GROUP], resources: ['virtualips'], verbs: ['get', 'list', 'watch', 'update'] },
  { apiGroups: [PAAS_GROUP], resources: ['virtualips/status'], verbs: ['patch'] },
  // the new type, and the end of the copy; a policy keeps the operator from every other change
  { apiGroups: [''], resources: ['services'], verbs: ['update', 'delete'] },
];

/** Rights of the migration, and those of users on VirtualIPs. */
export class MigrationAccess extends Construct {
  /**
   * Declares roles and bindings.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   */
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const { migrationRole: name, migrationRoleBinding: binding } = NAMES;
    bindClusterRole(this, { name, binding, rules: RULES });
    this.#aggregate('Viewers', NAMES.migrationViewRole, { to: ['view'], verbs: ['get', 'list', 'watch'] });
    // the order is an annotation, and an end is a deletion
    this.#aggregate('Editors', NAMES.migrationEditRole, {
      to: ['edit', 'admin'],
      verbs: ['update', 'patch', 'delete'],
    });
  }

  // Bound in a namespace, the roles of Kubernetes show and order what happens there.
  #aggregate(
    id: string,
    name: string,
    { to, verbs }: { readonly to: readonly string[]; readonly verbs: string[] },
  ): void {
    const aggregated = to.map((role) => [`rbac.authorization.k8s.io/aggregate-to-${role}`, 'true']);
    new k8s.KubeClusterRole(this, id, {
      metadata: { name, labels: { ...COMMON_LABELS, ...(Object.fromEntries(aggregated) as Record<string, string>) } },
      rules: [{ apiGroups: [PAAS_GROUP], resources: ['virtualips'], verbs }],
    });
  }
}
