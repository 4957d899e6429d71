import { Chart, Testing } from 'cdk8s';

import { IpAllocation, IpPrefix, NetworkInstance } from '../../../../constructs';
import { ALLOCATION_SAMPLES, PREFIX_SAMPLES } from '../../../support/network-kind-samples';

type Make = (chart: Chart) => void;

const SELECTOR = { matchLabels: { 'nephio.org/network-instance': 'vpc-1', 'nephio.org/network-name': 'net1' } };
const NET1 = { prefix: '10.0.1.1/24', networkInstance: 'vpc-1', network: 'net1' };

function build(...makers: readonly Make[]): Chart {
  const chart = new Chart(Testing.app(), 'nets', { namespace: 'default' });
  for (const make of makers) make(chart);
  return chart;
}
const problems = (...makers: readonly Make[]): readonly string[] => [
  ...new Set(
    build(...makers)
      .node.findAll()
      .flatMap(({ node }) => node.validate()),
  ),
];
const prefix =
  (id: string, props: object): Make =>
  (chart) =>
    new IpPrefix(chart, id, props as never);
const allocation =
  (id: string, props: object): Make =>
  (chart) =>
    new IpAllocation(chart, id, props as never);

describe('the constructs of the Networks door', () => {
  test('NET-E1 NET-E2 NET-E5 write the objects of the published example', () => {
    const chart = build(
      (each) => new NetworkInstance(each, 'vpc-1'),
      prefix('net1-prefix1', { labels: { 'nephio.org/gateway': 'true' }, spec: NET1 }),
      allocation('alloc1', { spec: { kind: 'network', selector: SELECTOR } }),
    );
    const apiVersion = 'ipam.nephio.org/v1alpha1';
    expect(Testing.synth(chart)).toEqual([
      { apiVersion, kind: 'NetworkInstance', metadata: { name: 'vpc-1', namespace: 'default' }, spec: {} },
      {
        ...{ apiVersion, kind: 'IPPrefix' },
        metadata: { name: 'net1-prefix1', namespace: 'default', labels: { 'nephio.org/gateway': 'true' } },
        spec: NET1,
      },
      {
        ...{ apiVersion, kind: 'IPAllocation' },
        metadata: { name: 'alloc1', namespace: 'default' },
        spec: { kind: 'network', selector: SELECTOR },
      },
    ]);
  });

  test('tell the operator by annotations how prefixes of an instance are compared', () => {
    const chart = build(
      (each) => new NetworkInstance(each, 'vpc-1', { network: 'edge', parents: 'required', namespace: 'team' }),
    );
    expect(Testing.synth(chart)).toEqual([
      expect.objectContaining({
        metadata: {
          ...{ name: 'vpc-1', namespace: 'team' },
          annotations: { 'ipam.vitistack.io/network': 'edge', 'ipam.vitistack.io/parents': 'required' },
        },
      }),
    ]);
    expect(problems((each) => new NetworkInstance(each, 'a', { parent: 'free' } as never)).join()).toContain(
      'parent: there is no such prop; did you mean parents?',
    );
    expect(problems((each) => new NetworkInstance(each, 'a', { parents: 'maybe' as never })).join()).toContain(
      'parents: "maybe"',
    );
  });

  const told = PREFIX_SAMPLES.filter(({ before }) => before === undefined);
  test.each(told.filter(({ refusedAt }) => refusedAt === undefined))('take $title', ({ object: { spec } }) => {
    expect(problems(prefix('p', { spec }))).toEqual([]);
  });
  test.each(told.filter(({ refusedAt }) => refusedAt !== undefined))(
    'refuse $title at $refusedAt',
    ({ object: { spec }, refusedAt }) => {
      expect(problems(prefix('p', { spec })).join()).toContain(refusedAt);
    },
  );

  const asked = ALLOCATION_SAMPLES.filter(({ before }) => before === undefined);
  test.each(asked.filter(({ refusedAt }) => refusedAt === undefined))('take $title', ({ object: { spec } }) => {
    expect(problems(allocation('a', { spec }))).toEqual([]);
  });
  test.each(asked.filter(({ refusedAt }) => refusedAt !== undefined))(
    'refuse $title at $refusedAt',
    ({ object: { spec }, refusedAt }) => {
      expect(problems(allocation('a', { spec })).join()).toContain(refusedAt);
    },
  );

  test('POOL-11 fail at synth on an unknown field, with its path and what was meant', () => {
    const chart = build(prefix('p', { spec: { ...NET1, exclude: ['10.0.1.9'] } }));
    expect(() => Testing.synth(chart) as unknown[]).toThrow(
      /nets\/p\].*spec\.exclude: unknown field "exclude".*did you mean "excluded"\?/u,
    );
  });

  test('refuse a second object of one kind, namespace and name', () => {
    const twice = [prefix('a', { spec: NET1 }), prefix('b', { name: 'a', spec: { ...NET1, prefix: '10.0.1.2/24' } })];
    expect(problems(...twice).join()).toContain('"a" of IPPrefix [nets/b]');
    expect(problems(prefix('a', { spec: NET1 }), prefix('b', { name: 'a', namespace: 'x', spec: NET1 }))).toEqual([]);
  });

  test('refuse an id that is no name, and say so', () => {
    expect(problems(prefix('Net_1', { spec: NET1 })).join()).toContain('It is the id of the construct');
  });
});

describe('an allocation of families', () => {
  const spec = { kind: 'network', selector: SELECTOR };
  const written = (props: object) =>
    (Testing.synth(build(allocation('a', props))) as { metadata: { name: string }; spec: object }[]).map((each) => [
      each.metadata.name,
      (each.spec as { addressFamily?: string }).addressFamily,
    ]);

  test('is one object for each of two, and one with its own name for one', () => {
    expect(written({ spec, families: ['ipv4', 'ipv6'] })).toEqual([
      ['a-ipv4', 'ipv4'],
      ['a-ipv6', 'ipv6'],
    ]);
    expect(written({ spec, families: ['ipv6'] })).toEqual([['a', 'ipv6']]);
    expect(written({ spec })).toEqual([['a', undefined]]);
  });

  test('is refused beside a family in the spec, twice the same, and without any', () => {
    expect(
      problems(allocation('a', { spec: { ...spec, addressFamily: 'ipv4' }, families: ['ipv4'] })).join(),
    ).toContain('families: has no use beside spec.addressFamily');
    expect(problems(allocation('a', { spec, families: ['ipv4', 'ipv4'] })).join()).toContain('families[1]');
    expect(problems(allocation('a', { spec, families: [] })).join()).toContain('families: an empty list');
  });
});

test('a reference names the allocation and the part of its status, for the annotation of any object', () => {
  const chart = build();
  const spec = { kind: 'network', selector: SELECTOR } as const;
  const one = new IpAllocation(chart, 'n3', { spec });
  const two = new IpAllocation(chart, 'n6', { namespace: 'upf', spec, families: ['ipv4', 'ipv6'] });
  expect([one.reference('prefix'), two.reference('gateway')]).toEqual(['default/n3#prefix', 'upf/n6-ipv4#gateway']);
  const bare = new IpAllocation(new Chart(Testing.app(), 'bare'), 'n3', { spec });
  expect(bare.reference('prefix')).toBe('n3#prefix');
});
