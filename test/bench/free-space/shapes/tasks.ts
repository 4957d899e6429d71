/** The tasks that several shapes do: the same operations in the same order, on offsets from the start of a pool. */
import { Address, addressFromBigInt, addressOf, type Family } from '../../../../operator/addressing/address';
import { numbersFrom } from '../../../support/pseudo-random';
import type { Contestant } from '../shape';

/** First address of the pools: a /8 (IPv4) or /48 (IPv6). */
export const BASES: Readonly<Record<Family, Address>> = { 4: addressOf('10.0.0.0'), 6: addressOf('2001:db8:7::') };

/** The part of an address pool that the tasks use, on whatever the variant takes as an address. */
export interface Pool<A> {
  take(address: A): boolean;
  release(address: A): boolean;
  takeLowest(): A | undefined;
}

/** Distinct random offsets in a /8, as plain numbers. */
export function randomOffsets4(count: number, seed: number): readonly number[] {
  const next = numbersFrom(seed);
  const seen = new Set<number>();
  while (seen.size < count) seen.add(next() >>> 8);
  return [...seen];
}

/** Random addresses in the IPv6 /48, full width. */
export function randomAddresses6(count: number, seed: number): readonly Address[] {
  const next = numbersFrom(seed);
  const { w0, w1 } = BASES[6];
  return Array.from(
    { length: count },
    () => new Address(6, { w0, w1: (w1 & 0xffff_0000) | (next() >>> 16), w2: next(), w3: next() }),
  );
}

/** The address at an offset of a pool. */
export function addressAt(family: Family, offset: number): Address {
  return addressFromBigInt(family, BASES[family].toBigInt() + BigInt(offset));
}

/** Takes the lowest free address and gives it back, in a pool whose first addresses are all taken. */
export function lowestTask<A>(pool: Pool<A>, valueOf: (address: A) => number, batch: number): Contestant {
  return {
    batch,
    op: () => {
      const lowest = pool.takeLowest();
      if (lowest === undefined) return 0;
      pool.release(lowest);
      return valueOf(lowest);
    },
  };
}

/** Gives back any of the live addresses and takes the lowest free one; sparse pools grow dense by that, slowly. */
export function churnTask<A>(pool: Pool<A>, live: A[], valueOf: (address: A) => number): Contestant {
  const next = numbersFrom(5);
  return {
    batch: 20_000,
    isOnce: true,
    op: () => {
      const index = next() % live.length;
      const leaving = live[index];
      if (leaving === undefined) return 0;
      pool.release(leaving);
      const lowest = pool.takeLowest();
      if (lowest === undefined) return 0;
      live[index] = lowest;
      return valueOf(lowest);
    },
  };
}

/** Gives back any of the live addresses and takes another one exactly. */
export function exactTask<A>(pool: Pool<A>, live: A[], spare: A[]): Contestant {
  const next = numbersFrom(5);
  return {
    batch: 500,
    op: () => {
      const from = next() % live.length;
      const to = next() % spare.length;
      const leaving = live[from];
      const coming = spare[to];
      if (leaving === undefined || coming === undefined) return 0;
      live[from] = coming;
      spare[to] = leaving;
      return pool.release(leaving) && pool.take(coming) ? 1 : 0;
    },
  };
}
