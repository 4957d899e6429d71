import { IP_ALLOCATION, type IpAllocationObject } from '../../operator/contract/kinds/ip-allocation';
import { IP_PREFIX, type IpPrefixObject } from '../../operator/contract/kinds/ip-prefix';
import { NETWORK_INSTANCE, type NetworkInstanceObject } from '../../operator/contract/kinds/network-instance';
import { NEPHIO, NEPHIO_GROUP } from '../../operator/contract/nephio';
import type { VipKindSample } from './vip-kind-samples';

const API_VERSION = `${NEPHIO_GROUP}/v1alpha1`;

/** Builds a whole NetworkInstance in namespace `default`. */
export const instanceObject = (name: string, rest: object = {}): NetworkInstanceObject => ({
  apiVersion: API_VERSION,
  kind: NETWORK_INSTANCE.kind,
  metadata: { name, namespace: 'default' },
  ...rest,
});

/** Builds a whole IPPrefix in namespace `default`. */
export const prefixObject = (name: string, spec: object, metadata: object = {}): IpPrefixObject => ({
  apiVersion: API_VERSION,
  kind: IP_PREFIX.kind,
  metadata: { name, namespace: 'default', ...metadata },
  spec: spec as IpPrefixObject['spec'],
});

/** Builds a whole IPAllocation in namespace `default`. */
export const allocationObject = (name: string, spec: object, metadata: object = {}): IpAllocationObject => ({
  apiVersion: API_VERSION,
  kind: IP_ALLOCATION.kind,
  metadata: { name, namespace: 'default', ...metadata },
  spec: spec,
});

const NI = { networkInstance: 'vpc-1' };
const NETWORK = { ...NI, kind: 'network', network: 'net1' };
const SELECTED = { selector: { matchLabels: { [NEPHIO.networkInstance]: 'vpc-1' } } };
const NET1 = { selector: { matchLabels: { [NEPHIO.networkInstance]: 'vpc-1', [NEPHIO.networkName]: 'net1' } } };
const BY_EXPRESSION = {
  matchExpressions: [{ key: NEPHIO.networkInstance, operator: 'In', values: ['vpc-1'] }],
};

type Refused = readonly [spec: object, says: string];

const prefix = (title: string, spec: object): VipKindSample<IpPrefixObject> => ({
  title,
  object: prefixObject('p', spec),
});
const badPrefix = (title: string, refusedAt: string, [spec, says]: Refused): VipKindSample<IpPrefixObject> => ({
  title,
  object: prefixObject('p', spec),
  refusedAt,
  says,
});

const allocation = (title: string, spec: object): VipKindSample<IpAllocationObject> => ({
  title,
  object: allocationObject('a', spec),
});
const badAllocation = (title: string, refusedAt: string, [spec, says]: Refused): VipKindSample<IpAllocationObject> => ({
  title,
  object: allocationObject('a', spec),
  refusedAt,
  says,
});

const CIDR = 'must be a prefix in CIDR notation, such as 10.0.1.0/24 or 2001:db8::/64';
const HOST_BITS = 'must have no bits set after its length';
const HOST_LENGTH = 'must be larger than one address';
const RANGE = 'must be two addresses of one family with a dash between';

/** NetworkInstances that API server and our validator are both asked about. */
export const INSTANCE_SAMPLES: readonly VipKindSample<NetworkInstanceObject>[] = [
  { title: 'NET-E1 an empty spec', object: instanceObject('vpc-1', { spec: {} }) },
  { title: 'no spec', object: instanceObject('vpc-1') },
];

