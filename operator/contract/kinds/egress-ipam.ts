import { Type, type Static } from '@sinclair/typebox';

import { parsePrefix } from '../../addressing/prefix';
import type { Refusal } from '../../errors/outcome';
import type { KindDeclaration } from '../crd-manifest';
import { MAX_QUARANTINE_SECONDS } from '../durations';
import { EGRESS_GROUP } from '../egress';
import { EGRESS_CLOUDS } from '../egress-clouds';
import { EGRESS_DATAPLANES } from '../egress-dataplanes';
import { LABEL_KEY, labelSelector, MAX_LABEL_KEY_LENGTH, MAX_LABEL_LENGTH } from '../label-selector';
import type { StoredMetadata } from '../stored-metadata';
import { KindValidator, type StoredObject } from '../validator';
import { choice, cidrText, conditions, countText, dnsName, MAX_NAME_LENGTH, text } from '../vocabulary';
import { MAX_NETWORK_LENGTH } from './claim-name';
import { assignment, ASSIGNMENT_RULES, assignmentProblems, CIDR_RULE, MAX_ASSIGNMENTS } from './egress-assignment';
import { expressionRule } from './expression-rule';

const MAX_NOT_READY_SECONDS = 3600;
const MAX_EXCEPTIONS = 64;
const EXCEPTIONS = 'spec.exceptDestinations';
/** Most entries that a list in the status of an EgressIPAM shows. */
const MOST_SHOWN = 500;

const spec = Type.Object(
  {
    topologyLabel: Type.String({
      minLength: 1,
      maxLength: MAX_LABEL_KEY_LENGTH,
      pattern: LABEL_KEY,
      description: 'Key of the node label whose value chooses the CIDR',
    }),
    nodeSelector: Type.Optional(
      // replaced as a whole, as in the older operator's kind
      labelSelector('Nodes that carry addresses; all but control-plane nodes by default', {
        'x-kubernetes-map-type': 'atomic',
      }),
    ),
    cidrAssignments: Type.Optional(
      Type.Array(assignment, {
        maxItems: MAX_ASSIGNMENTS,
        description: 'CIDRs of which every namespace is given one address each, in the order of its list',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['CIDR'],
      }),
    ),
    network: Type.Optional(
      dnsName(
        MAX_NETWORK_LENGTH,
        'Network of the addresses, by which other front doors keep away from them; default by default',
      ),
    ),
    namespaceSelector: Type.Optional(labelSelector('Namespaces that may use it; all by default')),
    dataplane: Type.Optional(
      choice(
        ['auto', ...EGRESS_DATAPLANES, 'none'],
        'What carries the addresses; none: they are written to the namespaces alone; auto by default',
      ),
    ),
    exceptDestinations: Type.Optional(
      Type.Array(cidrText('Destinations in CIDR notation without bits after the length'), {
        maxItems: MAX_EXCEPTIONS,
        description:
          'Destinations that traffic reaches without these addresses; Cilium alone can leave some out; none by default',
        'x-kubernetes-list-type': 'set',
      }),
    ),
    cloud: Type.Optional(
      choice(
        ['auto', ...EGRESS_CLOUDS, 'none'],
        'Cloud whose machines the addresses are attached to; auto: the one that the operator is set up for; none: it attaches nothing; auto by default',
      ),
    ),
    quarantineSeconds: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: MAX_QUARANTINE_SECONDS,
        description: 'Seconds for which a released address waits for its former namespace; 0 by default, 900 on Azure',
      }),
    ),
    rebalance: Type.Optional(
      choice(
        ['Never', 'OnNodeJoin'],
        'Never: an address leaves its node only with the node; OnNodeJoin: a node that joins takes its share; Never by default',
      ),
    ),
    failover: Type.Optional(
      Type.Object(
        {
          notReadySeconds: Type.Optional(
            Type.Integer({
              minimum: 0,
              maximum: MAX_NOT_READY_SECONDS,
              description: 'Seconds for which a node may be not ready before its addresses move; 0 by default',
            }),
          ),
        },
        { description: 'When addresses leave a node' },
      ),
    ),
    allowOverlap: Type.Optional(
      Type.Boolean({
        description:
          'CIDRs may overlap those of other EgressIPAMs; an address has one holder all the same; false by default',
      }),
    ),
    deletionPolicy: Type.Optional(
      choice(
        ['Release', 'Retain'],
        'Release: with the EgressIPAM its namespaces lose their addresses; Retain: they keep them; Release by default',
      ),
    ),
  },
  { description: 'Addresses that namespaces are given, and the nodes that carry them' },
);

