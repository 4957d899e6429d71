/** API group of our annotations and kinds. */
export const IPAM_GROUP = 'ipam.vitistack.io';

/** Category of the kinds of the record; `kubectl get ipam` leaves them out, since they would be all that it shows. */
export const RECORD_CATEGORY = 'ipam-record';

/** Annotation keys by which a Service asks for addresses. */
export const IPAM = {
  addresses: 'ipam.vitistack.io/addresses',
  ipFamily: 'ipam.vitistack.io/ip-family',
  zone: 'ipam.vitistack.io/zone',
  secret: 'ipam.vitistack.io/secret',
  retentionPeriodDays: 'ipam.vitistack.io/retention-period-days',
  denyExternalCleanup: 'ipam.vitistack.io/deny-external-cleanup',
  allowLocalSharedIp: 'ipam.vitistack.io/allow-local-shared-ip',
  /** `true`: the Service takes no address by the default zone, so another pool of MetalLB may serve it. */
  optOut: 'ipam.vitistack.io/opt-out',
  /** Result key: ties a `generateName` Service to its reservation until it is bound. */
  reservation: 'ipam.vitistack.io/reservation',
} as const;

/** Prefix of every annotation key of ours. */
export const IPAM_PREFIX = 'ipam.vitistack.io/';

/** Annotation keys that MetalLB reads, and its older spelling. */
export const METALLB = {
  pool: 'metallb.io/address-pool',
  addresses: 'metallb.io/loadBalancerIPs',
  sharing: 'metallb.io/allow-shared-ip',
  legacyPool: 'metallb.universe.tf/address-pool',
  legacyAddresses: 'metallb.universe.tf/loadBalancerIPs',
  legacySharing: 'metallb.universe.tf/allow-shared-ip',
} as const;

/** Keys by which a Service names its pool to MetalLB; the older one counts only where the other is missing. */
export const METALLB_POOL_KEYS = [METALLB.pool, METALLB.legacyPool] as const;
/** API group of the objects of MetalLB. */
export const METALLB_GROUP = 'metallb.io';
/** Group and version of the objects of MetalLB. */
export const METALLB_API = `${METALLB_GROUP}/v1beta1`;

/** Annotation by which MetalLB tells the pool of the addresses that it assigned. */
export const METALLB_FROM_POOL = 'metallb.io/ip-allocated-from-pool';

/** Namespace of the operator; the original's name, kept for take-over. */
export const OPERATOR_NAMESPACE = 'ipam-system';
/** Service in front of the webhooks. */
export const WEBHOOK_SERVICE = 'ipam-webhook-service';
/** Service of the gRPC API of networks; it selects no Pods, its EndpointSlice is written by the process that leads. */
export const NETWORKS_GRPC_SERVICE = 'ipam-networks-grpc';
/** Service in front of the metrics; the original's name, kept for take-over. */
export const METRICS_SERVICE = 'ipam-controller-manager-metrics-service';
/** Namespace of MetalLB. */
export const METALLB_NAMESPACE = 'metallb-system';
/** Label that names the manager of an object, and what it says on the objects of our manifests. */
export const MANAGED_BY = { label: 'app.kubernetes.io/managed-by', manifests: 'cdk8s-ipam' } as const;
/** Name of the cluster's default secret, and the word that selects it; users cannot have a Secret of this name. */
export const DEFAULT_SECRET = 'default';
/** Name under which the API server records what we wrote, and value of the managed-by label of what only we write. */
export const FIELD_MANAGER = 'ipam-operator';
/** Secret of our namespace with the key under which other secrets are hashed; losing it locks every owner out. */
export const KEYS_SECRET = 'ipam-keys';
/** Secret of our namespace with the identity under which the record knows this cluster; goes with its backup. */
export const CLUSTER_IDENTITY_SECRET = 'ipam-cluster-identity';
/** Number of Secrets that share what a remote IPAM-API was asked for; another number would look for rows in the wrong one. */
const INTENT_SECRET_COUNT = 16;
/** Secrets of our namespace with what a remote IPAM-API was asked for and has not given back. */
export const INTENT_SECRETS: readonly string[] = Array.from(
  { length: INTENT_SECRET_COUNT },
  (_, index) => `ipam-intents-${String(index)}`,
);
/** Secret of our namespace with our own CA and certificate, where cert-manager makes none. */
export const SELF_SIGNED_SECRET = 'ipam-self-signed';
/** Lease of our namespace that the leading replica holds. */
export const LEASE = 'ipam-operator';
/** Data key of every secret. */
export const SECRET_KEY = 'secret';
/** Shortest and longest secret, in characters. */
export const SECRET_LENGTH = { min: 8, max: 64 } as const;
/** A pool that must not exist: a waiting Service names it, so that MetalLB gives it nothing. */
export const WAITING_POOL = 'ipam-waiting';
/** Days of retention that may be asked for. */
export const MAX_RETENTION_DAYS = 30;

