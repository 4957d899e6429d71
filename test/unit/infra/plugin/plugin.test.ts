import * as pulumi from '@pulumi/pulumi';

import * as infra from '../../../../infra/index';
import * as manifest from '../../../../package.json';
import * as ofPlugin from '../../../../infra/plugin/package.json';
import {
  AddressClaim,
  AddressPlan,
  IpAllocation,
  IpamOperator,
  IpamService,
  EgressIpam,
  EgressNamespace,
  IpGroup,
  IpPrefix,
  MetalLbPool,
  NetworkInstance,
  VipService,
} from '../../../../infra/plugin/components';
import { PLUGIN_COMPONENTS, pluginSchema } from '../../../support/plugin-schema';
import { mockEngine, objectsRegistered, registered, settled, valueOf } from '../../../support/pulumi-engine';

const ZONES = [{ name: 'inet', prefixes: ['203.0.113.0/24'], advertise: 'l2' }];

/** Declares the components of the Networks door with every arg that the schema has. */
function declareNetworks(): void {
  const place = { namespace: 'default', labels: { a: 'b' }, waitForReady: false, timeoutSeconds: 5 };
  const object = { ...place, annotations: { c: 'd' } };
  new NetworkInstance('full-instance', { ...object, name: 'vpc-1', network: 'edge', parents: 'free' });
  new IpPrefix('full-prefix', {
    ...object,
    name: 'net1',
    spec: {
      kind: 'network',
      prefix: '10.0.1.1/24',
      networkInstance: 'vpc-1',
      network: 'net1',
      excluded: ['10.0.1.9'],
      range: '10.0.1.10-10.0.1.20',
      draining: false,
    },
  });
  new IpAllocation('full-allocation', {
    ...object,
    name: 'n3',
    families: ['ipv4', 'ipv6'],
    spec: {
      kind: 'pool',
      prefixLength: 30,
      ownerRef: { apiVersion: 'v1', kind: 'Service', name: 'web' },
      selector: { matchLabels: { 'nephio.org/network-instance': 'vpc-1' } },
    },
  });
  const children = [{ prefix: '10.1.1.0/24', network: 'net2', gateway: '10.1.1.1', excluded: ['10.1.1.9'] }];
  new AddressPlan('full-plan', {
    ...place,
    instance: 'vpc-2',
    createInstance: true,
    prefixes: [{ prefix: '10.1.0.0/16', kind: 'aggregate', name: 'agg', labels: { e: 'f' }, children }],
  });
}

describe('the schema of the plugin', () => {
  const schema = pluginSchema();

  test('has every component with its outputs', () => {
    expect(Object.keys(schema.resources)).toEqual(PLUGIN_COMPONENTS.map((name) => `cdk8s-ipam:index:${name}`));
    expect(schema.resources['cdk8s-ipam:index:IpamService']).toMatchObject({
      isComponent: true,
      requiredInputs: ['ports'],
      required: ['address', 'addresses'],
      properties: { address: { type: 'string' }, addresses: { type: 'array', items: { type: 'string' } } },
    });
  });

  test('has every component of the package', () => {
    const components = Object.values(infra).filter((each) => each.prototype instanceof pulumi.ComponentResource);
    expect(components.map(({ name }) => name).toSorted()).toEqual(PLUGIN_COMPONENTS.toSorted());
  });

  test('describes every input', () => {
    const all = [
      ...Object.values(schema.resources).map(({ inputProperties }) => inputProperties),
      ...Object.values(schema.types).map(({ properties }) => properties),
    ].flatMap((properties) => Object.entries(properties ?? {}));
    expect(all.length).toBeGreaterThan(80);
    expect(all.filter(([, property]) => !property.description).map(([name]) => name)).toEqual([]);
  });
});

