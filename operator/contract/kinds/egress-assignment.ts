import { Type, type Static } from '@sinclair/typebox';

import { edgesOf } from '../../addressing/edges';
import type { Prefix } from '../../addressing/prefix';
import { PrefixSetBuilder, type Block, type PrefixSet } from '../../addressing/prefix-set';
import type { Refusal } from '../../errors/outcome';
import { poolOf, reservedOf } from '../egress-pool';
import { EXCLUSION_RULE, isExclusionText, parseExclusion } from '../group-space';
import { LABEL_VALUE, MAX_LABEL_LENGTH } from '../label-selector';
import { DNS_LABEL } from '../object-name';
import { cidrText, MAX_ADDRESS_LENGTH, MAX_CIDR_LENGTH } from '../vocabulary';

/** Most CIDRs of an EgressIPAM. */
export const MAX_ASSIGNMENTS = 32;
const MAX_RESERVED = 512;

const addressText = (description: string) => Type.String({ minLength: 2, maxLength: MAX_ADDRESS_LENGTH, description });

/** Schema of one CIDR of an EgressIPAM. */
export const assignment = Type.Object(
  {
    CIDR: cidrText('Addresses that are given out, in CIDR notation without bits after the length'),
    labelValue: Type.String({
      maxLength: MAX_LABEL_LENGTH,
      pattern: LABEL_VALUE,
      description: 'Value of the topology label of the nodes that carry these addresses; may be empty',
    }),
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: MAX_LABEL_LENGTH,
        pattern: `^${DNS_LABEL}$`,
        description: 'Name of the entry, a DNS label; its CIDR by default',
      }),
    ),
    reservedIPs: Type.Optional(
      Type.Array(addressText('One address'), {
        maxItems: MAX_RESERVED,
        description: 'Addresses of the CIDR that are never given out',
        'x-kubernetes-list-type': 'set',
      }),
    ),
    reservedRanges: Type.Optional(
      Type.Array(Type.String({ minLength: 2, maxLength: 2 * MAX_CIDR_LENGTH }), {
        maxItems: MAX_RESERVED,
        description: 'Further addresses that are never given out: ranges such as 10.0.0.1-10.0.0.9, or CIDR notation',
      }),
    ),
    subnet: Type.Optional(
      cidrText('Subnet that the CIDR is a part of; its network and broadcast addresses are never given out'),
    ),
    gateway: Type.Optional(addressText('Gateway of the subnet, which is never given out')),
  },
  { description: 'Addresses, and the nodes that carry them' },
);

/** One CIDR of an EgressIPAM. */
export type EgressAssignment = Static<typeof assignment>;

/** An EgressIPAM, as far as its CIDRs are concerned. */
interface Assigning {
  readonly spec?: { readonly cidrAssignments?: readonly EgressAssignment[] };
}

/** Path of the CIDRs of an EgressIPAM. */
export const ASSIGNMENTS = 'spec.cidrAssignments';

// Paths of the entries that are not as they must be.
const wrong =
  (isRight: (entry: EgressAssignment) => boolean) =>
  ({ spec: of }: Assigning): readonly string[] =>
    (of?.cidrAssignments ?? []).flatMap((entry, index) => (isRight(entry) ? [] : [`${ASSIGNMENTS}[${String(index)}]`]));

const wrongTexts =
  (field: 'reservedIPs' | 'reservedRanges', isRight: (text: string) => boolean) =>
  ({ spec: of }: Assigning): readonly string[] =>
    (of?.cidrAssignments ?? []).flatMap((entry, index) =>
      (entry[field] ?? []).flatMap((text, place) =>
        isRight(text) ? [] : [`${ASSIGNMENTS}[${String(index)}].${field}[${String(place)}]`],
      ),
    );

const wrongText =
  (field: 'CIDR' | 'subnet' | 'gateway', isRight: (text: string) => boolean) =>
  (now: Assigning): readonly string[] => {
    const isFieldRight = ({ [field]: text }: EgressAssignment): boolean => text === undefined || isRight(text);
    return wrong(isFieldRight)(now).map((path) => `${path}.${field}`);
  };

