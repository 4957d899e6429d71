import { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';

import { EGRESS_GROUP } from '../../../operator/contract/egress';
import {
  EGRESS_WEBHOOK_PATHS,
  egressIpamConditions,
  namespaceConditions,
} from '../../../operator/contract/egress-webhooks';
import { WEBHOOK_NAMES } from '../../../operator/contract/group';
import { EGRESS_IPAM } from '../../../operator/contract/kinds/egress-ipam';
import { webhookNamespaces } from '../../../operator/contract/webhook-conditions';
import { clusterScoped } from '../../objects/names';
import { clientConfig, namespaceSelector, OPERATOR_USERNAME, webhookMetadata } from '../certificates/webhook-objects';

/** Seconds that the API server waits for an answer. */
const TIMEOUT_SECONDS = 10;

/** When the API server calls the webhooks, and what it does when they do not answer. */
interface EgressWebhooksProps {
  /** Of the annotations of Namespaces. */
  readonly whenUnavailable: 'deny' | 'admit';
  /** Whether cert-manager fills in the CA; else the operator does. */
  readonly injectCa: boolean;
}

/**
 * The webhook configuration for EgressIPAMs, and for the Namespaces that opt in to one.
 *
 * A deletion is never refused, so its webhook has the policy Ignore. Namespaces that set no annotation of ours, and those of the system,
 * are made whatever becomes of the operator.
 */
export class EgressWebhooks extends Construct {
  /**
   * Declares the configuration.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   * @param props - when they are called
   */
  constructor(scope: Construct, id: string, { whenUnavailable, injectCa }: EgressWebhooksProps) {
    super(scope, id);
    const common = {
      admissionReviewVersions: ['v1'],
      matchPolicy: 'Equivalent',
      sideEffects: 'None',
      timeoutSeconds: TIMEOUT_SECONDS,
    };
    const ipams = (operations: string[]): Pick<k8s.ValidatingWebhook, 'clientConfig' | 'rules'> => ({
      clientConfig: clientConfig(EGRESS_WEBHOOK_PATHS.egressIpams),
      rules: [
        {
          apiGroups: [EGRESS_GROUP],
          apiVersions: [EGRESS_IPAM.version],
          operations,
          resources: [EGRESS_IPAM.plural],
          scope: 'Cluster',
        },
      ],
    });
    const configuration = new k8s.KubeValidatingWebhookConfiguration(this, 'Validating', {
      metadata: webhookMetadata(WEBHOOK_NAMES.egressConfiguration, injectCa),
      webhooks: [
        {
          ...common,
          ...ipams(['CREATE', 'UPDATE']),
          name: WEBHOOK_NAMES.egressIpams,
          failurePolicy: 'Fail',
          matchConditions: egressIpamConditions().map((condition) => ({ ...condition })),
        },
        { ...common, ...ipams(['DELETE']), name: WEBHOOK_NAMES.egressIpamsGone, failurePolicy: 'Ignore' },
        {
          ...common,
          name: WEBHOOK_NAMES.namespaces,
          clientConfig: clientConfig(EGRESS_WEBHOOK_PATHS.namespaces),
          failurePolicy: whenUnavailable === 'deny' ? 'Fail' : 'Ignore',
          rules: [
            {
              apiGroups: [''],
              apiVersions: ['v1'],
              operations: ['CREATE', 'UPDATE'],
              // annotations can be written by each of them
              resources: ['namespaces', 'namespaces/status', 'namespaces/finalize'],
              scope: 'Cluster',
            },
          ],
          matchConditions: namespaceConditions(OPERATOR_USERNAME).map((condition) => ({ ...condition })),
          namespaceSelector: namespaceSelector(webhookNamespaces()),
        },
      ],
    });
    clusterScoped(configuration);
  }
}
