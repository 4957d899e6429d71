import { Chart, Testing } from 'cdk8s';

import {
  IpamOperator,
  ipamOperatorProblems,
  type IpamOperatorProps,
  type OperatorZone,
} from '../../../../../constructs';
import { namesOf, one, synthesized, zones, type Json } from '../../../../support/operator-objects';

const METALLB_KINDS = ['IPAddressPool', 'L2Advertisement', 'BGPAdvertisement'];

const metallbOf = (objects: readonly Json[]): unknown[] =>
  objects
    .filter(({ kind }) => METALLB_KINDS.includes(kind!))
    .map(({ kind, metadata, spec }) => [kind, metadata!['name'], spec]);

const messagesOf = (props: Partial<IpamOperatorProps>): string[] =>
  ipamOperatorProblems({ zones, ...props }).map(({ message }) => message);

const inet = (settings: Partial<OperatorZone>): Partial<IpamOperatorProps> => ({
  zones: [{ name: 'inet', prefixes: ['2a05:1234::/112', '83.118.168.0/24'], ...settings }],
});

const poolRights = (objects: readonly Json[]): unknown => {
  const role = one(objects, 'Role', 'ipam-pools-role');
  expect(role['metadata']!['namespace']).toBe('metallb-system');
  return role['rules'];
};

describe('the pools of an IpamOperator', () => {
  test('are one per zone, named like it, which MetalLB gives nothing from by itself', () => {
    expect(metallbOf(synthesized())).toEqual([
      ['IPAddressPool', 'hnet-private', { addresses: ['172.16.0.0/24'], autoAssign: false, avoidBuggyIPs: false }],
      ['L2Advertisement', 'hnet-private', { ipAddressPools: ['hnet-private'] }],
      [
        'IPAddressPool',
        'inet',
        { addresses: ['83.118.168.0/24', '2a05:1234::/112'], autoAssign: false, avoidBuggyIPs: false },
      ],
      ['L2Advertisement', 'inet', { ipAddressPools: ['inet'] }],
    ]);
  });

  test.each([
    [['IPv4'], ['83.118.168.0/24']],
    [['IPv6'], ['2a05:1234::/112']],
    [
      ['IPv6', 'IPv4'],
      ['83.118.168.0/24', '2a05:1234::/112'],
    ],
  ] as const)('hold what a cluster with %j can use', (clusterFamilies, addresses) => {
    const objects = synthesized({ ...inet({}), clusterFamilies });
    expect(one(objects, 'IPAddressPool')['spec']).toMatchObject({ addresses });
    const config = one(objects, 'ConfigMap', 'ipam-zones');
    expect(JSON.stringify(config)).toContain('2a05:1234::/112');
  });

  test('are only read by the operator that does not write them', () => {
    expect(poolRights(synthesized())).toEqual([
      { apiGroups: ['metallb.io'], resources: ['ipaddresspools'], verbs: ['list', 'watch'] },
    ]);
  });

  test('are left to the operator with zonePools claims, which gets the right to write them; the advertisements stay', () => {
    const objects = synthesized({ zonePools: 'claims', whenUnavailable: 'admit' });
    expect(namesOf(objects, 'IPAddressPool')).toEqual([]);
    expect(namesOf(objects, 'L2Advertisement')).toEqual(['hnet-private', 'inet']);
    expect(poolRights(objects)).toEqual([
      {
        apiGroups: ['metallb.io'],
        resources: ['ipaddresspools'],
        verbs: ['list', 'watch', 'create', 'patch', 'delete'],
      },
    ]);
  });

  test('are announced as each zone says, in the namespace of MetalLB, and the zones document knows nothing of it', () => {
    const objects = synthesized({
      zones: [
        { name: 'a', prefixes: ['10.0.0.0/24'], advertise: 'none' },
        { name: 'b', prefixes: ['10.0.1.0/24'], l2: [{ interfaces: ['eth1'] }] },
        {
          name: 'c',
          prefixes: ['10.0.2.0/24'],
          bgp: [
            { aggregationLength: 24, peers: ['edge'], localPref: 0 },
            { communities: ['65000:1'], localPref: 50 },
          ],
        },
        { name: 'd', prefixes: ['10.0.3.0/24'], advertise: 'both' },
      ],
    });
    const spec = (kind: string): unknown[] =>
      objects.filter((object) => object['kind'] === kind).map(({ metadata, spec: of }) => [metadata!['name'], of]);
    expect(spec('L2Advertisement')).toEqual([
      ['b', { ipAddressPools: ['b'], interfaces: ['eth1'] }],
      ['d', { ipAddressPools: ['d'] }],
    ]);
    expect(spec('BGPAdvertisement')).toEqual([
      ['c', { ipAddressPools: ['c'], aggregationLength: 24, peers: ['edge'], localPref: 0 }],
      ['c.2', { ipAddressPools: ['c'], communities: ['65000:1'], localPref: 50 }],
      ['d', { ipAddressPools: ['d'] }],
    ]);
    for (const { kind, metadata } of objects) {
      expect(METALLB_KINDS.includes(kind!) ? metadata!['namespace'] : 'metallb-system').toBe('metallb-system');
    }
    const document = JSON.stringify(one(objects, 'ConfigMap', 'ipam-zones'));
    for (const word of ['advertise', 'l2', 'bgp', 'eth1']) expect(document).not.toContain(word);
  });

  test('stand before the webhooks and after nothing that needs them', () => {
    const chart = new Chart(Testing.app(), 'chart');
    new IpamOperator(chart, 'operator', { zones });
    const kinds = (Testing.synth(chart) as Json[]).map(({ kind }) => kind);
    expect(kinds.lastIndexOf('L2Advertisement' as Json)).toBeLessThan(
      kinds.indexOf('MutatingWebhookConfiguration' as Json),
    );
    expect(kinds.indexOf('IPAddressPool' as Json)).toBeLessThan(kinds.indexOf('L2Advertisement' as Json));
  });
});