type Faults = (now: Assigning) => readonly string[];
const itemRule = (
  at: readonly string[],
  text: { readonly rule: string; readonly message: string },
  faults: Faults,
) => ({
  at: ['spec', 'cidrAssignments', '[]', ...at],
  field: [ASSIGNMENTS, ...at.filter((step) => step !== '[]')].join('.'),
  ...text,
  broken: (now: Assigning) => faults(now).length > 0,
  faults,
});

const isAddress = (of: string): boolean => reservedOf(of) !== undefined;
const isPool = (of: string): boolean => poolOf(of) !== undefined;

// A text that is no address or CIDR is refused by the rule of its own field.
function reservedInside({ CIDR, reservedIPs = [] }: EgressAssignment): boolean {
  const pool = poolOf(CIDR);
  return reservedIPs.every((text) => {
    const address = reservedOf(text);
    return pool === undefined || address === undefined || pool.contains(address);
  });
}

function poolInside({ CIDR, subnet }: EgressAssignment): boolean {
  const [pool, around] = [poolOf(CIDR), poolOf(subnet ?? CIDR)];
  return pool === undefined || around === undefined || around.containsPrefix(pool);
}

function gatewayInside({ CIDR, subnet, gateway }: EgressAssignment): boolean {
  const [around, address] = [poolOf(subnet ?? CIDR), reservedOf(gateway ?? '')];
  return around === undefined || address === undefined || around.contains(address);
}

function hasOverlap({ spec: of }: Assigning): boolean {
  const pools = (of?.cidrAssignments ?? []).flatMap(({ CIDR }) => poolOf(CIDR) ?? []);
  return pools.some((pool, index) => pools.slice(index + 1).some((other) => pool.overlaps(other)));
}

function hasTwinNames({ spec: of }: Assigning): boolean {
  const names = (of?.cidrAssignments ?? []).flatMap(({ name }) => name ?? []);
  return new Set(names).size < names.length;
}

const CIDR_RULE = {
  rule: 'isCIDR(self) && cidr(self).masked() == cidr(self)',
  message: 'must be a prefix in CIDR notation without bits after its length, such as 10.0.0.0/24 or fd00::/64',
};
const ADDRESS_RULE = { rule: 'isIP(self)', message: 'must be an address' };
const OVERLAPS = 'cidr(a.CIDR).containsCIDR(cidr(b.CIDR)) || cidr(b.CIDR).containsCIDR(cidr(a.CIDR))';

/** Rules about the CIDRs of an EgressIPAM. */
export const ASSIGNMENT_RULES = [
  {
    at: ['spec'],
    field: ASSIGNMENTS,
    rule: 'has(self.cidrAssignments) && size(self.cidrAssignments) > 0',
    message: 'must have an entry',
    broken: ({ spec: of }: Assigning) => of !== undefined && (of.cidrAssignments ?? []).length === 0,
  },
  {
    at: ['spec', 'cidrAssignments'],
    field: ASSIGNMENTS,
    rule: `self.all(a, self.all(b, a.CIDR == b.CIDR || !isCIDR(a.CIDR) || !isCIDR(b.CIDR) || !(${OVERLAPS})))`,
    message: 'must have CIDRs that do not overlap',
    broken: hasOverlap,
  },
  {
    at: ['spec', 'cidrAssignments'],
    field: ASSIGNMENTS,
    rule: 'self.all(a, !has(a.name) || self.exists_one(b, has(b.name) && b.name == a.name))',
    message: 'must have different names',
    broken: hasTwinNames,
  },
  itemRule(['CIDR'], CIDR_RULE, wrongText('CIDR', isPool)),
  itemRule(['subnet'], CIDR_RULE, wrongText('subnet', isPool)),
  itemRule(['gateway'], ADDRESS_RULE, wrongText('gateway', isAddress)),
  itemRule(['reservedIPs', '[]'], ADDRESS_RULE, wrongTexts('reservedIPs', isAddress)),
  itemRule(['reservedRanges', '[]'], EXCLUSION_RULE, wrongTexts('reservedRanges', isExclusionText)),
  itemRule(
    [],
    {
      rule: '!has(self.reservedIPs) || !isCIDR(self.CIDR) || self.reservedIPs.all(r, !isIP(r) || cidr(self.CIDR).containsIP(r))',
      message: 'must have its reservedIPs inside of its CIDR',
    },
    wrong(reservedInside),
  ),
  itemRule(
    [],
    {
      rule: '!has(self.subnet) || !isCIDR(self.subnet) || !isCIDR(self.CIDR) || cidr(self.subnet).containsCIDR(self.CIDR)',
      message: 'must have its CIDR inside of its subnet',
    },
    wrong(poolInside),
  ),
  itemRule(
    [],
    {
      rule: '!has(self.gateway) || !isIP(self.gateway) || (has(self.subnet) ? !isCIDR(self.subnet) || cidr(self.subnet).containsIP(self.gateway) : !isCIDR(self.CIDR) || cidr(self.CIDR).containsIP(self.gateway))',
      message: 'must have its gateway inside of its subnet, and inside of its CIDR where it has no subnet',
    },
    wrong(gatewayInside),
  ),
];

