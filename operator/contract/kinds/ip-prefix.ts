import { Type, type Static } from '@sinclair/typebox';

import { parseAddress } from '../../addressing/address';
import type { Refusal } from '../../errors/outcome';
import type { KindDeclaration } from '../crd-manifest';
import { EXCLUSION_RULE, isExclusionText, wrongItems } from '../group-space';
import { NEPHIO_GROUP } from '../nephio';
import { KindValidator } from '../validator';
import { cidrText, conditionsByKind, countText, dnsName, MAX_ADDRESS_LENGTH, MAX_NAME_LENGTH } from '../vocabulary';
import { PREFIX_RULES, prefixKind } from './network-parts';

const MAX_RANGE_LENGTH = 2 * MAX_ADDRESS_LENGTH + '-'.length;
const MAX_EXCLUSION_LENGTH = MAX_RANGE_LENGTH;

const spec = Type.Object(
  {
    kind: prefixKind(),
    prefix: cidrText(
      'Prefix in CIDR notation; for kind network 10.0.1.1/24 is the address 10.0.1.1 inside of the subnet 10.0.1.0/24',
    ),
    networkInstance: dnsName(MAX_NAME_LENGTH, 'Name of the NetworkInstance, in the namespace of the prefix'),
    network: Type.Optional(
      Type.String({ maxLength: MAX_NAME_LENGTH, description: 'Name of the network; needed for kind network' }),
    ),
    excluded: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: MAX_EXCLUSION_LENGTH }), {
        maxItems: 64,
        description: 'Addresses that are never given out: single ones, ranges, or prefixes in CIDR notation',
      }),
    ),
    range: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_RANGE_LENGTH,
        description:
          'Part of the prefix, such as 10.0.1.10-10.0.1.20, that is given only to requests that select the labels of this object',
      }),
    ),
    draining: Type.Optional(
      Type.Boolean({ description: 'Nothing new is given out, and holders keep what they have; false by default' }),
    ),
  },
  { description: 'A prefix of a NetworkInstance' },
);

const status = Type.Object(
  {
    observedGeneration: Type.Optional(
      Type.Integer({ minimum: 0, format: 'int64', description: 'Generation that the status is about' }),
    ),
    conditions: Type.Optional(conditionsByKind()),
    prefix: Type.Optional(cidrText('The prefix as it was accepted')),
    network: Type.Optional(Type.String({ maxLength: MAX_NAME_LENGTH, description: 'The network as it was accepted' })),
    parentPrefix: Type.Optional(cidrText('Prefix around it')),
    total: countText('Addresses that can be given out or are given out'),
    used: countText('Addresses that are held'),
    free: countText('Addresses that can be given out now'),
    excluded: countText('Addresses that are never given out'),
  },
  { description: 'State of the prefix' },
);

/** Spec of an IPPrefix. */
type IpPrefixSpec = Static<typeof spec>;

/** One IPPrefix, of the right shape. */
export interface IpPrefixObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: IpPrefixSpec;
  readonly status?: Static<typeof status>;
}

const condition = (kind: string): string => `.status.conditions[?(@.kind=="${kind}")].status`;

const wrongExclusions = ({ spec: of }: IpPrefixObject): readonly string[] =>
  wrongItems('spec.excluded', of.excluded, isExclusionText);

function isRangeText(text: string): boolean {
  return isExclusionText(text) && text.split('-').length === 2 && parseAddress(text.split('-')[0] ?? '').ok;
}

/** A prefix of a NetworkInstance, of one of four kinds. */
export const IP_PREFIX: KindDeclaration<IpPrefixObject> = {
  group: NEPHIO_GROUP,
  version: 'v1alpha1',
  kind: 'IPPrefix',
  plural: 'ipprefixes',
  singular: 'ipprefix',
  shortNames: [],
  categories: ['nephio', 'ipam'],
  scope: 'Namespaced',
  description:
    'A prefix of a NetworkInstance: a subnet and an address in it, loopback addresses, a pool, or an aggregate.',
  spec,
  status,
  columns: [
    { name: 'SYNC', type: 'string', jsonPath: condition('Synced'), description: 'Whether the object was worked' },
    { name: 'STATUS', type: 'string', jsonPath: condition('Ready'), description: 'Whether it is accepted' },
    { name: 'NETWORK', type: 'string', jsonPath: '.spec.networkInstance', description: 'NetworkInstance' },
    { name: 'KIND', type: 'string', jsonPath: '.spec.kind', description: 'Kind of the prefix' },
    // the title stands twice in the older kind, and scripts count columns
    { name: 'NETWORK', type: 'string', jsonPath: '.spec.network', description: 'Network' },
    { name: 'PREFIX-REQ', type: 'string', jsonPath: '.spec.prefix', description: 'Prefix as asked for' },
    { name: 'PREFIX-ALLOC', type: 'string', jsonPath: '.status.prefix', description: 'Prefix as accepted' },
    { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp', description: 'Since when it exists' },
    { name: 'PARENT', type: 'string', jsonPath: '.status.parentPrefix', description: 'Prefix around it', priority: 1 },
    { name: 'TOTAL', type: 'string', jsonPath: '.status.total', description: 'Addresses in all', priority: 1 },
    { name: 'USED', type: 'string', jsonPath: '.status.used', description: 'Addresses held', priority: 1 },
    { name: 'FREE', type: 'string', jsonPath: '.status.free', description: 'Addresses free', priority: 1 },
    { name: 'EXCLUDED', type: 'string', jsonPath: '.status.excluded', description: 'Never given out', priority: 1 },
    {
      name: 'REASON',
      type: 'string',
      jsonPath: '.status.conditions[?(@.kind=="Accepted")].reason',
      description: 'Why it is accepted or refused',
      priority: 1,
    },
  ],
  rules: [
    ...PREFIX_RULES,
    {
      at: ['spec'],
      field: 'spec.network',
      rule: "self.kind != 'network' || (has(self.network) && self.network != '')",
      message: 'must name the network of a prefix of kind network',
      broken: ({ spec: of }) => (of.kind ?? 'network') === 'network' && (of.network ?? '') === '',
    },
    {
      at: ['spec', 'networkInstance'],
      field: 'spec.networkInstance',
      rule: 'self == oldSelf',
      message: 'must stay as it was created; make a new IPPrefix for another NetworkInstance',
      broken: (now, before) => before !== undefined && before.spec.networkInstance !== now.spec.networkInstance,
    },
    {
      at: ['spec', 'excluded', '[]'],
      field: 'spec.excluded',
      ...EXCLUSION_RULE,
      broken: (now) => wrongExclusions(now).length > 0,
      faults: wrongExclusions,
    },
    {
      at: ['spec', 'range'],
      field: 'spec.range',
      rule: "size(self.split('-')) == 2 && isIP(self.split('-')[0]) && isIP(self.split('-')[1]) && ip(self.split('-')[0]).family() == ip(self.split('-')[1]).family()",
      message: 'must be two addresses of one family with a dash between, such as 10.0.1.10-10.0.1.20',
      broken: ({ spec: of }) => of.range !== undefined && !isRangeText(of.range),
    },
  ],
};

const validator = new KindValidator(IP_PREFIX, 'prefix/invalid');

/**
 * Checks an IPPrefix as the API server does; unknown fields, which the API server would drop, are refused as well.
 *
 * @param object - the whole object
 * @param before - the stored one, on an update
 * @returns every problem with its path; empty when it is valid
 */
export function ipPrefixProblems(object: unknown, before?: IpPrefixObject): readonly Refusal[] {
  return validator.problems(object, before);
}
