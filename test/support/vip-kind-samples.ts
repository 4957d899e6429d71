import { IP, type IpObject } from '../../operator/contract/kinds/ip';
import { IP_GROUP, type IpGroupObject } from '../../operator/contract/kinds/ip-group';

/** One object of which API server and synth must say the same. */
export interface VipKindSample<O> {
  readonly title: string;
  readonly object: O;
  /** The stored object, where the sample is an update. */
  readonly before?: O;
  /** Field that the refusal names; absent: it is accepted. */
  readonly refusedAt?: string;
  /** Text of the refusal beside the field. */
  readonly says?: string;
}

/** Builds a whole IPGroup. */
export const groupObject = (name: string, spec?: object): IpGroupObject => ({
  apiVersion: `${IP_GROUP.group}/${IP_GROUP.version}`,
  kind: IP_GROUP.kind,
  metadata: { name },
  ...(spec === undefined ? {} : { spec: spec }),
});

/** Builds a whole IP. */
export const ipObject = (name: string, spec?: object, metadata: object = {}): IpObject => ({
  apiVersion: `${IP.group}/${IP.version}`,
  kind: IP.kind,
  metadata: { name, ...metadata },
  ...(spec === undefined ? {} : { spec: spec }),
});

/** The three sample pools of the older operator. */
export const OLD_POOLS: readonly IpGroupObject[] = [
  groupObject('ipgroup-1', { segment: '1.1.1.0/29', excludedIPs: ['1.1.1.0', '1.1.1.2', '1.1.1.7'] }),
  groupObject('ipgroup-2', { segment: '1.1.2.0/29', excludedIPs: ['1.1.2.0', '1.1.2.1', '1.1.2.5', '1.1.2.7'] }),
  groupObject('ipgroup-3', {
    segment: '1.1.3.0/29',
    excludedIPs: ['1.1.3.0', '1.1.3.1', '1.1.3.2', '1.1.3.5', '1.1.3.6', '1.1.3.7'],
  }),
];

const group = (title: string, spec?: object, name = 'g'): VipKindSample<IpGroupObject> => ({
  title,
  object: groupObject(name, spec),
});
const badGroup = (title: string, refusedAt: string, [spec, says]: readonly [object, string]) => ({
  title,
  object: groupObject('g', spec),
  refusedAt,
  says,
});

const SEGMENT = 'must be a prefix in CIDR notation, such as 1.1.1.0/24 or fd00::/64';
const EXCLUSION = 'must be an address, a range such as 1.1.1.1-1.1.1.9, or a prefix in CIDR notation';
const FOUR = { segment: '1.1.1.0/29' };

/** IPGroups that API server and our validator are both asked about. */
export const GROUP_SAMPLES: readonly VipKindSample<IpGroupObject>[] = [
  ...OLD_POOLS.map((object) => ({ title: `the older manifest ${object.metadata.name}`, object })),
  group('VIP-T14 host bits in a segment', { segment: '1.1.1.5/29', excludedIPs: [] }),
  group('VIP-T50 a group without exclusions', FOUR),
  group('an object without a spec', undefined),
  group('VIP-T16 a range', { ...FOUR, excludedIPs: ['1.1.1.0-1.1.1.3', '1.1.1.4/31', '1.1.1.7'] }),
  group('VIP-T20 IPv6', { segment: 'fd00::/64', excludedIPs: ['fd00::', 'fd00::1-fd00::f', 'fd00::100/120'] }),
  group('several segments of both families', { segments: ['10.0.0.0/24', '10.0.2.0/24', 'fd00::/64'] }),
  group('VIP-T23 a name of 70 characters', FOUR, 'g'.repeat(70)),
  group('every field', {
    ...FOUR,
    network: 'edge',
    priority: 10,
    loadBalancerClass: 'paas.org/vip',
    explicitOnly: true,
    draining: false,
    quarantineSeconds: 60,
    searchOrder: 'segments',
    force: false,
    namespaces: { matchLabels: { team: 'net' } },
    services: { matchExpressions: [{ key: 'tier', operator: 'In', values: ['web'] }] },
  }),
  badGroup('VIP-T22 a segment that is no prefix', 'spec.segment', [{ segment: 'foo' }, SEGMENT]),
  badGroup('an empty segment', 'spec.segment', [{ segment: '' }, '']),
  badGroup('an address in place of a segment', 'spec.segment', [{ segment: '1.1.1.1' }, SEGMENT]),
  badGroup('a length beyond IPv4', 'spec.segment', [{ segment: '1.1.1.0/33' }, SEGMENT]),
  badGroup('IPv4 inside of IPv6', 'spec.segment', [{ segment: '::ffff:1.1.1.0/120' }, SEGMENT]),
  badGroup('a further segment that is none', 'spec.segments[1]', [{ segments: ['1.1.1.0/29', 'foo'] }, SEGMENT]),
  badGroup('no segment at all', 'spec.segment', [
    { excludedIPs: [] },
    'must be given where spec.segments has no entry',
  ]),
  badGroup('an empty list of segments', 'spec.segment', [
    { segments: [] },
    'must be given where spec.segments has no entry',
  ]),
  badGroup('an exclusion that is none', 'spec.excludedIPs[1]', [
    { ...FOUR, excludedIPs: ['1.1.1.1', '1.1.1'] },
    EXCLUSION,
  ]),
  badGroup('a range of two families', 'spec.excludedIPs[0]', [
    { ...FOUR, excludedIPs: ['1.1.1.1-fd00::1'] },
    EXCLUSION,
  ]),
  badGroup('a range of three addresses', 'spec.excludedIPs[0]', [
    { ...FOUR, excludedIPs: ['1.1.1.1-1.1.1.2-1.1.1.3'] },
    EXCLUSION,
  ]),
  badGroup('a priority beyond its limit', 'spec.priority', [{ ...FOUR, priority: 1001 }, '']),
  badGroup('an unknown order', 'spec.searchOrder', [{ ...FOUR, searchOrder: 'random' }, '']),
  badGroup('an operator without values', 'spec.services.matchExpressions[0]', [
    { ...FOUR, services: { matchExpressions: [{ key: 'tier', operator: 'In' }] } },
    'must have values with the operators In and NotIn, and none with Exists and DoesNotExist',
  ]),
];