/** Addresses of one CIDR. */
export interface AssignmentSpace {
  readonly pool: Prefix;
  /** Never given out: edges of the subnet, its gateway, and what the author reserves; may lie outside of the pool. */
  readonly reserved: PrefixSet;
}

/**
 * Reads the addresses of one CIDR.
 *
 * @param of - the entry; texts that cannot be read are passed over
 * @returns the addresses; undefined where the CIDR cannot be read
 */
export function spaceOfAssignment(of: EgressAssignment): AssignmentSpace | undefined {
  const pool = poolOf(of.CIDR);
  if (pool === undefined) return undefined;
  const subnet = of.subnet === undefined ? pool : (poolOf(of.subnet) ?? pool);
  const reserved = new PrefixSetBuilder().add(edgesOf([subnet]));
  for (const block of reservedBlocks(of)) reserved.add(block);
  return { pool, reserved: reserved.build() };
}

function reservedBlocks({ reservedIPs = [], gateway, reservedRanges = [] }: EgressAssignment): readonly Block[] {
  const texts = gateway === undefined ? reservedIPs : [...reservedIPs, gateway];
  const ranges = reservedRanges.flatMap((text) => {
    const range = parseExclusion(text);
    return range.ok ? [range.value] : [];
  });
  return [...texts.flatMap((text) => reservedOf(text) ?? []), ...ranges];
}

const atEntry = (index: number, field: string, message: string): Refusal => {
  const path = `${ASSIGNMENTS}[${String(index)}].${field}`;
  return { code: 'egress/invalid', field: path, message: `${path}: ${message}` };
};

function entryProblems(entry: EgressAssignment, index: number): readonly Refusal[] {
  const { reservedIPs = [], reservedRanges = [] } = entry;
  const reversed = reservedRanges.flatMap((text, place) => {
    const parsed = parseExclusion(text);
    return parsed.ok ? [] : [atEntry(index, `reservedRanges[${String(place)}]`, parsed.refusal.message)];
  });
  const known = new Set<string>();
  const twin = reservedIPs
    .flatMap((text) => reservedOf(text)?.toString() ?? [])
    .find((text) => known.size === known.add(text).size);
  const twins = twin === undefined ? [] : [atEntry(index, 'reservedIPs', `${twin} stands in the list twice`)];
  const space = spaceOfAssignment(entry);
  const isFull = space !== undefined && space.reserved.containsPrefix(space.pool);
  return [...reversed, ...twins, ...(isFull ? [atEntry(index, 'CIDR', `all of ${entry.CIDR} is reserved`)] : [])];
}

/**
 * Lists what neither schema nor rules of the CRD can tell about the CIDRs of an EgressIPAM.
 *
 * @param of - an EgressIPAM that keeps to both
 * @returns one refusal for each problem
 */
export function assignmentProblems({ spec: of }: Assigning): readonly Refusal[] {
  return (of?.cidrAssignments ?? []).flatMap(entryProblems);
}
