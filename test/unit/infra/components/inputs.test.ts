import { App, Chart } from 'cdk8s';

import * as pulumi from '@pulumi/pulumi';

import { AddressClaim as ClaimConstruct } from '../../../../constructs/kinds/address-claim';
import { IpGroup as GroupConstruct } from '../../../../constructs/kinds/ip-group';
import { IpamOperator as OperatorConstruct } from '../../../../constructs/operator/ipam-operator';
import type { IpamOperatorProps } from '../../../../constructs/operator/ipam-operator-props';
import { IpamService as ServiceConstruct } from '../../../../constructs/service/ipam-service';
import { VipService as VipServiceConstruct } from '../../../../constructs';
import { MetalLbPool as PoolConstruct } from '../../../../constructs/metallb/metallb';
import { COMPONENT, STACK } from '../../../../infra/outputs/stack-mark';
import { AddressClaim, IpamOperator, IpamService, IpGroup, MetalLbPool, VipService } from '../../../../infra/index';
import { mockEngine, objectsRegistered, settled } from '../../../support/pulumi-engine';

const ZONES = [{ name: 'inet', prefixes: ['203.0.113.0/24', '2001:db8:1::/64'] }];

const SHAPES: readonly (readonly [string, IpamOperatorProps])[] = [
  ['the smallest operator', { zones: ZONES }],
  [
    'PostgreSQL',
    { zones: ZONES, store: { postgres: { connection: { name: 'db' }, ca: { name: 'db-ca' } } }, replicas: 3 },
  ],
  ['claims pools', { zones: ZONES, zonePools: 'claims', whenUnavailable: 'admit' }],
  ['certificates of its own', { zones: ZONES, certificates: 'self-managed', platform: 'openshift' }],
  ['monitoring', { zones: ZONES, monitoring: { serviceMonitor: {}, prometheusRule: {}, dashboard: {} } }],
  ['an open IPAM-API', { zones: ZONES, ipamApi: { expose: { issuer: { name: 'corp' }, dnsNames: ['ipam.example'] } } }],
  ['BGP', { zones: [{ ...ZONES[0]!, advertise: 'both', bgp: [{ communities: ['65000:1'], localPref: 7 }] }] }],
];

const synthesized = (build: (chart: Chart) => void): readonly unknown[] => {
  const chart = new Chart(new App(), 'chart', { disableResourceNameHashes: true });
  build(chart);
  return chart.toJson() as unknown[];
};

const TOLD: Readonly<Record<string, object>> = {
  Namespace: { 'pulumi.com/patchFieldManager': 'cdk8s-ipam' },
  CustomResourceDefinition: { 'pulumi.com/patchFieldManager': 'cdk8s-ipam' },
  IPAddressPool: { 'pulumi.com/patchFieldManager': 'cdk8s-ipam' },
  L2Advertisement: { 'pulumi.com/patchFieldManager': 'cdk8s-ipam' },
  BGPAdvertisement: { 'pulumi.com/patchFieldManager': 'cdk8s-ipam' },
  PersistentVolumeClaim: { 'pulumi.com/patchFieldManager': 'cdk8s-ipam', 'pulumi.com/skipAwait': 'true' },
};

const NAMING: readonly string[] = [STACK, COMPONENT];

/** Without what the provider alone is told: who writes an object that holds data, and not to wait for a volume. */
const untold = (object: unknown, lasting = TOLD): unknown => {
  const copy = structuredClone(object) as { kind: string; metadata: { annotations?: Record<string, string> } };
  const entries = Object.entries(copy.metadata.annotations ?? {});
  const told = entries.filter(([key]) => key.startsWith('pulumi.com/') || NAMING.includes(key));
  const forProvider = told.filter(([key]) => !NAMING.includes(key));
  expect(Object.fromEntries(forProvider)).toEqual(lasting[copy.kind] ?? {});
  for (const [key] of told) delete copy.metadata.annotations?.[key];
  if (told.length > 0 && told.length === entries.length) delete copy.metadata.annotations;
  return copy;
};

const byIdentity = (objects: readonly unknown[]): readonly unknown[] =>
  (JSON.parse(JSON.stringify(objects)) as unknown[]).toSorted((a, b) =>
    JSON.stringify([(a as { kind: string }).kind, a]).localeCompare(JSON.stringify([(b as { kind: string }).kind, b])),
  );