const HOLDER = {
  id: 'a',
  since: '2026-11-28T01:05:54Z',
  apiVersion: 'v1',
  kind: 'Service',
  namespace: 'test',
  name: 'a',
  uid: 'u-a',
};
const BOUND = { address: '1.1.1.1', ipGroup: 'ipgroup-1', state: 'bound', holders: [HOLDER] };
const SIX = 'fd00-0000-0000-0000-0000-0000-0000-0001';
const OLD = { labels: { ipgroup: 'ipgroup-1' }, annotations: { 'virtualips.paas.il/owner': 'test/a' } };

const ip = (
  title: string,
  name: string,
  [spec, metadata]: readonly [spec?: object | undefined, metadata?: object],
): VipKindSample<IpObject> => ({
  title,
  object: ipObject(name, spec, metadata),
});
const badIp = (title: string, refusedAt: string, [name, spec]: readonly [string, object]): VipKindSample<IpObject> => ({
  title,
  object: ipObject(name, spec),
  refusedAt,
});

/** IPs that API server and our validator are both asked about. */
export const IP_SAMPLES: readonly VipKindSample<IpObject>[] = [
  ip('an object of the older operator', '1.1.1.1', [undefined, OLD]),
  ip('an older object with its empty spec', '1.1.1.1', [{}, OLD]),
  ip('a bound address', '1.1.1.1', [BOUND]),
  ip('VIP-T20 an IPv6 address', SIX, [{ ...BOUND, address: 'fd00::1' }]),
  ip('a quarantined address', '1.1.1.1', [{ ...BOUND, state: 'quarantined', until: '2026-11-28T01:05:54Z' }]),
  ip('a shared address', '1.1.1.1', [
    {
      ...BOUND,
      owner: { kind: 'Service', namespace: 'test', name: 'a', uid: 'u-a' },
      holders: [
        {
          ...HOLDER,
          sharing: { key: 'k', ports: ['53/UDP'], trafficPolicy: 'Cluster', selector: 'app=dns' },
        },
      ],
    },
  ]),
  badIp('the name of another address', 'metadata.name', ['1.1.1.2', BOUND]),
  badIp('a shortened IPv6 name', 'metadata.name', ['fd00--1', { ...BOUND, address: 'fd00::1' }]),
  badIp('an IPv6 name of another address', 'metadata.name', [`${SIX.slice(0, -1)}2`, { ...BOUND, address: 'fd00::1' }]),
  badIp('text that is no address', 'spec.address', ['foo', { ...BOUND, address: 'foo' }]),
  badIp('IPv6 that is not canonical', 'spec.address', [SIX, { ...BOUND, address: 'FD00::1' }]),
  badIp('a quarantine without an end', 'spec.until', ['1.1.1.1', { ...BOUND, state: 'quarantined' }]),
  badIp('an end of what is bound', 'spec.until', ['1.1.1.1', { ...BOUND, until: '2026-11-28T01:05:54Z' }]),
  badIp('a holder without a name', 'spec.holders[0].name', [
    '1.1.1.1',
    { ...BOUND, holders: [{ ...HOLDER, name: '' }] },
  ]),
  {
    title: 'another address',
    before: ipObject('1.1.1.1', BOUND),
    object: ipObject('1.1.1.1', { ...BOUND, address: '1.1.1.2' }),
    refusedAt: 'spec.address',
  },
  { title: 'a first spec of an older object', before: ipObject('1.1.1.1'), object: ipObject('1.1.1.1', BOUND) },
];
