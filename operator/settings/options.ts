import { OPERATOR_NAMESPACE } from '../contract/group';
import type { ListOption, ListenAddress, ListenOption, NumberOption, Option, SwitchOption } from './option';
import { NETBOX_OPTIONS } from './netbox-options';
import { IPAM_API_LOGIN_OPTIONS } from './ipam-api-options';
import { SIGNAL_OPTIONS } from './signal-options';
import { VIPS_OPTIONS } from './vips-options';
import { CLUSTER_API_OPTIONS } from './cluster-api-options';
import { EGRESS_OPTIONS } from './egress-options';
import { METRICS_OPTIONS } from './metrics-options';
import { NETWORKS_OPTIONS } from './networks-options';
import { CERTIFICATE_OPTIONS } from './certificate-options';
import { STORE_OPTIONS } from './store-options';

const listen = (flag: `--${string}`, env: `IPAM_${string}`) => ({ flag, env, type: 'listen' }) as const;
const seconds = (flag: `--${string}`, env: `IPAM_${string}`) =>
  ({ flag, env, type: 'number', unit: 'seconds' }) as const;

/**
 * Every flag and environment variable of the operator, once: the parser, `--help` and the reference of options read this.
 * No option takes a secret, since arguments are visible to every user of the machine; secrets come as files.
 */