/** IPPrefixes that API server and our validator are both asked about. */
export const PREFIX_SAMPLES: readonly VipKindSample<IpPrefixObject>[] = [
  prefix('NET-E2 an address with its subnet, without a kind', { ...NI, network: 'net1', prefix: '10.0.1.1/24' }),
  prefix('NET-E3 an aggregate', { ...NI, kind: 'aggregate', prefix: '10.0.0.0/8' }),
  prefix('NET-T9 a subnet', { ...NETWORK, prefix: '10.0.1.0/24' }),
  prefix('NET-T22 a single loopback address', { ...NI, kind: 'loopback', prefix: '10.255.0.7/32' }),
  prefix('NET-T27 IPv6 that is not canonical', { ...NETWORK, prefix: '2001:DB8:1:1::1/64' }),
  prefix('every field', {
    ...NETWORK,
    prefix: '10.0.1.0/24',
    draining: false,
    range: '10.0.1.10-10.0.1.20',
    excluded: ['10.0.1.1', '10.0.1.4-10.0.1.6', '10.0.1.128/25'],
  }),
  badPrefix('NET-T26 a length that no family has', 'spec.prefix', [{ ...NETWORK, prefix: '10.0.0.0/99' }, CIDR]),
  badPrefix('an address without a length', 'spec.prefix', [{ ...NETWORK, prefix: '10.0.0.1' }, CIDR]),
  badPrefix('IPv4 inside of IPv6', 'spec.prefix', [{ ...NETWORK, prefix: '::ffff:10.0.0.1/120' }, CIDR]),
  badPrefix('NET-T3 an aggregate with host bits', 'spec.prefix', [
    { ...NI, kind: 'aggregate', prefix: '10.1.2.3/16' },
    HOST_BITS,
  ]),
  badPrefix('NET-T20 a pool with host bits', 'spec.prefix', [
    { ...NI, kind: 'pool', prefix: '10.8.0.1/16' },
    HOST_BITS,
  ]),
  badPrefix('NET-T4 an aggregate of one address', 'spec.prefix', [
    { ...NI, kind: 'aggregate', prefix: '10.0.0.1/32' },
    HOST_LENGTH,
  ]),
  badPrefix('NET-T8 a network of one address', 'spec.prefix', [{ ...NETWORK, prefix: '10.0.1.5/32' }, HOST_LENGTH]),
  badPrefix('a network of one IPv6 address', 'spec.prefix', [{ ...NETWORK, prefix: '2001:db8::1/128' }, HOST_LENGTH]),
  badPrefix('NET-T7 a network without a name', 'spec.network', [
    { ...NI, prefix: '10.0.1.1/24' },
    'must name the network of a prefix of kind network',
  ]),
  badPrefix('NET-T7 a network with an empty name', 'spec.network', [
    { ...NI, kind: 'network', network: '', prefix: '10.0.1.1/24' },
    'must name the network of a prefix of kind network',
  ]),
  badPrefix('an unknown kind', 'spec.kind', [{ ...NETWORK, kind: 'subnet', prefix: '10.0.1.1/24' }, '']),
  badPrefix('POOL-11 an exclusion that is none', 'spec.excluded[1]', [
    { ...NETWORK, prefix: '10.0.1.0/24', excluded: ['10.0.1.1', '10.0.1'] },
    'must be an address, a range such as 1.1.1.1-1.1.1.9, or a prefix in CIDR notation',
  ]),
  badPrefix('a range of one address', 'spec.range', [{ ...NETWORK, prefix: '10.0.1.0/24', range: '10.0.1.9' }, RANGE]),
  badPrefix('a range of two families', 'spec.range', [
    { ...NETWORK, prefix: '10.0.1.0/24', range: '10.0.1.9-fd00::1' },
    RANGE,
  ]),
  {
    title: 'another NetworkInstance',
    before: prefixObject('p', { ...NETWORK, prefix: '10.0.1.1/24' }),
    object: prefixObject('p', { ...NETWORK, networkInstance: 'vpc-2', prefix: '10.0.1.1/24' }),
    refusedAt: 'spec.networkInstance',
    says: 'must stay as it was created',
  },
  {
    title: 'NET-T29 another prefix',
    before: prefixObject('p', { ...NETWORK, prefix: '10.0.1.1/24' }),
    object: prefixObject('p', { ...NETWORK, prefix: '10.0.9.1/24' }),
  },
];

const NAMED = `must name the NetworkInstance by the label ${NEPHIO.networkInstance}`;
const NO_LENGTH = 'must be left out for kind network, which gives single addresses, and beside spec.prefix';
const EXPRESSIONS = 'must have values with the operators In and NotIn, and none with Exists and DoesNotExist';