const number = (description: string) => Type.Integer({ minimum: 0, description });

const shownList = <T extends Parameters<typeof Type.Array>[0]>(item: T, description: string) =>
  Type.Optional(Type.Array(item, { maxItems: MOST_SHOWN, description }));

const shownPool = Type.Object(
  {
    cidr: cidrText('The CIDR in canonical text'),
    total: countText('Addresses of the CIDR'),
    reserved: countText('Addresses that are never given out, or that others use'),
    used: countText('Addresses that namespaces hold'),
    free: countText('Addresses that can be given out now'),
    quarantined: countText('Addresses that wait for their former namespace'),
  },
  { description: 'Addresses of one CIDR' },
);

const shownNode = Type.Object(
  {
    name: dnsName(MAX_NAME_LENGTH, 'Name of the node'),
    cidr: cidrText('CIDR whose addresses the node carries'),
    capacity: Type.Optional(number('Addresses that the node can carry; absent where that is unknown or unlimited')),
    allocated: number('Addresses that the node carries'),
    ready: Type.Boolean({ description: 'Whether addresses can be placed on the node' }),
  },
  { description: 'A node that carries addresses' },
);

const shownNamespace = Type.Object(
  {
    namespace: dnsName(MAX_LABEL_LENGTH, 'Name of the namespace'),
    reason: text(MAX_LABEL_LENGTH, 'Why, as one bounded word'),
    message: Type.String({ maxLength: 1024, description: 'Why, as a sentence' }),
  },
  { description: 'A namespace that is not served as it asks' },
);

const PLACING = [
  'topologyLabel',
  'nodeSelector',
  'network',
  'dataplane',
  'exceptDestinations',
  'rebalance',
  'failover',
] as const;

const validSpec = Type.Object(
  {
    ...Type.Pick(spec, PLACING).properties,
    cidrAssignments: Type.Array(Type.Pick(assignment, ['CIDR', 'labelValue'], { description: 'Addresses and nodes' }), {
      maxItems: MAX_ASSIGNMENTS,
      description: 'CIDRs with the nodes that carry them',
    }),
  },
  {
    description:
      'What the last valid spec says of nodes: by it addresses go on leaving nodes that fail while the spec is invalid',
  },
);

const status = Type.Object(
  {
    observedGeneration: Type.Optional(
      Type.Integer({ minimum: 0, format: 'int64', description: 'Generation that the status is about' }),
    ),
    conditions: Type.Optional(conditions()),
    dataplane: Type.Optional(text(MAX_LABEL_LENGTH, 'What carries the addresses')),
    pools: Type.Optional(
      Type.Array(cidrText('One CIDR'), {
        maxItems: MAX_ASSIGNMENTS,
        description: 'CIDRs that addresses are given from, in canonical text and in their order',
      }),
    ),
    total: countText('Addresses of all CIDRs'),
    allocated: countText('Addresses that namespaces hold'),
    free: countText('Addresses that can be given out now'),
    cidrs: shownList(shownPool, 'Counts of each CIDR'),
    nodes: shownList(shownNode, 'Nodes that carry addresses, by their names; the first 500'),
    namespaces: Type.Optional(
      Type.Object(
        {
          assigned: number('Namespaces that have their addresses'),
          pending: number('Namespaces that wait for addresses'),
          invalid: number('Namespaces whose list of addresses is wrong'),
        },
        { description: 'Numbers of namespaces' },
      ),
    ),
    lastValidSpec: Type.Optional(validSpec),
    unserved: shownList(shownNamespace, 'Namespaces that wait, or whose list is wrong, by their names; the first 500'),
  },
  { description: 'State of the addresses' },
);

/** CIDRs, nodes and policies of an EgressIPAM. */
export type EgressIpamSpec = Static<typeof spec>;

/** One EgressIPAM, of the right shape. */
export interface EgressIpamObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: StoredMetadata;
  readonly spec?: EgressIpamSpec;
  readonly status?: Static<typeof status>;
}

