import { familyBits, type Family } from '../../../addressing/address';
import type { ClaimQuery, Owner, TakeLimits, SecretProof, TakeRequest, Want } from '../../../ports/claims';
import { toColumn, type AddressParameter } from '../shared/address-column';
import { holderCells, type ClaimRow, type HolderCells } from '../shared/claim-row';
import { optionalField } from '../../../contract/optional-field';

/** First and last address of one range. */
export type WireRange = readonly [first: AddressParameter, last: AddressParameter];

/** Values of a query, under the names that its statement gives them. */
export type QueryParameters = Readonly<Record<string, string | number>>;

/** `Want` in a form that crosses the thread border. */
export interface WireWant extends Pick<Want, 'family' | 'returningOver'> {
  /** Bits of a prefix; null for one address. */
  readonly length: number | null;
  readonly address?: AddressParameter;
  /** Only when it differs from the space that was sent before for this network, pool and family. */
  readonly space?: readonly WireRange[];
  /** With the key of this space. */
  readonly holder: HolderCells;
}

/** `TakeRequest` in a form that crosses the thread border. */
export interface WireTake extends TakeLimits {
  readonly verb: 'take';
  readonly network: string;
  readonly pool: string;
  /** One or two. */
  readonly wants: readonly [WireWant, ...WireWant[]];
  readonly secret?: SecretProof;
  readonly nowMs: number;
}

/** `peek` of the port. */
export interface WirePeek extends Omit<WireTake, 'verb'> {
  readonly verb: 'peek';
}

/** `FirstTake` in a form that crosses the thread border. */
export interface WireFirstTake extends Omit<WireTake, 'verb'> {
  readonly verb: 'takeFirst';
  readonly unless: readonly WireUnless[];
}

/** A query by which an owner is known: by its own names, which stand in each holder of the take, or kind and values. */
export type WireUnless = OwnNames | { readonly by: ClaimQuery['by']; readonly parameters: QueryParameters };

type OwnNames = 'owner' | 'name';

/** New cells of a row that a take made; its caller knows the rest. The version is the id of its holder, too. */
export type NewPlace = readonly [addressId: number, address: AddressParameter, version: number];

/** Result of a want: a new row, or those of the record that has its key. */
export type WireTaken =
  { readonly kind: 'made'; readonly place: NewPlace } | { readonly kind: 'known'; readonly rows: readonly ClaimRow[] };

// Every field by name: a stray one of the caller, a function for instance, could not be cloned for the other thread.
/**
 * Copies a proof.
 *
 * @param secret - as the port takes it
 * @returns its own fields alone
 */
export function plainProof({ hash, scope, sealed }: SecretProof): SecretProof {
  return { hash, scope, ...optionalField('sealed', sealed) };
}

/**
 * Encodes a take.
 *
 * @param request - as the port takes it
 * @param at - the moment of the store's clock, and the ranges to send for a want without address
 * @returns the message
 */
export function wireTake(
  request: TakeRequest,
  at: { readonly nowMs: number; readonly ranges: (want: Want) => readonly WireRange[] | undefined },
): WireTake {
  const { network, pool, secret, holder } = request;
  const expiresAtMs = holder.expiry?.kind === 'after' ? at.nowMs + holder.expiry.ms : null;
  const wired = (want: Want): WireWant => ({
    family: want.family,
    length: want.length === undefined ? null : lengthOf(want.family, want.length),
    holder: holderCells(holder, expiresAtMs, want.key),
    ...(want.address === undefined ? optionalField('space', at.ranges(want)) : { address: toColumn(want.address) }),
    ...optionalField('returningOver', want.returningOver),
  });
  const [first, ...others] = request.wants;
  return {
    verb: 'take',
    network,
    pool,
    wants: [wired(first), ...others.map(wired)],
    nowMs: at.nowMs,
    ...(secret === undefined ? undefined : { secret: plainProof(secret) }),
    ...(request.limits === undefined ? undefined : plainLimits(request.limits)),
  };
}

// no spread for each: every take pays
function plainLimits({ maxReservedInNamespace, poolQuota, clusterQuota, namespaceQuota }: TakeLimits): TakeLimits {
  const limits: { -readonly [Field in keyof TakeLimits]: TakeLimits[Field] } = {};
  if (maxReservedInNamespace !== undefined) limits.maxReservedInNamespace = maxReservedInNamespace;
  if (poolQuota !== undefined) limits.poolQuota = poolQuota;
  if (clusterQuota !== undefined) limits.clusterQuota = clusterQuota;
  if (namespaceQuota !== undefined) limits.namespaceQuota = namespaceQuota;
  return limits;
}

/**
 * Reads what a want got.
 *
 * @param taken - the answer for it
 * @param request - the take
 * @param want - of the take
 * @returns rows of the record, as a query would find them
 */
export function takenRows(taken: WireTaken, request: WireTake | WireFirstTake, want: WireWant): readonly ClaimRow[] {
  if (taken.kind === 'known') return taken.rows;
  const { network, pool, nowMs } = request;
  const { hash = null, scope = null, sealed = null } = request.secret ?? {};
  const { family, length, holder } = want;
  const [id, address, version] = taken.place;
  const start = [id, network, address, length, family, pool, hash, scope, sealed, 'held'] as const;
  return [[...start, null, null, null, version, nowMs, version, nowMs, ...holder]];
}

/**
 * Encodes a query by which an owner is known.
 *
 * @param query - as the port takes it
 * @param owner - of the take
 * @param parametersOf - encodes the values of a query that says more than the holder of the take
 * @returns its kind alone where its values are those of the holder; such a name is not empty
 */
export function wireUnless(
  query: ClaimQuery,
  owner: Owner,
  parametersOf: (query: ClaimQuery) => QueryParameters,
): WireUnless {
  if (query.by === 'owner' && isOwn(query.owner, owner) && query.owner.namespaceUid === owner.namespaceUid)
    return 'owner';
  if (query.by === 'name' && isOwn(query, owner) && query.namespace === owner.namespace) return 'name';
  return { by: query.by, parameters: parametersOf(query) };
}

function isOwn(query: Pick<Owner, 'name' | 'cluster'>, owner: Owner): boolean {
  return query.name !== '' && query.name === owner.name && query.cluster === owner.cluster;
}

function lengthOf(family: Family, length: number): number | null {
  return length === familyBits(family) ? null : length;
}
