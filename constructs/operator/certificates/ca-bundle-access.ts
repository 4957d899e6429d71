import { Construct } from 'constructs';

import { OPERATOR_NAMESPACE, WEBHOOK_NAMES } from '../../../operator/contract/group';
import { NAMES } from '../../objects/names';
import { bindClusterRole, bindRole } from '../access/rights';

const GROUP = 'admissionregistration.k8s.io';

/** The rights to keep the operator's own CA in a Secret, and to put it into its own webhook configurations, where cert-manager does not. */
export class CaBundleAccess extends Construct {
  /**
   * Declares role and binding.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   */
  constructor(scope: Construct, id: string) {
    super(scope, id);
    const rule = (resource: string, ...resourceNames: string[]) => ({
      apiGroups: [GROUP],
      resources: [resource],
      resourceNames,
      verbs: ['get', 'patch'],
    });
    bindClusterRole(this, {
      name: NAMES.caBundleRole,
      binding: NAMES.caBundleRoleBinding,
      rules: [
        rule('mutatingwebhookconfigurations', WEBHOOK_NAMES.mutatingConfiguration),
        rule(
          'validatingwebhookconfigurations',
          WEBHOOK_NAMES.validatingConfiguration,
          WEBHOOK_NAMES.egressConfiguration,
        ),
      ],
    });
    // nothing can limit it to the one name; beside objects alone no other role has it
    bindRole(this, {
      name: NAMES.caBundleRole,
      binding: NAMES.caBundleRoleBinding,
      namespace: OPERATOR_NAMESPACE,
      rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['create'] }],
    });
  }
}
