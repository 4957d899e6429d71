/** Random spaces and random programs for the pools; spaces are small enough for the list-based twin. */
import * as fc from 'fast-check';
import { addressFromBigInt, addressOf, familyBits, type Address, type Family } from '../../operator/addressing/address';
import { Prefix } from '../../operator/addressing/prefix';
import { PrefixSetBuilder, type PrefixSet } from '../../operator/addressing/prefix-set';
import { Range } from '../../operator/addressing/range';
import type { GoldenSpace } from './golden-pool';

/** Addresses in the window that every random block and wish lies in: four pages and a bit. */
export const WINDOW = 1_100;

const BASES: readonly Address[] = [
  addressOf('10.1.2.0'),
  addressOf('255.255.251.180'), // the window ends at the last IPv4 address
  addressOf('0.0.0.0'),
  addressOf('2001:db8:0:0:ffff:ffff:ffff:ff00'), // crosses a word of the key
  addressOf('ffff:ffff:ffff:ffff:ffff:ffff:ffff:fbb4'),
];

/** A space, and how a place in its window becomes an address. */
export interface Field {
  readonly golden: GoldenSpace;
  readonly space: PrefixSet;
  readonly family: Family;
  at(place: number): Address;
  /** The block of this size around a place. */
  around(place: number, hostBits: number): Prefix;
}

function fieldOf(base: Address, included: readonly Spot[], excluded: readonly Spot[]): Field {
  const { family } = base;
  const at = (place: number): Address => addressFromBigInt(family, base.toBigInt() + BigInt(place));
  const rangeAt = ([first, size]: Spot): Range => new Range(at(first), at(Math.min(first + size, WINDOW) - 1));
  const golden = { family, included: included.map(rangeAt), excluded: excluded.map(rangeAt) };
  const builder = new PrefixSetBuilder();
  for (const range of golden.included) builder.add(range);
  for (const range of golden.excluded) builder.subtract(range);
  const around = (place: number, hostBits: number): Prefix => new Prefix(at(place), familyBits(family) - hostBits);
  return { golden, space: builder.build(), family, at, around };
}

type Spot = readonly [first: number, size: number];

const spot = (most: number): fc.Arbitrary<Spot> =>
  fc.tuple(fc.nat({ max: WINDOW - 1 }), fc.integer({ min: 1, max: most }));

/** One to three blocks with up to five holes, of either family, also at the ends of the number space. */
export const field: fc.Arbitrary<Field> = fc
  .tuple(
    fc.constantFrom(...BASES),
    fc.array(spot(700), { minLength: 1, maxLength: 3 }),
    fc.array(spot(90), { maxLength: 5 }),
  )
  .map(([base, included, excluded]) => fieldOf(base, included, excluded));

/** A place in the window. */
export const place: fc.Arbitrary<number> = fc.nat({ max: WINDOW - 1 });
