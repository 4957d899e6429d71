import type * as pulumi from '@pulumi/pulumi';
import {
  AddressClaim,
  AddressPlan,
  EgressIpam,
  EgressNamespace,
  IpAllocation,
  IpamOperator,
  IpamService,
  IpGroup,
  IpPrefix,
  MetalLbPool,
  NetworkInstance,
} from '../../infra/index';
import {
  LITERAL_ALLOCATION_ARGS,
  LITERAL_CLAIM_ARGS,
  LITERAL_EGRESS_ARGS,
  LITERAL_EGRESS_NAMESPACE_ARGS,
  LITERAL_GROUP_ARGS,
  LITERAL_INSTANCE_ARGS,
  LITERAL_OPERATOR_ARGS,
  LITERAL_PLAN_ARGS,
  LITERAL_POOL_ARGS,
  LITERAL_PREFIX_ARGS,
  LITERAL_SERVICE_ARGS,
} from '../../infra/args/literal-args';

type Component = new (name: string, args: never) => pulumi.ComponentResource;
type Args = Readonly<Record<string, unknown>>;

/** Args of which every leaf has a value that is allowed, and what of them is never an Output. */
export interface FullArgs {
  readonly title: string;
  readonly component: Component;
  readonly literal: readonly string[];
  readonly args: Args;
}

const ZONES = [{ name: 'inet', prefixes: ['203.0.113.0/24'] }];
const KEY = { name: 'object', key: 'key' };
const SOMETHING = { a: 'b' };
const CIDRS = ['10.0.0.0/8'];
const TERMS = [{ matchExpressions: [{ key: 'a', operator: 'In', values: ['b'] }] }];

const operator = (title: string, args: Args): FullArgs => ({
  title: `an operator with ${title}`,
  component: IpamOperator,
  literal: LITERAL_OPERATOR_ARGS,
  args: { zones: ZONES, ...args },
});

const service = (title: string, args: Args): FullArgs => ({
  title: `a Service with ${title}`,
  component: IpamService,
  literal: LITERAL_SERVICE_ARGS,
  args: { zone: 'inet', ...args },
});

