import { Address, familyBits, type Family } from './address';

/** An address or network address as bits: one word for IPv4, four for IPv6, most significant first. */
export type BitKey = Uint32Array;

/**
 * Makes an empty key.
 *
 * @param family - decides the width
 * @returns one word (IPv4) or four (IPv6), all zero
 */
export function newKey(family: Family): BitKey {
  return new Uint32Array(familyBits(family) / 32);
}

/**
 * Copies an address into a key.
 *
 * @param key - key of the address's family; overwritten
 * @param address - copied value
 */
export function loadKey(key: BitKey, address: Address): void {
  key[key.length - 1] = address.w3;
  if (key.length === 1) return;
  key[0] = address.w0;
  key[1] = address.w1;
  key[2] = address.w2;
}

/**
 * Turns a key back into a value.
 *
 * @param key - one word (IPv4) or four (IPv6)
 * @returns a new value
 */
export function addressOfKey(key: BitKey): Address {
  // not by destructuring, which would go through an iterator
  const w0 = key[0] ?? 0;
  if (key.length === 1) return new Address(4, { w0: 0, w1: 0, w2: 0, w3: w0 });
  return new Address(6, { w0, w1: key[1] ?? 0, w2: key[2] ?? 0, w3: key[3] ?? 0 });
}

/**
 * Reads one bit.
 *
 * @param key - one word (IPv4) or four (IPv6)
 * @param position - 0 is the most significant bit
 * @returns 0 or 1
 */
export function bitAt(key: BitKey, position: number): number {
  return ((key[position >>> 5] ?? 0) >>> (31 - (position & 31))) & 1;
}

/**
 * Marks an interval of bits of one word.
 *
 * @param from - first position, 0 is the most significant bit; may lie before or behind the word
 * @param to - position after the last one; may lie before or behind the word
 * @returns the word with the positions of `[from, to)` set, as a signed number
 */
export function spanMask(from: number, to: number): number {
  const low = from > 0 ? from : 0;
  const high = to < 32 ? to : 32;
  return low < high ? (0xffff_ffff >>> low) & (-1 << (32 - high)) : 0;
}

/**
 * Marks the leading bits of one word.
 *
 * @param bits - how many; below 0 counts as 0, above 32 as 32
 * @returns the word with those bits set, as a signed number
 */
export function headMask(bits: number): number {
  if (bits <= 0) return 0;
  return bits < 32 ? -1 << (32 - bits) : -1;
}

/**
 * Finds how many leading bits two addresses share.
 *
 * @param a - an address
 * @param b - an address of the same family
 * @returns 0 to 32 (IPv4) or 128 (IPv6)
 */
export function sharedBits(a: Address, b: Address): number {
  if (a.family === 4) return Math.clz32(a.w3 ^ b.w3);
  let shared = 0;
  for (const difference of [a.w0 ^ b.w0, a.w1 ^ b.w1, a.w2 ^ b.w2, a.w3 ^ b.w3]) {
    shared += Math.clz32(difference);
    if (difference !== 0) break;
  }
  return shared;
}

/**
 * Keeps the leading bits of a key.
 *
 * @param key - one word (IPv4) or four (IPv6)
 * @param length - how many bits to keep
 * @returns a copy with zeros behind them
 */
function headOf(key: BitKey, length: number): BitKey {
  return key.map((word, index) => word & headMask(length - 32 * index));
}

/**
 * Turns the last bit of a block's network address: the other half of the next larger block.
 *
 * @param key - any address of the block
 * @param length - the block's prefix length, 1 to the width of the key
 * @returns network address of the other half
 */
function siblingOf(key: BitKey, length: number): BitKey {
  const sibling = headOf(key, length);
  const bit = length - 1;
  sibling[bit >>> 5] = (sibling[bit >>> 5] ?? 0) ^ (0x8000_0000 >>> (bit & 31));
  return sibling;
}

/**
 * Moves a key behind its block.
 *
 * @param key - any address of the block; then the first one behind it, or the last one of the block where none is behind it
 * @param length - prefix length of the block
 * @returns false when the block ends with the last address there is
 */
export function moveBehind(key: BitKey, length: number): boolean {
  let isLast = true;
  for (let word = 0; word < key.length; word++) {
    key[word] = (key[word] ?? 0) | ~headMask(length - 32 * word);
    isLast &&= key[word] === 0xffff_ffff;
  }
  if (isLast) return false;
  for (let word = key.length - 1; word >= 0; word--) {
    key[word] = (key[word] ?? 0) + 1;
    if (key[word] !== 0) break;
  }
  return true;
}

/** An interval of blocks of one length. */
export interface KeyInterval {
  readonly first: BitKey;
  /** Not below `first`. */
  readonly last: BitKey;
  /** Length of the blocks; bits behind it are ignored. */
  readonly bits: number;
}

/**
 * Covers an interval with the fewest aligned blocks.
 *
 * @param interval - both ends, and the length of what lies between them
 * @param visit - gets each block's network address and length; the blocks are disjoint and in no order
 * @remarks At most 2 W calls, W = 32 or 128, whatever the size of the interval.
 */
export function coverInterval(interval: KeyInterval, visit: (key: BitKey, length: number) => void): void {
  const { first, last, bits } = interval;
  let fork = 0;
  while (fork < bits && bitAt(first, fork) === bitAt(last, fork)) fork++;
  // length of the largest block that starts at `first`, and of the one that ends at `last`, inside the common block
  let low = bits;
  while (low > fork && bitAt(first, low - 1) === 0) low--;
  let high = bits;
  while (high > fork && bitAt(last, high - 1) === 1) high--;
  // |---------------------| the common block itself
  if (low === fork && high === fork) {
    visit(headOf(first, fork), fork);
    return;
  }
  // the two ends part at bit `fork`; each side is the block at its end and those between it and the middle
  //   |------- left half -------|------- right half ------|
  //        first |-|---|--------|---------|----|-| last
  const coverSide = (end: BitKey, length: number): void => {
    visit(headOf(end, length), length);
    const inner = end === first ? 0 : 1;
    for (let bit = fork + 1; bit < length; bit++)
      if (bitAt(end, bit) === inner) visit(siblingOf(end, bit + 1), bit + 1);
  };
  coverSide(first, Math.max(low, fork + 1));
  coverSide(last, Math.max(high, fork + 1));
}
