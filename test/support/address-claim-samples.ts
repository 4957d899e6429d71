import {
  ADDRESS_CLAIM,
  type AddressClaimObject,
  type AddressClaimSpec,
} from '../../operator/contract/kinds/address-claim';

/** One AddressClaim of which API server and synth must say the same. */
export interface ClaimSample {
  readonly title: string;
  readonly object: AddressClaimObject;
  /** The stored object, where the sample is an update. */
  readonly before?: AddressClaimObject;
  /** Field that the refusal names; absent: it is accepted. */
  readonly refusedAt?: string;
}

const HOLDER = { apiVersion: 'ipam.nephio.org/v1alpha1', kind: 'IPAllocation', namespace: 'core', name: 'upf-n3' };
const FOUR: AddressClaimSpec = {
  network: 'vpc',
  address: '10.0.0.5',
  door: 'networks',
  state: 'bound',
  holder: HOLDER,
};
const SIX: AddressClaimSpec = { ...FOUR, address: '2001:db8::1' };
const SIX_NAME = 'vpc.2001.0db8.0000.0000.0000.0000.0000.0001';
const WIDE: AddressClaimSpec = { ...FOUR, address: '10.0.4.0/22' };

/** Builds a whole object. */
export const claimObject = (name: string, spec: object): AddressClaimObject => ({
  apiVersion: `${ADDRESS_CLAIM.group}/${ADDRESS_CLAIM.version}`,
  kind: ADDRESS_CLAIM.kind,
  metadata: { name },
  spec: spec as AddressClaimSpec,
});

const accepted = (title: string, name: string, spec: object): ClaimSample => ({
  title,
  object: claimObject(name, spec),
});
const refused = (title: string, refusedAt: string, [name, spec]: readonly [string, object]): ClaimSample => ({
  title,
  object: claimObject(name, spec),
  refusedAt,
});
const changed = (title: string, [before, now]: readonly [object, object], refusedAt?: string): ClaimSample => ({
  title,
  before: claimObject('vpc.10.0.0.5', before),
  object: claimObject('vpc.10.0.0.5', now),
  ...(refusedAt === undefined ? {} : { refusedAt }),
});

const without = (spec: AddressClaimSpec, key: keyof AddressClaimSpec): object => ({ ...spec, [key]: undefined });
const LONG_NETWORK = `${'n'.repeat(63)}.${'n'.repeat(63)}.${'n'.repeat(63)}.${'n'.repeat(17)}`;

