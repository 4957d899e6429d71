import { Type, type TSchema, type TString, type TUnsafe } from '@sinclair/typebox';
import { DNS_NAME } from './object-name';

/**
 * Pieces of which the schemas of our kinds are made. All of them are bounded: the API server estimates what a CEL rule may
 * cost from the longest value, and refuses a CRD whose rules walk over unbounded text or lists.
 */

/** Longest DNS name, and so the longest name of an object. */
export const MAX_NAME_LENGTH = 253;
/** Longest text of an IPv6 address without a zone: eight groups of four digits. */
export const MAX_ADDRESS_LENGTH = 39;
/** Longest text in CIDR notation. */
export const MAX_CIDR_LENGTH = MAX_ADDRESS_LENGTH + '/128'.length;

/**
 * Format of text without halves of surrogate pairs: PostgreSQL refuses the JSON that holds one, and in UTF-8 all of them are equal, so
 * secrets with different ones would have the same hash. A format and no pattern, since few generators of clients read `\\p{Cs}`.
 */
export const WHOLE_CHARACTERS = 'whole-characters';
/** Text on one line. */
export const ONE_LINE = { format: WHOLE_CHARACTERS, pattern: '^[^\\x00-\\x1f\\x7f]*$' } as const;
/** Text that a database keeps as it is. */
export const STORABLE = { format: WHOLE_CHARACTERS, pattern: '^[^\\x00]*$' } as const;

/**
 * Declares a choice of words. A union of literals would become `const`, which a structural schema must not have.
 *
 * @param words - every allowed word
 * @param description - what the choice is about
 * @returns the schema, of which the static type is the union of the words
 */
export function choice<const W extends readonly string[]>(words: W, description: string): TUnsafe<W[number]> {
  return Type.Unsafe<W[number]>({ type: 'string', enum: [...words], description });
}

/**
 * Declares text of at least one character.
 *
 * @param maxLength - most characters
 * @param description - its meaning, for readers of `kubectl explain`
 * @returns the schema
 */
export function text(maxLength: number, description: string): TString {
  return Type.String({ minLength: 1, maxLength, description });
}

/**
 * Declares the name of an object: DNS labels with dots between them.
 *
 * @param maxLength - most characters, 253 for objects
 * @param description - whose name it is
 * @returns the schema
 */
export function dnsName(maxLength: number, description: string): TString {
  return Type.String({ minLength: 1, maxLength, pattern: `^${DNS_NAME}$`, description });
}

/**
 * Declares a point in time.
 *
 * @param description - what happens then
 * @returns the schema of RFC 3339 text
 */
export function instant(description: string): TString {
  return Type.String({ format: 'date-time', maxLength: 64, description });
}

/**
 * Declares labels as Kubernetes has them, as a map that the API server merges key by key.
 *
 * @param maxProperties - most labels
 * @param description - what they are for
 * @returns the schema
 */
export function labels(maxProperties: number, description: string): TUnsafe<Readonly<Record<string, string>>> {
  return Type.Unsafe({
    type: 'object',
    maxProperties,
    additionalProperties: { type: 'string', maxLength: 63 },
    description,
  });
}

/**
 * Declares text in CIDR notation.
 *
 * @param description - what it is
 * @returns the schema
 */
export function cidrText(description: string): TString {
  return Type.String({ minLength: 1, maxLength: MAX_CIDR_LENGTH, description });
}

/**
 * Declares a count in a status, which may be larger than a number of JSON can tell.
 *
 * @param description - what is counted
 * @returns the schema of decimal digits
 */
export function countText(description: string) {
  return Type.Optional(Type.String({ maxLength: 40, pattern: '^[0-9]+$', description }));
}

/**
 * Declares the fields by which a claim names an object.
 *
 * @param role - what the object is to the claim, `holder` or `user`
 * @returns kind, namespace, name and UID
 */
export function objectFields(role: string) {
  return {
    kind: text(63, `Kind of the ${role}`),
    namespace: Type.Optional(
      dnsName(63, `Namespace of the ${role}, a DNS label; absent for a kind without namespaces`),
    ),
    name: dnsName(MAX_NAME_LENGTH, `Name of the ${role}, a DNS name (a-z, 0-9, - and .)`),
    uid: Type.Optional(text(64, `UID of the ${role}; absent while it is not known`)),
  };
}

/** Status of a condition. */
const CONDITION_WORDS = ['True', 'False', 'Unknown'] as const;

const conditionFields = {
  type: Type.String({
    minLength: 1,
    maxLength: 316,
    pattern: '^([a-z0-9]([-a-z0-9.]*[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$',
    description: 'Aspect of the object, for example Ready',
  }),
  status: choice(CONDITION_WORDS, 'Whether it is so'),
  reason: Type.String({
    minLength: 1,
    maxLength: 1024,
    pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
    description: 'Why, as one bounded word',
  }),
  message: Type.String({ maxLength: 1024, description: 'Why, as a sentence; may be empty' }),
  lastTransitionTime: instant('When the status changed last'),
  observedGeneration: Type.Optional(
    Type.Integer({ minimum: 0, format: 'int64', description: 'Generation of the object that the condition is about' }),
  ),
} satisfies Record<string, TSchema>;

/**
 * Declares the conditions of a kind: a list that the API server merges by `type`.
 *
 * @returns the schema of at most 16 conditions
 */
export function conditions() {
  return Type.Array(Type.Object(conditionFields), {
    maxItems: 16,
    description: 'Conditions of the object; `kubectl wait --for=condition=Ready` reads it',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['type'],
  });
}

/**
 * Declares conditions of the older shape: merged by `kind`, without `type` and `message` in objects that are stored already.
 *
 * @returns the schema of at most 16 conditions
 */
export function conditionsByKind() {
  const { type, message, ...others } = conditionFields;
  const fields = { kind: type, ...others, type: Type.Optional(type), message: Type.Optional(message) };
  return Type.Array(Type.Object(fields), {
    maxItems: 16,
    description: 'Conditions of the object; `kubectl wait --for=condition=Ready` reads it',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['kind'],
  });
}