// Paths of the destinations that are no CIDR.
const wrongExceptions = ({ spec: of }: EgressIpamObject): readonly string[] =>
  (of?.exceptDestinations ?? []).flatMap((text, index) =>
    parsePrefix(text).ok ? [] : [`${EXCEPTIONS}[${String(index)}]`],
  );

/** Addresses that namespaces send their traffic from; of the older operator's manifests every working one is accepted. */
export const EGRESS_IPAM: KindDeclaration<EgressIpamObject> = {
  group: EGRESS_GROUP,
  version: 'v1alpha1',
  kind: 'EgressIPAM',
  plural: 'egressipams',
  singular: 'egressipam',
  shortNames: ['eipam'],
  categories: ['ipam'],
  scope: 'Cluster',
  description: 'Addresses that namespaces send their traffic from, one of each CIDR.',
  spec,
  isSpecOptional: true,
  status,
  columns: [
    { name: 'Dataplane', type: 'string', jsonPath: '.status.dataplane', description: 'What carries the addresses' },
    { name: 'CIDRs', type: 'string', jsonPath: '.status.pools', description: 'CIDRs that addresses are given from' },
    { name: 'Total', type: 'string', jsonPath: '.status.total', description: 'Addresses of all CIDRs' },
    { name: 'Allocated', type: 'string', jsonPath: '.status.allocated', description: 'Addresses that are held' },
    { name: 'Free', type: 'string', jsonPath: '.status.free', description: 'Addresses that can be given out' },
    {
      name: 'Namespaces',
      type: 'integer',
      jsonPath: '.status.namespaces.assigned',
      description: 'Namespaces that have their addresses',
    },
    {
      name: 'Ready',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="Ready")].status',
      description: 'Whether addresses are given out and carried',
    },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp', description: 'Since when it exists' },
  ],
  rules: [
    ...ASSIGNMENT_RULES,
    {
      at: ['spec', 'exceptDestinations', '[]'],
      field: EXCEPTIONS,
      ...CIDR_RULE,
      broken: (object) => wrongExceptions(object).length > 0,
      faults: wrongExceptions,
    },
    expressionRule('spec.nodeSelector', ({ spec: of }) => of?.nodeSelector),
    expressionRule('spec.namespaceSelector', ({ spec: of }) => of?.namespaceSelector),
  ],
};

/**
 * Gives what a spec says of nodes.
 *
 * @param of - a valid spec
 * @returns the part that the status keeps for the time in which the spec is invalid
 */
export function placingSpec(of: EgressIpamSpec): Static<typeof validSpec> {
  const kept = PLACING.flatMap((key) => (of[key] === undefined ? [] : [[key, of[key]] as const]));
  const cidrAssignments = (of.cidrAssignments ?? []).map(({ CIDR, labelValue }) => ({ CIDR, labelValue }));
  return { ...Object.fromEntries(kept), topologyLabel: of.topologyLabel, cidrAssignments };
}

const validator = new KindValidator(EGRESS_IPAM, 'egress/invalid');

/**
 * Checks an EgressIPAM as the API server does; unknown fields, which the API server would drop, and CIDRs without an address that can be
 * given out are refused as well.
 *
 * @param object - the whole object
 * @returns every problem with its path; empty when it is valid
 */
export function egressIpamProblems(object: unknown): readonly Refusal[] {
  const problems = validator.problems(object);
  return problems.length > 0 ? problems : assignmentProblems(object as EgressIpamObject);
}

const NO_SPEC: Refusal = {
  code: 'egress/invalid',
  field: 'spec',
  message: 'spec is absent but must give spec.topologyLabel and spec.cidrAssignments',
};

/**
 * Reads an EgressIPAM of the API server.
 *
 * @param value - the object
 * @returns the object with the problems of its spec; undefined for what has no name
 */
export function readEgressIpam(value: unknown): StoredObject<EgressIpamObject> | undefined {
  const read = validator.stored(value);
  if (read === undefined) return undefined;
  const { object } = read;
  const found = read.problems.length > 0 ? read.problems : assignmentProblems(object);
  return { object, problems: object.spec === undefined ? [...found, NO_SPEC] : found };
}
