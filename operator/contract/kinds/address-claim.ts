import { Type, type Static } from '@sinclair/typebox';

import { familyBits, parseAddress } from '../../addressing/address';
import { hostPrefix, parsePrefix, type Prefix } from '../../addressing/prefix';
import type { KindDeclaration } from '../crd-manifest';
import type { EntryRole, PrefixKind } from '../networks/entry';
import { accept, type Outcome, type Refusal } from '../../errors/outcome';
import { IPAM_GROUP, RECORD_CATEGORY } from '../group';
import { KindValidator } from '../validator';
import {
  choice,
  conditions,
  dnsName,
  instant,
  labels,
  MAX_ADDRESS_LENGTH,
  MAX_NAME_LENGTH,
  objectFields,
  text,
} from '../vocabulary';
import { claimName, MAX_NETWORK_LENGTH } from './claim-name';

/** Most labels of a claim, by which requests select its space. */
export const MOST_CLAIM_LABELS = 32;

/** Digits of the digest of a request. */
const REQUEST_DIGITS = 16;

const objectOf = (role: string, description: string) =>
  Type.Object(
    { apiVersion: text(MAX_NAME_LENGTH, `API group and version of the ${role}`), ...objectFields(role) },
    { description },
  );

const holder = objectOf('holder', 'The object that owns the claim, or that owned it last');
const user = objectOf('user', 'The object that uses the address, where the holder only declares it');

const PREFIX_KINDS = ['network', 'loopback', 'pool', 'aggregate'] as const satisfies readonly PrefixKind[];
const ENTRY_ROLES = ['prefix', 'subnet', 'host', 'allocation'] as const satisfies readonly EntryRole[];

const entry = Type.Object(
  {
    role: choice(
      ENTRY_ROLES,
      'prefix: a declared aggregate, pool or loopback prefix; subnet: the subnet of declared network prefixes; host: the address of one of those; allocation: space that was asked for',
    ),
    kind: choice(PREFIX_KINDS, 'Kind of the prefix'),
    networkName: Type.Optional(text(MAX_NAME_LENGTH, 'Name of the network of a prefix of this kind')),
    isGateway: Type.Optional(Type.Boolean({ description: 'The address is the gateway of its subnet' })),
    isStatic: Type.Optional(Type.Boolean({ description: 'The request named the prefix' })),
    range: Type.Optional(text(MAX_NAME_LENGTH, 'Name of the IPPrefix whose range the space was given from')),
    request: Type.Optional(
      Type.String({
        maxLength: REQUEST_DIGITS,
        pattern: `^[0-9a-f]{${REQUEST_DIGITS}}$`,
        description: 'Digest of the request that was decided; another one means a changed request',
      }),
    ),
  },
  { description: 'What the claim stands for in a network whose space nests; absent in other networks' },
);

const spec = Type.Object(
  {
    network: dnsName(
      MAX_NETWORK_LENGTH,
      `Name of the network, a DNS name of at most ${MAX_NETWORK_LENGTH} characters; inside one network an address has one owner`,
    ),
    address: Type.String({
      minLength: 2,
      maxLength: MAX_ADDRESS_LENGTH + '/128'.length,
      description: 'The claimed space in canonical text (RFC 5952): one address, or a prefix in CIDR notation',
    }),
    door: choice(['networks', 'egress', 'grpc'], 'Front door that the claim was made through'),
    pool: Type.Optional(text(MAX_NAME_LENGTH, 'Name of the object or CIDR whose space was given out')),
    state: choice(
      ['reserved', 'bound', 'retained', 'quarantined'],
      'reserved: a lease, its holder is not stored yet; bound: has an owner; retained: the owner is gone and may recall it; quarantined: only the former holder may have it yet',
    ),
    until: Type.Optional(instant('End of the lease, the retention or the quarantine; absent when bound')),
    holder: Type.Optional(holder),
    key: Type.Optional(text(MAX_NAME_LENGTH, 'Key by which a caller without an object asks again for the same claim')),
    labels: Type.Optional(labels(MOST_CLAIM_LABELS, 'Labels by which requests select this space')),
    entry: Type.Optional(entry),
    user: Type.Optional(user),
  },
  { description: 'Holders of addresses; written by the operator alone' },
);

const status = Type.Object(
  {
    observedGeneration: Type.Optional(
      Type.Integer({ minimum: 0, format: 'int64', description: 'Generation that the conditions are about' }),
    ),
    conditions: Type.Optional(conditions()),
  },
  { description: 'State of the claim' },
);

/** The claimed space with its network, state and holder. */
export type AddressClaimSpec = Static<typeof spec>;

/** One AddressClaim, of the right shape. */
export interface AddressClaimObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: AddressClaimSpec;
  readonly status?: Static<typeof status>;
}

// Canonical text of one address or of a shorter prefix. The API server knows no IPv4 addresses inside of IPv6 ones.
function claimedPrefix({ address }: AddressClaimSpec): Prefix | undefined {
  const parsed = address.includes('/') ? parsePrefix(address) : hostOf(address);
  if (!parsed.ok) return undefined;
  const { family, length, first } = parsed.value;
  const isAddress = length === familyBits(family);
  const text = isAddress ? first.toString() : parsed.value.toString();
  const isMapped = family === 6 && first.w0 === 0 && first.w1 === 0 && first.w2 === 0xffff;
  return text === address && !isMapped ? parsed.value : undefined;
}

function hostOf(text: string): Outcome<Prefix> {
  const parsed = parseAddress(text);
  return parsed.ok ? accept(hostPrefix(parsed.value)) : parsed;
}

