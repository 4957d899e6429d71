import { Type, type Static } from '@sinclair/typebox';
import type { ErrorObject, ValidateFunction } from 'ajv';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import { compiledOnUse } from '../compiled-schema';
import { MAX_RETENTION_DAYS, SECRET_LENGTH } from '../group';
import { quoteValue } from '../quote';
import { isMap } from '../loose-json';
import { ONE_LINE, WHOLE_CHARACTERS } from '../vocabulary';

/** Paths of version 2; the root is what operators of 2025 and before call. */
export const V2_PATHS = { address: '/v2/address', service: '/v2/service', root: '/' } as const;
/** Literals of the answers, which callers may compare. */
export const V2_MESSAGES = {
  registered: 'Address registered successfully',
  updated: 'Address updated successfully',
  released: 'Service expiration set successfully',
} as const;
/** Largest body in bytes. */
export const IPAM_API_BODY_BYTES = 64 * 1024;

const MAX_NAME = 253;
const secretText = (description: string) =>
  Type.String({ minLength: SECRET_LENGTH.min, maxLength: SECRET_LENGTH.max, format: WHOLE_CHARACTERS, description });
const secretForm = `a text of ${SECRET_LENGTH.min} to ${SECRET_LENGTH.max} characters`;
const nameText = Type.String({
  minLength: 1,
  maxLength: MAX_NAME,
  ...ONE_LINE,
  description: `a text of 1 to ${MAX_NAME} characters on one line`,
});
const addressText = Type.String({
  minLength: 1,
  maxLength: 64,
  description: 'one IP address, bare or with the length of a single host (/32 or /128)',
});

function serviceWith(days: { readonly minimum?: 0; readonly description: string }) {
  return Type.Object(
    {
      service_name: nameText,
      namespace_id: nameText,
      cluster_id: nameText,
      retention_period_days: Type.Optional(Type.Integer({ maximum: MAX_RETENTION_DAYS, ...days })),
      deny_external_cleanup: Type.Optional(Type.Boolean({ description: 'true or false' })),
    },
    { description: 'an object with service_name, namespace_id and cluster_id' },
  );
}
const service = serviceWith({ minimum: 0, description: `whole days from 0 to ${MAX_RETENTION_DAYS}` });
// The original let a negative number in, and its operator does not say when a release was refused: the address would be lost.
const releasedService = serviceWith({ description: `whole days up to ${MAX_RETENTION_DAYS}; less than 0 counts as 0` });
const shared = {
  secret: secretText(secretForm),
  zone: nameText,
  ip_family: Type.Unsafe<'ipv4' | 'ipv6'>({ type: 'string', enum: ['ipv4', 'ipv6'], description: '"ipv4" or "ipv6"' }),
  service,
};

/** Body of `POST /v2/address`: register, confirm, join, rotate. */
export const REGISTER_BODY = Type.Object({
  ...shared,
  address: Type.Optional(addressText),
  new_secret: Type.Optional(secretText(secretForm)),
});
/** Body of `DELETE /v2/service`. */
export const RELEASE_BODY = Type.Object({ ...shared, service: releasedService, address: addressText });

/** Body of `POST /v2/address`, checked. */
export type RegisterBody = Static<typeof REGISTER_BODY>;
/** Body of `DELETE /v2/service`, checked. */
export type ReleaseBody = Static<typeof RELEASE_BODY>;

/** Body of a success, always with status 200. */
export interface V2Answer {
  readonly message: (typeof V2_MESSAGES)[keyof typeof V2_MESSAGES];
  /** Address with the length of a single host. */
  readonly address: string;
}

const registerValidator = compiledOnUse(REGISTER_BODY);
const releaseValidator = compiledOnUse(RELEASE_BODY);

/** Members whose empty text means "not given": older operators send it when they ask for any address. */
const EMPTY_IS_ABSENT: ReadonlySet<string> = new Set(['address', 'new_secret']);
/** Members whose value never gets into a message. */
const SECRET_MEMBERS: ReadonlySet<string> = new Set(['secret', 'new_secret']);

