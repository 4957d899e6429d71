import { Lazy } from 'cdk8s';

import { ipamOperatorProblems, ipamServiceProblems } from '../../../../constructs';
import { LateBoundValues } from '../../../../constructs/render/late-bound/late-bound';
import { one, synthesized, zones } from '../../../support/operator-objects';
import { errorOf, MAKERS } from '../../../support/untyped';

describe('every construct', () => {
  test.each(Object.entries(MAKERS))(
    '%s of props that are none fails at synth and says what is missing',
    (_name, maker) => {
      for (const props of [undefined, null, 'text', 7, []]) {
        expect(errorOf(maker, props)).toMatch(/\[chart\/made\] props: .* is not allowed; .* a map of props/);
      }
      expect(errorOf(maker, {})).toMatch(
        /\[chart\/made\] (zones|ports|addresses|zone|spec|spec\.network|instance|egressIpam): missing/,
      );
    },
  );

  const unknown: readonly (readonly [keyof typeof MAKERS, object, string])[] = [
    ['IpamOperator', { zones, replica: 1 }, 'replica: there is no such prop; did you mean replicas?'],
    ['IpamService', { ports: [{ port: 1 }], zonne: 'a' }, 'zonne: there is no such prop; did you mean zone?'],
    [
      'MetalLbPool',
      { addresses: ['192.0.2.0/24'], adresses: 1 },
      'adresses: there is no such prop; did you mean addresses?',
    ],
    ['ZonePool', { zone: 'a', prefix: [] }, 'prefix: there is no such prop; did you mean prefixes?'],
    ['AddressClaim', { spek: {} }, 'spek: there is no such prop; did you mean spec?'],
    ['IpGroup', { spek: {} }, 'spek: there is no such prop; did you mean spec?'],
    ['IpPrefix', { spek: {} }, 'spek: there is no such prop; did you mean spec?'],
    ['IpAllocation', { family: ['ipv4'] }, 'family: there is no such prop; '],
    ['AddressPlan', { prefix: [] }, 'prefix: there is no such prop; did you mean prefixes?'],
  ];
  test.each(unknown)('POOL-11 %s refuses a prop that does not exist', (name, props, message) => {
    expect(errorOf(MAKERS[name], props)).toContain(`[chart/made] ${message}`);
  });
});

const DSN = 'postgresql://ipam:hunter22@db.example/ipam';
const operatorMessages = (props: object): string[] =>
  ipamOperatorProblems({ zones, ...props }).map(({ message }) => message);

