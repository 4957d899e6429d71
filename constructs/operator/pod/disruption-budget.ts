import { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';

import { OPERATOR_NAMESPACE } from '../../../operator/contract/group';
import { COMMON_LABELS, NAMES, SELECTOR_LABELS } from '../../objects/names';

/** Lets the cluster take one replica at a time. Of one replica alone it would only be in the way of a drained node. */
export class OperatorDisruptionBudget extends Construct {
  /**
   * Declares the budget.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   */
  constructor(scope: Construct, id: string) {
    super(scope, id);
    new k8s.KubePodDisruptionBudget(this, 'Resource', {
      metadata: { name: NAMES.disruptionBudget, namespace: OPERATOR_NAMESPACE, labels: COMMON_LABELS },
      spec: {
        maxUnavailable: k8s.IntOrString.fromNumber(1),
        selector: { matchLabels: SELECTOR_LABELS },
        unhealthyPodEvictionPolicy: 'AlwaysAllow', // a Pod that serves no client keeps no node
      },
    });
  }
}
