import { type ApiObject, JsonPatch } from 'cdk8s';

import { MANAGED_BY, METRICS_SERVICE, NETWORKS_GRPC_SERVICE, WEBHOOK_SERVICE } from '../../operator/contract/group';

/** Names of the operator's objects; those that the original has are kept, so that it can be taken over. */
export const NAMES = {
  serviceAccount: 'ipam-controller-manager',
  deployment: 'ipam-controller-manager',
  managerRole: 'ipam-manager-role',
  managerRoleBinding: 'ipam-manager-rolebinding',
  servicesRole: 'ipam-services-role',
  servicesRoleBinding: 'ipam-services-rolebinding',
  vipsRole: 'ipam-vips-role',
  vipsRoleBinding: 'ipam-vips-rolebinding',
  vipsViewRole: 'ipam-vips-view',
  vipsEditRole: 'ipam-vips-edit',
  migrationRole: 'ipam-vips-migration-role',
  migrationRoleBinding: 'ipam-vips-migration-rolebinding',
  migrationViewRole: 'ipam-vips-migration-view',
  migrationEditRole: 'ipam-vips-migration-edit',
  egressRole: 'ipam-egress-role',
  egressRoleBinding: 'ipam-egress-rolebinding',
  cloudSecret: 'ipam-cloud-credentials',
  credentialsRequest: 'ipam-egress',
  networksRole: 'ipam-networks-role',
  networksRoleBinding: 'ipam-networks-rolebinding',
  networksOwnersRole: 'ipam-networks-owners-role',
  networksOwnersRoleBinding: 'ipam-networks-owners-rolebinding',
  networksViewRole: 'ipam-networks-view',
  networksEditRole: 'ipam-networks-edit',
  networksGrpcRole: 'ipam-networks-grpc-role',
  networksGrpcRoleBinding: 'ipam-networks-grpc-rolebinding',
  networksGrpcService: NETWORKS_GRPC_SERVICE,
  networksGrpcCertificate: 'ipam-networks-grpc-cert',
  networksGrpcSecret: 'ipam-networks-grpc-server-cert',
  clusterApiRole: 'ipam-cluster-api-role',
  clusterApiRoleBinding: 'ipam-cluster-api-rolebinding',
  poolsRole: 'ipam-pools-role',
  poolsRoleBinding: 'ipam-pools-rolebinding',
  caBundleRole: 'ipam-ca-bundle-role',
  caBundleRoleBinding: 'ipam-ca-bundle-rolebinding',
  disruptionBudget: 'ipam-controller-manager',
  networkPolicy: 'ipam-controller-manager',
  ipamApiService: 'ipam-api',
  ipamApiCertificate: 'ipam-api-cert',
  ipamApiSecret: 'ipam-api-server-cert',
  webhookService: WEBHOOK_SERVICE,
  metricsService: METRICS_SERVICE,
  metricsRole: 'ipam-metrics-auth-role',
  metricsRoleBinding: 'ipam-metrics-auth-rolebinding',
  metricsReaderRole: 'ipam-metrics-reader',
  metricsCertificate: 'ipam-metrics-cert',
  metricsSecret: 'ipam-metrics-server-cert',
  zonesConfigMap: 'ipam-zones',
  dataVolume: 'ipam-data',
  selfSignedIssuer: 'ipam-selfsigned-issuer',
  caCertificate: 'ipam-ca',
  caIssuer: 'ipam-ca-issuer',
  servingCertificate: 'ipam-serving-cert',
  servingSecret: 'webhook-server-cert',
} as const;

/** Names of the ports of the Pod, by which Services and probes refer to them. */
export const PORT_NAMES = {
  webhook: 'webhook',
  health: 'health',
  ipamApi: 'ipam-api',
  grpc: 'grpc',
  metrics: 'metrics',
} as const;

/** Labels that select the Pods; part of an immutable selector, so they never change. */
export const SELECTOR_LABELS = {
  'app.kubernetes.io/name': 'ipam-operator',
  'app.kubernetes.io/component': 'controller-manager',
} as const;

/** Labels of every object that belongs to the operator. */
export const COMMON_LABELS = {
  'app.kubernetes.io/name': 'ipam-operator',
  'app.kubernetes.io/part-of': 'ipam',
  [MANAGED_BY.label]: MANAGED_BY.manifests,
} as const;

/**
 * Takes the chart's namespace off an object that has none; cdk8s stamps it on every kind.
 *
 * @param object - an object of a cluster-scoped kind
 * @returns the same object
 */
export function clusterScoped<O extends ApiObject>(object: O): O {
  if (object.metadata.namespace !== undefined) object.addJsonPatch(JsonPatch.remove('/metadata/namespace'));
  return object;
}
