import { parseAddress, type Address, type Family } from '../addressing/address';
import { parseHostPrefix } from '../addressing/prefix';
import { IPAM, METALLB, WAITING_POOL } from '../contract/group';
import { quoteValue } from '../contract/quote';
import { LOAD_BALANCER_IP } from '../contract/service';
import {
  annotationPath,
  parseAddressList,
  parseServiceAnnotations,
  type Annotations,
  type ServiceWish,
} from '../contract/service-annotations';
import type { ErrorCode } from '../errors/catalogue';
import type { Refusal } from '../errors/outcome';

/** Where the wishes of a Service stand. */
export interface WishSources {
  readonly annotations: Annotations;
  readonly loadBalancerIP?: string;
}

/** Everything a Service asks for, from all places, with contradictions named. */
export interface CollectedWishes extends Omit<ServiceWish, 'allowLocalSharedIp'> {
  /** MetalLB's sharing key; empty: shares with no Service. */
  readonly sharingKey: string;
  /** Place that names the zone, for messages. */
  readonly zoneField?: string;
  /** Place that names the address of each family, for messages. */
  readonly addressFields: AddressFields;
  readonly problems: readonly Refusal[];
}

/** Path of the place that wishes the address of a family. */
export type AddressFields = Readonly<Partial<Record<Family, string>>>;

/** One wish of one place. */
interface Placed<V> {
  readonly field: string;
  /** As its author wrote it. */
  readonly text: string;
  readonly value: V;
}

const ADDRESS_KEYS = [IPAM.addresses, METALLB.addresses, METALLB.legacyAddresses] as const;
const ZONE_KEYS = [IPAM.zone, METALLB.pool, METALLB.legacyPool] as const;
const SHARING_KEYS = [IPAM.allowLocalSharedIp, METALLB.sharing, METALLB.legacySharing] as const;

/**
 * Collects the wishes of a Service from our annotations, from MetalLB's in both spellings and from the spec. Equal
 * values in several places are one wish, in any spelling; different ones are refused in one message (REQ-01).
 *
 * @param sources - annotations and spec of the Service
 * @param isResult - tells of a key that the operator wrote and that was not changed since: a result is no wish; absent: we wrote none
 * @returns the wishes, and every problem at once
 */
export function collectWishes(sources: WishSources, isResult?: (key: string) => boolean): CollectedWishes {
  const { annotations } = sources;
  const wished =
    isResult === undefined
      ? annotations
      : Object.fromEntries(Object.entries(annotations).filter(([key]) => !isResult(key)));
  const { wish, problems: unreadable } = parseServiceAnnotations(wished);
  const problems: Refusal[] = [...unreadable];
  const placed = addressWishes({ ...sources, annotations: wished }, problems);
  const addresses = mergeAddresses(placed, problems);
  const zone = mergeTexts('zone', textWishes(wished, ZONE_KEYS), problems);
  const sharing = mergeTexts('sharing key', textWishes(wished, SHARING_KEYS), problems);
  const { allowLocalSharedIp: _merged, ...ours } = wish;
  return {
    ...ours,
    addresses,
    addressFields: fieldsOf(placed),
    ...(zone === undefined ? {} : { zone: zone.value, zoneField: zone.field }),
    sharingKey: sharing?.value ?? '',
    problems,
  };
}

/**
 * Lists the places of a Service that name addresses, with what they name; unreadable ones are left out.
 *
 * @param sources - annotations and spec of the Service
 * @returns place and addresses of each source that is there
 */
export function namedAddresses(
  sources: WishSources,
): readonly { readonly field: string; readonly addresses: readonly Address[] }[] {
  return addressWishes(sources, []).map(({ field, value }) => ({ field, addresses: value }));
}

