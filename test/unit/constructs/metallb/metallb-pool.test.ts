import { Chart, Testing } from 'cdk8s';

import { IpamOperator, MetalLbPool, metalLbPoolProblems, type MetalLbPoolProps } from '../../../../constructs';
import type { Json } from '../../../support/operator-objects';

const addresses = ['192.0.2.0/28'];

function synthesized(props: Partial<MetalLbPoolProps>): readonly Json[] {
  const chart = new Chart(Testing.app(), 'chart', { namespace: 'stamped' });
  new MetalLbPool(chart, 'legacy', { addresses, ...props });
  return Testing.synth(chart) as Json[];
}

const partsOf = (objects: readonly Json[]): unknown[] =>
  objects.map(({ kind, metadata, spec }) => [kind, metadata!['name'], spec]);

const messagesOf = (props: Partial<MetalLbPoolProps>): string[] =>
  metalLbPoolProblems({ addresses, ...props }).map(({ message }) => message);

describe('MetalLbPool', () => {
  test('declares pool and L2 advertisement in the namespace of MetalLB, named like the construct', () => {
    const objects = synthesized({});
    expect(partsOf(objects)).toEqual([
      ['IPAddressPool', 'legacy', { addresses, autoAssign: true, avoidBuggyIPs: false }],
      ['L2Advertisement', 'legacy', { ipAddressPools: ['legacy'] }],
    ]);
    for (const { metadata } of objects) expect(metadata).toEqual({ name: 'legacy', namespace: 'metallb-system' });
  });

  test('passes every prop on, false included', () => {
    const objects = synthesized({
      name: 'old',
      namespace: 'lb',
      addresses: ['192.0.2.16 - 192.0.2.31', '2001:DB8:0::/64'],
      autoAssign: false,
      avoidBuggyIps: true,
      advertise: 'both',
      l2: [{ interfaces: ['eth0', 'bond0.7'], nodeSelectors: [{ matchLabels: { rack: 'a' } }] }, {}],
      bgp: [
        {
          communities: ['65000:100', 'large:4294967295:0:7', 'no-export'],
          localPref: 0,
          aggregationLength: 28,
          aggregationLengthV6: 64,
          peers: ['tor-1'],
          nodeSelectors: [{ matchExpressions: [{ key: 'rack', operator: 'In', values: ['a'] }] }],
        },
        { aggregationLength: 32, localPref: 100, peers: ['tor-2'] },
      ],
    });
    expect(partsOf(objects)).toEqual([
      [
        'IPAddressPool',
        'old',
        {
          addresses: ['192.0.2.16-192.0.2.31', '2001:db8::/64'],
          autoAssign: false,
          avoidBuggyIPs: true,
        },
      ],
      [
        'L2Advertisement',
        'old',
        {
          ipAddressPools: ['old'],
          interfaces: ['eth0', 'bond0.7'],
          nodeSelectors: [{ matchLabels: { rack: 'a' } }],
        },
      ],
      ['L2Advertisement', 'old.2', { ipAddressPools: ['old'] }],
      [
        'BGPAdvertisement',
        'old',
        {
          ipAddressPools: ['old'],
          communities: ['65000:100', 'large:4294967295:0:7', 'no-export'],
          localPref: 0,
          aggregationLength: 28,
          aggregationLengthV6: 64,
          peers: ['tor-1'],
          nodeSelectors: [{ matchExpressions: [{ key: 'rack', operator: 'In', values: ['a'] }] }],
        },
      ],
      [
        'BGPAdvertisement',
        'old.2',
        { ipAddressPools: ['old'], aggregationLength: 32, localPref: 100, peers: ['tor-2'] },
      ],
    ]);
    for (const { metadata } of objects) expect(metadata!['namespace']).toBe('lb');
  });

  test.each([
    [{ advertise: 'none' }, []],
    [{ advertise: 'l2' }, ['L2Advertisement']],
    [{ advertise: 'bgp' }, ['BGPAdvertisement']],
    [{ advertise: 'both' }, ['L2Advertisement', 'BGPAdvertisement']],
    [{ bgp: [{ localPref: 1 }] }, ['BGPAdvertisement']],
    [{ l2: [{}], bgp: [{}] }, ['L2Advertisement', 'BGPAdvertisement']],
    [{ l2: [] }, []],
    [{ advertise: 'none', l2: [], bgp: [] }, []],
  ] as readonly (readonly [Partial<MetalLbPoolProps>, readonly string[]])[])('advertises %j by %j', (props, kinds) => {
    expect(messagesOf(props)).toEqual([]);
    expect(
      synthesized(props)
        .slice(1)
        .map(({ kind }) => kind),
    ).toEqual(kinds);
  });

  test('fails at synth with every problem and the path of the construct', () => {
    const chart = new Chart(Testing.app(), 'chart');
    new MetalLbPool(chart, 'legacy', { addresses: ['192.0.2.1/28', '192.0.2.9-192.0.2.2'] });
    expect(() => Testing.synth(chart) as unknown).toThrow(
      /errors:\n {2}\[chart\/legacy\] addresses\[0\]: [^\n]*\n {2}\[chart\/legacy\] addresses\[1\]: [^\n]*$/,
    );
  });

  test.each(['OldPool', 'old_pool', 'a'.repeat(254)])(
    'FU-64 without a name, the id %j is refused as one, and a name mends it',
    (id) => {
      const chart = new Chart(Testing.app(), 'chart');
      new MetalLbPool(chart, id, { addresses });
      const named = new Chart(Testing.app(), 'named');
      new MetalLbPool(named, id, { addresses: ['198.51.100.0/28'], name: '3scale' });
      expect(Testing.synth(named)).toHaveLength(2);
      expect(() => Testing.synth(chart) as unknown).toThrow(
        /is not the name of an object; allowed is a DNS name .*[.] It is the id of the construct; give the prop name/u,
      );
    },
  );

  test('gives the name for the annotation of Services that are not ours', () => {
    const chart = new Chart(Testing.app(), 'chart');
    expect(new MetalLbPool(chart, 'a', { addresses, name: 'old' }).poolName).toBe('old');
  });
});

