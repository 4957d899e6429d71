import { unusableReason, type Address } from '../addressing/address';
import { parseHostPrefix } from '../addressing/prefix';
import { accept, refuse, type Outcome, type Refusal } from '../errors/outcome';
import { DEFAULT_SECRET, IPAM, IPAM_PREFIX, MAX_RETENTION_DAYS } from './group';
import { OBJECT_NAME } from './object-name';
import { quoteValue } from './quote';
import { nearestWord } from './schema-problems';

/** Which families a Service asks for by `ipam.vitistack.io/ip-family`. */
export type IpFamilyWish = 'ipv4' | 'ipv6' | 'dual';

/** Wishes in the annotations of a Service; absent fields were not asked for. */
export interface ServiceWish {
  /** At most one of each family, in the order of the text. */
  readonly addresses: readonly Address[];
  readonly ipFamily?: IpFamilyWish;
  readonly zone?: string;
  /** Name of a Secret in the Service's namespace, or `default` for the cluster's own. */
  readonly secret?: string;
  readonly retentionPeriodDays?: number;
  readonly denyExternalCleanup?: boolean;
  /** MetalLB's sharing key; empty: shares with no Service. */
  readonly allowLocalSharedIp?: string;
  /** True: no address by the default zone. */
  readonly optOut?: boolean;
}

/** Meaning of a missing annotation; the family has no fixed default, see `rules/families`. */
export const SERVICE_DEFAULTS = {
  secret: DEFAULT_SECRET,
  retentionPeriodDays: 0,
  denyExternalCleanup: false,
} as const;

/** The seven keys by which a user asks, in the order of the documentation. */
export const WISH_KEYS = [
  IPAM.addresses,
  IPAM.ipFamily,
  IPAM.zone,
  IPAM.secret,
  IPAM.retentionPeriodDays,
  IPAM.denyExternalCleanup,
  IPAM.allowLocalSharedIp,
] as const;

/** Keys that a user may write, for the search of what a misspelt one means. */
const USER_KEYS = [...WISH_KEYS, IPAM.optOut] as const;
const KNOWN_KEYS: ReadonlySet<string> = new Set(Object.values(IPAM));
/** Most unknown keys that one message tells; the search for what was meant costs time. */
const MOST_UNKNOWN = 20;
/** No key of ours is that long; what is longer needs no comparison to its end. */
const LONGEST_WORD = 100;

/** Annotations as they stand on an object. */
export type Annotations = Readonly<Record<string, string>>;

const TRUE_WORDS = ['1', 't', 'T', 'TRUE', 'true', 'True'];
const FALSE_WORDS = ['0', 'f', 'F', 'FALSE', 'false', 'False'];
const FAMILY_WORDS: readonly string[] = ['ipv4', 'ipv6', 'dual'] satisfies IpFamilyWish[];
const BLANKS = /^[ \t\r\n]+|[ \t\r\n]+$/gu;

/**
 * Names the place of an annotation, as refusals and the API server write it.
 *
 * @param key - with its prefix
 * @returns its path from the root of the object
 */
export function annotationPath(key: string): string {
  return `metadata.annotations[${key}]`;
}

/**
 * Tells whether a Service asks for something by one of our keys; an empty address list asks for nothing.
 *
 * @param annotations - map of the object
 * @returns true when the Services door is asked
 */
export function hasServiceWish(annotations: Annotations): boolean {
  return WISH_KEYS.some((key) => {
    const value = annotations[key];
    return value !== undefined && !(key === IPAM.addresses && isBlank(value));
  });
}

/**
 * Lists the keys with our prefix that do not exist: most likely misspelt wishes.
 *
 * @param annotations - map of the object
 * @returns the keys, in the order of the map
 */
export function unknownKeys(annotations: Annotations): readonly string[] {
  return Object.keys(annotations).filter((key) => key.startsWith(IPAM_PREFIX) && !KNOWN_KEYS.has(key));
}

function unknownKey(key: string): Refusal {
  const meant = nearestWord(key.slice(0, LONGEST_WORD), USER_KEYS);
  const hint = meant === undefined ? `; the keys are ${USER_KEYS.join(', ')}` : `; did you mean ${meant}?`;
  return {
    code: 'wish/malformed',
    field: annotationPath(key),
    message: `${annotationPath(quoteValue(key).slice(1, -1))}: there is no such key${hint}`,
    ...(meant === undefined ? {} : { suggestion: meant }),
  };
}

/**
 * Reads an address list as users write it: commas between, blanks around and one comma at the end are fine, a host
 * length (`/32`, `/128`) too; anything else that is not an address refuses the whole list (REQ-07).
 *
 * @param text - value of an annotation
 * @param field - its path, for the refusal
 * @returns the addresses, at most one of each family; none for empty text
 */
