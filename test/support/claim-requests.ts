import { addressOf, type Address, type Family } from '../../operator/addressing/address';
import { prefixOf } from '../../operator/addressing/prefix';
import { PrefixSetBuilder, type PrefixSet } from '../../operator/addressing/prefix-set';
import { valueOf } from '../../operator/errors/ipam-error';
import type { Outcome, Refusal } from '../../operator/errors/outcome';
import type {
  AddressRecord,
  BindRequest,
  Claims,
  ClaimQuery,
  Holder,
  NewHolder,
  Owner,
  Place,
  ReleaseRequest,
  Taken,
  TakeLimits,
  TakeRequest,
  Want,
} from '../../operator/ports/claims';

/** Start of all test time; milliseconds since 1970. */
export const NOW = Date.UTC(2026, 0, 1);

/** The addresses of some prefixes. */
export function spaceOf(...prefixes: string[]): PrefixSet {
  const builder = new PrefixSetBuilder();
  for (const prefix of prefixes) builder.add(prefixOf(prefix));
  return builder.build();
}

/** A /29 and a /125: eight addresses of each family. */
export const EIGHT = spaceOf('10.0.0.0/29', '2001:db8::/125');

/** A Service of namespace `a` in cluster `c1`, without UID. */
export function ownerOf(name: string, change: Partial<Owner> = {}): Owner {
  const place = { cluster: 'c1', namespace: 'a', namespaceUid: 'ns-a' };
  return { apiVersion: 'v1', kind: 'Service', ...place, name, ...change };
}

/** A place of network `default`. */
export function at(address: string, network = 'default'): Place {
  const [first = '', length] = address.split('/');
  return { network, address: addressOf(first), ...(length === undefined ? {} : { length: Number(length) }) };
}

/** A holder with the key `key of <name>`, bound to `uid of <name>`. */
export function holderOf(name: string, change: Partial<NewHolder> = {}): NewHolder {
  return { owner: ownerOf(name, { uid: `uid of ${name}` }), state: 'bound', key: `key of ${name}`, ...change };
}

/** A holder without key, without UID and with a lease. */
export function leaseOf(name: string, ms: number, change: Partial<NewHolder> = {}): NewHolder {
  return { owner: ownerOf(name), state: 'reserved', expiry: { kind: 'after', ms }, ...change };
}

/** A retained holder without key. */
export function retainedOf(name: string, ms: number): NewHolder {
  const { key: _key, ...holder } = holderOf(name);
  return { ...holder, state: 'retained', expiry: { kind: 'after', ms } };
}

/** Picks the parts of a holder that are stored as they were handed in. */
export function storedHolder(holder: NewHolder, nowMs = NOW): object {
  const { expiry, ...rest } = holder;
  return expiry?.kind === 'after' ? { ...rest, expiresAtMs: nowMs + expiry.ms } : rest;
}

/** A take as a test describes it; the address may be written as an address or a prefix, the holder may have a key. */
export interface Taking extends TakeLimits {
  readonly network?: string;
  readonly pool?: string;
  readonly family?: Family;
  readonly space?: PrefixSet;
  readonly address?: Address | string;
  readonly length?: number;
  readonly returningOver?: number;
  readonly secret?: TakeRequest['secret'];
  readonly holder?: NewHolder;
}

function wantOf({ address, family = 4, length, space = EIGHT, returningOver }: Taking, key: string | undefined): Want {
  const named = typeof address === 'string' ? at(address) : address && { address };
  return {
    space,
    family: named?.address.family ?? family,
    ...(length === undefined ? {} : { length }),
    ...(returningOver === undefined ? {} : { returningOver }),
    ...(key === undefined ? {} : { key }),
    ...wishOf(named),
  };
}

function wishOf(wish: Pick<Place, 'address' | 'length'> | undefined): Pick<Want, 'address' | 'length'> {
  if (wish === undefined) return {};
  const { address, length } = wish;
  return length === undefined ? { address } : { address, length };
}

function limitsOf(change: Taking): { readonly limits?: TakeLimits } {
  const names = ['maxReservedInNamespace', 'poolQuota', 'clusterQuota', 'namespaceQuota'] as const;
  const limits = Object.fromEntries(
    names.filter((name) => change[name] !== undefined).map((name) => [name, change[name]]),
  );
  return Object.keys(limits).length === 0 ? {} : { limits };
}

/** A take of pool `z` in network `default` for the holder `name`; the lowest of {@link EIGHT} unless it says otherwise. */
export function taking(name: string, change: Taking = {}): TakeRequest {
  const { key, ...holder } = change.holder ?? holderOf(name);
  return {
    network: change.network ?? 'default',
    pool: change.pool ?? 'z',
    wants: [wantOf(change, key)],
    holder,
    ...(change.secret === undefined ? {} : { secret: change.secret }),
    ...limitsOf(change),
  };
}

/** A take of one address of each family, under the keys `<key> 4` and `<key> 6`. */
export function takingBoth(name: string, change: Taking & { readonly six?: Taking } = {}): TakeRequest {
  const { six = {}, ...four } = change;
  const request = taking(name, four);
  const key = four.holder === undefined ? `key of ${name}` : four.holder.key;
  const keyed = (family: Family): string | undefined => (key === undefined ? undefined : `${key} ${family}`);
  const want = (of: Taking, family: Family): Want => wantOf({ ...of, family }, keyed(family));
  return { ...request, wants: [want(four, 4), want({ space: four.space ?? EIGHT, ...six }, 6)] };
}

/** The only answer of a take. */
export async function takenOf(claims: Pick<Claims, 'take'>, request: TakeRequest): Promise<Taken> {
  const [first] = valueOf(await claims.take(request));
  if (first === undefined) throw new TypeError('the take answered nothing');
  return first;
}

/** Takes, expecting success. */
export async function taken(claims: Pick<Claims, 'take'>, name: string, change: Taking = {}): Promise<AddressRecord> {
  return (await takenOf(claims, taking(name, change))).record;
}

/** A bind of a new holder to a record, or of `over`'s successor. */
export function binding(record: AddressRecord, holder: NewHolder, change: Partial<BindRequest> = {}): BindRequest {
  return { ...placeOf(record), version: record.version, holder, ...change };
}

/** A release of the first holder of a record. */
export function releasing(record: AddressRecord, change: Partial<ReleaseRequest> = {}): ReleaseRequest {
  return { ...placeOf(record), version: record.version, holderId: firstHolder(record).id, ...change };
}

/** The place of a record. */
export function placeOf({ network, address, length }: AddressRecord): Place {
  return { network, address, ...(length === (address.family === 4 ? 32 : 128) ? {} : { length }) };
}

/** The oldest holder of a held record. */
export function firstHolder(record: AddressRecord): Holder {
  const [holder] = record.holders;
  if (holder === undefined) throw new TypeError(`nobody holds ${record.address.toString()}`);
  return holder;
}

/** Reads the refusal. */
export function refusalOf(outcome: Outcome<unknown>): Refusal {
  if (outcome.ok) throw new TypeError('this was not refused');
  return outcome.refusal;
}

/** The address of a record, or the prefix. */
export function addressText(record: AddressRecord | undefined): string {
  if (record === undefined) return 'none';
  const { address, length } = placeOf(record);
  return length === undefined ? address.toString() : `${address.toString()}/${length}`;
}

/** The addresses that a query finds. */
export async function listed(claims: Pick<Claims, 'list'>, query: ClaimQuery): Promise<readonly string[]> {
  return (await claims.list(query)).map(addressText);
}
