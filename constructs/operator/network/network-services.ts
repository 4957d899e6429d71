import { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';

import { OPERATOR_NAMESPACE } from '../../../operator/contract/group';
import { COMMON_LABELS, NAMES, PORT_NAMES, SELECTOR_LABELS } from '../../objects/names';
import type { PodPort } from '../process/process-part';

/** The Services of the operator: one for readers of metrics, and one for the API server where there are webhooks. */
export class OperatorServices extends Construct {
  /**
   * Declares them.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   * @param ports - those of the Pods
   */
  constructor(scope: Construct, id: string, ports: readonly PodPort[]) {
    super(scope, id);
    const portFor = (wanted: PodPort['caller']) => ports.find(({ caller }) => caller === wanted)?.name;
    const webhook = portFor('api-server');
    if (webhook !== undefined) {
      this.#service('Webhook', NAMES.webhookService, {
        name: 'https',
        port: 443,
        targetPort: k8s.IntOrString.fromString(webhook),
      });
    }
    this.#service('Metrics', NAMES.metricsService, {
      name: 'metrics',
      port: 8443,
      targetPort: k8s.IntOrString.fromString(portFor('monitors') ?? PORT_NAMES.health),
    });
  }

  #service(id: string, name: string, port: k8s.ServicePort): void {
    new k8s.KubeService(this, id, {
      metadata: { name, namespace: OPERATOR_NAMESPACE, labels: { ...COMMON_LABELS, ...SELECTOR_LABELS } },
      spec: { selector: SELECTOR_LABELS, ports: [{ ...port, protocol: 'TCP' }] },
    });
  }
}
