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
        apiVersion,
        kind: 'IPPrefix',
        metadata: { name: 'net1-prefix1', namespace: 'default', labels: { 'nephio.org/gateway': 'true' } },
        spec: NET1,
      },
      {
        apiVersion,
        kind: 'IPAllocation',
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
          name: 'vpc-1',
          namespace: 'team',
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
  // the API server takes what the operator refuses: a request of kind network that names none
  const namesNetwork = ({ object: { spec } }: (typeof asked)[number]): boolean =>
    (spec.kind ?? 'network') !== 'network' || /network-name|prefix-name/u.test(JSON.stringify(spec));
  const taken = asked.filter(({ refusedAt }) => refusedAt === undefined);
  test.each(taken.filter(namesNetwork))('take $title', ({ object: { spec } }) => {
    expect(problems(allocation('a', { spec }))).toEqual([]);
  });
  test.each(taken.filter((each) => !namesNetwork(each)))('NET-T56 refuse $title without a network', ({ object }) => {
    expect(problems(allocation('a', { spec: object.spec })).join()).toContain('names no network');
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

describe('prefixes of one instance', () => {
  const declared =
    (name: string, spec: object, more: object = {}): Make =>
    (chart) =>
      new IpPrefix(chart, name, { spec: { networkInstance: 'vpc-1', ...spec }, ...more } as never);
  const instance: Make = (chart) => new NetworkInstance(chart, 'vpc-1');
  const agg = declared('agg0', { kind: 'aggregate', prefix: '10.0.0.0/8' });
  const gateway = { labels: { 'nephio.org/gateway': 'true' } };
  const net1 = declared('net1-p1', { network: 'net1', prefix: '10.0.1.1/24' }, gateway);

  test.each([
    ['an aggregate around a network that was declared before', [net1, agg]],
    ['a second address of a subnet', [agg, net1, declared('p10', { network: 'net1', prefix: '10.0.1.10/24' })]],
    [
      'pools inside of pools',
      [declared('a', { kind: 'pool', prefix: '10.8.0.0/20' }), declared('b', { kind: 'pool', prefix: '10.8.0.0/16' })],
    ],
    ['a network without an aggregate, where the app has none', [instance, net1]],
    [
      'a network outside of the aggregates, where the instance stands elsewhere',
      [agg, declared('n', { network: 'n', prefix: '192.168.0.1/24' })],
    ],
  ])('NET-T6 NET-T10 NET-T18 may be %s', (_what, makers) => {
    expect(problems(...makers)).toEqual([]);
    expect(problems(...makers.toReversed())).toEqual([]);
  });

  test.each<[string, readonly Make[], string]>([
    [
      'NET-T11 an address twice',
      [net1, declared('x', { network: 'net1', prefix: '10.0.1.1/24' })],
      'holds "10.0.1.1/32"',
    ],
    [
      'NET-T12 a subnet of two networks',
      [net1, declared('x', { network: 'net2', prefix: '10.0.1.5/24' })],
      'a subnet has one network',
    ],
    [
      'NET-T13 a network with two subnets',
      [net1, declared('x', { network: 'net1', prefix: '10.0.2.1/24' })],
      'a network has one subnet of each family',
    ],
    [
      'NET-T14 a network inside of a network',
      [net1, declared('x', { network: 'net3', prefix: '10.0.1.129/25' })],
      'kind network may lie in aggregate only',
    ],
    [
      'NET-T15 a network around a network',
      [net1, declared('x', { network: 'net4', prefix: '10.0.0.1/16' })],
      'kind network',
    ],
    [
      'NET-T24 an aggregate inside of a network',
      [net1, declared('x', { kind: 'aggregate', prefix: '10.0.1.64/26' })],
      'aggregate',
    ],
    [
      'NET-T25 a network inside of a pool',
      [declared('p', { kind: 'pool', prefix: '10.8.0.0/16' }), declared('x', { network: 'n', prefix: '10.8.1.1/24' })],
      'which is of kind pool',
    ],
    ['a second gateway', [net1, declared('x', { network: 'net1', prefix: '10.0.1.2/24' }, gateway)], 'gateway'],
    [
      'POOL-06 a network outside of the aggregates of its instance',
      [instance, agg, declared('n', { network: 'n', prefix: '192.168.0.1/24' })],
      'lies in no aggregate',
    ],
    [
      'a label of the system',
      [declared('x', { network: 'n', prefix: '10.0.3.1/24' }, { labels: { 'nephio.org/origin': 'me' } })],
      'nephio.org/origin',
    ],
    [
      'the last address of a subnet',
      [declared('x', { network: 'n', prefix: '10.0.3.255/24' })],
      'is the last address of its subnet',
    ],
    [
      'ranges that overlap',
      [
        net1,
        declared('r1', { network: 'net1', prefix: '10.0.1.0/24', range: '10.0.1.20-10.0.1.30' }),
        declared('r2', { network: 'net1', prefix: '10.0.1.0/24', range: '10.0.1.30-10.0.1.40' }),
      ],
      'ranges of one prefix are apart',
    ],
  ])('refuse %s, once, in either order', (_what, makers, says) => {
    for (const order of [makers, makers.toReversed()]) {
      const found = problems(...order);
      expect(found).toHaveLength(1);
      expect(found.join()).toContain(says);
    }
  });

  test('may be the same as those of another instance, namespace or cluster', () => {
    const twin = (id: string, spec: object, more: object) =>
      declared(id, { network: 'net1', prefix: '10.0.1.1/24', ...spec }, more);
    expect(problems(net1, twin('a', { networkInstance: 'vpc-2' }, {}), twin('b', {}, { namespace: 'other' }))).toEqual(
      [],
    );
    const [east, west] = ['east', 'west'].map((cluster) => twin(cluster, {}, { cluster }));
    expect(problems(east!, west!)).toEqual([]);
    // once in each cluster
    expect(problems(east!, west!, net1)).toHaveLength(2);
  });

  test('are compared with addresses that allocations name, and with nothing that is chosen', () => {
    const named = (id: string, address: string) =>
      allocation(id, { spec: { kind: 'network', prefix: address, selector: SELECTOR } });
    expect(
      problems(net1, named('a', '10.0.1.50/24'), allocation('b', { spec: { kind: 'network', selector: SELECTOR } })),
    ).toEqual([]);
    expect(problems(net1, named('a', '10.0.1.1/24')).join()).toContain('IPPrefix default/net1-p1');
    expect(problems(net1, named('a', '10.0.1.60/25')).join()).toContain('write "10.0.1.60/24"');
    expect(problems(net1, named('a', '10.0.1.50/24'), named('b', '10.0.1.50/24'))).toHaveLength(1);
    expect(problems(named('a', '10.0.77.5/24'))).toEqual([]);
  });

  test('are judged in time, thousands of them', () => {
    const many = Array.from({ length: 1500 }, (_, i) =>
      declared(`n${String(i)}`, { network: `n${String(i)}`, prefix: `10.${String(i >> 8)}.${String(i & 255)}.1/24` }),
    );
    const started = performance.now();
    expect(problems(agg, ...many)).toEqual([]);
    expect(performance.now() - started).toBeLessThan(60_000);
  }, 120_000);
});
