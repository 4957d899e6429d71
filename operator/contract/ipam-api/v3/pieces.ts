import { Type, type TLiteral, type TObject, type TProperties, type TSchema, type TUnsafe } from '@sinclair/typebox';
import type { Address } from '../../../addressing/address';
import { MAX_RETENTION_DAYS, SECRET_LENGTH } from '../../group';
import { MAX_ADDRESS_LENGTH, MAX_NAME_LENGTH, ONE_LINE, STORABLE, WHOLE_CHARACTERS, choice } from '../../vocabulary';

/** Most entries of one page of a listing. */
export const MAX_PAGE = 1_000;
/** Entries of a page where the caller names no number. */
export const DEFAULT_PAGE = 100;
/** How a key begins that the server made: callers choose other ones. */
export const HANDLE_MARK = '@';

/** Where the holder of a claim is. */
export interface HolderPlace {
  readonly network: string;
  readonly address: Address;
  readonly holderId: string;
}

/**
 * Makes the key of a claim for which its caller chose none.
 *
 * @param place - where its holder is
 * @returns the key
 */
export function handleOf({ network, address, holderId }: HolderPlace): string {
  return `${HANDLE_MARK}${[network, address.toString(), holderId].join(',')}`;
}

const KEY = '^[A-Za-z0-9][A-Za-z0-9._:~-]*$';

/**
 * Declares an object that knows its members: others are refused.
 *
 * @param members - what it holds
 * @param description - what it is
 * @returns the schema
 */
export function record<P extends TProperties>(members: P, description: string): TObject<P> {
  return Type.Object(members, { additionalProperties: false, description });
}

/**
 * Declares text on one line.
 *
 * @param description - what it is
 * @param minLength - fewest characters
 * @returns the schema, of at most 253 characters
 */
export function line(description: string, minLength = 1) {
  return Type.String({ minLength, maxLength: MAX_NAME_LENGTH, ...ONE_LINE, description });
}

/**
 * Declares one address.
 *
 * @param description - whose address it is
 * @returns the schema of a text that is read strictly; answers hold the form of RFC 5952
 */
export function addressText(description: string) {
  return Type.String({ minLength: 2, maxLength: MAX_ADDRESS_LENGTH, pattern: '^[0-9A-Fa-f:.]+$', description });
}

/**
 * Declares a number of addresses as decimal text, since 2^128 fits into no number of JSON.
 *
 * @param description - what is counted
 * @returns the schema
 */
export function amount(description: string) {
  return Type.String({ pattern: '^-?[0-9]+$', maxLength: 40, description });
}

/**
 * Declares a moment.
 *
 * @param description - what happens then
 * @returns the schema of RFC 3339 text
 */
export function moment(description: string) {
  return Type.String({ format: 'date-time', maxLength: 40, description });
}

/**
 * Declares a list.
 *
 * @param items - its entries
 * @param maxItems - most of them
 * @param description - what it lists
 * @returns the schema
 */
export function list<S extends TSchema>(items: S, maxItems: number, description: string) {
  return Type.Array(items, { maxItems, description });
}

/** Family of an address in words. */
export const family: TUnsafe<'ipv4' | 'ipv6'> = choice(['ipv4', 'ipv6'], 'family of the address');
/** State of a holder. */
export const holderState = choice(['reserved', 'bound', 'retained'], 'what kind of claim it is');
/** State of a holder, or that the address is free for no claimant until a time. */
export const claimState = choice(['reserved', 'bound', 'retained', 'quarantined'], 'state of the claim');
/** UID of the namespace `kube-system` of a cluster, which is the cluster's identity. */
export const clusterUid = line('UID of the namespace kube-system of the cluster');
/** Name of a network. */
export const network = line('network in which an address exists once');
/** Name of a zone. */
export const zone = line('name of the zone');
/** Key that a caller chooses for a claim. */
export const chosenKey = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: KEY,
  description: 'a key of the caller: letters, digits and . _ : ~ -, the first a letter or digit, at most 200',
});
/** Key of a claim, chosen by its caller or made by the server. */
export const anyKey = Type.String({
  minLength: 1,
  maxLength: 1_000,
  ...ONE_LINE,
  description: 'key of the claim: the one that its caller chose, or the one that an answer named',
});

/** A secret; its value never appears in an answer, a log line or an error. */
const secretValue = Type.String({
  minLength: SECRET_LENGTH.min,
  maxLength: SECRET_LENGTH.max,
  format: WHOLE_CHARACTERS,
  writeOnly: true,
  description: `a text of ${SECRET_LENGTH.min} to ${SECRET_LENGTH.max} characters`,
});
/** A secret by which administrators give an address to a claimant. */
export const plainSecret = secretValue;
/** A secret and where it proves ownership. */
export const secret = record(
  {
    value: secretValue,
    scope: choice(
      ['shared', 'namespace'],
      'shared: proves ownership wherever it is shown; namespace: only inside the namespace that took the address',
    ),
  },
  'proof of ownership: {"value": …, "scope": "shared" or "namespace"}',
);

/** Options that a claim carries. */
export const options = record(
  {
    retentionPeriodDays: Type.Integer({
      minimum: 0,
      maximum: MAX_RETENTION_DAYS,
      description: `whole days, 0 to ${MAX_RETENTION_DAYS}, for which a released address stays with its secret`,
    }),
    denyExternalCleanup: Type.Boolean({ description: 'true: a clean-up of the cluster leaves the claim alone' }),
  },
  'what becomes of the claim when its owner goes',
);
/** Terms that decide whether two Services may share one address. */
export const sharing = record(
  {
    key: line('sharing key of MetalLB; empty: never shares', 0),
    ports: list(line('port and protocol, for example 53/UDP'), 1_000, 'ports of the Service'),
    trafficPolicy: choice(['Cluster', 'Local'], 'externalTrafficPolicy of the Service'),
    selector: Type.String({ maxLength: 4_096, ...STORABLE, description: 'canonical text of the pod selector' }),
  },
  'terms under which the Service shares its address',
);
/** Annotation keys that the caller wrote as results. */
export const writtenKeys = list(line('annotation key'), 32, 'annotation keys that the caller wrote as results');

const claimantMembers = {
  namespaceUid: line('UID of the namespace'),
  namespace: line('name of the namespace; empty where only its UID is known', 0),
  serviceName: line('name of the Service; empty while generateName has made none', 0),
  reservation: Type.Optional(line('random id that the unstored object carries; counts until its claim has a name')),
};
/** The Service that a call is about. */
export const claimant = record(
  { ...claimantMembers, serviceUid: Type.Optional(line('UID of the stored Service')) },
  'the Service that asks; its cluster is that of the path',
);
/** A stored Service that asks. */
export const storedClaimant = record(
  { ...claimantMembers, serviceUid: line('UID of the stored Service') },
  'the stored Service; its cluster is that of the path',
);

/** Version of every schema document that names one. */
export const ONE: TLiteral<1> = Type.Literal(1);
