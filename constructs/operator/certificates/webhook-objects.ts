import type { k8s } from 'cdk8s-plus-28';

import { OPERATOR_NAMESPACE } from '../../../operator/contract/group';
import { COMMON_LABELS, NAMES } from '../../objects/names';
import { ServingCertificate } from './certificate';

/** User name of the operator's service account, whose own writes its webhooks must not wait for. */
export const OPERATOR_USERNAME = `system:serviceaccount:${OPERATOR_NAMESPACE}:${NAMES.serviceAccount}`;

/**
 * Writes the metadata of a webhook configuration. No `caBundle` is written: cert-manager or the operator fills it in, and a value of ours
 * would take it out again at each apply.
 *
 * @param name - of the configuration
 * @param injectCa - whether cert-manager fills in the CA
 * @returns name, labels and the annotation for cert-manager
 */
export const webhookMetadata = (name: string, injectCa: boolean): k8s.ObjectMeta => ({
  name,
  labels: COMMON_LABELS,
  ...(injectCa ? { annotations: { 'cert-manager.io/inject-ca-from': ServingCertificate.INJECT_FROM } } : {}),
});

/**
 * Writes how the API server reaches a webhook.
 *
 * @param path - of the webhook
 * @returns its place behind the Service of the operator
 */
export const clientConfig = (path: string): k8s.WebhookClientConfig => ({
  service: { name: NAMES.webhookService, namespace: OPERATOR_NAMESPACE, path, port: 443 },
});

/**
 * Writes the selector of namespaces that webhooks reach.
 *
 * @param selector - as the contract has it
 * @param selector.matchExpressions - its conditions
 * @returns the same for a manifest
 */
export const namespaceSelector = ({
  matchExpressions = [],
}: {
  readonly matchExpressions?: readonly k8s.LabelSelectorRequirement[] | readonly Expression[];
}): k8s.LabelSelector => ({
  matchExpressions: matchExpressions.map(({ key, operator, values }) => ({
    key,
    operator,
    ...(values === undefined ? {} : { values: [...values] }),
  })),
});

interface Expression {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}
