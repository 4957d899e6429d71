import { familyBits, type Family } from '../../../addressing/address';
import type { ClaimQuery, TakeLimits, SecretProof, TakeRequest, Want } from '../../../ports/claims';
import { toColumn, type AddressParameter } from '../shared/address-column';
import { holderCells, type HolderCells } from '../shared/claim-row';

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
  /** Kind and values of each query by which the owner is known. */
  readonly unless: readonly { readonly by: ClaimQuery['by']; readonly parameters: QueryParameters }[];
}

// Every field by name: a stray one of the caller, a function for instance, could not be cloned for the other thread.
/**
 * Copies a proof.
 *
 * @param secret - as the port takes it
 * @returns its own fields alone
 */
export function plainProof({ hash, scope, sealed }: SecretProof): SecretProof {
  return { hash, scope, ...optional('sealed', sealed) };
}

/**
 * Makes an optional field.
 *
 * @param key - its name
 * @param value - its value, or undefined
 * @returns an object with the field, or an empty one
 */
export function optional<K extends string, V>(key: K, value: V | undefined): Partial<Record<K, V>> {
  return value === undefined ? {} : ({ [key]: value } as Record<K, V>);
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
  const { network, pool, secret, holder, limits = {} } = request;
  const { maxReservedInNamespace, poolQuota, clusterQuota, namespaceQuota } = limits;
  const expiresAtMs = holder.expiry?.kind === 'after' ? at.nowMs + holder.expiry.ms : null;
  const wired = (want: Want): WireWant => ({
    family: want.family,
    length: want.length === undefined ? null : lengthOf(want.family, want.length),
    ...(want.address === undefined ? optional('space', at.ranges(want)) : { address: toColumn(want.address) }),
    ...optional('returningOver', want.returningOver),
    holder: holderCells(want.key === undefined ? holder : { ...holder, key: want.key }, expiresAtMs),
  });
  const [first, ...others] = request.wants;
  return {
    verb: 'take',
    network,
    pool,
    wants: [wired(first), ...others.map(wired)],
    ...optional('secret', secret && plainProof(secret)),
    ...optional('maxReservedInNamespace', maxReservedInNamespace),
    ...optional('poolQuota', poolQuota),
    ...optional('clusterQuota', clusterQuota),
    ...optional('namespaceQuota', namespaceQuota),
    nowMs: at.nowMs,
  };
}

function lengthOf(family: Family, length: number): number | null {
  return length === familyBits(family) ? null : length;
}