describe('an IpamOperator of plain JavaScript', () => {
  test.each<[string, object]>([
    ['services.defaultZon', { services: { defaultZon: 'a' } }],
    ['image.tags', { image: { tags: '1' } }],
    ['store.sqlight', { store: { sqlight: {} } }],
    ['store.sqlite.sizes', { store: { sqlite: { sizes: '1Gi' } } }],
    ['store.postgres.host', { store: { postgres: { connection: { name: 'a' }, host: 'db' } } }],
    ['store.postgres.connection.nam', { store: { postgres: { connection: { name: 'a', nam: 'b' } } } }],
    ['store.remote.uri', { store: { remote: { url: 'https://a', token: { name: 'a' }, uri: 'b' } } }],
    ['settings.reservationLease', { settings: { reservationLease: 60 } }],
    ['resources.cpu', { resources: { cpu: '1' } }],
    ['monitoring.serviceMonitors', { monitoring: { serviceMonitors: {} } }],
    ['monitoring.serviceMonitor.intervall', { monitoring: { serviceMonitor: { intervall: '30s' } } }],
    ['monitoring.prometheusRule.nearlyFull', { monitoring: { prometheusRule: { nearlyFull: 1 } } }],
    ['monitoring.dashboard.folder', { monitoring: { dashboard: { folder: 'a' } } }],
    ['networkPolicy.enable', { networkPolicy: { enable: false } }],
    ['ipamApi.exposed', { ipamApi: { exposed: {} } }],
    ['ipamApi.expose.dnsName', { ipamApi: { expose: { dnsName: ['a'] } } }],
    ['ipamApi.expose.issuer.names', { ipamApi: { expose: { issuer: { name: 'a', names: 'b' } } } }],
    ['crds.installed', { crds: { installed: true } }],
    ['zones[0].l2[0].interface', { zones: [{ ...zones[0], l2: [{ interface: [] }] }] }],
    ['extraEnv[0].valeu', { extraEnv: [{ name: 'A', value: 'b', valeu: 'c' }] }],
    ['tolerations[0].keys', { tolerations: [{ keys: 'a' }] }],
    ['affinity.nodeAfinity', { affinity: { nodeAfinity: {} } }],
    ['affinity.nodeAffinity.required', { affinity: { nodeAffinity: { required: {} } } }],
    [
      'topologySpread[0].skew',
      { topologySpread: [{ topologyKey: 'a', maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule', skew: 1 }] },
    ],
  ])('POOL-11 is told that there is no %s', (field, props) => {
    expect(operatorMessages(props)).toEqual([expect.stringContaining(`${field}: there is no such prop; `)]);
  });

  test.each([
    ['store.postgres.connection', { store: { postgres: { connection: DSN } } }],
    ['store.postgres', { store: { postgres: DSN } }],
    ['store', { store: DSN }],
    ['logLevel', { logLevel: 'host=db password=hunter22' }],
  ])('FU-74 is shown no password that stands at %s', (field, props) => {
    const text = operatorMessages(props).join();
    expect(text).toContain(`${field}: a text with a password is not allowed`);
    expect(text).not.toContain('hunter22');
  });

  test('FU-75 is told the props of a map, and the place of one that was written too far outside', () => {
    expect(operatorMessages({ store: 'postgres' })).toEqual([
      'store: "postgres" is not allowed; allowed is a map of props (sqlite, postgres, remote, objects)',
    ]);
    expect(operatorMessages({ defaultZone: 'a' })).toEqual([
      'defaultZone: there is no such prop; did you mean services.defaultZone?',
    ]);
  });

  const lazy = (value: unknown): never => Lazy.any({ produce: () => value }) as never;
  const LAZY =
    'a Lazy of cdk8s is resolved when the manifests are written, but this is read before; give the value itself';

  test.each([
    ['zones', { zones: lazy(zones) }],
    ['zones[0].prefixes', { zones: [{ name: 'a', prefixes: lazy(['10.0.0.0/24']) }] }],
    ['image', { image: lazy({ tag: 'a' }) }],
    ['store', { store: lazy({}) }],
    ['services', { services: lazy({}) }],
    ['services.defaultZone', { services: { defaultZone: lazy('lan') } }],
  ])('FU-79 is told that %s cannot be a Lazy', (field, props) => {
    expect(operatorMessages(props)).toEqual([`${field}: ${LAZY}`]);
  });

  test.each([
    ['ports', { ports: lazy([{ port: 80 }]) }],
    ['zone', { zone: lazy('lan') }],
    ['addresses', { addresses: lazy(['10.0.0.1']) }],
    ['ipFamily', { ipFamily: lazy('ipv4') }],
    ['secret', { secret: lazy('owner') }],
    ['retentionPeriodDays', { retentionPeriodDays: lazy(1) }],
  ])('FU-79 is told that %s of a Service cannot be a Lazy', (field, props) => {
    const told = ipamServiceProblems({ ports: [{ port: 80 }], ...props });
    expect(told.map(({ message }) => message)).toEqual([`${field}: ${LAZY}`]);
  });

  const zone = zones[0]!;
  test.each<[string, object, string]>([
    ['a level', { logLevel: 'trace' }, 'logLevel: "trace" is not allowed; allowed is debug, info, warn or error'],
    ['a policy', { whenUnavailable: 'ignore' }, 'whenUnavailable: "ignore" is not allowed; allowed is deny or admit'],
    [
      'a text for a switch',
      { createNamespace: 'no' },
      'createNamespace: "no" is not allowed; allowed is true or false',
    ],
    ['a number for a switch', { crds: { keep: 0 } }, 'crds.keep: 0 is not allowed; allowed is true or false'],
    ['null', { image: null }, 'image: null is not allowed; leave it out, or give a map of props'],
    ['null for a leaf', { logLevel: null }, 'logLevel: null is not allowed; leave it out, or give debug, info'],
    [
      'a switch for a map',
      { monitoring: { serviceMonitor: true } },
      'monitoring.serviceMonitor: true is not allowed; allowed is a map',
    ],
    ['a text for a number', { replicas: '1' }, 'replicas: "1" is not allowed; allowed is a number'],
    [
      'no number',
      { settings: { shutdownDelaySeconds: Number.NaN } },
      'settings.shutdownDelaySeconds: NaN is not allowed',
    ],
    [
      'a text for a share',
      { monitoring: { prometheusRule: { nearlyFullPercent: '90' } } },
      'monitoring.prometheusRule.nearlyFullPercent: "90" is not allowed; allowed is a number',
    ],
    [
      'a digest',
      { image: { digest: 'x' } },
      'image.digest: "x" is not allowed; allowed is sha256: and 64 hexadecimal digits',
    ],
    ['a tag', { image: { tag: 'a:b' } }, 'image.tag: "a:b" is not allowed'],
    [
      'a registry with a scheme',
      { image: { registry: 'https://registry.example' } },
      'image.registry: "https://registry.example" is not allowed; allowed is the host of a registry without a scheme',
    ],
    ['a repository', { image: { repository: 'Team/x' } }, 'image.repository: "Team/x" is not allowed'],
    [
      'a pull secret',
      { image: { pullSecrets: ['A B'] } },
      'image.pullSecrets[0]: "A B" is not allowed; allowed is a DNS name',
    ],
    [
      'a pull policy',
      { image: { pullPolicy: 'always' } },
      'image.pullPolicy: "always" is not allowed; allowed is Always, IfNotPresent or Never',
    ],
    [
      'a size',
      { store: { sqlite: { size: '1 GB' } } },
      'store.sqlite.size: "1 GB" is not allowed; allowed is a quantity of Kubernetes above zero',
    ],
    ['no size', { store: { sqlite: { size: '0Gi' } } }, 'store.sqlite.size: "0Gi" is not allowed'],
    [
      'a storage class',
      { store: { sqlite: { storageClassName: 'Fast' } } },
      'store.sqlite.storageClassName: "Fast" is not allowed; allowed is a DNS name',
    ],
    [
      'a quantity',
      { resources: { memoryLimit: '512MB' } },
      'resources.memoryLimit: "512MB" is not allowed; allowed is a quantity of Kubernetes',
    ],
    ['a number for a quantity', { resources: { cpuRequest: 1 } }, 'resources.cpuRequest: 1 is not allowed'],
    [
      'a limit below the request',
      { resources: { memoryLimit: '128Mi' } },
      'resources.memoryLimit: "128Mi" is less than resources.memoryRequest ("192Mi"); give at least as much',
    ],
    [
      'a duration',
      { monitoring: { serviceMonitor: { interval: '30 seconds' } } },
      'monitoring.serviceMonitor.interval: "30 seconds" is not allowed; allowed is a duration of Prometheus',
    ],
    [
      'a namespace',
      { services: { excludedNamespaces: ['A B'] } },
      'services.excludedNamespaces[0]: "A B" is not allowed; allowed is a DNS label',
    ],
    ['a class', { services: { loadBalancerClasses: [''] } }, 'services.loadBalancerClasses[0]: "" is not allowed'],
    [
      'a class that would be two',
      { services: { loadBalancerClasses: ['a,b'] } },
      'services.loadBalancerClasses[0]: "a,b" is not allowed',
    ],
    [
      'a text for a list',
      { services: { excludedNamespaces: 'a' } },
      'services.excludedNamespaces: "a" is not allowed; allowed is a list',
    ],
    [
      'a group',
      { crds: { breakGlassGroup: '' } },
      'crds.breakGlassGroup: "" is not allowed; allowed is the name of a group',
    ],
    [
      'a reserved variable',
      { extraEnv: [{ name: 'IPAM_ANYTHING', value: 'x' }] },
      'extraEnv[0]: IPAM_ANYTHING is not possible, since IPAM_… are options of the operator',
    ],
    ['a variable', { extraEnv: [{ name: 'A-B', value: 'x' }] }, 'extraEnv[0]: "A-B" is not the name of a variable'],
    [
      'a number for the value of a variable, unshown',
      { extraEnv: [{ name: 'A', value: 5 }] },
      'extraEnv[0].value: the given number is not allowed; allowed is a text',
    ],
    ['a network', { networkPolicy: { apiServerCidrs: ['10.0.0.0'] } }, 'networkPolicy.apiServerCidrs[0]: "10.0.0.0"'],
    [
      'host bits',
      { networkPolicy: { apiServerCidrs: ['10.0.0.1/24'] } },
      'networkPolicy.apiServerCidrs[0]: "10.0.0.1/24"',
    ],
    [
      'no port, which is every port',
      { networkPolicy: { apiServerPorts: [] } },
      'networkPolicy.apiServerPorts: an empty list is not allowed',
    ],
    ['a key of a label', { podLabels: { 'a b': 'c' } }, 'podLabels[a b]: "a b" is not allowed; allowed is letters'],
    [
      'a value of a label',
      { monitoring: { serviceMonitor: { labels: { a: 'b c' } } } },
      'monitoring.serviceMonitor.labels[a]: "b c" is not allowed',
    ],
    ['a number for a label', { nodeSelector: { a: 1 } }, 'nodeSelector[a]: 1 is not allowed'],
    ['a key of an annotation', { podAnnotations: { 'a/b/c': '' } }, 'podAnnotations[a/b/c]: "a/b/c" is not allowed'],
    ['a priority class', { priorityClassName: 'High!' }, 'priorityClassName: "High!" is not allowed'],
    ['an issuer', { ipamApi: { expose: { issuer: { name: '' } } } }, 'ipamApi.expose.issuer.name: "" is not allowed'],
    ['a host name', { ipamApi: { expose: { dnsNames: ['a b'] } } }, 'ipamApi.expose.dnsNames[0]: "a b" is not allowed'],
    [
      'a type of Service',
      { ipamApi: { expose: { serviceType: 'ExternalName' } } },
      'ipamApi.expose.serviceType: "ExternalName" is not allowed',
    ],
    [
      'an effect',
      { tolerations: [{ effect: 'noschedule' }] },
      'tolerations[0].effect: "noschedule" is not allowed; allowed is',
    ],
    ['zones that are none', { zones: [null] }, 'zones[0]: null is not allowed'],
    [
      'advertisements that are no list',
      { zones: [{ ...zone, bgp: {} }] },
      'zones[0].bgp: a map is not allowed; allowed is a list',
    ],
  ])('refuses %s', (_what, props, text) => {
    expect(operatorMessages(props)).toEqual([expect.stringContaining(text)]);
    expect(errorOf(MAKERS['IpamOperator'], { zones, ...props })).toContain(`[chart/made] ${text}`);
  });

  test('suggests the word that was probably meant', () => {
    expect(ipamOperatorProblems({ zones, logLevel: 'warm' as 'warn' })).toEqual([
      expect.objectContaining({ code: 'settings/invalid', field: 'logLevel', value: 'warm', suggestion: 'warn' }),
    ]);
  });

  test('keeps zero, false and empty values that are legal', () => {
    const objects = synthesized({
      priorityClassName: '',
      podLabels: { empty: '' },
      podAnnotations: { 'Example.com/empty': '' },
      nodeSelector: { 'node-role.kubernetes.io/edge': '' },
      tolerations: [{ key: '', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 0 }],
      topologySpread: [],
      extraEnv: [{ name: 'NO_PROXY', value: '' }],
      resources: { cpuRequest: '0', memoryRequest: '0' },
      settings: { shutdownDelaySeconds: 0 },
      crds: { install: false },
      services: { loadBalancerClasses: [], excludedNamespaces: [] },
      store: { sqlite: { storageClassName: '' } },
      networkPolicy: { monitoringNamespaces: [], apiServerCidrs: [] },
    });
    const { template } = one(objects, 'Deployment')['spec']!;
    expect(template!['metadata']).toMatchObject({ labels: { empty: '' }, annotations: { 'Example.com/empty': '' } });
    expect(template!['spec']).toMatchObject({
      priorityClassName: '',
      nodeSelector: { 'node-role.kubernetes.io/edge': '' },
      tolerations: [{ key: '', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 0 }],
    });
    expect(one(objects, 'PersistentVolumeClaim')['spec']).toMatchObject({ storageClassName: '' });
  });

  test('may leave values to a renderer', () => {
    const late = new LateBoundValues<string>();
    expect(
      operatorMessages({
        logLevel: late.text('logLevel', ''),
        image: {
          digest: late.text('digest', ''),
          registry: `${late.text('registry', '')}/x`,
          pullSecrets: late.items('s', ''),
        },
        resources: { cpuRequest: late.text('cpu', ''), memoryLimit: late.text('memory', '') },
        settings: { admissionDeadlineSeconds: late.number('deadline', '') },
        podLabels: late.entries('labels', ''),
        tolerations: late.objects('tolerations', 'key' as never, ''),
        store: { sqlite: { size: late.text('size', '') } },
        networkPolicy: { apiServerCidrs: late.items('cidrs', '') },
        monitoring: {
          serviceMonitor: {
            interval: late.text('interval', ''),
            labels: { a: Lazy.any({ produce: () => 'b' }) as unknown },
          },
        },
      }),
    ).toEqual([]);
  });
});