/**
 * Names the claim that a spec makes.
 *
 * @param of - spec with a canonical address
 * @returns the only name that the API server takes for it, or undefined while the spec names no prefix
 */
export function nameOfClaim(of: AddressClaimSpec): string | undefined {
  const prefix = claimedPrefix(of);
  return prefix === undefined ? undefined : claimName({ network: of.network, prefix });
}

const IS_ONE = 'isIP(self) && ip.isCanonical(self)';
const IS_PREFIX =
  'isCIDR(self) && string(cidr(self)) == self && cidr(self).masked() == cidr(self) && cidr(self).prefixLength() < (cidr(self).ip().family() == 4 ? 32 : 128)';
// What stands in the name behind `<network>.`; of IPv6 it is the address in full, always 39 characters, and the length.
const REST = 'self.metadata.name.substring(size(self.spec.network) + 1)';
const GROUPS = `${REST}.substring(0, 39).replace('.', ':')`;
const ADDRESS = "self.spec.address.split('/')[0]";

/** The durable record of the doors Networks, Egress and gRPC: one object per claimed address or prefix. */
export const ADDRESS_CLAIM: KindDeclaration<AddressClaimObject> = {
  group: IPAM_GROUP,
  version: 'v1alpha1',
  kind: 'AddressClaim',
  plural: 'addressclaims',
  singular: 'addressclaim',
  shortNames: ['aclaim'], // `ip` and `ipaddr` belong to core, `ipclaim` to others
  categories: [RECORD_CATEGORY],
  scope: 'Cluster',
  description:
    'One address or prefix that has a holder. Its name is made of network and address, so two claims of the same space cannot exist.',
  spec,
  status,
  columns: [
    { name: 'Network', type: 'string', jsonPath: '.spec.network', description: 'Network of the address' },
    { name: 'Address', type: 'string', jsonPath: '.spec.address', description: 'Address or prefix' },
    { name: 'State', type: 'string', jsonPath: '.spec.state', description: 'State of the claim' },
    { name: 'Kind', type: 'string', jsonPath: '.spec.holder.kind', description: 'Kind of the holder' },
    { name: 'Namespace', type: 'string', jsonPath: '.spec.holder.namespace', description: 'Namespace of the holder' },
    { name: 'Holder', type: 'string', jsonPath: '.spec.holder.name', description: 'Name of the holder' },
    {
      name: 'Until',
      type: 'string',
      jsonPath: '.spec.until',
      description: 'End of lease, retention or quarantine',
      priority: 1,
    },
    { name: 'Door', type: 'string', jsonPath: '.spec.door', description: 'Front door', priority: 1 },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp', description: 'Since when it exists' },
  ],
  rules: [
    {
      at: ['spec', 'address'],
      field: 'spec.address',
      rule: `(${IS_ONE}) || (${IS_PREFIX})`,
      message: 'must be one address, or a prefix of several without host bits, in canonical text (RFC 5952)',
      broken: (now) => claimedPrefix(now.spec) === undefined,
    },
    {
      at: ['spec'],
      field: 'spec.until',
      rule: `has(self.until) == (self.state != 'bound')`,
      message: 'must be given exactly while the claim is reserved, retained or quarantined',
      broken: ({ spec: { until, state } }) => (until !== undefined) !== (state !== 'bound'),
    },
    {
      at: ['spec'],
      field: 'spec.holder',
      rule: 'has(self.holder) || has(self.key)',
      message: 'must be given where there is no spec.key, or no caller could release the claim',
      broken: (now) => now.spec.holder === undefined && now.spec.key === undefined,
    },
    {
      at: ['spec', 'network'],
      field: 'spec.network',
      rule: 'self == oldSelf',
      message: 'must stay as it is; release the claim and make another',
      broken: (now, before) => before !== undefined && now.spec.network !== before.spec.network,
    },
    {
      at: ['spec', 'address'],
      field: 'spec.address',
      rule: 'self == oldSelf',
      message: 'must stay as it is; release the claim and make another',
      broken: (now, before) => before !== undefined && now.spec.address !== before.spec.address,
    },
    {
      at: ['spec', 'door'],
      field: 'spec.door',
      rule: 'self == oldSelf',
      message: 'must stay as it is, since only the door that made a claim releases it',
      broken: (now, before) => before !== undefined && now.spec.door !== before.spec.door,
    },
    {
      at: [],
      field: 'metadata.name',
      rule:
        `!self.spec.address.contains(':') ? self.metadata.name == self.spec.network + '.' + self.spec.address.replace('/', '-') : ` +
        `self.metadata.name.startsWith(self.spec.network + '.') && size(self.metadata.name) >= size(self.spec.network) + 40 && ` +
        `isIP(${GROUPS}) && isIP(${ADDRESS}) && ip(${GROUPS}) == ip(${ADDRESS}) && ` +
        `${REST}.substring(39) == self.spec.address.substring(size(${ADDRESS})).replace('/', '-')`,
      message: 'must be <network>.<address>[-<length>], IPv6 in full with dots in place of colons',
      broken: (now) => {
        const name = nameOfClaim(now.spec);
        return name !== undefined && name !== now.metadata.name;
      },
    },
  ],
};

const validator = new KindValidator(ADDRESS_CLAIM, 'claim/invalid');

/**
 * Checks an AddressClaim as the API server does, and refuses unknown fields, which the API server would drop.
 *
 * @param object - the whole object
 * @param before - the stored one, on an update
 * @returns every problem with its path; empty when it is valid
 */
export function addressClaimProblems(object: unknown, before?: AddressClaimObject): readonly Refusal[] {
  return validator.problems(object, before);
}