export const OPTIONS = {
  standalone: {
    flag: '--standalone',
    env: 'IPAM_STANDALONE',
    type: 'switch',
    default: false,
    help: 'Run without a cluster: namespaces and Secrets live in memory, and reviews come from any caller',
  },
  kubeconfig: {
    flag: '--kubeconfig',
    env: 'IPAM_KUBECONFIG',
    type: 'file',
    default: '',
    help: 'Kubeconfig of the cluster to serve; empty: the service account of the Pod',
  },
  kubeContext: {
    flag: '--context',
    env: 'IPAM_KUBE_CONTEXT',
    type: 'text',
    default: '',
    help: 'Context of --kubeconfig; empty: its current one',
  },
  namespace: {
    flag: '--namespace',
    env: 'IPAM_NAMESPACE',
    type: 'text',
    default: OPERATOR_NAMESPACE,
    help: "The operator's own namespace, where its Secrets and its Lease are",
  },
  clusterFamilies: {
    flag: '--cluster-families',
    env: 'IPAM_CLUSTER_FAMILIES',
    type: 'list',
    choices: ['ipv4', 'ipv6'],
    default: ['ipv4'],
    help: 'Address families of the simulated cluster, the primary one first; with --standalone only',
  },
  zonesFile: {
    flag: '--zones-file',
    env: 'IPAM_ZONES_FILE',
    type: 'file',
    default: '/etc/ipam/zones.yaml',
    help: 'Zone document (YAML or JSON), read again when it changes; not read with the store objects, which has no zones',
  },
  defaultZone: {
    flag: '--default-zone',
    env: 'IPAM_DEFAULT_ZONE',
    type: 'text',
    default: '',
    help: 'Zone of Services that name none, in place of services.defaultZone in the zone document',
  },
  ...STORE_OPTIONS,
  webhookBindAddress: {
    ...listen('--webhook-bind-address', 'IPAM_WEBHOOK_BIND_ADDRESS'),
    optional: false,
    default: ':9443',
    help: 'Where the admission webhooks listen (HTTPS)',
  },
  healthProbeBindAddress: {
    ...listen('--health-probe-bind-address', 'IPAM_HEALTH_PROBE_BIND_ADDRESS'),
    optional: true,
    default: ':8081',
    help: 'Where /healthz and /readyz listen (HTTP), and /metrics without --metrics-bind-address; 0 switches the listener off',
  },
  ipamApiBindAddress: {
    ...listen('--ipam-api-bind-address', 'IPAM_API_BIND_ADDRESS'),
    optional: true,
    default: '',
    help: 'Where the IPAM-API listens for other clusters; empty: it does not listen',
  },
  ipamApiTls: {
    flag: '--ipam-api-tls',
    env: 'IPAM_API_TLS',
    type: 'switch',
    default: true,
    help: 'Serve the IPAM-API over HTTPS with the serving certificate; false only behind a proxy that ends TLS',
  },
  ipamApiDeadlineSeconds: {
    ...seconds('--ipam-api-deadline', 'IPAM_API_DEADLINE'),
    min: 1,
    max: 60,
    default: 10,
    help: 'Time after which the IPAM-API answers 503 instead of waiting for the store',
  },
  allowAnonymousV2: {
    flag: '--allow-anonymous-v2',
    env: 'IPAM_ALLOW_ANONYMOUS_V2',
    type: 'switch',
    default: false,
    help: 'Answer version 2 of the IPAM-API, which has no login: every client that reaches it can take addresses',
  },
  ipamApiCertPath: {
    flag: '--ipam-api-cert-path',
    env: 'IPAM_API_CERT_PATH',
    type: 'folder',
    default: '',
    help: 'Folder of the certificate of the IPAM-API (tls.crt, tls.key), reloaded live; empty: that of the webhooks',
  },
  services: {
    flag: '--services',
    env: 'IPAM_SERVICES',
    type: 'switch',
    default: true,
    help: 'Serve LoadBalancer Services; false: the IPAM-API alone, for other clusters',
  },
  ...CERTIFICATE_OPTIONS,
  whenUnavailable: {
    flag: '--when-unavailable',
    env: 'IPAM_WHEN_UNAVAILABLE',
    type: 'choice',
    choices: ['deny', 'admit'],
    default: 'deny',
    help: 'Answer to a Service while no address can be given: refuse it, or admit it without an address',
  },
  zonePools: {
    flag: '--zone-pools',
    env: 'IPAM_ZONE_POOLS',
    type: 'choice',
    choices: ['prefixes', 'claims'],
    default: 'prefixes',
    help: 'Content of the MetalLB pool of a zone: its prefixes, made by the deployment, or the claimed addresses, written by the operator',
  },
  admissionDeadlineSeconds: {
    ...seconds('--admission-deadline', 'IPAM_ADMISSION_DEADLINE'),
    min: 1,
    max: 29,
    default: 8,
    help: 'Time after which a review is answered by --when-unavailable; below the 30 s of the API server',
  },
  loadBalancerClasses: {
    flag: '--load-balancer-classes',
    env: 'IPAM_LOAD_BALANCER_CLASSES',
    type: 'list',
    default: [],
    help: 'Values of spec.loadBalancerClass that are ours; Services without a class need none',
  },
  namespacePreset: {
    flag: '--namespace-preset',
    env: 'IPAM_NAMESPACE_PRESET',
    type: 'choice',
    choices: ['as-begun', 'minimal', 'original'],
    default: 'as-begun',
    help: 'Namespaces that are always left out: minimal (kube-system, kube-public, kube-node-lease, our own), original (13 more that the original left out), or those with which the installation began',
  },
  occupiedClasses: {
    flag: '--occupied-classes',
    env: 'IPAM_OCCUPIED_CLASSES',
    type: 'list',
    default: [],
    help: 'Values of spec.loadBalancerClass that announcers of others serve here: what their Services show is never given out',
  },
  excludedNamespaces: {
    flag: '--excluded-namespaces',
    env: 'IPAM_EXCLUDED_NAMESPACES',
    type: 'list',
    default: [],
    help: 'Namespaces whose Services are left alone, beside those of --namespace-preset',
  },
  resyncSeconds: {
    ...seconds('--resync', 'IPAM_RESYNC'),
    min: 10,
    max: 86_400,
    default: 600,
    help: 'Time between two comparisons of all stored Services with the record; changes are served at once',
  },
  reservationLeaseSeconds: {
    ...seconds('--reservation-lease', 'IPAM_RESERVATION_LEASE'),
    min: 30,
    max: 86_400,
    default: 300,
    help: 'Life of a reservation for a Service that has not been stored yet',
  },
  maxReservationsPerNamespace: {
    flag: '--max-reservations-per-namespace',
    env: 'IPAM_MAX_RESERVATIONS_PER_NAMESPACE',
    type: 'number',
    unit: 'reservations',
    min: 1,
    max: 100_000,
    default: 64,
    help: 'Most reservations of one namespace that are not bound yet',
  },
  clusterId: {
    flag: '--cluster-id',
    env: 'IPAM_CLUSTER_ID',
    type: 'text',
    default: '',
    help: 'Identity of this cluster in the record; empty: the one in Secret ipam-cluster-identity, which is made of the UID of kube-system at the first start and restored with a backup',
  },
  historyDays: {
    flag: '--history-days',
    env: 'IPAM_HISTORY_DAYS',
    type: 'number',
    unit: 'days',
    min: 1,
    max: 36_500,
    default: 365,
    help: 'How far back the record tells former holders of an address; what ended before is deleted',
  },
  historyRowsPerNamespace: {
    flag: '--history-rows-per-namespace',
    env: 'IPAM_HISTORY_ROWS_PER_NAMESPACE',
    type: 'number',
    unit: 'rows',
    min: 100,
    max: 1_000_000,
    default: 10_000,
    help: 'Most rows of history of one namespace, the newest ones; a Service that comes and goes leaves two or three',
  },
  recoverableSecrets: {
    flag: '--recoverable-secrets',
    env: 'IPAM_RECOVERABLE_SECRETS',
    type: 'switch',
    default: false,
    help: 'Keep secrets encrypted beside their hashes, so that an administrator can read them again',
  },
  shutdownDelaySeconds: {
    ...seconds('--shutdown-delay', 'IPAM_SHUTDOWN_DELAY'),
    min: 0,
    max: 60,
    default: 5,
    help: 'Time between not-ready and the end of listening, so that callers learn of it first',
  },
  ...NETBOX_OPTIONS,
  ...IPAM_API_LOGIN_OPTIONS,
  ...SIGNAL_OPTIONS,
  ...VIPS_OPTIONS,
  ...CLUSTER_API_OPTIONS,
  ...NETWORKS_OPTIONS,
  ...EGRESS_OPTIONS,
  ...METRICS_OPTIONS,
  logLevel: {
    flag: '--log-level',
    env: 'IPAM_LOG_LEVEL',
    type: 'choice',
    choices: ['debug', 'info', 'warn', 'error'],
    default: 'info',
    help: 'Least severe level that is written',
  },
} as const satisfies Record<string, Option>;

/** Name of an option in {@link Settings}. */
export type OptionName = keyof typeof OPTIONS;

type Optional<O> = O extends { readonly optional: true } ? undefined : never;
type ValueOf<O extends Option> = O extends SwitchOption
  ? boolean
  : O extends NumberOption
    ? number
    : O extends ListenOption
      ? ListenAddress | Optional<O>
      : O extends { readonly choices: readonly (infer C)[] }
        ? O extends ListOption
          ? readonly C[]
          : C
        : O extends ListOption
          ? readonly string[]
          : string;

/** Why `whenUnavailable: admit` needs `zonePools: claims`, to be put behind "since". */
export const WHY_ADMIT_NEEDS_CLAIMS =
  'MetalLB would give a Service that passed while the webhook was away any address of the pool that it names';

/** Values of all options, deep-frozen; made by `parseSettings` only. */
export type Settings = { readonly [Name in OptionName]: ValueOf<(typeof OPTIONS)[Name]> };