/** Samples for both the API server and our validator. */
export const CLAIM_SAMPLES: readonly ClaimSample[] = [
  accepted('one IPv4 address', 'vpc.10.0.0.5', FOUR),
  accepted('one IPv6 address', SIX_NAME, SIX),
  accepted('an IPv4 prefix', 'vpc.10.0.4.0-22', WIDE),
  accepted('everything of IPv4', 'vpc.0.0.0.0-0', { ...FOUR, address: '0.0.0.0/0' }),
  accepted('an IPv6 prefix', 'vpc.2001.0db8.0000.0000.0000.0000.0000.0000-32', {
    ...SIX,
    address: '2001:db8::/32',
  }),
  accepted('an IPv6 address without a zero group', 'vpc.1111.2222.3333.4444.5555.6666.7777.8888', {
    ...SIX,
    address: '1111:2222:3333:4444:5555:6666:7777:8888',
  }),
  accepted('a network with dots', 'core.upf.10.0.0.5', { ...FOUR, network: 'core.upf' }),
  accepted('a network that looks like a part of the address', `abcd.${SIX_NAME.slice(4)}`, { ...SIX, network: 'abcd' }),
  accepted('the longest network', `${LONG_NETWORK}.2001.0db8.0000.0000.0000.0000.0000.0000-127`, {
    ...SIX,
    network: LONG_NETWORK,
    address: '2001:db8::/127',
  }),
  accepted('a lease', 'vpc.10.0.0.5', { ...FOUR, state: 'reserved', until: '2026-11-28T01:05:54Z' }),
  accepted('a caller without an object', 'vpc.10.0.0.5', { ...without(FOUR, 'holder'), key: 'pkg/upf/n3' }),
  accepted('labels, pool and UID', 'vpc.10.0.0.5', {
    ...FOUR,
    pool: '10.0.0.0/16',
    labels: { site: 'edge-1' },
    holder: { ...HOLDER, uid: 'c0ffee' },
  }),
  accepted('a recorded host with its user', 'vpc.10.0.0.5', {
    ...FOUR,
    pool: '10.0.0.0/24',
    entry: { role: 'host', kind: 'network', networkName: 'net1', isGateway: false, request: '00ff00ff00ff00ff' },
    user: { ...HOLDER, uid: 'c0ffee' },
  }),
  accepted('what a request named', 'vpc.10.0.4.0-22', {
    ...WIDE,
    entry: { role: 'allocation', kind: 'pool', isStatic: true, range: 'lab-range' },
  }),
  refused('an unknown role', 'spec.entry.role', ['vpc.10.0.0.5', { ...FOUR, entry: { role: 'vlan', kind: 'pool' } }]),
  refused('an entry without a kind', 'spec.entry.kind', ['vpc.10.0.0.5', { ...FOUR, entry: { role: 'host' } }]),
  refused('a digest that is none', 'spec.entry.request', [
    'vpc.10.0.0.5',
    { ...FOUR, entry: { role: 'host', kind: 'network', request: 'now' } },
  ]),
  refused('a user without a name', 'spec.user.name', ['vpc.10.0.0.5', { ...FOUR, user: { ...HOLDER, name: '' } }]),
  refused('a name of another address', 'metadata.name', ['vpc.10.0.0.6', FOUR]),
  refused('a name of another network', 'metadata.name', ['other.10.0.0.5', FOUR]),
  refused('a name with a needless length', 'metadata.name', ['vpc.10.0.0.5-32', FOUR]),
  refused('a name without its length', 'metadata.name', ['vpc.10.0.4.0', WIDE]),
  refused('a name of another length', 'metadata.name', ['vpc.10.0.4.0-23', WIDE]),
  refused('a shortened IPv6 name', 'metadata.name', ['vpc.2001.db8.0.0.0.0.0.1', SIX]),
  refused('an IPv6 name of another address', 'metadata.name', [`${SIX_NAME.slice(0, -1)}2`, SIX]),
  refused('an IPv6 name without digits', 'metadata.name', [SIX_NAME.replaceAll('0000', 'zzzz'), SIX]),
  refused('a name that only begins like the network', 'metadata.name', ['vpcx10.0.0.5', FOUR]),
  refused('an address with a leading zero', 'spec.address', ['vpc.10.0.0.05', { ...FOUR, address: '10.0.0.05' }]),
  refused('IPv6 that is not canonical', 'spec.address', [SIX_NAME, { ...SIX, address: '2001:DB8::1' }]),
  refused('an IPv4 address inside of IPv6', 'spec.address', [
    'vpc.0000.0000.0000.0000.0000.ffff.0a00.0005',
    { ...SIX, address: '::ffff:10.0.0.5' },
  ]),
  refused('a length of one address', 'spec.address', ['vpc.10.0.0.5', { ...FOUR, address: '10.0.0.5/32' }]),
  refused('text that is no address', 'spec.address', ['vpc.gateway', { ...FOUR, address: 'gateway' }]),
  refused('host bits', 'spec.address', ['vpc.10.0.4.1-22', { ...WIDE, address: '10.0.4.1/22' }]),
  refused('a length beyond IPv4', 'spec.address', ['vpc.10.0.0.0-40', { ...FOUR, address: '10.0.0.0/40' }]),
  refused('a length of one IPv6 address', 'spec.address', [SIX_NAME, { ...SIX, address: '2001:db8::1/128' }]),
  refused('a length with a leading zero', 'spec.address', ['vpc.10.0.0.0-08', { ...FOUR, address: '10.0.0.0/08' }]),
  refused('an IPv6 prefix that is not canonical', 'spec.address', [
    'vpc.2001.0db8.0000.0000.0000.0000.0000.0000-32',
    { ...SIX, address: '2001:db8:0::/32' },
  ]),
  refused('an IPv6 name without its length', 'metadata.name', [
    'vpc.2001.0db8.0000.0000.0000.0000.0000.0000',
    { ...SIX, address: '2001:db8::/32' },
  ]),
  refused('an unknown state', 'spec.state', ['vpc.10.0.0.5', { ...FOUR, state: 'free' }]),
  refused('an unknown door', 'spec.door', ['vpc.10.0.0.5', { ...FOUR, door: 'services' }]),
  refused('a lease without an end', 'spec.until', ['vpc.10.0.0.5', { ...FOUR, state: 'reserved' }]),
  refused('an end of what is bound', 'spec.until', ['vpc.10.0.0.5', { ...FOUR, until: '2026-11-28T01:05:54Z' }]),
  refused('an end that is no time', 'spec.until', ['vpc.10.0.0.5', { ...FOUR, state: 'reserved', until: 'soon' }]),
  refused('neither holder nor key', 'spec.holder', ['vpc.10.0.0.5', without(FOUR, 'holder')]),
  refused('a network with a capital letter', 'spec.network', ['vpc.10.0.0.5', { ...FOUR, network: 'VPC' }]),
  refused('a network that is too long', 'spec.network', [
    `${LONG_NETWORK}n.10.0.0.5`,
    { ...FOUR, network: `${LONG_NETWORK}n` },
  ]),
  refused('no network', 'spec.network', ['vpc.10.0.0.5', without(FOUR, 'network')]),
  refused('a holder without a name', 'spec.holder.name', [
    'vpc.10.0.0.5',
    { ...FOUR, holder: { ...HOLDER, name: '' } },
  ]),
  changed('a binding', [{ ...FOUR, state: 'reserved', until: '2026-11-28T01:05:54Z' }, FOUR]),
  changed('a new holder', [FOUR, { ...FOUR, holder: { ...HOLDER, name: 'upf-n6' } }]),
  changed('a user that came', [FOUR, { ...FOUR, user: HOLDER }]),
  changed('another door', [FOUR, { ...FOUR, door: 'egress' }], 'spec.door'),
  changed('another address', [FOUR, { ...FOUR, address: '10.0.0.6' }], 'spec.address'),
  changed('another network', [FOUR, { ...FOUR, network: 'other' }], 'spec.network'),
  changed('a prefix in place of an address', [FOUR, { ...FOUR, address: '10.0.0.4/31' }], 'spec.address'),
];
