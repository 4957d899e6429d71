import { IpamError } from '../errors/ipam-error';
import { accept, refuse, type Outcome } from '../errors/outcome';
import { familyBits, parseAddress, type Address, type Family } from './address';
import { parsePrefix, Prefix } from './prefix';
import { quoted } from './refused-address';

/** An inclusive range of addresses as an immutable value. */
export class Range {
  readonly family: Family;
  readonly first: Address;
  readonly last: Address;

  /**
   * Builds the range; text goes through {@link parseRange}.
   *
   * @param first - lowest address
   * @param last - highest address, of the same family and not below `first`
   * @throws {@link IpamError} `addressing/out-of-range` when the two make no range (caller bug)
   */
  constructor(first: Address, last: Address) {
    if (first.family !== last.family || first.compareTo(last) > 0) {
      throw new IpamError('addressing/out-of-range', `${first.toString()} to ${last.toString()} is not a range`);
    }
    this.family = first.family;
    this.first = first;
    this.last = last;
  }

  /**
   * Writes the range.
   *
   * @returns `first-last`, or one address
   */
  toString(): string {
    const first = this.first.toString();
    return this.first.equals(this.last) ? first : `${first}-${this.last.toString()}`;
  }

  /**
   * Keeps canonical text in logs and JSON bodies.
   *
   * @returns the same as {@link toString}
   */
  toJSON(): string {
    return this.toString();
  }

  /**
   * Compares by value.
   *
   * @param other - another range of any family
   * @returns true when both ends are the same
   */
  equals(other: Range): boolean {
    return this.first.equals(other.first) && this.last.equals(other.last);
  }

  /**
   * Tells whether an address lies in the range.
   *
   * @param address - an address of any family
   * @returns true when it does
   */
  contains(address: Address): boolean {
    return this.first.compareTo(address) <= 0 && this.last.compareTo(address) >= 0;
  }

  /**
   * Tells whether two ranges share an address.
   *
   * @param other - a range or prefix of any family
   * @returns true when they do
   */
  overlaps(other: Range | Prefix): boolean {
    return this.first.compareTo(other.last) <= 0 && this.last.compareTo(other.first) >= 0;
  }

  /**
   * Addresses in the range.
   *
   * @returns 1 to 2^128
   */
  get count(): bigint {
    return this.last.toBigInt() - this.first.toBigInt() + 1n;
  }
}

/**
 * Builds a range from its ends.
 *
 * @param first - lowest address
 * @param last - highest address, of the same family and not below `first`
 * @returns both ends and everything between
 * @throws {@link IpamError} `addressing/out-of-range` when the two make no range (caller bug)
 */
export function rangeOf(first: Address, last: Address): Range {
  return new Range(first, last);
}

/**
 * Gives the range that a prefix covers.
 *
 * @param prefix - a prefix of any family
 * @returns network address to highest address
 */
export function rangeOfPrefix(prefix: Prefix): Range {
  return new Range(prefix.first, prefix.last);
}

/**
 * Reads a range; only blanks around the dash are allowed beside the two full addresses (ADDR-08).
 *
 * @param text - for example `192.0.2.10-192.0.2.20`
 * @returns the range; refusal `range/malformed`, `range/mixed-families`, or `range/reversed` with the swapped text
 */
export function parseRange(text: string): Outcome<Range> {
  const dash = text.indexOf('-');
  if (dash < 0 || dash !== text.lastIndexOf('-')) {
    return malformed(text, 'two addresses with one dash between them are due');
  }
  const [end, start] = blanksAround(text, dash);
  const first = parseAddress(text.slice(0, end));
  if (!first.ok) return malformed(text, first.refusal.message);
  const last = parseAddress(text.slice(start));
  if (!last.ok) return malformed(text, last.refusal.message);
  return checkedRange(text, first.value, last.value);
}

// Where the text before the dash ends and the text after it starts; a regular expression took quadratic time here.
function blanksAround(text: string, dash: number): readonly [number, number] {
  const isBlank = (index: number): boolean => text[index] === ' ' || text[index] === '\t';
  let end = dash;
  while (isBlank(end - 1)) end--;
  let start = dash + 1;
  while (isBlank(start)) start++;
  return [end, start];
}

function malformed(text: string, why: string): Outcome<never> {
  return refuse('range/malformed', `${quoted(text)} is not a range: ${why}`, { value: text });
}

function checkedRange(text: string, first: Address, last: Address): Outcome<Range> {
  if (first.family !== last.family) {
    const message = `${quoted(text)} mixes IPv${first.family} and IPv${last.family}; both ends of a range have one family`;
    return refuse('range/mixed-families', message, { value: text });
  }
  if (first.compareTo(last) > 0) {
    const suggestion = new Range(last, first).toString();
    const message = `${quoted(text)} ends before it starts; write "${suggestion}"`;
    return refuse('range/reversed', message, { value: text, suggestion });
  }
  return accept(new Range(first, last));
}

/**
 * Reads an entry of a list of excluded addresses.
 *
 * @param text - one address, a range, or CIDR text without host bits
 * @returns the range that it covers; or a refusal of {@link parseAddress}, {@link parseRange} or `parsePrefix`
 */
export function parseBlock(text: string): Outcome<Range> {
  if (text.includes('-')) return parseRange(text);
  if (text.includes('/')) {
    const prefix = parsePrefix(text);
    return prefix.ok ? accept(rangeOfPrefix(prefix.value)) : prefix;
  }
  const address = parseAddress(text);
  return address.ok ? accept(new Range(address.value, address.value)) : address;
}

// The block of a length that starts at `first` and ends inside `range`; undefined where there is none.
function blockInside(range: Range, first: Address, length: number): Prefix | undefined {
  if (length < 0) return undefined;
  const block = new Prefix(first, length);
  return block.first.equals(first) && block.last.compareTo(range.last) <= 0 ? block : undefined;
}

function largestBlock(range: Range, first: Address, guess: number): Prefix {
  let length = guess;
  let block = blockInside(range, first, length);
  while (block === undefined) block = blockInside(range, first, ++length);
  let wider = blockInside(range, first, block.length - 1);
  while (wider !== undefined) {
    block = wider;
    wider = blockInside(range, first, block.length - 1);
  }
  return block;
}

/**
 * Covers a range with the fewest prefixes.
 *
 * @param range - a range of any family
 * @returns disjoint prefixes in order, at most 62 (IPv4) or 254 (IPv6)
 * @remarks Time grows with the address width, not with the number of addresses.
 */
export function rangeToPrefixes(range: Range): readonly Prefix[] {
  const cover: Prefix[] = [];
  let from: Address | undefined = range.first;
  // the blocks of a cover grow, then shrink, so each search starts at the length of the block before
  let length: number = familyBits(range.family);
  while (from !== undefined && from.compareTo(range.last) <= 0) {
    const block = largestBlock(range, from, length);
    length = block.length;
    cover.push(block);
    from = block.last.next();
  }
  return cover;
}
