import { Type, type Static } from '@sinclair/typebox';

import { addressFromBigInt, parseAddress, type Address } from '../../addressing/address';
import type { Refusal } from '../../errors/outcome';
import type { KindDeclaration } from '../crd-manifest';
import { isMap, listOf, mapOf, textOf, type JsonMap } from '../loose-json';
import { IP_KEYS, PAAS_GROUP } from '../paas';
import { MOST_SHARED_PORTS } from '../sharing-terms';
import { KindValidator } from '../validator';
import { choice, conditions, instant, MAX_ADDRESS_LENGTH, MAX_NAME_LENGTH, objectFields, text } from '../vocabulary';

/** Most holders of one IP. */
export const MAX_HOLDERS = 32;

const holderFields = objectFields('holder');

const sharing = Type.Object(
  {
    key: text(MAX_NAME_LENGTH, 'Key that all Services on the address have'),
    ports: Type.Array(text(16, 'Port and protocol, such as 53/UDP'), {
      maxItems: MOST_SHARED_PORTS,
      description: 'Ports of the Service, such as 53/UDP',
    }),
    trafficPolicy: choice(['Cluster', 'Local'], 'spec.externalTrafficPolicy of the Service'),
    selector: Type.String({ maxLength: 4096, description: 'Selector of the Service in canonical text' }),
  },
  { description: 'Terms that decide whether another Service may have the address as well' },
);

const holder = Type.Object(
  {
    id: text(64, 'Identity of the holder among those of the address'),
    since: instant('Since when it holds the address'),
    apiVersion: text(MAX_NAME_LENGTH, 'API group and version of the holder'),
    ...holderFields,
    sharing: Type.Optional(sharing),
    purpose: Type.Optional(text(MAX_NAME_LENGTH, 'Purpose of the address, where no Service holds it')),
  },
  { description: 'An object that holds the address' },
);

const spec = Type.Object(
  {
    address: Type.Optional(
      Type.String({
        minLength: 2,
        maxLength: MAX_ADDRESS_LENGTH,
        description:
          'The address in canonical text (RFC 5952); absent in objects of the older operator, whose name tells it',
      }),
    ),
    ipGroup: Type.Optional(text(MAX_NAME_LENGTH, 'Name of the IPGroup that the address was given from')),
    state: Type.Optional(
      choice(['bound', 'quarantined'], 'bound: has a holder; quarantined: only the former holder may have it yet'),
    ),
    until: Type.Optional(instant('End of the quarantine; absent when bound')),
    owner: Type.Optional(
      Type.Object(holderFields, { description: 'The holder that has the address for the longest time' }),
    ),
    holders: Type.Optional(
      Type.Array(holder, { maxItems: MAX_HOLDERS, description: 'Everything that holds the address, or held it last' }),
    ),
  },
  { description: 'Holder of the address; written by the operator alone' },
);

const status = Type.Object({ conditions: Type.Optional(conditions()) }, { description: 'State of the address' });

type IpSpec = Static<typeof spec>;
type IpHolder = Static<typeof holder>;

/** One IP, of the right shape. */
export interface IpObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: IpSpec;
}

/**
 * Names the IP of an address, so that the API server itself refuses a second one.
 *
 * @param address - of any family
 * @returns dotted IPv4; of IPv6 all eight groups of four digits with `-` between them
 */
export function ipName(address: Address): string {
  if (address.family === 4) return address.toString();
  const digits = address.toBigInt().toString(16).padStart(32, '0');
  return Array.from({ length: 8 }, (_, index) => digits.slice(4 * index, 4 * index + 4)).join('-');
}

const SIX_NAME = /^[0-9a-f]{4}(-[0-9a-f]{4}){7}$/u;

/**
 * Reads the address of a name.
 *
 * @param name - as the API server has it
 * @returns the address; undefined for a name that is none, so that the object holds nothing
 */
export function addressOfIpName(name: string): Address | undefined {
  if (SIX_NAME.test(name)) return addressFromBigInt(6, BigInt(`0x${name.replaceAll('-', '')}`));
  const parsed = parseAddress(name);
  return parsed.ok && parsed.value.family === 4 ? parsed.value : undefined;
}

const SPELT = "self.metadata.name.replace('-', ':')";

function isMisnamed({ metadata, spec: of }: IpObject): boolean {
  if (of?.address === undefined) return false;
  const parsed = parseAddress(of.address);
  return parsed.ok && ipName(parsed.value) !== metadata.name;
}

function isCanonical(of: string): boolean {
  const parsed = parseAddress(of);
  return parsed.ok && parsed.value.toString() === of && !of.startsWith('::ffff:');
}

