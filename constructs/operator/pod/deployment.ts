import { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';

import { OPERATOR_NAMESPACE } from '../../../operator/contract/group';
import { COMMON_LABELS, NAMES, SELECTOR_LABELS } from '../../objects/names';
import { storeShape, type StoreKind } from '../store/store-shape';
import { podSpec } from './pod';
import type { PodNeeds, PodOwner } from './pod-owner';

// A SQLite file has one owner, so its Pod is stopped before the next one starts. The others lose no Pod before the next
// one is ready.
const STRATEGY: Readonly<Record<StoreKind, () => k8s.DeploymentStrategy>> = {
  sqlite: () => ({ type: 'Recreate' }),
  postgres: rolling,
  remote: rolling,
  objects: rolling,
};

function rolling(): k8s.DeploymentStrategy {
  const count = (value: number): k8s.IntOrString => k8s.IntOrString.fromNumber(value);
  return { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: count(0), maxSurge: count(1) } };
}

/** The Pods of the operator, in the shape that its store asks for. */
export class OperatorDeployment extends Construct {
  /**
   * Declares the Deployment.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   * @param props - of the installation, with the needs of its concerns
   */
  constructor(scope: Construct, id: string, props: PodOwner & PodNeeds) {
    super(scope, id);
    const { kind, replicas } = storeShape(props);
    new k8s.KubeDeployment(this, 'Resource', {
      metadata: {
        name: NAMES.deployment,
        namespace: OPERATOR_NAMESPACE,
        labels: { ...COMMON_LABELS, ...SELECTOR_LABELS },
      },
      spec: {
        replicas,
        strategy: STRATEGY[kind](),
        revisionHistoryLimit: 3,
        selector: { matchLabels: SELECTOR_LABELS },
        template: {
          metadata: {
            labels: { ...props.podLabels, ...COMMON_LABELS, ...SELECTOR_LABELS },
            annotations: { 'kubectl.kubernetes.io/default-container': 'manager', ...props.podAnnotations },
          },
          spec: podSpec(props),
        },
      },
    });
  }
}
