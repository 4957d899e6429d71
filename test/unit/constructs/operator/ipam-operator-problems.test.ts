import { Chart, Testing } from 'cdk8s';

import { IpamOperator, ipamOperatorProblems, type IpamOperatorProps } from '../../../../constructs';
import { parseZones } from '../../../../operator/contract/zones';

const zones: NonNullable<IpamOperatorProps['zones']> = [
  { name: 'hnet-private', prefixes: ['172.16.0.0/24'], excluded: ['172.16.0.0'] },
  { name: 'inet', prefixes: ['2a05:1234::/112', '83.118.168.0/24'] },
];

const messagesOf = (props: Partial<IpamOperatorProps>): string[] =>
  ipamOperatorProblems({ zones, ...props }).map(({ message }) => message);

describe('ipamOperatorProblems', () => {
  test('accepts a sound operator', () => {
    expect(messagesOf({})).toEqual([]);
  });

  test('POOL-11 names a mistyped key of a zone, and every other problem of the zones, as the operator would', () => {
    const wrong = [
      { name: 'a', prefixes: ['10.1.157.0/25'], exclude: ['10.1.157.1'] },
      { name: 'b', prefixes: ['10.1.0.1/16'], advertise: 'l2' as const },
      { name: 'b', prefixes: ['10.1.157.0/26'] },
    ];
    const outcome = parseZones({
      version: 1,
      services: { defaultZone: 'c' },
      zones: wrong.map(({ advertise: _advertise, ...zone }: { advertise?: string; name: string }) => zone),
    });
    expect(outcome.ok).toBe(false);
    const expected = outcome.ok ? [] : outcome.problems.map(({ message }) => message);
    expect(expected.length).toBeGreaterThan(3);
    expect(messagesOf({ zones: wrong, services: { defaultZone: 'c' } })).toEqual(expected);
  });

  test('names items that are given twice, which the operator takes once', () => {
    const services = { loadBalancerClasses: ['a', 'a'], excludedNamespaces: ['foo', 'bar', 'foo'] };
    expect(messagesOf({ services })).toEqual([
      'services.loadBalancerClasses[1]: "a" is services.loadBalancerClasses[0] already; give each at most once',
      'services.excludedNamespaces[2]: "foo" is services.excludedNamespaces[0] already; give each at most once',
    ]);
  });

  test('fails at synth with the path of the construct', () => {
    const chart = new Chart(Testing.app(), 'chart');
    const operator = new IpamOperator(chart, 'operator', {
      zones: [{ name: 'A', prefixes: ['10.0.0.1/24'] }],
      replicas: 2,
    });
    expect(operator.zones.names).toEqual([]);
    expect(() => Testing.synth(chart) as unknown).toThrow(
      /\[chart\/operator\] zones\[0\]\.name: [^\n]*\n {2}\[chart\/operator\] zones\[0\]\.prefixes\[0\]: [^\n]*\n {2}\[chart\/operator\] replicas: 2 is not possible/,
    );
  });

  test.each([
    ['a second replica', { replicas: 2 }, 'replicas: 2 is not possible with the SQLite store'],
    [
      'a migration without its door',
      { vips: { migration: true } },
      'vips.migration: is a part of vips.enabled; set that too',
    ],
    ['no replica', { replicas: 0 }, 'replicas: 0 is not possible'],
    [
      'another word for the advertisement',
      { zones: [{ ...zones[0]!, advertise: 'arp' as 'l2' }] },
      'zones[0].advertise: "arp" is not allowed; allowed is l2, bgp, both or none',
    ],
    [
      'a zone that the cluster cannot use',
      { clusterFamilies: ['IPv6'] },
      'zone "hnet-private" has no prefix that this cluster can use',
    ],
    [
      'a zone of a NetBox that nothing tells the operator of',
      { zones: [...zones, { name: 'far', prefixes: [], fromNetBox: true }] },
      `zones[${String(zones.length)}].fromNetBox: true is not possible without netbox; give it, or list the prefixes of the zone`,
    ],
    [
      'two networks in one MetalLB',
      {
        zones: [
          { name: 'red', network: 'red', prefixes: ['10.0.0.0/24'] },
          { name: 'blue', network: 'blue', prefixes: ['10.0.0.128/25'] },
        ],
      },
      '"10.0.0.128/25" of zone "blue" (network "blue") overlaps "10.0.0.0/24" of zone "red" (network "red")',
    ],
  ] as readonly (readonly [string, Partial<IpamOperatorProps>, string])[])('refuses %s', (_what, props, text) => {
    expect(messagesOf(props)).toEqual([expect.stringContaining(text)]);
  });
});

describe('two operators', () => {
  const zones = [{ name: 'lan', prefixes: ['10.0.0.0/24'] }];

  test('in one chart are refused with the path of the other one', () => {
    const chart = new Chart(Testing.app(), 'chart');
    new IpamOperator(chart, 'one', { zones });
    new IpamOperator(chart, 'two', { zones });
    expect(() => {
      Testing.synth(chart);
    }).toThrow(/\[chart\/one\].*another IpamOperator stands at "chart\/two"/);
  });

  const problems = (clusters: readonly (string | undefined)[]): readonly string[] => {
    const app = Testing.app();
    const charts = clusters.map((cluster, i) => {
      const chart = new Chart(app, `c${String(i)}`);
      new IpamOperator(chart, 'operator', { zones, ...(cluster === undefined ? {} : { cluster }) });
      return chart;
    });
    return charts.flatMap(({ node }) => node.findAll().flatMap((each) => each.node.validate()));
  };

  test.each([
    [undefined, undefined],
    ['a', undefined],
    ['a', 'a'],
  ])('in charts of their own are refused with cluster %s and %s', (a, b) => {
    expect(problems([a, b])).toEqual(
      ['c1/operator', 'c0/operator'].map(
        (other) =>
          `cluster: another IpamOperator stands at "${other}"; a cluster has one, so give each the name of its own cluster`,
      ),
    );
  });

  test('in charts of their own pass where each names its own cluster', () => {
    expect(problems(['a', 'b'])).toEqual([]);
  });
});
