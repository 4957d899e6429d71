import type * as pulumi from '@pulumi/pulumi';

import { placesDemanded } from '../../../support/places-demanded';
import { runExample } from '../../../support/run-example';
import { mockEngine, objectsRegistered, registered, settled, valueOf } from '../../../support/pulumi-engine';

interface Registered {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
}

interface Deployment {
  readonly spec: { readonly template: { readonly spec: Readonly<Record<string, unknown>> } };
}

const objects = (): readonly Registered[] => objectsRegistered() as readonly unknown[] as readonly Registered[];
const named = (kind: string, name: string): Registered | undefined =>
  objects().find((each) => each.kind === kind && each.metadata.name === name);

describe('examples/pulumi/smallest', () => {
  test('makes the operator and a Service that comes after it', async () => {
    await mockEngine();
    const { address } = runExample('examples/pulumi/smallest/index.ts');
    await settled();
    const kinds = objects().map(({ kind }) => kind);
    expect(kinds).toEqual(expect.arrayContaining(['Deployment', 'MutatingWebhookConfiguration', 'IPAddressPool']));
    expect(kinds.at(-1)).toBe('Service');
    // nobody gave one under mocks
    expect(await valueOf(address as pulumi.Output<string>)).toBe('');
  });
});

describe('examples/pulumi/ha-postgres', () => {
  const config = { 'ipam-ha:postgresDsn': 'postgresql://ipam:hunter22@db/ipam', 'ipam-ha:postgresCa': 'PEM' };

  test('makes three replicas on a database, its connection string a secret', async () => {
    await mockEngine(config);
    runExample('examples/pulumi/ha-postgres/index.ts');
    await settled();
    expect(named('Deployment', 'ipam-controller-manager')).toMatchObject({ spec: { replicas: 3 } });
    expect(named('Secret', 'ipam-postgres')).toHaveProperty('stringData.value.dsn', config['ipam-ha:postgresDsn']);
    expect(named('Secret', 'ipam-postgres-ca')).toMatchObject({ stringData: { value: { 'ca.crt': 'PEM' } } });
    expect(objects().map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['PodDisruptionBudget', 'ServiceMonitor', 'PrometheusRule']),
    );
  });

  test('FU-82 starts on nodes without a label of their failure domain', async () => {
    await mockEngine(config);
    runExample('examples/pulumi/ha-postgres/index.ts');
    await settled();
    const { spec } = named('Deployment', 'ipam-controller-manager') as unknown as Deployment;
    expect(spec.template.spec).toHaveProperty('topologySpreadConstraints.length', 2);
    expect(placesDemanded(spec.template.spec)).toEqual([]);
  });

  test('demands the connection string', async () => {
    await mockEngine();
    expect(() => runExample('examples/pulumi/ha-postgres/index.ts')).toThrow(/postgresDsn/u);
  });
});

describe('examples/pulumi/application', () => {
  test('asks for one address of each kind, all owned by one secret', async () => {
    await mockEngine({ 'shop:addressSecret': 'correct horse battery' });
    const { names } = runExample('examples/pulumi/application/index.ts');
    await settled();
    const asked = objects()
      .filter(({ kind }) => kind === 'Service')
      .map(({ metadata: { name, annotations } }) => [
        name,
        annotations?.['ipam.vitistack.io/zone'],
        annotations?.['ipam.vitistack.io/ip-family'],
        annotations?.['ipam.vitistack.io/addresses'],
        annotations?.['ipam.vitistack.io/secret'],
      ]);
    expect(asked.toSorted()).toEqual([
      ['nearest', 'inet', undefined, '83.118.168.53', 'addresses'],
      ['office', 'hnet-private', 'ipv4', undefined, 'addresses'],
      ['payments', 'inet', undefined, '83.118.168.25', 'addresses'],
      ['web', 'inet', 'dual', undefined, 'addresses'],
    ]);
    expect(named('Secret', 'addresses')).toHaveProperty('stringData.value.secret', 'correct horse battery');
    expect(await valueOf(names as pulumi.Output<object>)).toEqual({
      'shop.example.com': '',
      'office.example.com': '',
    });
    expect(registered.filter(({ type }) => type === 'cdk8s-ipam:index:IpamService')).toHaveLength(4);
  });
});

describe('examples/pulumi/networks', () => {
  test('makes the operator, the plan, and an allocation that is waited for', async () => {
    await mockEngine({}, [], ({ kind }) =>
      kind === 'IPAllocation' ? { status: { prefix: '10.0.1.2/32', gateway: '10.0.1.1' } } : {},
    );
    const { prefix, gateway } = runExample('examples/pulumi/networks/index.ts');
    await settled();
    expect(named('IPPrefix', 'vpc-1-10-0-1-0-24')).toMatchObject({ spec: { prefix: '10.0.1.1/24', network: 'net1' } });
    expect(objects().at(-1)).toMatchObject({
      kind: 'IPAllocation',
      metadata: { name: 'upf', annotations: { 'pulumi.com/waitFor': 'condition=Ready' } },
    });
    const outputs = [prefix, gateway] as readonly pulumi.Output<string>[];
    expect(await Promise.all(outputs.map((each) => valueOf(each)))).toEqual(['10.0.1.2/32', '10.0.1.1']);
  });
});

describe('examples/pulumi/egress', () => {
  test('makes the operator, the EgressIPAM, and a Namespace that is waited for', async () => {
    const shown = { 'egressip-ipam-operator.redhat-cop.io/egressips': '192.0.2.2' };
    await mockEngine({}, [], ({ kind, metadata }) =>
      kind === 'Namespace' ? { metadata: { ...(metadata as object), annotations: shown } } : {},
    );
    const { addresses } = runExample('examples/pulumi/egress/index.ts');
    await settled();
    expect(named('EgressIPAM', 'edge')).toMatchObject({ spec: { topologyLabel: 'egressGateway' } });
    expect(named('Namespace', 'shop')).toMatchObject({
      metadata: {
        annotations: {
          'egressip-ipam-operator.redhat-cop.io/egressipam': 'edge',
          'pulumi.com/waitFor': expect.stringContaining('egressips') as string,
        },
      },
    });
    expect(await valueOf(addresses as pulumi.Output<string[]>)).toEqual(['192.0.2.2']);
  });
});