beforeEach(() => mockEngine());

describe('inputs of the resources', () => {
  test.each(SHAPES)('are the synthesized objects of %s', async (_title, props) => {
    new IpamOperator('ipam', props);
    await settled();
    expect(byIdentity(objectsRegistered().map((each) => untold(each)))).toEqual(
      byIdentity(synthesized((chart) => new OperatorConstruct(chart, 'Operator', props))),
    );
  });

  test('FU-62 bear no mark of what stays where nothing is protected, so that a destroy may delete it', async () => {
    const marked = (): readonly string[] =>
      (JSON.parse(JSON.stringify(objectsRegistered())) as { kind: string; metadata: { annotations?: object } }[])
        .filter(({ metadata: { annotations = {} } }) => 'helm.sh/resource-policy' in annotations)
        .map(({ kind }) => kind);
    new IpamOperator('ipam', { zones: ZONES });
    await settled();
    expect(marked()).toEqual(expect.arrayContaining(['Namespace', 'PersistentVolumeClaim', 'IPAddressPool']));
    await mockEngine();
    new IpamOperator('ipam', { zones: ZONES, dataProtection: 'none' });
    await settled();
    expect(marked()).toEqual([]);
  });

  test('are the same where leaves are Outputs', async () => {
    new IpamOperator('ipam', {
      zones: ZONES,
      image: { registry: pulumi.output('registry.example'), tag: Promise.resolve('1.2.3') },
      settings: { reservationLeaseSeconds: pulumi.output(77), admissionDeadlineSeconds: pulumi.output(5) },
      resources: { memoryLimit: pulumi.output('1Gi') },
      podAnnotations: { team: pulumi.output('net') },
      logLevel: pulumi.output('debug' as const),
      priorityClassName: pulumi.output('system-cluster-critical'),
    });
    await settled();
    const props: IpamOperatorProps = {
      zones: ZONES,
      image: { registry: 'registry.example', tag: '1.2.3' },
      settings: { reservationLeaseSeconds: 77, admissionDeadlineSeconds: 5 },
      resources: { memoryLimit: '1Gi' },
      podAnnotations: { team: 'net' },
      logLevel: 'debug',
      priorityClassName: 'system-cluster-critical',
    };
    expect(byIdentity(objectsRegistered().map((each) => untold(each)))).toEqual(
      byIdentity(synthesized((chart) => new OperatorConstruct(chart, 'Operator', props))),
    );
  });

  test('of a Service differ from the object by what tells the provider to wait', async () => {
    const props = {
      zone: 'inet',
      ports: [{ port: 80, targetPort: 8080 }],
      selector: { app: 'web' },
      retentionPeriodDays: 2,
    };
    new IpamService('web', props);
    await settled();
    const [object] = objectsRegistered() as { metadata: { annotations: Record<string, string> } }[];
    const {
      'pulumi.com/waitFor': waitFor,
      [STACK]: stack,
      [COMPONENT]: of,
      ...annotations
    } = object!.metadata.annotations;
    expect(stack).toMatch(/^[^/]+\/[^/]+\/[^/]+$/u);
    expect(of).toBe('web');
    expect(JSON.parse(waitFor!)).toContain('condition=ipam.vitistack.io/AddressReady');
    expect([{ ...object, metadata: { ...object!.metadata, annotations } }]).toEqual(
      synthesized((chart) => new ServiceConstruct(chart, 'Service', { name: 'web', ...props })),
    );
  });

  test('FU-104 name the component by its own name and that of its parents, whichever kind it is of', async () => {
    const team = new pulumi.ComponentResource('example:index:Team', 'blue');
    new IpamService('web', { zone: 'inet', ports: [{ port: 80 }] }, { parent: team });
    new IpGroup('public', { spec: { segment: '192.0.2.0/24' } });
    new MetalLbPool('pool', { addresses: ['198.51.100.0/24'] }, { parent: team });
    await settled();
    const objects = objectsRegistered() as {
      kind: string;
      metadata: { annotations: Readonly<Record<string, string>> };
    }[];
    const named = objects.map(({ kind, metadata }) => [kind, metadata.annotations[COMPONENT]]);
    expect(named).toEqual(
      expect.arrayContaining([
        ['Service', 'example:index:Team::blue/web'],
        ['IPGroup', 'public'],
        ['IPAddressPool', 'example:index:Team::blue/pool'],
      ]),
    );
  });

  test('of a generated Secret carry a secret that is known later as text, marked as a secret', async () => {
    new IpamService('web', {
      zone: 'inet',
      ports: [{ port: 80 }],
      generatedSecret: { value: pulumi.secret('correct horse battery') },
    });
    await settled();
    const secret = objectsRegistered().find((each) => (each as { kind: string }).kind === 'Secret');
    expect(secret).toMatchObject({
      metadata: { name: 'web-ipam' },
      // how the engine is told that all of this is secret
      stringData: { '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270' },
    });
    expect(secret).toHaveProperty('stringData.value.secret', 'correct horse battery');
  });

  test('of pools and claims are the synthesized objects', async () => {
    const pool = { addresses: ['198.51.100.0/28'], autoAssign: false };
    const spec = {
      network: 'default',
      address: '192.0.2.9',
      door: 'grpc' as const,
      state: 'bound' as const,
      key: 'router',
    };
    new MetalLbPool('lan', pool);
    new AddressClaim('router', { spec });
    new IpGroup('edge', { spec: { segment: '192.0.2.0/29' } });
    await settled();
    expect(byIdentity(objectsRegistered().map((each) => untold(each, {})))).toEqual(
      byIdentity(
        synthesized((chart) => {
          new PoolConstruct(chart, 'Pool', { name: 'lan', ...pool });
          new ClaimConstruct(chart, 'Claim', { spec });
          new GroupConstruct(chart, 'Group', { name: 'edge', spec: { segment: '192.0.2.0/29' } });
        }),
      ),
    );
  });
});

