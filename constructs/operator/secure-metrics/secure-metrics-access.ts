import { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';

import { OPERATOR_NAMESPACE } from '../../../operator/contract/group';
import { clusterScoped, COMMON_LABELS, NAMES } from '../../objects/names';
import { bindClusterRole, bindRole, REVIEW_RULES } from '../access/rights';

/** Rights of the metrics over HTTPS, and a role for whatever reads them. */
export class SecureMetricsAccess extends Construct {
  /**
   * Declares roles and bindings.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   * @param makesCertificate - whether the operator makes a certificate for the metrics alone
   */
  constructor(scope: Construct, id: string, makesCertificate: boolean) {
    super(scope, id);
    const { metricsRole: name, metricsRoleBinding: binding } = NAMES;
    bindClusterRole(this, { name, binding, rules: REVIEW_RULES });
    if (makesCertificate) {
      const rules = [{ apiGroups: [''], resources: ['secrets'], verbs: ['create'] }];
      bindRole(this, { name, binding, namespace: OPERATOR_NAMESPACE, rules });
    }
    // bound to nothing: only the administrator knows the ServiceAccount of Prometheus
    const reader = new k8s.KubeClusterRole(this, 'Reader', {
      metadata: { name: NAMES.metricsReaderRole, labels: COMMON_LABELS },
      rules: [{ nonResourceUrLs: ['/metrics'], verbs: ['get'] }],
    });
    clusterScoped(reader);
  }
}
