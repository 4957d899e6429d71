import { k8s } from 'cdk8s-plus-28';
import { Construct } from 'constructs';

import { WEBHOOK_NAMES, WEBHOOK_PATHS, WEBHOOK_TIMEOUT_SECONDS } from '../../../operator/contract/group';
import { webhookConditions, webhookNamespaces } from '../../../operator/contract/webhook-conditions';
import { clusterScoped } from '../../objects/names';
import { clientConfig, namespaceSelector, webhookMetadata } from '../certificates/webhook-objects';
import { poolWebhook } from './pool-webhook';

/** When the API server calls the webhooks, and what it does when they do not answer. */
export interface ServiceWebhooksProps {
  readonly whenUnavailable: 'deny' | 'admit';
  /** Load balancer classes that are ours; Services without a class always are. */
  readonly loadBalancerClasses: readonly string[];
  /** Whether a default zone serves Services that ask for nothing. */
  readonly hasDefaultZone: boolean;
  /** Namespaces that are left out beside those that always are. */
  readonly excludedNamespaces: readonly string[];
  /** Whether cert-manager fills in the CA; else the operator does. */
  readonly injectCa: boolean;
}

/**
 * Both webhook configurations for Services; the validating one also guards the pools of MetalLB.
 *
 * No webhook with policy Fail has a DELETE rule, so deleting never waits for the operator.
 */
export class ServiceWebhooks extends Construct {
  /**
   * Declares the configurations.
   *
   * @param scope - the construct that it is a part of
   * @param id - id within `scope`
   * @param props - when they are called
   */
  constructor(scope: Construct, id: string, props: ServiceWebhooksProps) {
    super(scope, id);
    const common = commonFields(props);
    const metadata = (name: string) => webhookMetadata(name, props.injectCa);
    const mutating = new k8s.KubeMutatingWebhookConfiguration(this, 'Mutating', {
      metadata: metadata(WEBHOOK_NAMES.mutatingConfiguration),
      webhooks: [
        {
          ...common,
          name: WEBHOOK_NAMES.mutating,
          clientConfig: clientConfig(WEBHOOK_PATHS.mutate),
          sideEffects: 'NoneOnDryRun',
          reinvocationPolicy: 'IfNeeded',
        },
      ],
    });
    const validating = new k8s.KubeValidatingWebhookConfiguration(this, 'Validating', {
      metadata: metadata(WEBHOOK_NAMES.validatingConfiguration),
      webhooks: [
        {
          ...common,
          name: WEBHOOK_NAMES.validating,
          clientConfig: clientConfig(WEBHOOK_PATHS.validate),
          sideEffects: 'None',
        },
        poolWebhook(),
      ],
    });
    [mutating, validating].forEach(clusterScoped);
  }
}

function commonFields(props: ServiceWebhooksProps) {
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['services'] };
  return {
    admissionReviewVersions: ['v1'],
    failurePolicy: props.whenUnavailable === 'deny' ? 'Fail' : 'Ignore',
    matchPolicy: 'Equivalent',
    timeoutSeconds: WEBHOOK_TIMEOUT_SECONDS,
    rules: [{ ...rule, scope: 'Namespaced' }],
    matchConditions: webhookConditions(props).map((condition) => ({ ...condition })),
    namespaceSelector: namespaceSelector(webhookNamespaces(props.excludedNamespaces)),
  };
}