/** IPAllocations that API server and our validator are both asked about. */
export const ALLOCATION_SAMPLES: readonly VipKindSample<IpAllocationObject>[] = [
  allocation('NET-E5 an address of a network', { kind: 'network', ...NET1 }),
  allocation('an address of a network, without a kind', NET1),
  allocation('NET-E10 a pool', { kind: 'pool', prefixLength: 16, ...SELECTED }),
  allocation('NET-T42 a wished address', { kind: 'network', prefix: '10.0.1.50/24', ...NET1 }),
  allocation('NET-T58 an instance by an expression', { kind: 'network', selector: BY_EXPRESSION }),
  allocation('a name of 253 characters', {
    kind: 'network',
    selector: { matchLabels: { [NEPHIO.networkInstance]: 'v'.repeat(253), [NEPHIO.prefixName]: 'p'.repeat(253) } },
  }),
  allocation('every field', {
    kind: 'pool',
    addressFamily: 'ipv6',
    prefixLength: 64,
    ...SELECTED,
    ownerRef: { apiVersion: 'v1', kind: 'Service', name: 's' },
  }),
  allocation('a static aggregate', { kind: 'aggregate', prefix: '10.0.0.0/8', ...SELECTED }),
  badAllocation('NET-T105 text that is no prefix', 'spec.prefix', [{ prefix: 'abc', ...NET1 }, CIDR]),
  badAllocation('a pool with host bits', 'spec.prefix', [
    { kind: 'pool', prefix: '10.8.0.1/16', ...SELECTED },
    HOST_BITS,
  ]),
  badAllocation('a network of one address', 'spec.prefix', [{ prefix: '10.0.1.5/32', ...NET1 }, HOST_LENGTH]),
  badAllocation('NET-T57 no selector', 'spec.selector', [{ kind: 'network' }, NAMED]),
  badAllocation('NET-T55 a selector without the instance', 'spec.selector', [
    { selector: { matchLabels: { [NEPHIO.networkName]: 'net1' } } },
    NAMED,
  ]),
  badAllocation('an instance that is left out by an expression', 'spec.selector', [
    { selector: { matchExpressions: [{ key: NEPHIO.networkInstance, operator: 'NotIn', values: ['vpc-2'] }] } },
    NAMED,
  ]),
  badAllocation('an operator without values', 'spec.selector.matchExpressions[0]', [
    { selector: { ...NET1.selector, matchExpressions: [{ key: 'tier', operator: 'In' }] } },
    EXPRESSIONS,
  ]),
  badAllocation('NET-T59 a length for kind network', 'spec.prefixLength', [{ prefixLength: 28, ...NET1 }, NO_LENGTH]),
  badAllocation('a length beside a prefix', 'spec.prefixLength', [
    { kind: 'pool', prefix: '10.8.0.0/16', prefixLength: 16, ...SELECTED },
    NO_LENGTH,
  ]),
  ...[0, 129, 288].map((prefixLength) =>
    badAllocation(`NET-T85 a length of ${String(prefixLength)}`, 'spec.prefixLength', [
      { kind: 'pool', prefixLength, ...SELECTED },
      '',
    ]),
  ),
  badAllocation('a length beyond IPv4', 'spec.prefixLength', [
    { kind: 'pool', addressFamily: 'ipv4', prefixLength: 33, ...SELECTED },
    'must be at most 32 with the family ipv4',
  ]),
  badAllocation('NET-T71 an aggregate that is to be chosen', 'spec.prefix', [
    { kind: 'aggregate', ...SELECTED },
    'must be given for kind aggregate, of which none is chosen',
  ]),
  {
    title: 'another NetworkInstance',
    before: allocationObject('a', { kind: 'network', ...NET1 }),
    object: allocationObject('a', {
      kind: 'network',
      selector: { matchLabels: { [NEPHIO.networkInstance]: 'vpc-2', [NEPHIO.networkName]: 'net1' } },
    }),
    refusedAt: 'spec.selector',
    says: 'must name the NetworkInstance with which it was created',
  },
  {
    title: 'NET-T72 another network',
    before: allocationObject('a', { kind: 'network', ...NET1 }),
    object: allocationObject('a', {
      kind: 'network',
      selector: { matchLabels: { [NEPHIO.networkInstance]: 'vpc-1', [NEPHIO.networkName]: 'net2' } },
    }),
  },
];