function addressWishes(sources: WishSources, problems: Refusal[]): readonly Placed<readonly Address[]>[] {
  const placed: Placed<readonly Address[]>[] = [];
  for (const key of ADDRESS_KEYS) {
    const text = sources.annotations[key];
    if (text === undefined) continue;
    const field = annotationPath(key);
    const parsed = parseAddressList(text, field);
    if (parsed.ok) placed.push({ field, text, value: parsed.value });
    else if (key !== IPAM.addresses) problems.push(parsed.refusal); // ours is reported by its own parser
  }
  const inSpec = sources.loadBalancerIP ?? '';
  if (inSpec !== '') {
    const parsed = parseSpecAddress(inSpec);
    if (parsed.ok) placed.push({ field: LOAD_BALANCER_IP, text: inSpec, value: parsed.value });
    else problems.push(parsed.refusal);
  }
  return placed.filter(({ value }) => value.length > 0);
}

function parseSpecAddress(text: string): ReturnType<typeof parseAddressList> {
  const one = parseHostPrefix(text);
  if (one.ok && parseAddress(text).ok) return parseAddressList(text, LOAD_BALANCER_IP);
  if (one.ok) {
    const message = `${LOAD_BALANCER_IP}: ${quoteValue(text)} has a prefix length, which MetalLB does not read there; write ${one.value.toString()}`;
    return { ok: false, refusal: { code: 'address/malformed', field: LOAD_BALANCER_IP, value: text, message } };
  }
  return {
    ok: false,
    refusal: {
      ...one.refusal,
      field: LOAD_BALANCER_IP,
      value: text,
      message: `${LOAD_BALANCER_IP}: ${one.refusal.message}`,
    },
  };
}

function mergeAddresses(placed: readonly Placed<readonly Address[]>[], problems: Refusal[]): readonly Address[] {
  if (placed.length === 0) return [];
  const byFamily = new Map<Family, Address>();
  for (const address of placed.flatMap(({ value }) => value)) {
    const known = byFamily.get(address.family);
    if (known === undefined) byFamily.set(address.family, address);
    else if (!known.equals(address)) {
      problems.push(contradiction('address', placed));
      return [];
    }
  }
  return [...byFamily.values()];
}

// The first place counts, as it does for the wish itself.
function fieldsOf(placed: readonly Placed<readonly Address[]>[]): AddressFields {
  if (placed.length === 0) return {};
  const entries = placed.flatMap(({ field, value }) => value.map(({ family }) => [family, field] as const));
  return Object.fromEntries(entries.toReversed());
}

/**
 * Names the place that wishes an address.
 *
 * @param address - a wished address
 * @param fields - as collected with the wishes; absent: the place is not known
 * @returns its path; our own annotation where no other place is known
 */
export function addressField(address: Address, fields: AddressFields = {}): string {
  return fields[address.family] ?? annotationPath(IPAM.addresses);
}

function textWishes(annotations: Annotations, keys: readonly string[]): readonly Placed<string>[] {
  const placed: Placed<string>[] = [];
  for (const key of keys) {
    const text = annotations[key];
    if (text === undefined || text === WAITING_POOL) continue;
    // an empty MetalLB key asks for nothing; of our keys only the sharing key has a meaning when empty
    if (text === '' && (!key.startsWith('ipam.') || key === IPAM.zone)) continue;
    placed.push({ field: annotationPath(key), text, value: text });
  }
  return placed;
}

function mergeTexts(what: string, placed: readonly Placed<string>[], problems: Refusal[]): Placed<string> | undefined {
  const first = placed[0];
  if (first !== undefined && placed.some(({ value }) => value !== first.value))
    problems.push(contradiction(what, placed));
  return first;
}

function contradiction(what: string, placed: readonly Placed<unknown>[]): Refusal {
  const code: ErrorCode = 'wish/contradiction';
  const list = placed.map(({ field, text }) => `${field} is ${quoteValue(text)}`).join(', ');
  return {
    code,
    message: `the ${what} wishes of this Service contradict each other: ${list}; give one value, or the same in each place`,
    ...(placed[0] === undefined ? {} : { field: placed[0].field, value: placed[0].text }),
  };
}