/**
 * Type of the condition on Services: True while the status shows every address that is bound to the Service, Unknown while they are bound
 * and it does not, False while the Service has none or waits.
 */
export const ADDRESS_READY = 'ipam.vitistack.io/AddressReady';

/** Paths of the webhooks: those of Services, and that of MetalLB's pools. */
export const WEBHOOK_PATHS = {
  mutate: '/mutate--v1-service',
  validate: '/validate--v1-service',
  pools: '/validate-metallb-io-v1beta1-ipaddresspool',
} as const;
/** Largest body of an AdmissionReview: it carries the new and the old object, at most 3 MiB each in etcd. */
export const ADMISSION_BODY_BYTES = 8 * 1024 * 1024;
/** Names of the webhook configurations and of the webhooks in them. */
export const WEBHOOK_NAMES = {
  mutatingConfiguration: 'ipam-mutating-webhook-configuration',
  mutating: 'mservice-v1.kb.io',
  validatingConfiguration: 'ipam-validating-webhook-configuration',
  validating: 'vservice-v1.kb.io',
  pools: 'vipaddresspool.ipam.vitistack.io',
  egressConfiguration: 'ipam-egress-validating-webhook-configuration',
  egressIpams: 'vegressipam.ipam.vitistack.io',
  /** Of deletions, which are never refused. */
  egressIpamsGone: 'vegressipam-deletion.ipam.vitistack.io',
  namespaces: 'vnamespace.ipam.vitistack.io',
} as const;
/** Seconds that the API server waits for a webhook. */
export const WEBHOOK_TIMEOUT_SECONDS = 30;

/** Namespace of Kubernetes itself, which every cluster has; its UID names the cluster. */
export const KUBE_SYSTEM = 'kube-system';
/** Namespaces whose Services never reach the webhooks: those of Kubernetes itself, and our own. */
export const EXCLUDED_NAMESPACES = [KUBE_SYSTEM, 'kube-public', 'kube-node-lease', OPERATOR_NAMESPACE] as const;

/**
 * Namespaces that the original operator and older versions of this one left out as well. They stay left out of an installation that
 * began with them, until its administrator opens them.
 */
export const ORIGINAL_EXCLUDED_NAMESPACES = [
  'cert-manager',
  'kubemacpool-system',
  'kubelet-serving-cert-approver',
  'kubevirt',
  'letsencrypt',
  'eventus',
  'fluent',
  'kyverno',
  'metallb-system',
  'monitoring',
  'rook-ceph',
  'falco',
  'trivy-system',
] as const;

/** Namespaces that are left out beside the named ones: few, those of the original too, or those with which the installation began. */
export type NamespacePreset = 'as-begun' | 'minimal' | 'original';

/**
 * Lists the namespaces that are left out.
 *
 * @param preset - as set, where `as-begun` was found out
 * @param more - names that are added
 * @returns each name once
 */
export function excludedNamespaces(preset: NamespacePreset, more: readonly string[] = []): readonly string[] {
  const original = preset === 'original' ? ORIGINAL_EXCLUDED_NAMESPACES : [];
  return [...new Set([...EXCLUDED_NAMESPACES, ...original, ...more])];
}
