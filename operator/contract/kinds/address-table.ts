import { Type, type Static } from '@sinclair/typebox';

import type { KindDeclaration } from '../crd-manifest';
import { IPAM_GROUP, RECORD_CATEGORY } from '../group';
import { dnsName, instant, MAX_NAME_LENGTH, text } from '../vocabulary';
import { MAX_NETWORK_LENGTH } from './claim-name';

/** Longest text of one claim inside of a decision. */
export const MAX_CLAIM_TEXT = 16_384;
/** Most claims that one decision writes. */
export const MAX_WRITES = 32;
/** Most decisions of one table that are not yet carried out. */
export const MAX_DECISIONS = 64;
/** Digits of the longest resource version, which has 64 bits. */
const VERSION_DIGITS = 20;

const claimText = (what: string) =>
  Type.Optional(Type.String({ minLength: 2, maxLength: MAX_CLAIM_TEXT, description: `${what}, as JSON` }));
const version = (description: string) =>
  Type.Optional(Type.String({ pattern: '^[0-9]+$', minLength: 1, maxLength: VERSION_DIGITS, description }));

const write = Type.Object(
  {
    name: dnsName(MAX_NAME_LENGTH, 'Name of the claim'),
    after: claimText('The claim as it is written; absent where it is deleted'),
    before: claimText('The stored claim that is replaced or deleted; absent where one is created'),
    uid: Type.Optional(text(64, 'UID of the stored claim; absent where one is created')),
    resourceVersion: version('Version of the stored claim; absent where one is created'),
  },
  { description: 'One claim that is created, replaced or deleted' },
);

const decision = Type.Object(
  {
    id: text(64, 'Mark of the decision, which the claims that it writes carry'),
    writer: text(MAX_NAME_LENGTH, 'Process that carries the decision out'),
    since: instant('When that process began; another one takes over some seconds later'),
    writes: Type.Array(write, {
      minItems: 1,
      maxItems: MAX_WRITES,
      description: 'Claims that the decision writes, in this order, all or none',
    }),
  },
  { description: 'A decision that is made and not yet carried out' },
);

const spec = Type.Object(
  {
    claimsVersion: version(
      'Newest resource version of the claims that decisions wrote; the next decision has to know them',
    ),
    decisions: Type.Array(decision, {
      maxItems: MAX_DECISIONS,
      description: 'Decisions that are not yet carried out; empty while all is quiet',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['id'],
    }),
  },
  { description: 'Order of the decisions about one network; written by the operator alone' },
);

/** The decisions about the addresses of one network. */
export type AddressTableSpec = Static<typeof spec>;

/** One decision of an AddressTable. */
export type TableDecision = Static<typeof decision>;

/** One write of a decision. */
export type TableWrite = Static<typeof write>;

/** One AddressTable, of the right shape. */
export interface AddressTableObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: AddressTableSpec;
}

const isComplete = ({ after, before, uid, resourceVersion }: TableWrite): boolean => {
  const isOver = before !== undefined;
  return (
    (isOver || after !== undefined) && isOver === (uid !== undefined) && isOver === (resourceVersion !== undefined)
  );
};

/** The lock of one network whose space nests: a claim may overlap another one under another name. */
export const ADDRESS_TABLE: KindDeclaration<AddressTableObject> = {
  group: IPAM_GROUP,
  version: 'v1alpha1',
  kind: 'AddressTable',
  plural: 'addresstables',
  singular: 'addresstable',
  shortNames: ['atable'],
  categories: [RECORD_CATEGORY],
  scope: 'Cluster',
  description:
    'Order in which claims of the network of the same name are decided, so that no two of them overlap; claims themselves are the record.',
  spec,
  status: Type.Object({}, { description: 'Nothing yet' }),
  columns: [
    {
      name: 'Claims-Version',
      type: 'string',
      jsonPath: '.spec.claimsVersion',
      description: 'Newest version of the claims that decisions wrote',
    },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp', description: 'Since when it exists' },
  ],
  rules: [
    {
      at: ['spec', 'decisions'],
      field: 'spec.decisions',
      rule: 'self.all(d, d.writes.all(w, (has(w.after) || has(w.before)) && has(w.before) == has(w.uid) && has(w.before) == has(w.resourceVersion)))',
      message: 'must write, replace or delete: after, before or both, and uid and resourceVersion beside before',
      broken: (now) => now.spec.decisions.some(({ writes }) => !writes.every(isComplete)),
    },
    {
      at: [],
      field: 'metadata.name',
      rule: `size(self.metadata.name) <= ${MAX_NETWORK_LENGTH}`,
      message: `must be the name of a network, at most ${MAX_NETWORK_LENGTH} characters`,
      broken: (now) => now.metadata.name.length > MAX_NETWORK_LENGTH,
    },
  ],
};
