import { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';

import { OPERATOR_NAMESPACE } from '../../../operator/contract/group';
import { KEEP } from '../../objects/kept-annotations';
import { clusterScoped, COMMON_LABELS } from '../../objects/names';
import type { PodOwner } from './pod-owner';

const POD_SECURITY = 'pod-security.kubernetes.io';

/** The namespace of the operator, which admits only Pods of the level `restricted`. */
export class OperatorNamespace extends Construct {
  /**
   * Declares the namespace.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   * @param platform - on OpenShift the namespace asks to be monitored
   */
  constructor(scope: Construct, id: string, platform: NonNullable<PodOwner['platform']> = 'kubernetes') {
    super(scope, id);
    const levels = ['enforce', 'audit', 'warn'].map((mode): [string, string] => [
      `${POD_SECURITY}/${mode}`,
      'restricted',
    ]);
    const namespace = new k8s.KubeNamespace(this, 'Resource', {
      metadata: {
        name: OPERATOR_NAMESPACE,
        // it takes the volume and the keys with it, and so every claim
        annotations: KEEP,
        labels: {
          ...COMMON_LABELS,
          ...Object.fromEntries(levels),
          ...(platform === 'openshift' ? { 'openshift.io/cluster-monitoring': 'true' } : {}),
        },
      },
    });
    clusterScoped(namespace);
  }
}