/** Between them, every arg that a leaf can be given to. */
export const FULL_ARGS: readonly FullArgs[] = [
  operator('SQLite and related systems', {
    zonePools: 'claims',
    services: {
      enabled: true,
      defaultZone: 'inet',
      loadBalancerClasses: ['a.example/b'],
      excludedNamespaces: ['x'],
    },
    store: { sqlite: { size: '1Gi', storageClassName: 'fast' } },
    netbox: {
      url: 'https://netbox.example',
      token: KEY,
      ca: KEY,
      tag: 't',
      fields: SOMETHING,
      refreshSeconds: 60,
      adopt: true,
    },
    cleanupEvents: { url: 'https://events.example', token: KEY, ca: KEY },
    splunk: { url: 'https://splunk.example', token: KEY, ca: KEY, index: 'i', source: 's', sourcetype: 't' },
    ipamApi: {
      expose: {
        port: 8443,
        serviceType: 'ClusterIP',
        serviceAnnotations: SOMETHING,
        dnsNames: ['ipam.example'],
        issuer: { name: 'corp', kind: 'Issuer', group: 'cert-manager.io' },
        clients: { secret: KEY },
        clientCa: KEY,
        allowAnonymousV2: true,
        deadlineSeconds: 5,
      },
    },
    networkPolicy: {
      enabled: true,
      monitoringNamespaces: ['m'],
      apiServerCidrs: CIDRS,
      apiServerPorts: [6443],
      netboxCidrs: CIDRS,
      cleanupEventsCidrs: CIDRS,
      splunkCidrs: CIDRS,
    },
  }),
  operator('PostgreSQL', {
    clusterFamilies: ['IPv4'],
    whenUnavailable: 'deny',
    certificates: 'cert-manager',
    platform: 'kubernetes',
    createNamespace: true,
    replicas: 2,
    cluster: 'east',
    store: { postgres: { connection: KEY, ca: KEY, port: 5432 } },
    networkPolicy: { storeCidrs: CIDRS },
    ipamApi: { expose: { certificateSecret: 'served' } },
    image: {
      registry: 'r.example',
      repository: 'ipam',
      tag: '1',
      digest: `sha256:${'a'.repeat(64)}`,
      pullPolicy: 'Always',
      pullSecrets: ['pull'],
    },
    settings: {
      admissionDeadlineSeconds: 5,
      reservationLeaseSeconds: 60,
      maxReservationsPerNamespace: 3,
      shutdownDelaySeconds: 1,
      historyDays: 3,
      recoverableSecrets: true,
      clusterId: 'east',
      namespacePreset: 'original',
    },
  }),
  operator('a remote IPAM-API', {
    store: { remote: { url: 'https://ipam.example', token: KEY, ca: KEY } },
    crds: { install: true, keep: true, breakGlassGroup: 'admins' },
    monitoring: {
      serviceMonitor: { interval: '30s', labels: SOMETHING },
      prometheusRule: { nearlyFullPercent: 80, labels: SOMETHING },
      dashboard: { namespace: 'grafana', labels: SOMETHING, annotations: SOMETHING },
    },
    extraObjects: [
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'extra', namespace: 'ipam-system' },
        data: SOMETHING,
      },
    ],
    logLevel: 'debug',
    priorityClassName: 'high',
    nodeSelector: SOMETHING,
    resources: { cpuRequest: '10m', cpuLimit: '1', memoryRequest: '64Mi', memoryLimit: '1Gi' },
    tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule' }],
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: TERMS } } },
    topologySpread: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' }],
    extraEnv: [
      { name: 'A', value: 'b' },
      { name: 'B', secret: KEY },
    ],
    podAnnotations: SOMETHING,
    podLabels: SOMETHING,
  }),
  service('fixed addresses', {
    ports: [{ port: 80, targetPort: 8080, protocol: 'TCP', name: 'http', nodePort: 30080 }],
    name: 'web',
    namespace: 'shop',
    selector: SOMETHING,
    addresses: ['203.0.113.4'],
    ipFamily: 'ipv4',
    clusterFamilies: ['IPv4'],
    cluster: 'east',
    secret: 'mine',
    retentionPeriodDays: 1,
    denyExternalCleanup: true,
    allowLocalSharedIp: 'web',
    externalTrafficPolicy: 'Local',
    allocateLoadBalancerNodePorts: true,
    loadBalancerClass: 'a.example/b',
    annotations: SOMETHING,
    labels: SOMETHING,
  }),
  service('a secret of its own', {
    ports: [{ port: 80, targetPort: 'http' }],
    generatedSecret: { name: 'mine', value: 'correct horse battery' },
    ipFamilies: ['IPv4'],
    ipFamilyPolicy: 'SingleStack',
  }),
  {
    title: 'a pool',
    component: MetalLbPool,
    literal: LITERAL_POOL_ARGS,
    args: {
      addresses: ['198.51.100.0/28'],
      name: 'lan',
      namespace: 'metallb-system',
      advertise: 'both',
      l2: [{ interfaces: ['eth0'], nodeSelectors: [{ matchLabels: SOMETHING }] }],
      bgp: [{ communities: ['65000:1'], localPref: 7, aggregationLength: 32, peers: ['p'] }],
      autoAssign: true,
      avoidBuggyIps: true,
      cluster: 'east',
    },
  },
  {
    title: 'a claim',
    component: AddressClaim,
    literal: LITERAL_CLAIM_ARGS,
    args: {
      spec: { network: 'default', address: '192.0.2.9', door: 'grpc', state: 'bound', key: 'router' },
      cluster: 'east',
      annotations: SOMETHING,
      labels: SOMETHING,
    },
  },
  {
    title: 'a group',
    component: IpGroup,
    literal: LITERAL_GROUP_ARGS,
    args: {
      name: 'edge',
      spec: { segment: '192.0.2.0/29', excludedIPs: ['192.0.2.0'] },
      cluster: 'east',
      annotations: SOMETHING,
      labels: SOMETHING,
    },
  },
  {
    title: 'an EgressIPAM',
    component: EgressIpam,
    literal: LITERAL_EGRESS_ARGS,
    args: {
      name: 'edge',
      spec: { topologyLabel: 'zone', cidrAssignments: [{ CIDR: '192.0.2.0/29', labelValue: 'a' }] },
      cluster: 'east',
      annotations: SOMETHING,
      labels: SOMETHING,
    },
  },
  {
    title: 'a Namespace with egress addresses',
    component: EgressNamespace,
    literal: LITERAL_EGRESS_NAMESPACE_ARGS,
    args: {
      name: 'shop',
      egressIpam: 'edge',
      addresses: ['192.0.2.1'],
      allowReserved: true,
      cluster: 'east',
      annotations: SOMETHING,
      labels: SOMETHING,
    },
  },
  {
    title: 'an instance of networks',
    component: NetworkInstance,
    literal: LITERAL_INSTANCE_ARGS,
    args: {
      name: 'vpc-1',
      namespace: 'default',
      network: 'edge',
      parents: 'required',
      cluster: 'east',
      annotations: SOMETHING,
      labels: SOMETHING,
    },
  },
  {
    title: 'a prefix',
    component: IpPrefix,
    literal: LITERAL_PREFIX_ARGS,
    args: {
      name: 'net1',
      namespace: 'default',
      labels: SOMETHING,
      annotations: SOMETHING,
      cluster: 'east',
      spec: { kind: 'network', prefix: '10.0.1.1/24', networkInstance: 'vpc-1', network: 'net1' },
    },
  },
  {
    title: 'an allocation',
    component: IpAllocation,
    literal: LITERAL_ALLOCATION_ARGS,
    args: {
      name: 'n3',
      namespace: 'default',
      labels: SOMETHING,
      annotations: SOMETHING,
      cluster: 'east',
      families: ['ipv4'],
      spec: {
        selector: { matchLabels: { 'nephio.org/network-instance': 'vpc-1', 'nephio.org/network-name': 'net1' } },
      },
    },
  },
  {
    title: 'an address plan',
    component: AddressPlan,
    literal: LITERAL_PLAN_ARGS,
    args: {
      instance: 'vpc-1',
      createInstance: true,
      namespace: 'default',
      labels: SOMETHING,
      cluster: 'east',
      prefixes: [{ prefix: '10.0.0.0/8', children: [{ prefix: '10.0.1.0/24', network: 'n', gateway: '10.0.1.1' }] }],
    },
  },
];