/**
 * Checks the body of `POST /v2/address`.
 *
 * @param body - parsed JSON
 * @returns the body with known members only; or refusal `api/malformed` that names every member at fault, never a secret
 */
export function parseRegisterBody(body: unknown): Outcome<RegisterBody> {
  return parseBody(body, registerValidator(), Object.keys(REGISTER_BODY.properties));
}

/**
 * Checks the body of `DELETE /v2/service`.
 *
 * @param body - parsed JSON
 * @returns the body with known members only; or refusal `api/malformed` that names every member at fault, never a secret
 */
export function parseReleaseBody(body: unknown): Outcome<ReleaseBody> {
  return parseBody(body, releaseValidator(), Object.keys(RELEASE_BODY.properties));
}

function parseBody<B>(body: unknown, validate: ValidateFunction<B>, members: readonly string[]): Outcome<B> {
  if (!isMap(body)) return refuse('api/malformed', 'the body is not a JSON object; send one');
  const problems: string[] = [];
  const known = knownMembers(body, { members, path: '', problems });
  const inner = known['service'];
  if (isMap(inner)) {
    known['service'] = knownMembers(inner, { members: Object.keys(service.properties), path: 'service.', problems });
  }
  // A member given twice has no value that could be judged.
  if (problems.length === 0 && validate(known)) return accept(known);
  const sentences = problems.length > 0 ? problems : sentencesOf(validate.errors ?? []);
  return refuse('api/malformed', sentences.join('; '));
}

interface Members {
  readonly members: readonly string[];
  readonly path: string;
  readonly problems: string[];
}

// Names match in any case, as they always did; unknown ones are ignored; null counts as not given.
function knownMembers(object: Readonly<Record<string, unknown>>, { members, path, problems }: Members) {
  const known: Record<string, unknown> = {};
  const seen = new Set<string>();
  for (const [written, value] of Object.entries(object)) {
    const name = written.toLowerCase();
    if (!members.includes(name)) continue;
    if (seen.has(name)) problems.push(`"${path}${name}" is given more than once in different case; give it once`);
    seen.add(name);
    if (value === null || (value === '' && EMPTY_IS_ABSENT.has(name))) continue;
    known[name] = value;
  }
  return known;
}

/** The schema at an error's place. */
interface Described {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Described>>;
}

// One sentence for each member, however many rules it breaks.
function sentencesOf(errors: readonly ErrorObject[]): readonly string[] {
  const sentences = new Map<string, string>();
  for (const error of errors) {
    const [path, sentence] = error.keyword === 'required' ? missing(error) : wrong(error);
    if (!sentences.has(path)) sentences.set(path, sentence);
  }
  return [...sentences.values()];
}

function pathOf(error: ErrorObject): string {
  return error.instancePath.slice(1).replaceAll('/', '.');
}

function missing(error: ErrorObject): readonly [string, string] {
  const name = (error.params as { readonly missingProperty: string }).missingProperty;
  const schema = (error.parentSchema as Described).properties?.[name];
  const at = pathOf(error);
  const path = at === '' ? name : `${at}.${name}`;
  return [path, `"${path}" is missing; give ${schema?.description ?? 'it'}`];
}

function wrong(error: ErrorObject): readonly [string, string] {
  const path = pathOf(error);
  const { description } = error.parentSchema as Described;
  return [path, `"${path}" is ${shown(path, error.data)}; give ${description ?? 'another value'}`];
}

function shown(path: string, value: unknown): string {
  if (SECRET_MEMBERS.has(path)) {
    if (typeof value !== 'string') return 'not a text';
    return /\p{Cs}/u.test(value) ? 'not a text of whole characters' : `${Array.from(value).length} characters long`;
  }
  if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'an object';
  return typeof value === 'string' ? quoteValue(value) : JSON.stringify(value);
}
