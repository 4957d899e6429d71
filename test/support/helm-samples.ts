import type { Json } from '../../constructs/render/helm/value-reader';
import type { ChartSample } from './helm-chart-sample';
import { RELATED_SYSTEM_SAMPLES } from './helm-related-system-samples';

const annotations: Json = { 'example.com/Team': 'net: "core"', number: '012' };
const labels: Json = { 'example.com/team': 'core.Net', number: '012' };
const bothFamilies: Json = [
  { name: 'lan', prefixes: ['2001:db8:1::/64', '198.51.100.0/24'], excluded: ['198.51.100.0-198.51.100.9'] },
];
const postgres = { 'store.kind': 'postgres' } as const;
const remote = {
  'store.kind': 'remote',
  'store.remote.url': 'https://ipam.example.net',
  'store.remote.tokenSecret': 'api-token',
} as const;
const grpc = { 'networks.enabled': true, 'networks.grpc.enabled': true };
const vips = { 'vips.enabled': true } as const;
const objects = { ...vips, 'store.kind': 'objects', 'services.enabled': false, zones: [] } as const;
const exposed = { 'ipamApi.expose.enabled': true } as const;
const issued = { ...exposed, 'ipamApi.expose.issuer.name': 'company' } as const;
const monitor = { 'monitoring.serviceMonitor.enabled': true } as const;
const secure = { 'monitoring.secure.enabled': true } as const;
const wrongTexts: readonly Json[] = [1, true, [], {}];
const wrongLists: readonly Json[] = ['x', {}, [1], ['']];
const wrongMaps: readonly Json[] = ['x', [], { a: 1 }];
const wrongSwitches: readonly Json[] = ['true', 1, {}];
const wrongPorts: readonly Json[] = [0, 65_536, '443', 1.5];
const wrongQuantities: readonly Json[] = ['', 'a lot', 1, '1 Gi'];

