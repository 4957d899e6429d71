import type { k8s } from 'cdk8s-plus-28';

import { METALLB_GROUP, METALLB_NAMESPACE, WEBHOOK_NAMES, WEBHOOK_PATHS } from '../../../operator/contract/group';
import { NAMESPACE_NAME_LABEL } from '../../../operator/contract/label-selector';
import { poolConditions } from '../../../operator/contract/webhook-conditions';
import { clientConfig, OPERATOR_USERNAME } from '../certificates/webhook-objects';

/** Seconds that the API server waits for it; a pool may be changed all the same when they are over. */
const TIMEOUT_SECONDS = 15;

/**
 * Writes the webhook that refuses to take addresses in use out of a MetalLB pool. Its policy is Ignore, so nothing waits for an
 * operator that is down.
 *
 * @returns one webhook of a ValidatingWebhookConfiguration
 */
export function poolWebhook(): k8s.ValidatingWebhook {
  return {
    name: WEBHOOK_NAMES.pools,
    clientConfig: clientConfig(WEBHOOK_PATHS.pools),
    admissionReviewVersions: ['v1'],
    failurePolicy: 'Ignore',
    matchPolicy: 'Equivalent',
    sideEffects: 'None',
    timeoutSeconds: TIMEOUT_SECONDS,
    rules: [
      {
        apiGroups: [METALLB_GROUP],
        apiVersions: ['v1beta1'],
        operations: ['UPDATE', 'DELETE'],
        resources: ['ipaddresspools'],
        scope: 'Namespaced',
      },
    ],
    matchConditions: poolConditions(OPERATOR_USERNAME).map((condition) => ({ ...condition })),
    namespaceSelector: {
      matchExpressions: [{ key: NAMESPACE_NAME_LABEL, operator: 'In', values: [METALLB_NAMESPACE] }],
    },
  };
}