describe('metalLbPoolProblems', () => {
  const bgp = (settings: NonNullable<MetalLbPoolProps['bgp']>[0]): Partial<MetalLbPoolProps> => ({ bgp: [settings] });
  const refusals: readonly (readonly [string, Partial<MetalLbPoolProps>, string])[] = [
    ['no address', { addresses: [] }, 'addresses: an empty list is not allowed'],
    ['host bits', { addresses: ['192.0.2.1/28'] }, 'addresses[0]: "192.0.2.1/28" has bits set after its length of 28'],
    ['a reversed range', { addresses: ['192.0.2.9-192.0.2.2'] }, 'write "192.0.2.2-192.0.2.9"'],
    ['two families in a range', { addresses: ['192.0.2.9-2001:db8::1'] }, 'mixes IPv4 and IPv6'],
    [
      'a bare address',
      { addresses: ['192.0.2.9'] },
      'addresses[0]: "192.0.2.9" is not a prefix: the length is missing',
    ],
    ['leading zeros', { addresses: ['192.0.002.0/28'] }, 'addresses[0]: '],
    ['a mask', { addresses: ['192.0.2.0/255.255.255.0'] }, 'must be written as a length in bits'],
    ['a length of 33', { addresses: ['192.0.2.0/33'] }, 'outside 0 to 32'],
    ['an embedded IPv4 address', { addresses: ['::ffff:192.0.2.0/124'] }, 'holds addresses that no Service can use'],
    [
      'multicast',
      { addresses: ['224.0.0.0/28'] },
      'addresses[0]: "224.0.0.0/28" holds addresses that no Service can use',
    ],
    ['a prefix twice', { addresses: ['192.0.2.0/28', '192.0.2.0/28'] }, 'addresses[1]: "192.0.2.0/28" overlaps'],
    ['an overlap inside', { addresses: ['192.0.2.0/28', '192.0.2.8-192.0.2.20'] }, '(addresses[0]); keep one of them'],
    ['a name with capitals', { name: 'Old' }, 'name: "Old" is not the name of an object'],
    ['an empty name', { name: '' }, 'name: "" is not the name of an object'],
    ['an empty namespace', { namespace: '' }, 'namespace: "" is not the name of an object'],
    ['the pool of those who wait', { name: 'ipam-waiting' }, 'name: "ipam-waiting" is reserved'],
    ['another word', { advertise: 'arp' as 'l2' }, 'advertise: "arp" is not allowed; allowed is l2, bgp, both or none'],
    [
      'settings without effect',
      { advertise: 'l2', bgp: [{}] },
      'bgp: advertise is "l2", so these settings have no effect',
    ],
    ['settings beside none', { advertise: 'none', l2: [{}] }, 'l2: advertise is "none", so these settings'],
    [
      'a long interface',
      { l2: [{ interfaces: ['enp0s31f6-backup'] }] },
      'l2[0].interfaces[0]: "enp0s31f6-backup" is not',
    ],
    ['an empty interface', { l2: [{ interfaces: [''] }] }, 'l2[0].interfaces[0]: "" is not the name of an interface'],
    ['an interface twice', { l2: [{ interfaces: ['a', 'a'] }] }, 'l2[0].interfaces[1]: "a" is listed twice'],
    ['a selector twice', { l2: [{ nodeSelectors: [{}, {}] }] }, 'l2[0].nodeSelectors[1]: the selector is listed twice'],
    [
      'a condition without values',
      { l2: [{ nodeSelectors: [{ matchExpressions: [{ key: 'a', operator: 'In' }] }] }] },
      'l2[0].nodeSelectors[0].matchExpressions[0]: operator In needs at least one entry in values',
    ],
    ['a community of three parts', bgp({ communities: ['65000:1:2'] }), 'bgp[0].communities[0]: "65000:1:2" is not'],
    ['a community above 16 bits', bgp({ communities: ['65536:1'] }), 'bgp[0].communities[0]: "65536:1" is not'],
    ['a large one above 32 bits', bgp({ communities: ['large:4294967296:1:1'] }), 'is not a BGP community'],
    ['a community of four parts', bgp({ communities: ['small:1:1:1'] }), 'is not a BGP community'],
    ['a community twice', bgp({ communities: ['1:1', '1:1'] }), 'bgp[0].communities[1]: "1:1" is listed twice'],
    ['a negative preference', bgp({ localPref: -1 }), 'bgp[0].localPref: -1 is not allowed'],
    ['a preference above 32 bits', bgp({ localPref: 4_294_967_296 }), 'a whole number from 0 to 4294967295'],
    ['a part of a preference', bgp({ localPref: 0.5 }), 'bgp[0].localPref: 0.5 is not allowed'],
    ['routes of no bits', bgp({ aggregationLength: 0 }), 'bgp[0].aggregationLength: 0 is not allowed'],
    ['routes of 33 bits', bgp({ aggregationLength: 33 }), 'a whole number from 1 to 32'],
    ['routes of 129 bits', bgp({ aggregationLengthV6: 129 }), 'a whole number from 1 to 128'],
    [
      'routes wider than a prefix',
      bgp({ aggregationLength: 24 }),
      'bgp[0].aggregationLength: 24 is shorter than "192.0.2.0/28" (addresses[0]), whose largest block is a /28',
    ],
    [
      'routes wider than every block of a range',
      { addresses: ['192.0.2.1-192.0.2.6'], ...bgp({ aggregationLength: 30 }) },
      'whose largest block is a /31',
    ],
    ['a peer that is no name', bgp({ peers: ['Tor 1'] }), 'bgp[0].peers[0]: "Tor 1" is not the name of an object'],
    ['a peer twice', bgp({ peers: ['a', 'a'] }), 'bgp[0].peers[1]: "a" is listed twice'],
    [
      'two preferences for the same routes',
      { bgp: [{ localPref: 100 }, { localPref: 200, peers: ['tor-1'] }] },
      'bgp[1].localPref: 200 is not possible, since bgp[0] tells the same peers 100 for the same routes',
    ],
    [
      'POOL-11 a mistyped prop',
      { avoidBuggyIPs: true } as Partial<MetalLbPoolProps>,
      'avoidBuggyIPs: there is no such prop; did you mean avoidBuggyIps?',
    ],
    [
      'POOL-11 a mistyped setting',
      { l2: [{ interface: ['a'] } as object] },
      'l2[0].interface: there is no such prop; did you mean interfaces?',
    ],
    [
      'POOL-11 a mistyped BGP setting',
      bgp({ colour: 1 } as object),
      'bgp[0].colour: there is no such prop; the props are',
    ],
    [
      'POOL-11 a mistyped selector',
      { l2: [{ nodeSelectors: [{ matchLabel: {} } as object] }] },
      'did you mean matchLabels?',
    ],
  ];

  test.each(refusals)('refuses %s', (_what, props, text) => {
    expect(messagesOf(props)).toEqual([expect.stringContaining(text)]);
  });

  test.each([
    ['two preferences of different lengths', { bgp: [{ localPref: 1, aggregationLength: 28 }, { localPref: 2 }] }],
    [
      'two preferences for different peers',
      {
        bgp: [
          { localPref: 1, peers: ['a'] },
          { localPref: 2, peers: ['b'] },
        ],
      },
    ],
    [
      'two preferences on nodes that nobody can compare here',
      { bgp: [{ localPref: 1, nodeSelectors: [{ matchLabels: { a: 'b' } }] }, { localPref: 2 }] },
    ],
    ['one preference twice', { bgp: [{ localPref: 5 }, { localPref: 5, communities: ['1:1'] }] }],
    ['lengths of the other family', { bgp: [{ aggregationLengthV6: 64 }] }],
    ['routes as wide as the largest block', { addresses: ['192.0.2.1-192.0.2.6'], bgp: [{ aggregationLength: 31 }] }],
  ] as readonly (readonly [string, Partial<MetalLbPoolProps>])[])('accepts %s', (_what, props) => {
    expect(messagesOf(props)).toEqual([]);
  });
});

