import { Construct } from 'constructs';

import { WEBHOOK_NAMES } from '../../../operator/contract/group';
import { NAMES } from '../../objects/names';
import { bindClusterRole } from '../access/rights';

const GROUP = 'admissionregistration.k8s.io';

/** The right to put the operator's own CA into its own webhook configurations, where cert-manager does not. */
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
  }
}
