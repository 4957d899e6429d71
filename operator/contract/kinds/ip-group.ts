import { Type, type Static } from '@sinclair/typebox';

import type { Refusal } from '../../errors/outcome';
import type { KindDeclaration } from '../crd-manifest';
import { MAX_QUARANTINE_SECONDS } from '../durations';
import { EXCLUSION_RULE, isExclusionText, parseExclusion, parseSegment, wrongItems } from '../group-space';
import { labelSelector } from '../label-selector';
import { PAAS_GROUP } from '../paas';
import type { StoredMetadata } from '../stored-metadata';
import { KindValidator, type StoredObject } from '../validator';
import { choice, cidrText, conditions, countText, dnsName, MAX_CIDR_LENGTH, text } from '../vocabulary';
import { MAX_NETWORK_LENGTH } from './claim-name';
import { expressionRule } from './expression-rule';

const MAX_EXCLUSION_LENGTH = 2 * MAX_CIDR_LENGTH;
/** Highest priority of an IPGroup. */
export const MAX_PRIORITY = 1000;
const MAX_FURTHER_SEGMENTS = 32;
/** Most segments of an IPGroup: one by itself, and a list. */
export const MAX_SEGMENTS = 1 + MAX_FURTHER_SEGMENTS;

const spec = Type.Object(
  {
    segment: Type.Optional(
      cidrText('Addresses that are given out, in CIDR notation; 1.1.1.5/29 means all of 1.1.1.0/29'),
    ),
    segments: Type.Optional(
      Type.Array(cidrText('One more segment'), {
        maxItems: MAX_FURTHER_SEGMENTS,
        description: 'Further segments in CIDR notation, of one family or of both',
      }),
    ),
    excludedIPs: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: MAX_EXCLUSION_LENGTH }), {
        maxItems: 1024,
        description:
          'Addresses that are never given out: single ones, ranges such as 1.1.1.1-1.1.1.9, or CIDR notation',
      }),
    ),
    network: Type.Optional(
      dnsName(
        MAX_NETWORK_LENGTH,
        'Network of the addresses, by which other front doors keep away from them; default by default',
      ),
    ),
    priority: Type.Optional(
      Type.Integer({
        minimum: -MAX_PRIORITY,
        maximum: MAX_PRIORITY,
        description:
          'Groups of higher priority are chosen first, and groups of one priority by their names; 0 by default',
      }),
    ),
    namespaces: Type.Optional(labelSelector('Namespaces that the group serves; all by default')),
    services: Type.Optional(labelSelector('Services that the group serves; all by default')),
    loadBalancerClass: Type.Optional(
      text(316, 'Only Services of this spec.loadBalancerClass are served; every class of the operator by default'),
    ),
    explicitOnly: Type.Optional(
      Type.Boolean({
        description: 'Only Services that name the group or one of its addresses are served; false by default',
      }),
    ),
    draining: Type.Optional(
      Type.Boolean({ description: 'Nothing new is given out, and holders keep what they have; false by default' }),
    ),
    quarantineSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_QUARANTINE_SECONDS,
        description: 'Seconds for which a released address waits for its former holder; 0 by default',
      }),
    ),
    searchOrder: Type.Optional(
      choice(
        ['lowest', 'segments'],
        'lowest: the lowest free address of all segments; segments: the first segment with a free one; lowest by default',
      ),
    ),
    force: Type.Optional(
      Type.Boolean({
        description:
          'A change that cuts out addresses in use is applied; their holders keep them and drain; false by default',
      }),
    ),
  },
  { description: 'Addresses that are given out, and the Services that get them' },
);

const status = Type.Object(
  {
    observedGeneration: Type.Optional(
      Type.Integer({ minimum: 0, format: 'int64', description: 'Generation that the status is about' }),
    ),
    conditions: Type.Optional(conditions()),
    total: countText('Addresses that the group can give out or has given out'),
    allocated: countText('Addresses that are held'),
    free: countText('Addresses that can be given out now'),
    excluded: countText('Addresses that are never given out'),
    quarantined: countText('Addresses that wait for their former holder'),
    foreign: countText('Addresses that the cluster uses for something else'),
    outOfRange: countText('Held addresses that no segment has any more'),
    applied: Type.Optional(
      Type.Object(
        {
          segments: Type.Array(cidrText('One segment'), {
            maxItems: 33,
            description: 'Segments in canonical text, in their order',
          }),
        },
        { description: 'Segments that the group gives from; they differ from the spec while a change is held back' },
      ),
    ),
  },
  { description: 'State of the group' },
);

/** Spec of an IPGroup. */
export type IpGroupSpec = Static<typeof spec>;
type IpGroupStatus = Static<typeof status>;

/** One IPGroup, of the right shape. */
export interface IpGroupObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: StoredMetadata;
  readonly spec?: IpGroupSpec;
  readonly status?: IpGroupStatus;
}

// Paths of the entries of a list that are wrong.
const isSegment = (text: string): boolean => parseSegment(text).ok;
const wrongSegments = ({ spec: of }: IpGroupObject) => wrongItems('spec.segments', of?.segments, isSegment);
const wrongExclusions = ({ spec: of }: IpGroupObject) =>
  wrongItems('spec.excludedIPs', of?.excludedIPs, isExclusionText);