test('a MetalLbPool writes a single address as a range, since MetalLB takes no bare one', () => {
  expect(synthesized({ addresses: ['192.0.2.7 - 192.0.2.7'] })[0]!['spec']!['addresses']).toEqual([
    '192.0.2.7-192.0.2.7',
  ]);
});

describe('the pools of one app', () => {
  const zones = [{ name: 'inet', prefixes: ['198.51.100.0/24', '2001:db8::/64'] }];

  test('are compared across charts, both places named', () => {
    const app = Testing.app();
    const [ipam, legacy] = [new Chart(app, 'ipam'), new Chart(app, 'legacy')];
    new IpamOperator(ipam, 'operator', { zones });
    new MetalLbPool(legacy, 'old', { addresses: ['192.0.2.0/28', '198.51.100.200-198.51.101.3'] });
    expect(() => Testing.synth(legacy) as unknown).toThrow(
      '[legacy/old] addresses[1]: "198.51.100.200-198.51.101.3" of pool "old" [legacy/old] overlaps ' +
        '"198.51.100.0/24" of zone "inet" [ipam/operator]; MetalLB refuses all its pools where two overlap',
    );
    expect(() => Testing.synth(ipam) as unknown).toThrow('[legacy/old] addresses[1]');
  });

  test('are compared whichever was declared first, each pair once', () => {
    const app = Testing.app();
    new MetalLbPool(new Chart(app, 'legacy'), 'old', { addresses: ['2001:db8::/48'] });
    new IpamOperator(new Chart(app, 'ipam'), 'operator', { zones });
    expect(() => app.synthYaml()).toThrow(
      /errors:\n {2}\[ipam\/operator\] zones\[0\]\.prefixes\[1\]: "2001:db8::\/64" of zone "inet" \[ipam\/operator\] overlaps "2001:db8::\/48" of pool "old" \[legacy\/old\][^\n]*$/,
    );
  });

  test('of the same kind are compared too, by name and by address', () => {
    const chart = new Chart(Testing.app(), 'chart');
    new MetalLbPool(chart, 'a', { addresses: ['192.0.2.0/28'] });
    new MetalLbPool(chart, 'b', { addresses: ['192.0.2.8/29'], name: 'a' });
    expect(() => Testing.synth(chart) as unknown).toThrow(
      /\[chart\/b\] name: "a" of pool "a" \[chart\/b\] is the name of pool "a" \[chart\/a\] too; [^\n]*\n {2}\[chart\/b\] addresses\[0\]: "192\.0\.2\.8\/29" of pool "a" \[chart\/b\] overlaps/,
    );
  });

  test('take no name of a zone', () => {
    const chart = new Chart(Testing.app(), 'chart');
    new IpamOperator(chart, 'operator', { zones });
    new MetalLbPool(chart, 'inet', { addresses });
    expect(() => Testing.synth(chart) as unknown).toThrow(
      '[chart/inet] name: "inet" of pool "inet" [chart/inet] is the name of zone "inet" [chart/operator] too',
    );
  });

  test('may overlap where they are for different clusters, and two operators are two clusters', () => {
    const app = Testing.app();
    for (const cluster of ['a', 'b']) {
      const chart = new Chart(app, cluster);
      new IpamOperator(chart, 'operator', { zones, cluster });
      new MetalLbPool(chart, 'old', { addresses, cluster });
    }
    expect(app.synthYaml()).toContain('192.0.2.0/28');
  });

  test('without a cluster are for each one of the app', () => {
    const app = Testing.app();
    new IpamOperator(new Chart(app, 'a'), 'operator', { zones, cluster: 'a' });
    new MetalLbPool(new Chart(app, 'all'), 'old', { addresses: ['198.51.100.0/30'] });
    expect(() => app.synthYaml()).toThrow('[all/old] addresses[0]');
  });

  test('of different apps know nothing of each other', () => {
    const charts = [Testing.app(), Testing.app()].map((app) => new Chart(app, 'chart'));
    for (const chart of charts) new MetalLbPool(chart, 'old', { addresses });
    expect(charts.map((chart) => (Testing.synth(chart) as unknown[]).length)).toEqual([2, 2]);
  });
});