describe('a Service of the VIPs door', () => {
  test('is the synthesized object, and is waited for until it shows what it wished for', async () => {
    const wish = { group: 'web', addresses: ['192.0.2.10'], ports: [{ port: 443 }] };
    const { address } = new VipService('front', { ...wish, selector: { app: pulumi.output('front') } });
    await settled();
    const found = objectsRegistered()[0] as { metadata: { annotations: Record<string, string> } };
    expect(JSON.parse(found.metadata.annotations['pulumi.com/waitFor'] ?? '')).toEqual([
      'condition=paas.org/AddressAllocated',
      'jsonpath={.status.loadBalancer.ingress[0].ip}',
      "jsonpath={$.status.loadBalancer.ingress[?(@.ip=='192.0.2.10')]}",
    ]);
    const {
      'pulumi.com/waitFor': _wait,
      [STACK]: _stack,
      [COMPONENT]: _of,
      ...annotations
    } = found.metadata.annotations;
    found.metadata.annotations = annotations;
    const [expected] = synthesized((chart) => {
      new VipServiceConstruct(chart, 'Service', { name: 'front', ...wish, selector: { app: 'front' } });
    });
    expect(byIdentity([found])).toEqual(byIdentity([expected]));
    expect(pulumi.Output.isInstance(address)).toBe(true);
  });

  test('is not waited for where the program says so', async () => {
    new VipService('front', { ports: [{ port: 443 }], waitForAddresses: false });
    await settled();
    expect(objectsRegistered()[0]).toHaveProperty(['metadata', 'annotations', 'pulumi.com/skipAwait'], 'true');
  });
});

describe('the addresses of a Service', () => {
  test('are no secrets although an annotation beside them is one', async () => {
    const annotations = { 'example.com/token': pulumi.secret('hunter22') };
    const { address, addresses, service } = new IpamService('web', {
      zone: 'inet',
      ports: [{ port: 80 }],
      annotations,
    });
    expect(
      await Promise.all([service.metadata, address, addresses].map((each) => pulumi.isSecret<unknown>(each))),
    ).toEqual([true, false, false]);
    await settled();
  });

  test('of a Service come after the pool and the advertisement of the operator whose zones it has, without a word in its options', async () => {
    const { zones } = new IpamOperator('ipam', { zones: ZONES });
    new IpamService('web', { zone: 'inet', zones, ports: [{ port: 80 }] });
    await settled();
    const kinds = objectsRegistered().map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(['IPAddressPool', 'L2Advertisement']));
    expect(kinds.at(-1)).toBe('Service');
  });
});