/** Pool of the VIPs door; of the older operator's manifests every one is accepted. */
export const IP_GROUP: KindDeclaration<IpGroupObject> = {
  group: PAAS_GROUP,
  version: 'v1',
  kind: 'IPGroup',
  plural: 'ipgroups',
  singular: 'ipgroup',
  shortNames: ['ipg'],
  categories: ['ipam'],
  scope: 'Cluster',
  description: 'Addresses that Services of type LoadBalancer are given.',
  spec,
  isSpecOptional: true,
  status,
  columns: [
    { name: 'Segment', type: 'string', jsonPath: '.spec.segment', description: 'Segment of the group' },
    { name: 'Total', type: 'string', jsonPath: '.status.total', description: 'Addresses of the group' },
    { name: 'Allocated', type: 'string', jsonPath: '.status.allocated', description: 'Addresses that are held' },
    { name: 'Free', type: 'string', jsonPath: '.status.free', description: 'Addresses that can be given out' },
    { name: 'Excluded', type: 'string', jsonPath: '.status.excluded', description: 'Addresses never given out' },
    {
      name: 'Ready',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Ready")].status',
      description: 'Whether the spec is what the group gives from',
    },
    { name: 'AGE', type: 'date', jsonPath: '.metadata.creationTimestamp', description: 'Since when it exists' },
    {
      name: 'Segments',
      type: 'string',
      jsonPath: '.status.applied.segments',
      description: 'Segments that the group gives from',
      priority: 1,
    },
    { name: 'Priority', type: 'integer', jsonPath: '.spec.priority', description: 'Order of choice', priority: 1 },
    { name: 'Network', type: 'string', jsonPath: '.spec.network', description: 'Network', priority: 1 },
  ],
  rules: [
    {
      at: ['spec'],
      field: 'spec.segment',
      rule: 'has(self.segment) || (has(self.segments) && size(self.segments) > 0)',
      message: 'must be given where spec.segments has no entry',
      broken: ({ spec: of }) => of !== undefined && of.segment === undefined && (of.segments ?? []).length === 0,
    },
    {
      at: ['spec', 'segment'],
      field: 'spec.segment',
      rule: 'isCIDR(self)',
      message: 'must be a prefix in CIDR notation, such as 1.1.1.0/24 or fd00::/64',
      broken: ({ spec: of }) => of?.segment !== undefined && !isSegment(of.segment),
    },
    {
      at: ['spec', 'segments', '[]'],
      field: 'spec.segments',
      rule: 'isCIDR(self)',
      message: 'must be a prefix in CIDR notation, such as 1.1.1.0/24 or fd00::/64',
      broken: (now) => wrongSegments(now).length > 0,
      faults: wrongSegments,
    },
    {
      at: ['spec', 'excludedIPs', '[]'],
      field: 'spec.excludedIPs',
      ...EXCLUSION_RULE,
      broken: (now) => wrongExclusions(now).length > 0,
      faults: wrongExclusions,
    },
    expressionRule('spec.namespaces', ({ spec: of }) => of?.namespaces),
    expressionRule('spec.services', ({ spec: of }) => of?.services),
  ],
};

const validator = new KindValidator(IP_GROUP, 'group/invalid');

/**
 * Checks an IPGroup as the API server does; unknown fields, which the API server would drop, and ranges that end before they start
 * are refused as well.
 *
 * @param object - the whole object
 * @param before - the stored one, on an update
 * @returns every problem with its path; empty when it is valid
 */
export function ipGroupProblems(object: unknown, before?: IpGroupObject): readonly Refusal[] {
  const problems = validator.problems(object, before);
  return problems.length > 0 ? problems : reversedRanges(object as IpGroupObject);
}

function reversedRanges({ spec: of }: IpGroupObject): readonly Refusal[] {
  return (of?.excludedIPs ?? []).flatMap((entry, index) => {
    const parsed = parseExclusion(entry);
    const field = `spec.excludedIPs[${String(index)}]`;
    if (parsed.ok) return [];
    return [{ code: 'group/invalid' as const, field, value: entry, message: `${field}: ${parsed.refusal.message}` }];
  });
}

/**
 * Reads an IPGroup of the API server. A stored object may be older than the rules of today, so what has the wrong shape is told
 * beside it and never thrown.
 *
 * @param value - the object
 * @returns name and what could be read, with the problems of its spec; undefined for what has no name
 */
export function readIpGroup(value: unknown): StoredObject<IpGroupObject> | undefined {
  const read = validator.stored(value);
  if (read === undefined) return undefined;
  const { object } = read;
  const found = read.problems.length > 0 ? read.problems : reversedRanges(object);
  return { object, problems: object.spec === undefined ? [...found, NO_SPEC] : found };
}

const NO_SPEC: Refusal = {
  code: 'group/invalid',
  field: 'spec',
  message: 'spec is absent but must give spec.segment or spec.segments',
};

/** Longest value of a label. */
const MAX_LABEL = 63;
const HASH_DIGITS = 8;

/**
 * Writes the name of a group as the value of a label, which is shorter than a name can be.
 *
 * @param name - any name that an object can have
 * @returns the name, or its beginning and a hash of it where it has more than 63 characters
 */
export function groupLabel(name: string): string {
  if (name.length <= MAX_LABEL) return name;
  return `${name.slice(0, MAX_LABEL - 1 - HASH_DIGITS)}-${shortHash(name)}`;
}

// FNV-1a of 32 bits: it only keeps names apart that begin alike, and the full name stands in the spec.
function shortHash(value: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < value.length; index++) hash = Math.imul(hash ^ value.charCodeAt(index), 0x01000193);
  return (hash >>> 0).toString(16).padStart(HASH_DIGITS, '0');
}