/** The durable record of the VIPs door: one object for each address that is held. */
export const IP: KindDeclaration<IpObject> = {
  group: PAAS_GROUP,
  version: 'v1',
  kind: 'IP',
  plural: 'ips',
  singular: 'ip',
  shortNames: [], // `kubectl get ip` is core's IPAddress, so `ips.paas.org` is the sure name
  categories: ['ipam'],
  scope: 'Cluster',
  description: 'One address that a Service holds. Its name is the address, so two holders of one address cannot exist.',
  spec,
  isSpecOptional: true,
  status,
  columns: [
    {
      name: 'IPGroup',
      type: 'string',
      jsonPath: `.metadata.labels.${IP_KEYS.group}`,
      description: 'Group of the address',
    },
    {
      name: 'Owner',
      type: 'string',
      jsonPath: `.metadata.annotations.${IP_KEYS.owner.replaceAll('.', '\\.')}`,
      description: 'Namespace and name of the Service',
    },
    { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp', description: 'Since when it exists' },
    { name: 'State', type: 'string', jsonPath: '.spec.state', description: 'State of the claim', priority: 1 },
  ],
  rules: [
    {
      at: ['spec', 'address'],
      field: 'spec.address',
      rule: 'isIP(self) && ip.isCanonical(self)',
      message: 'must be one address in canonical text (RFC 5952)',
      broken: ({ spec: of }) => of?.address !== undefined && !isCanonical(of.address),
    },
    {
      at: ['spec', 'address'],
      field: 'spec.address',
      rule: 'self == oldSelf',
      message: 'must stay as it is; release the address and take another',
      broken: (now, before) =>
        before?.spec?.address !== undefined &&
        now.spec?.address !== undefined &&
        now.spec.address !== before.spec.address,
    },
    {
      at: ['spec'],
      field: 'spec.until',
      rule: "has(self.until) == (has(self.state) && self.state == 'quarantined')",
      message: 'must be given exactly while the address is quarantined',
      broken: ({ spec: of }) => of !== undefined && (of.until !== undefined) !== (of.state === 'quarantined'),
    },
    {
      at: [],
      field: 'metadata.name',
      rule:
        `!has(self.spec) || !has(self.spec.address) || !isIP(self.spec.address) || self.metadata.name == self.spec.address || ` +
        `(self.spec.address.contains(':') && size(self.metadata.name) == ${String(MAX_ADDRESS_LENGTH)} && isIP(${SPELT}) && ip(${SPELT}) == ip(self.spec.address))`,
      message: 'must be spec.address, IPv6 in full with dashes in place of colons',
      broken: isMisnamed,
    },
  ],
};

const validator = new KindValidator(IP, 'ip/invalid');

/**
 * Checks an IP as the API server does, and refuses unknown fields, which the API server would drop.
 *
 * @param object - the whole object
 * @param before - the stored one, on an update
 * @returns every problem with its path; empty when it is valid
 */
export function ipProblems(object: unknown, before?: IpObject): readonly Refusal[] {
  return validator.problems(object, before);
}

/** Holder of an address as the record tells it; objects of the older operator know no more than its name. */
type RecordedHolder = Pick<IpHolder, 'kind' | 'name'> & Partial<IpHolder>;

/** Content of an IP. */
export interface IpReading {
  readonly address: Address;
  /** Name of the group; of an object of the older operator the value of its label; empty where neither is there. */
  readonly group: string;
  readonly state: 'bound' | 'quarantined';
  readonly until?: string;
  /** The longest holder first; empty where nothing can be read of them, and then the address is taken all the same. */
  readonly holders: readonly RecordedHolder[];
}

/**
 * Reads an IP of the API server, one of the older operator as well. It never fails: an object whose name is an address takes that
 * address, whatever else stands in it.
 *
 * @param value - the object
 * @returns what it says; undefined for a name that is no address
 */
export function readIp(value: unknown): IpReading | undefined {
  const metadata = mapOf(mapOf(value)['metadata']);
  const address = addressOfIpName(textOf(metadata['name']));
  if (address === undefined) return undefined;
  const of = mapOf(mapOf(value)['spec']);
  const until = textOf(of['until']);
  const named = textOf(of['ipGroup']);
  return {
    address,
    group: named === '' ? textOf(mapOf(metadata['labels'])[IP_KEYS.group]) : named,
    state: of['state'] === 'quarantined' && until !== '' ? 'quarantined' : 'bound',
    ...(until === '' ? {} : { until }),
    holders: readHolders(of, metadata),
  };
}

function readHolders(of: JsonMap, metadata: JsonMap): readonly RecordedHolder[] {
  const listed = listOf(of['holders']).filter(isHolder);
  if (listed.length > 0) return listed;
  const single = of['owner'];
  if (isHolder(single)) return [single];
  return ofAnnotation(metadata);
}

const isHolder = (value: unknown): value is RecordedHolder =>
  isMap(value) && textOf(value['kind']) !== '' && textOf(value['name']) !== '';

// The older operator named a Service, or with the label of a segment mapping alone a VirtualIP.
function ofAnnotation(metadata: JsonMap): readonly RecordedHolder[] {
  const [namespace = '', name = '', ...rest] = textOf(mapOf(metadata['annotations'])[IP_KEYS.owner]).split('/');
  if (namespace === '' || name === '' || rest.length > 0) return [];
  const labels = mapOf(metadata['labels']);
  const isMapped = textOf(labels[IP_KEYS.segmentMapping]) !== '' && textOf(labels[IP_KEYS.group]) === '';
  return [{ kind: isMapped ? 'VirtualIP' : 'Service', namespace, name }];
}