describe('the package of the plugin', () => {
  test('asks for this version of the components and for the peers that they need', () => {
    const { 'ts-node': _runs, typescript: _compiles, 'cdk8s-ipam': version, ...others } = ofPlugin.dependencies;
    expect({ version, own: ofPlugin.version }).toEqual({ version: manifest.version, own: manifest.version });
    expect(others).toEqual(manifest.peerDependencies);
  });
});

describe('a component of the plugin', () => {
  beforeEach(() => mockEngine());

  test('makes the objects of the component that it stands for', async () => {
    const operator = new IpamOperator('ipam', { zones: ZONES, whenUnavailable: 'deny', clusterFamilies: ['IPv4'] });
    const service = new IpamService('web', { ports: [{ port: 80 }], zone: 'inet', addresses: ['203.0.113.7'] });
    const pool = new MetalLbPool('lan', { addresses: ['198.51.100.0/28'], advertise: 'none' });
    const spec = { network: 'default', address: '203.0.113.9', door: 'grpc', state: 'bound', key: 'router' };
    const claim = new AddressClaim('router', { spec });
    const group = new IpGroup('edge', { spec: { segment: '192.0.2.0/29' } });
    const cidrAssignments = [{ CIDR: '198.51.100.0/24', labelValue: 'true' }];
    const egress = new EgressIpam('bm', { spec: { topologyLabel: 'egressGateway', cidrAssignments } });
    await settled();
    expect(objectsRegistered().map((each) => each['kind'])).toEqual(
      expect.arrayContaining([
        ...['Deployment', 'MutatingWebhookConfiguration', 'Service', 'IPAddressPool', 'AddressClaim', 'IPGroup'],
        'EgressIPAM',
      ]),
    );
    expect(registered.filter(({ type }) => type.startsWith('cdk8s-ipam:')).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['ipam', 'web', 'lan', 'router']),
    );
    expect(registered.filter(({ type }) => type === 'cdk8s-ipam:index:IpamService')).toHaveLength(1);
    expect(await valueOf(operator.namespace)).toBe('ipam-system');
    expect(await valueOf(operator.image)).toContain('cdk8s-ipam');
    expect(await valueOf(service.addresses)).toEqual([]);
    expect(pool.poolName).toBe('lan');
    expect(await valueOf(group.groupName)).toBe('edge');
    expect(await valueOf(egress.egressIpamName)).toBe('bm');
    expect(await valueOf(claim.claimName)).toContain('203.0.113.9');
  });

  test('refuses a word that is none of its own', async () => {
    expect(() => new IpamOperator('ipam', { zones: ZONES, whenUnavailable: 'perhaps' })).toThrow(/whenUnavailable/u);
    await settled();
  });

  test('knows every arg that the schema has', async () => {
    const inputs = pluginSchema().resources;
    expect(Object.keys(inputs['cdk8s-ipam:index:IpamOperator']?.inputProperties ?? {}).length).toBeGreaterThan(15);
    new IpamOperator('full', {
      zones: [
        { ...ZONES[0]!, excluded: ['203.0.113.9'], network: 'lab', quota: 3, quarantineSeconds: 9, draining: false },
      ],
      services: { enabled: true, defaultZone: 'inet', loadBalancerClasses: ['a.example/b'], excludedNamespaces: ['x'] },
      image: { registry: 'r.example', repository: 'ipam', tag: '1', pullSecrets: ['pull'] },
      store: { postgres: { connection: { name: 'db', key: 'dsn' }, ca: { name: 'ca' } } },
      replicas: 2,
      zonePools: 'claims',
      certificates: 'self-managed',
      platform: 'openshift',
      createNamespace: true,
      settings: { admissionDeadlineSeconds: 5, reservationLeaseSeconds: 60, shutdownDelaySeconds: 1 },
      resources: { cpuRequest: '10m', memoryRequest: '64Mi', memoryLimit: '256Mi' },
      networkPolicy: { enabled: true, storeCidrs: ['10.0.0.0/24'] },
      priorityClassName: 'system-cluster-critical',
      logLevel: 'debug',
      dataProtection: 'none',
    });
    new IpamService('full', {
      ports: [{ port: 80, targetPort: 8080, protocol: 'TCP', name: 'http' }],
      name: 'web',
      namespace: 'shop',
      selector: { app: 'web' },
      zone: 'inet',
      addresses: ['203.0.113.8'],
      ipFamily: 'ipv4',
      secret: 'mine',
      retentionPeriodDays: 1,
      denyExternalCleanup: true,
      allowLocalSharedIp: 'web',
      externalTrafficPolicy: 'Cluster',
      annotations: { a: 'b' },
      labels: { c: 'd' },
      waitForAddresses: false,
      timeoutSeconds: 5,
    });
    new VipService('full-vip', {
      ports: [{ port: 80, targetPort: 8080, protocol: 'TCP', name: 'http' }],
      name: 'vip',
      namespace: 'shop',
      selector: { app: 'web' },
      group: 'full',
      addresses: ['198.51.100.8'],
      sharingKey: 'web',
      loadBalancerClass: 'paas.org/vip',
      classless: false,
      ipFamilyPolicy: 'SingleStack',
      externalTrafficPolicy: 'Cluster',
      annotations: { a: 'b' },
      labels: { c: 'd' },
      waitForAddresses: false,
      timeoutSeconds: 5,
    });
    new IpGroup('full-group', {
      spec: {
        segment: '198.51.100.0/25',
        segments: ['fd00::/64'],
        excludedIPs: ['fd00::'],
        network: 'edge',
        priority: 1,
        loadBalancerClass: 'paas.org/vip',
        explicitOnly: true,
        draining: true,
        quarantineSeconds: 5,
        searchOrder: 'segments',
        force: false,
        namespaces: { matchLabels: { a: 'b' } },
        services: { matchExpressions: [{ key: 'tier', operator: 'In', values: ['web'] }] },
      },
      name: 'full',
      labels: { a: 'b' },
      annotations: { c: 'd' },
    });
    new EgressNamespace('full-namespace', {
      egressIpam: 'bm',
      addresses: ['198.51.100.1'],
      allowReserved: true,
      name: 'full',
      labels: { a: 'b' },
      annotations: { c: 'd' },
      waitForAddresses: false,
      timeoutSeconds: 5,
    });
    new EgressIpam('full-egress', {
      spec: {
        topologyLabel: 'zone',
        nodeSelector: { matchLabels: { a: 'b' } },
        cidrAssignments: [
          {
            CIDR: '198.51.100.128/26',
            labelValue: 'a',
            name: 'a',
            subnet: '198.51.100.128/25',
            gateway: '198.51.100.129',
            reservedIPs: ['198.51.100.130'],
            reservedRanges: ['198.51.100.131-198.51.100.139'],
          },
        ],
        network: 'edge',
        namespaceSelector: { matchLabels: { a: 'b' } },
        dataplane: 'none',
        exceptDestinations: ['192.0.2.0/24'],
        quarantineSeconds: 5,
        rebalance: 'Never',
        failover: { notReadySeconds: 5 },
        allowOverlap: false,
        deletionPolicy: 'Release',
      },
      name: 'full',
      labels: { a: 'b' },
      annotations: { c: 'd' },
    });
    new AddressClaim('full', {
      spec: {
        network: 'default',
        address: '203.0.113.9',
        door: 'networks',
        pool: 'inet',
        state: 'retained',
        until: '2026-12-01T00:00:00Z',
        key: 'router',
        labels: { a: 'b' },
        holder: { apiVersion: 'v1', kind: 'Service', namespace: 'shop', name: 'web', uid: 'u' },
      },
      labels: { a: 'b' },
      annotations: { c: 'd' },
    });
    declareNetworks();
    await settled();
    expect(objectsRegistered().filter(({ kind }) => kind === 'Service').length).toBeGreaterThan(1);
  });
});
