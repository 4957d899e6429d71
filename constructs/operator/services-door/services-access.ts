import type { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';

import { NAMES } from '../../objects/names';
import { API_SERVER_RULES, bindClusterRole, bindRole } from '../access/rights';

/** Rights of the Services door, each with its reason. */
const RULES: readonly k8s.PolicyRule[] = [
  // UID and labels of a Service's namespace; watched, since its labels open and close zones
  { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] },
  // the one Secret that a Service names; without list and watch no client can read them all through the operator
  { apiGroups: [''], resources: ['secrets'], verbs: ['get'] },
  { apiGroups: [''], resources: ['services'], verbs: ['get', 'list', 'watch'] },
  // conditions and result keys; no right to write `services`, so no webhook of ours is ever called by us
  { apiGroups: [''], resources: ['services/status'], verbs: ['patch'] },
  // families of the cluster, the primary one first
  { apiGroups: ['networking.k8s.io'], resources: ['servicecidrs'], resourceNames: ['kubernetes'], verbs: ['get'] },
  // their addresses are never given out
  { apiGroups: [''], resources: ['nodes'], verbs: ['list', 'watch'] },
  // told of Services; listed for the one in which MetalLB says why it announces nothing
  { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'list', 'patch'] },
];

/** Rights of the Services door. */
export class ServicesAccess extends Construct {
  /**
   * Declares role and binding.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   */
  constructor(scope: Construct, id: string) {
    super(scope, id);
    bindClusterRole(this, { name: NAMES.servicesRole, binding: NAMES.servicesRoleBinding, rules: RULES });
    bindRole(this, {
      name: NAMES.servicesRole,
      binding: NAMES.servicesRoleBinding,
      namespace: 'default',
      rules: API_SERVER_RULES,
    });
  }
}
