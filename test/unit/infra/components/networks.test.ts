import { App, Chart } from 'cdk8s';

import * as pulumi from '@pulumi/pulumi';

import {
  AddressPlan as PlanConstruct,
  IpAllocation as AllocationConstruct,
  IpPrefix as PrefixConstruct,
  type IpAllocationProps,
  type IpPrefixProps,
} from '../../../../constructs';
import { AddressPlan, IpAllocation, IpPrefix, NetworkInstance } from '../../../../infra/index';
import { mockEngine, objectsRegistered, registered, settled, valueOf } from '../../../support/pulumi-engine';

interface Annotated {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> };
}

const SPEC: IpPrefixProps['spec'] = { prefix: '10.0.1.1/24', networkInstance: 'vpc-1', network: 'net1' };
const SELECTOR: IpAllocationProps['spec'] = {
  kind: 'network',
  selector: { matchLabels: { 'nephio.org/network-instance': 'vpc-1', 'nephio.org/network-name': 'net1' } },
};

const synthesized = (build: (chart: Chart) => void): readonly unknown[] => {
  const chart = new Chart(new App(), 'chart', { disableResourceNameHashes: true });
  build(chart);
  return chart.toJson() as unknown[];
};
const registeredObjects = (): readonly Annotated[] => objectsRegistered() as unknown as readonly Annotated[];
/** What the provider of each object is told. */
const told = (): readonly object[] =>
  registeredObjects().map(({ metadata: { annotations = {} } }) =>
    Object.fromEntries(Object.entries(annotations).filter(([key]) => key.startsWith('pulumi.com/'))),
  );
/** Objects without what the provider alone is told. */
const untold = (): readonly unknown[] =>
  registeredObjects().map(({ metadata, ...object }) => {
    const { annotations: _annotations, ...rest } = metadata;
    return { ...object, metadata: rest };
  });

beforeEach(() => mockEngine());

describe('a component of the Networks door', () => {
  test('is the synthesized object, and is waited for until the operator has accepted it', async () => {
    new NetworkInstance('vpc-1');
    new IpPrefix('net1', { labels: { 'nephio.org/gateway': 'true' }, spec: SPEC });
    new IpAllocation('n3', { spec: SELECTOR, families: ['ipv4', 'ipv6'] });
    await settled();
    expect(told()).toEqual(registeredObjects().map(() => ({ 'pulumi.com/waitFor': 'condition=Ready' })));
    expect(untold()).toEqual([
      { apiVersion: 'ipam.nephio.org/v1alpha1', kind: 'NetworkInstance', metadata: { name: 'vpc-1' }, spec: {} },
      ...synthesized((chart) => {
        new PrefixConstruct(chart, 'net1', { labels: { 'nephio.org/gateway': 'true' }, spec: SPEC });
        new AllocationConstruct(chart, 'n3', { spec: SELECTOR, families: ['ipv4', 'ipv6'] });
      }),
    ]);
  });

  test('is not waited for where the program says so, and a program that says how to wait is left alone', async () => {
    new IpPrefix('net1', { spec: SPEC, waitForReady: false });
    const annotations = { 'pulumi.com/waitFor': pulumi.output('jsonpath={.status.prefix}') };
    new IpAllocation('n3', { spec: SELECTOR, annotations });
    await settled();
    expect(told()).toEqual([{ 'pulumi.com/skipAwait': 'true' }, { 'pulumi.com/waitFor': 'jsonpath={.status.prefix}' }]);
  });

  test('gives the engine the time to wait, and refuses one that is none', async () => {
    expect(() => new IpPrefix('net1', { spec: SPEC, timeoutSeconds: 0 })).toThrow(
      'IpPrefix "net1": timeoutSeconds: 0 is not allowed; allowed is a whole number from 1 to 86400',
    );
    new IpPrefix('net1', { spec: SPEC, timeoutSeconds: 5 });
    await settled();
    expect(registered.filter(({ type }) => type.endsWith(':IPPrefix'))).toHaveLength(1);
  });

  test('is refused with the message of synth, before anything is registered', async () => {
    expect(() => new IpPrefix('net1', { spec: { ...SPEC, prefix: '10.0.1.1' } })).toThrow(
      'IpPrefix "net1": spec.prefix is "10.0.1.1" but must be a prefix in CIDR notation',
    );
    await settled();
    expect(registeredObjects()).toEqual([]);
  });
});

describe('the Outputs of an allocation', () => {
  test('are what its status shows, of each family', async () => {
    const status = { prefix: '10.0.1.2/32', gateway: '10.0.1.1', parentPrefix: '10.0.1.0/24' };
    await mockEngine({}, [], ({ kind }) => (kind === 'IPAllocation' ? { status } : {}));
    const allocation = new IpAllocation('n3', { spec: SELECTOR });
    const { prefix, gateway, parentPrefix, prefixes } = allocation;
    await settled();
    expect(await Promise.all([prefix, gateway, parentPrefix].map((each) => valueOf(each)))).toEqual([
      '10.0.1.2/32',
      '10.0.1.1',
      '10.0.1.0/24',
    ]);
    expect(await valueOf(prefixes)).toEqual(['10.0.1.2/32']);
  });

  test('are empty where nothing was given', async () => {
    const { prefix } = new IpAllocation('n3', { spec: SELECTOR, waitForReady: false });
    await settled();
    expect(await valueOf(prefix)).toBe('');
  });
});

test('an address plan is its objects, the instance before the prefixes', async () => {
  const plan = { instance: 'vpc-1', prefixes: [{ prefix: '10.0.0.0/8', children: [{ prefix: '10.1.0.0/16' }] }] };
  const { instanceName } = new AddressPlan('plan', plan);
  await settled();
  expect(untold()).toEqual(synthesized((chart) => new PlanConstruct(chart, 'plan', plan)));
  expect(registeredObjects()[0]?.kind).toBe('NetworkInstance');
  expect(await valueOf(instanceName)).toBe('vpc-1');
});