export function parseAddressList(text: string, field: string): Outcome<readonly Address[]> {
  const entries = text.split(',').map(trimBlanks);
  if (entries.at(-1) === '') entries.pop();
  const addresses: Address[] = [];
  for (const entry of entries) {
    const parsed = parseEntry(entry, { text, field });
    if (!parsed.ok) return parsed;
    const twin = addresses.find(({ family }) => family === parsed.value.family);
    if (twin !== undefined) {
      const both = `${twin.toString()} and ${parsed.value.toString()}`;
      return refuse(
        'wish/malformed',
        `${field}: ${quoteValue(text)} has two IPv${parsed.value.family} addresses (${both}); a Service has at most one IPv4 and one IPv6 address`,
        { field, value: text },
      );
    }
    addresses.push(parsed.value);
  }
  return accept(addresses);
}

function parseEntry(entry: string, whole: { text: string; field: string }): Outcome<Address> {
  const details = { field: whole.field, value: whole.text };
  if (entry === '') {
    return refuse(
      'wish/malformed',
      `${whole.field}: ${quoteValue(whole.text)} has an empty entry between commas`,
      details,
    );
  }
  const parsed = parseHostPrefix(entry);
  if (!parsed.ok)
    return {
      ok: false,
      refusal: { ...parsed.refusal, message: `${whole.field}: ${parsed.refusal.message}`, ...details },
    };
  const unusable = unusableReason(parsed.value);
  if (unusable === undefined) return parsed;
  return refuse(
    'address/unusable',
    `${whole.field}: ${quoteValue(entry)} is no address that a Service can have (${unusable}); give one of the zone`,
    details,
  );
}

/**
 * Reads the wish that a Service carries in our annotations.
 *
 * @param annotations - of the Service; keys without our prefix are ignored
 * @returns the wish with what could be read, and every problem at once with the path of its key; keys of our prefix that
 *   do not exist are problems too
 */
export function parseServiceAnnotations(annotations: Annotations): {
  readonly wish: ServiceWish;
  readonly problems: readonly Refusal[];
} {
  const problems: Refusal[] = [];
  const read = <V>(key: string, parse: (text: string, field: string) => Outcome<V>): V | undefined => {
    const text = annotations[key];
    if (text === undefined) return undefined;
    const parsed = parse(text, annotationPath(key));
    if (parsed.ok) return parsed.value;
    problems.push(parsed.refusal);
    return undefined;
  };
  const wish: { -readonly [Field in keyof ServiceWish]: ServiceWish[Field] } = {
    addresses: read(IPAM.addresses, parseAddressList) ?? [],
  };
  // no spread for each: every admitted Service pays, and most name one or two keys
  const put = <Field extends keyof ServiceWish>(field: Field, value: ServiceWish[Field] | undefined): void => {
    if (value !== undefined) wish[field] = value;
  };
  put('ipFamily', read(IPAM.ipFamily, parseFamily));
  put('zone', read(IPAM.zone, parseZoneName));
  put('secret', read(IPAM.secret, parseSecretName));
  put('retentionPeriodDays', read(IPAM.retentionPeriodDays, parseRetention));
  put('denyExternalCleanup', read(IPAM.denyExternalCleanup, parseBool));
  put('allowLocalSharedIp', annotations[IPAM.allowLocalSharedIp]);
  put('optOut', read(IPAM.optOut, parseBool));
  problems.push(...unknownKeys(annotations).slice(0, MOST_UNKNOWN).map(unknownKey));
  return { wish, problems };
}

function trimBlanks(text: string): string {
  return text.replace(BLANKS, '');
}

function isBlank(text: string): boolean {
  return trimBlanks(text) === '';
}

function notAllowed(text: string, field: string, allowed: string): Outcome<never> {
  const value = text === '' ? 'an empty value' : quoteValue(text);
  return refuse('wish/malformed', `${field}: ${value} is not allowed; allowed is ${allowed}, or leave the key out`, {
    field,
    value: text,
  });
}

function parseFamily(text: string, field: string): Outcome<IpFamilyWish> {
  if (FAMILY_WORDS.includes(text)) return accept(text as IpFamilyWish);
  return notAllowed(text, field, '"ipv4", "ipv6" or "dual" in lower case');
}

function parseZoneName(text: string, field: string): Outcome<string> {
  return isBlank(text) ? notAllowed(text, field, 'the name of a zone') : accept(text);
}

function parseSecretName(text: string, field: string): Outcome<string> {
  if (OBJECT_NAME.test(text)) return accept(text);
  return notAllowed(text, field, `"${DEFAULT_SECRET}" or the name of an Opaque Secret in the namespace of the Service`);
}

function parseRetention(text: string, field: string): Outcome<number> {
  const days = /^\+?[0-9]{1,9}$/u.test(text) ? Number(text) : Number.NaN;
  if (days <= MAX_RETENTION_DAYS) return accept(days);
  return notAllowed(text, field, `a whole number of days from 0 to ${MAX_RETENTION_DAYS}`);
}

/**
 * Tells whether the text of a yes-or-no key means yes.
 *
 * @param text - value of an annotation
 * @returns true for `true` and its short forms
 */
export function isTrueText(text: string): boolean {
  return TRUE_WORDS.includes(text);
}

function parseBool(text: string, field: string): Outcome<boolean> {
  if (TRUE_WORDS.includes(text)) return accept(true);
  if (FALSE_WORDS.includes(text)) return accept(false);
  return notAllowed(text, field, '"true" or "false" (also 1, t, T, TRUE, True, 0, f, F, FALSE, False)');
}