describe('ipamOperatorProblems about pools', () => {
  const bgp = (settings: object): Partial<IpamOperatorProps> => inet({ bgp: [settings] });

  test.each([
    [
      'admit with pools of prefixes',
      { whenUnavailable: 'admit' },
      'whenUnavailable: "admit" needs zonePools "claims", since MetalLB would give a Service that passed',
    ],
    [
      'admit with pools of prefixes by name',
      { whenUnavailable: 'admit', zonePools: 'prefixes' },
      'whenUnavailable: "admit" needs zonePools "claims"',
    ],
    [
      'another kind of pool',
      { zonePools: 'zones' as 'claims' },
      'zonePools: "zones" is not allowed; allowed is prefixes or claims',
    ],
    ['a family twice', { clusterFamilies: ['IPv4', 'IPv4'] }, 'clusterFamilies: "IPv4,IPv4" is not allowed'],
    [
      'another spelling of a family',
      { clusterFamilies: ['IPv4', 'ipv6' as 'IPv6'] },
      'clusterFamilies: "IPv4,ipv6" is not allowed; allowed is IPv4, IPv6 or both, each once, the primary one first',
    ],
    [
      'another word',
      inet({ advertise: 'arp' as 'l2' }),
      'zones[0].advertise: "arp" is not allowed; allowed is l2, bgp, both or none',
    ],
    [
      'settings without effect',
      inet({ advertise: 'bgp', l2: [{}] }),
      'zones[0].l2: advertise is "bgp", so these settings have no effect',
    ],
    [
      'an interface',
      inet({ l2: [{ interfaces: ['a/b'] }] }),
      'zones[0].l2[0].interfaces[0]: "a/b" is not the name of an interface',
    ],
    ['a community', bgp({ communities: ['1:2:3'] }), 'zones[0].bgp[0].communities[0]: "1:2:3" is not a BGP community'],
    [
      'routes wider than a prefix',
      bgp({ aggregationLength: 16 }),
      'zones[0].bgp[0].aggregationLength: 16 is shorter than "83.118.168.0/24" (zones[0].prefixes[1]), whose largest block is a /24',
    ],
    [
      'wide routes to single addresses',
      { ...bgp({ aggregationLength: 24 }), zonePools: 'claims' },
      'zones[0].bgp[0].aggregationLength: zonePools "claims" makes pools of single addresses',
    ],
    [
      'wide IPv6 routes to single addresses',
      { ...bgp({ aggregationLengthV6: 112 }), zonePools: 'claims' },
      'zones[0].bgp[0].aggregationLengthV6: zonePools "claims" makes pools of single addresses',
    ],
    [
      'two preferences',
      inet({ bgp: [{ localPref: 1 }, {}] }),
      'zones[0].bgp[1].localPref: 0 is not possible, since zones[0].bgp[0] tells the same peers 1',
    ],
    [
      'POOL-11 a mistyped setting',
      bgp({ localpref: 1 }),
      'zones[0].bgp[0].localpref: there is no such prop; did you mean localPref?',
    ],
  ] as readonly (readonly [string, Partial<IpamOperatorProps>, string])[])('refuse %s', (_what, props, text) => {
    expect(messagesOf(props)).toEqual([expect.stringContaining(text)]);
  });

  test('refuse an empty list of families, which leaves no zone to use', () => {
    expect(messagesOf({ clusterFamilies: [] })[0]).toContain('clusterFamilies: "" is not allowed');
  });

  test.each([
    ['claims with deny', { zonePools: 'claims' }],
    ['claims with admit', { zonePools: 'claims', whenUnavailable: 'admit' }],
    ['routes of single addresses with claims', { ...bgp({ aggregationLength: 32 }), zonePools: 'claims' }],
  ] as readonly (readonly [string, Partial<IpamOperatorProps>])[])('accept %s', (_what, props) => {
    expect(messagesOf(props)).toEqual([]);
  });

  test('come with the path of the construct', () => {
    const chart = new Chart(Testing.app(), 'chart');
    new IpamOperator(chart, 'operator', { zones, whenUnavailable: 'admit' });
    expect(() => Testing.synth(chart) as unknown).toThrow(
      /errors:\n {2}\[chart\/operator\] whenUnavailable: "admit" needs zonePools "claims"[^\n]*$/,
    );
  });
});
