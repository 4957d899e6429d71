import type { Address, Family } from './address';

/** One address in one network. */
interface Place {
  readonly network: string;
  readonly address: Address;
}

/**
 * Writes a place as the key of a map.
 *
 * @param place - an address in a network
 * @returns equal texts for equal places
 */
export function placeKey({ network, address }: Place): string {
  return JSON.stringify([network, address.toString()]);
}

/**
 * Orders places by network, then by address.
 *
 * @param a - one place
 * @param b - another place
 * @returns below 0 when `a` comes first
 */
export function byPlace(a: Place, b: Place): number {
  if (a.network !== b.network) return a.network < b.network ? -1 : 1;
  return a.address.compareTo(b.address);
}

/**
 * Orders places by address, then by network.
 *
 * @param a - one place
 * @param b - another place
 * @returns below 0 when `a` comes first
 */
export function byAddress(a: Place, b: Place): number {
  return a.address.compareTo(b.address) || (a.network < b.network ? -1 : 1);
}

/** The addresses of one family in one pool. */
export interface PoolName {
  readonly network: string;
  readonly pool: string;
  readonly family: Family;
}

/**
 * Writes a pool as the key of a map.
 *
 * @param pool - its network, name and family
 * @returns equal texts for equal pools
 */
export function poolKey({ network, pool, family }: PoolName): string {
  return JSON.stringify([network, pool, family]);
}
