import fc from 'fast-check';
import { Address, addressFromBigInt, addressOf, familyBits, type Family } from '../../operator/addressing/address';
import { Prefix } from '../../operator/addressing/prefix';
import { rangeOf, type Range } from '../../operator/addressing/range';

const families: fc.Arbitrary<Family> = fc.constantFrom<Family>(4, 6);

const words: fc.Arbitrary<number> = fc.oneof(
  fc.constantFrom(0, 1, 0xffff, 0x10000, 0x7fff_ffff, 0x8000_0000, 0xffff_fffe, 0xffff_ffff),
  fc.nat({ max: 0xffff_ffff }),
);

/** Any address of a family; words that roll over or change their sign are drawn often. */
export function addressesOf(family: Family): fc.Arbitrary<Address> {
  if (family === 4) return words.map((w3) => new Address(4, { w0: 0, w1: 0, w2: 0, w3 }));
  return fc.tuple(words, words, words, words).map(([w0, w1, w2, w3]) => new Address(6, { w0, w1, w2, w3 }));
}

/** Any address. */
export const addresses: fc.Arbitrary<Address> = families.chain(addressesOf);

/** Two addresses of one family. */
export const pairs: fc.Arbitrary<readonly [Address, Address]> = families.chain((family) =>
  fc.tuple(addressesOf(family), addressesOf(family)),
);

/** Any prefix of any length. */
export const prefixes: fc.Arbitrary<Prefix> = addresses.chain((address) =>
  fc.nat({ max: familyBits(address.family) }).map((length) => new Prefix(address, length)),
);

/** Any range of any size. */
export const ranges: fc.Arbitrary<Range> = pairs.map(([a, b]) => (a.compareTo(b) <= 0 ? rangeOf(a, b) : rangeOf(b, a)));

/** A range that is small enough to be listed. */
export const shortRanges: fc.Arbitrary<Range> = fc.tuple(addresses, fc.nat({ max: 300 })).map(([first, more]) => {
  const highest = (1n << BigInt(familyBits(first.family))) - 1n;
  const end = first.toBigInt() + BigInt(more);
  return rangeOf(first, addressFromBigInt(first.family, end > highest ? highest : end));
});

/** Sixteen addresses at each end of both families: small enough to be listed, and every edge of the space is in it. */
const CORNERS = ['0.0.0.0', '255.255.255.240', '::', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:fff0'].map(addressOf);
const CORNER_SIZE = 16n;

/** The first addresses of the four corners. */
export const corners: readonly Range[] = CORNERS.map((first) =>
  rangeOf(first, addressFromBigInt(first.family, first.toBigInt() + CORNER_SIZE - 1n)),
);

/** A range inside one of the {@link corners}. */
export const cornerRanges: fc.Arbitrary<Range> = fc
  .tuple(fc.constantFrom(...CORNERS), fc.nat({ max: 15 }), fc.nat({ max: 15 }))
  .map(([corner, a, b]) => {
    const at = (offset: number): Address => addressFromBigInt(corner.family, corner.toBigInt() + BigInt(offset));
    return rangeOf(at(Math.min(a, b)), at(Math.max(a, b)));
  });

/** Any spelling of RFC 4291 for an IPv6 address: cases, leading zeros, `::` for any run of zeros, a dotted end. */
export const spellings: fc.Arbitrary<{ readonly address: Address; readonly text: string }> = fc
  .record({
    address: addressesOf(6),
    width: fc.constantFrom(1, 2, 4),
    upper: fc.boolean(),
    dotted: fc.boolean(),
    gap: fc.nat({ max: 7 }),
  })
  .map((how) => ({ address: how.address, text: spell(how.address, how) }));

interface Spelling {
  readonly width: number;
  readonly upper: boolean;
  readonly dotted: boolean;
  readonly gap: number;
}

function spell(address: Address, { width, upper, dotted, gap }: Spelling): string {
  const hex = address.toBigInt().toString(16).padStart(32, '0');
  const values = (hex.match(/.{4}/gu) ?? []).map((group) => Number.parseInt(group, 16));
  const groups = values.map((value) => value.toString(16).padStart(width, '0'));
  const tail = [24, 16, 8, 0].map((shift) => (address.w3 >>> shift) & 255).join('.');
  const parts = dotted ? [...groups.slice(0, 6), tail] : groups;
  let end = gap;
  while (end < (dotted ? 6 : 8) && values[end] === 0) end++;
  const text = end > gap ? `${parts.slice(0, gap).join(':')}::${parts.slice(end).join(':')}` : parts.join(':');
  return upper ? text.toUpperCase() : text;
}