/** A sample for every value of the chart, by path; a test holds the list against the chart. */
export const CHART_SAMPLES: Readonly<Record<string, ChartSample>> = {
  zones: {
    value: [
      {
        name: 'lan',
        prefixes: ['172.16.8.0/22'],
        excluded: ['172.16.8.0-172.16.8.15'],
        namespaces: {
          matchLabels: { a: 'yes' },
          matchExpressions: [{ key: 'b', operator: 'In', values: ['on', '1'] }],
        },
        quarantineSeconds: 1_000_000,
        quota: 50,
        draining: true,
      },
      { name: 'inet', network: 'public', prefixes: ['2a05:1234::/112', '83.118.168.0/24'], advertise: 'bgp' },
      { name: 'own', prefixes: ['192.0.2.0/28'], advertise: 'none' },
      { name: 'two', prefixes: ['192.0.2.16/28'], advertise: 'both' },
      {
        name: 'told',
        prefixes: ['192.0.2.32/28'],
        l2: [{ interfaces: ['eth0'] }, { nodeSelectors: [{ matchLabels: { rack: '1' } }] }],
        bgp: [{ communities: ['65000:100'], localPref: 100, peers: ['edge'] }],
      },
    ],
    wrong: [
      'x',
      [{ name: 'lan' }],
      [{ name: 'No', prefixes: ['10.0.0.0/8'] }],
      [{ name: 'lan', prefixes: ['10.0.0.0/8'], quotas: 1 }],
      [{ name: 'lan', prefixes: ['10.0.0.0/8'], quota: '1' }],
      [{ name: 'lan', prefixes: ['10.0.0.0/8'], advertise: 'arp' }],
    ],
  },
  clusterFamilies: { value: ['IPv6'], with: { zones: bothFamilies }, wrong: ['IPv4', [], ['ipv4'], ['IPv4', 'IPv4']] },
  zonePools: { value: 'claims', wrong: ['none', 1] },
  'services.enabled': { value: false, with: { 'ipamApi.expose.enabled': true }, wrong: wrongSwitches },
  'services.defaultZone': { value: 'example', wrong: wrongTexts },
  'services.loadBalancerClasses': {
    value: ['metallb', 'example.com/internal-vip'],
    wrong: [...wrongLists, ["a'b"], ['a b'], ['a', 'a']],
  },
  'services.occupiedClasses': { value: ['example.com/others'], wrong: [...wrongLists, ['a b'], ['a', 'a']] },
  'services.excludedNamespaces': { value: ['team-a', 'on'], wrong: [...wrongLists, ['Team']] },
  whenUnavailable: { value: 'admit', with: { zonePools: 'claims' }, wrong: ['maybe', true] },
  certificates: { value: 'self-managed', wrong: ['vault', false] },
  logLevel: { value: 'debug', wrong: ['loud', 3] },
  'settings.admissionDeadlineSeconds': { value: 29, wrong: [30, 0, 1.5, '8'] },
  'settings.reservationLeaseSeconds': { value: 86_400, wrong: [29, 86_401, '30'] },
  'settings.maxReservationsPerNamespace': { value: 100_000, wrong: [100_001, true] },
  'settings.shutdownDelaySeconds': { value: 0, wrong: [-1, 61, '5'] },
  'image.registry': { value: 'registry.example:5000/team/', wrong: wrongTexts },
  'image.repository': { value: 'mirror/ipam', wrong: ['', 1] },
  'image.tag': { value: '1.10', wrong: [1.1, {}] },
  'image.digest': { value: `sha256:${'0a'.repeat(32)}`, wrong: ['sha256:abc', 1] },
  'image.pullPolicy': { value: 'Always', wrong: ['Sometimes', 1] },
  imagePullSecrets: { value: ['one', '012'], wrong: [...wrongLists, [{ name: 'x' }]] },
  'store.kind': { value: 'postgres', wrong: ['mysql', 1] },
  'store.sqlite.size': { value: '20Gi', wrong: wrongQuantities },
  'store.sqlite.storageClassName': { value: 'fast', wrong: wrongTexts },
  'store.postgres.connectionSecret': { value: 'my-database', with: postgres, wrong: wrongTexts },
  'store.postgres.connectionKey': { value: 'uri', with: postgres, wrong: wrongTexts },
  'store.postgres.caSecret': { value: 'my-ca', with: postgres, wrong: wrongTexts },
  'store.postgres.caKey': {
    value: 'root.pem',
    with: { ...postgres, 'store.postgres.caSecret': 'ca' },
    wrong: wrongTexts,
  },
  'store.postgres.port': { value: 6432, with: postgres, wrong: wrongPorts },
  'store.postgres.replicas': { value: 3, with: postgres, wrong: [1, 100, '2', 2.5] },
  'store.remote.url': {
    value: 'https://[2001:db8::1]:8080/ipam',
    with: remote,
    instead: 'https://ipam.example.net',
    wrong: wrongTexts,
  },
  'store.remote.apiVersion': {
    value: 2,
    with: { ...remote, 'store.remote.tokenSecret': '' },
    before: remote,
    wrong: [1, 4, '3'],
  },
  'store.remote.tokenSecret': {
    value: 'my-token',
    with: remote,
    instead: 'api-token',
    wrong: wrongTexts,
  },
  'store.remote.tokenKey': { value: 'bearer', with: remote, wrong: wrongTexts },
  'store.remote.caSecret': { value: 'api-ca', with: remote, wrong: wrongTexts },
  'store.remote.caKey': { value: 'root.pem', with: { ...remote, 'store.remote.caSecret': 'ca' }, wrong: wrongTexts },
  'store.remote.certificateSecret': { value: 'api-login', with: remote, wrong: wrongTexts },
  'store.remote.replicas': { value: 1, with: remote, wrong: [0, 100, '2'] },
  'store.objects.replicas': { value: 1, with: objects, wrong: [0, 100, '2'] },
  'ipamApi.expose.enabled': { value: true, wrong: wrongSwitches },
  'ipamApi.expose.port': { value: 8443, with: exposed, wrong: wrongPorts },
  'ipamApi.expose.serviceType': { value: 'LoadBalancer', with: exposed, wrong: ['ExternalName', 1] },
  'ipamApi.expose.serviceAnnotations': { value: annotations, with: exposed, wrong: wrongMaps },
  'ipamApi.expose.dnsNames': { value: ['ipam.example.net', '12.example'], with: exposed, wrong: wrongLists },
  'ipamApi.expose.issuer.name': { value: 'company', with: exposed, wrong: wrongTexts },
  'ipamApi.expose.issuer.kind': { value: 'Issuer', with: issued, wrong: ['issuer', 1] },
  'ipamApi.expose.issuer.group': { value: 'awspca.example', with: issued, wrong: ['', 1] },
  'ipamApi.expose.certificateSecret': { value: 'my-cert', with: exposed, wrong: wrongTexts },
  'ipamApi.expose.allowAnonymousV2': { value: true, with: exposed, wrong: wrongSwitches },
  'ipamApi.expose.deadlineSeconds': { value: 60, with: exposed, wrong: [0, 61, '10'] },
  'resources.requests.cpu': { value: '1', wrong: wrongQuantities },
  'resources.requests.memory': { value: '0.25Gi', wrong: wrongQuantities },
  'resources.limits.cpu': { value: '2', wrong: ['a lot', 2] },
  'resources.limits.memory': { value: '1Gi', wrong: wrongQuantities },
  priorityClassName: { value: 'system-cluster-critical', wrong: wrongTexts },
  nodeSelector: { value: { 'example.com/pool': 'yes' }, wrong: wrongMaps },
  tolerations: {
    value: [
      { key: 'a', operator: 'Exists', effect: 'NoSchedule' },
      { key: 'b', value: '1', effect: 'NoExecute', tolerationSeconds: 1_000_000 },
    ],
    wrong: ['x', {}, ['x'], [{}], [{ key: 'a', tolerationSeconds: 1 }], [{ key: 'a', operator: 'Exists', value: 'b' }]],
  },
  affinity: {
    value: {
      podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone', labelSelector: {} }] },
    },
    wrong: ['x', []],
  },
  'topologySpread.constraints': {
    value: [
      {
        maxSkew: 2,
        topologyKey: 'rack',
        whenUnsatisfiable: 'DoNotSchedule',
        labelSelector: { matchLabels: { a: '1' } },
      },
    ],
    wrong: [
      'x',
      {},
      [{ topologyKey: 'rack' }],
      [{ maxSkew: 0, topologyKey: 'rack', whenUnsatisfiable: 'DoNotSchedule' }],
    ],
  },
  'topologySpread.enabled': { value: false, with: postgres, wrong: wrongSwitches },
  extraEnv: {
    value: [
      { name: 'HTTPS_PROXY', value: 'http://proxy.example:3128' },
      { name: 'EMPTY', value: '' },
      { name: 'PROXY_PASSWORD', secret: { name: 'proxy' } },
      { name: 'PROXY_USER', secret: { name: 'proxy', key: 'user' } },
    ],
    wrong: [
      'x',
      {},
      ['x'],
      [{ value: 'x' }],
      [{ name: 'A', value: 1 }],
      [{ name: 'A', secret: {} }],
      [{ name: 'A', from: 'x' }],
    ],
  },
  podAnnotations: { value: annotations, wrong: wrongMaps },
  podLabels: { value: { team: 'on' }, wrong: wrongMaps },
  platform: { value: 'openshift', wrong: ['rancher', 1] },
  createNamespace: { value: false, wrong: wrongSwitches },
  'networkPolicy.enabled': { value: false, wrong: wrongSwitches },
  'networkPolicy.monitoringNamespaces': { value: ['metrics', 'openshift-monitoring'], wrong: wrongLists },
  'networkPolicy.apiServerCidrs': { value: ['10.0.0.0/8', '2001:db8::/32'], wrong: wrongLists },
  'networkPolicy.apiServerPorts': { value: [16_443], wrong: ['x', [], [0], ['443'], [443, 443]] },
  'networkPolicy.storeCidrs': { value: ['10.9.0.0/16'], with: postgres, wrong: wrongLists },
  'crds.install': { value: false, wrong: wrongSwitches },
  'crds.keep': { value: false, wrong: wrongSwitches },
  'crds.breakGlassGroup': { value: 'sre:break.glass', wrong: ['', "x'y", 1] },
  'vips.enabled': { value: true, wrong: wrongSwitches },
  'vips.loadBalancerClasses': {
    value: ['paas.org/vip', 'example.com/vips'],
    with: vips,
    wrong: [...wrongLists, ["a'b"], ['a', 'a']],
  },
  'vips.classless': { value: true, with: vips, wrong: wrongSwitches },
  'vips.besideMetalLbClass': { value: true, with: vips, wrong: wrongSwitches },
  'vips.migration': { value: true, with: vips, wrong: wrongSwitches },
  'clusterApi.enabled': { value: true, with: vips, wrong: wrongSwitches },
  'vips.foreignAnnotations': {
    value: ['metallb', 'kube-vip'],
    with: vips,
    wrong: [...wrongLists, ['nginx'], ['metallb', 'metallb']],
  },
  'networks.enabled': { value: true, wrong: wrongSwitches },
  'egress.enabled': { value: true, wrong: wrongSwitches },
  'egress.dataplanes': {
    value: ['openshift-sdn', 'ovn-kubernetes'],
    with: { 'egress.enabled': true },
    wrong: [...wrongLists, ['calico'], ['ovn-kubernetes', 'ovn-kubernetes']],
  },
  'egress.usePermission': { value: false, with: { 'egress.enabled': true }, wrong: wrongSwitches },
  'egress.whenUnavailable': { value: 'deny', with: { 'egress.enabled': true }, wrong: ['Fail', 1] },
  'networks.grpc.enabled': { value: true, with: { 'networks.enabled': true }, wrong: wrongSwitches },
  'networks.grpc.certificateSecret': { value: 'grpc-cert', with: grpc, wrong: [1] },
  'networks.grpc.audience': { value: 'networks.example.com', with: grpc, wrong: ['', 1] },
  'networks.grpc.allowAnonymous': { value: true, with: grpc, wrong: wrongSwitches },
  'networks.orphanGraceSeconds': { value: 60, with: { 'networks.enabled': true }, wrong: [0, 86_401, '60'] },
  'networks.ownerKinds': {
    value: ['services', 'deployments.apps', 'virtualmachines.kubevirt.io'],
    with: { 'networks.enabled': true },
    wrong: [...wrongLists, ['Service'], ['services', 'services']],
  },
  'vips.orphanGraceSeconds': { value: 60, with: vips, wrong: [0, 86_401, '60'] },
  'monitoring.secure.enabled': { value: true, wrong: wrongSwitches },
  'monitoring.secure.certificateSecret': { value: 'metrics-cert', with: secure, wrong: [1] },
  'monitoring.serviceMonitor.tokenSecret': { value: 'scraper', with: { ...monitor, ...secure }, wrong: wrongTexts },
  'monitoring.serviceMonitor.tokenKey': {
    value: 'bearer',
    with: { ...monitor, ...secure, 'monitoring.serviceMonitor.tokenSecret': 'scraper' },
    wrong: wrongTexts,
  },
  'monitoring.serviceMonitor.enabled': { value: true, wrong: wrongSwitches },
  'monitoring.serviceMonitor.interval': { value: '1m', with: monitor, wrong: wrongTexts },
  'monitoring.serviceMonitor.labels': { value: labels, with: monitor, wrong: wrongMaps },
  'monitoring.prometheusRule.enabled': { value: true, wrong: wrongSwitches },
  'monitoring.prometheusRule.nearlyFullPercent': {
    value: 75,
    with: { 'monitoring.prometheusRule.enabled': true },
    wrong: [0, 100, '75'],
  },
  'monitoring.prometheusRule.labels': {
    value: labels,
    with: { 'monitoring.prometheusRule.enabled': true },
    wrong: wrongMaps,
  },
  'monitoring.dashboard.enabled': { value: true, wrong: wrongSwitches },
  'monitoring.dashboard.namespace': {
    value: 'grafana',
    with: { 'monitoring.dashboard.enabled': true },
    wrong: ['', 1],
  },
  'monitoring.dashboard.labels': {
    value: { grafana_dashboard: 'yes', more: 'on' },
    with: { 'monitoring.dashboard.enabled': true },
    wrong: wrongMaps,
  },
  'monitoring.dashboard.annotations': {
    value: { folder: 'Network' },
    with: { 'monitoring.dashboard.enabled': true },
    wrong: wrongMaps,
  },
  extraObjects: {
    value: [
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'mine', namespace: 'team-a' },
        data: { a: '{{ .b }}', c: '1' },
      },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'other', namespace: 'team-a' }, data: { d: 'x\ny\n' } },
    ],
    wrong: ['x', ['x'], [{ kind: 'ConfigMap' }], [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: {} }]],
  },
  ...RELATED_SYSTEM_SAMPLES,
};
