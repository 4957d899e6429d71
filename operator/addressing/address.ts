import { IpamError, valueOf } from '../errors/ipam-error';
import { accept, type Outcome } from '../errors/outcome';
import { format4, format6, parse4, parse6, parsedWord, type Words } from './address-codec';
import { refuseAddress } from './refused-address';

/** IP version. */
export type Family = 4 | 6;

/**
 * Width of an address.
 *
 * @param family - IP version
 * @returns 32 or 128 bits
 */
export function familyBits(family: Family): 32 | 128 {
  return family === 4 ? 32 : 128;
}

const LAST_WORD = 0xffff_ffff;

/** One IP address as an immutable value; equal values have equal fields, whatever their text was. */
export class Address implements Words {
  readonly family: Family;
  /** Bits 127 to 96 as an unsigned number; 0 for IPv4. */
  readonly w0: number;
  /** Bits 95 to 64 as an unsigned number; 0 for IPv4. */
  readonly w1: number;
  /** Bits 63 to 32 as an unsigned number; 0 for IPv4. */
  readonly w2: number;
  /** Bits 31 to 0 as an unsigned number: all of an IPv4 address. */
  readonly w3: number;

  /**
   * Builds the value; text goes through {@link parseAddress}.
   *
   * @param family - IP version
   * @param words - four unsigned 32-bit numbers; `w0` to `w2` are 0 for IPv4
   */
  constructor(family: Family, words: Words) {
    this.family = family;
    this.w0 = words.w0;
    this.w1 = words.w1;
    this.w2 = words.w2;
    this.w3 = words.w3;
  }

  /**
   * Writes the canonical text.
   *
   * @returns dotted IPv4, or IPv6 after RFC 5952
   */
  toString(): string {
    return this.family === 4 ? format4(this.w3) : format6(this);
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
   * Compares by value; `::ffff:10.0.0.1` and `10.0.0.1` differ, as they do in Go's netip.
   *
   * @param other - another address of any family
   * @returns true when family and value are the same
   */
  equals(other: Address): boolean {
    return this.compareTo(other) === 0;
  }

  /**
   * Orders addresses: IPv4 before IPv6, then by value (10.0.0.9 before 10.0.0.10).
   *
   * @param other - another address of any family
   * @returns negative, 0 or positive
   */
  compareTo(other: Address): number {
    return (
      this.family - other.family || this.w0 - other.w0 || this.w1 - other.w1 || this.w2 - other.w2 || this.w3 - other.w3
    );
  }

  /**
   * Gives the value as one number, for edges that store or count; not for hot paths.
   *
   * @returns 0 to 2^32 - 1, or 0 to 2^128 - 1
   */
  toBigInt(): bigint {
    const high = (BigInt(this.w0) << 32n) | BigInt(this.w1);
    const low = (BigInt(this.w2) << 32n) | BigInt(this.w3);
    return (high << 64n) | low;
  }

  /**
   * Steps up.
   *
   * @returns the address after this one; undefined after the last one of the family
   */
  next(): Address | undefined {
    if (this.w3 !== LAST_WORD)
      return new Address(this.family, { w0: this.w0, w1: this.w1, w2: this.w2, w3: this.w3 + 1 });
    if (this.family === 4) return undefined;
    return this.#step(1, LAST_WORD);
  }

  /**
   * Steps down.
   *
   * @returns the address before this one; undefined before the first one of the family
   */
  previous(): Address | undefined {
    if (this.w3 !== 0) return new Address(this.family, { w0: this.w0, w1: this.w1, w2: this.w2, w3: this.w3 - 1 });
    if (this.family === 4) return undefined;
    return this.#step(-1, 0);
  }

  // IPv6 step by one with carry: `full` is the word that rolls over.
  #step(by: 1 | -1, full: number): Address | undefined {
    const rolled = full === 0 ? LAST_WORD : 0;
    if (this.w2 !== full) return new Address(6, { w0: this.w0, w1: this.w1, w2: this.w2 + by, w3: rolled });
    if (this.w1 !== full) return new Address(6, { w0: this.w0, w1: this.w1 + by, w2: rolled, w3: rolled });
    if (this.w0 !== full) return new Address(6, { w0: this.w0 + by, w1: rolled, w2: rolled, w3: rolled });
    return undefined;
  }
}

/**
 * Reads one IP address, strictly: no zone id, length, blanks, brackets, leading zeros (IPv4), octal, hex or short IPv4
 * forms, since programs read those in different ways and two readings are two owners of one address.
 *
 * @param text - text of an IPv4 or IPv6 address, any spelling that RFC 4291 allows
 * @returns the address, or refusal `address/malformed` with the reason and, where nothing is guessed, a suggestion
 */
export function parseAddress(text: string): Outcome<Address> {
  const word = parse4(text, 0);
  if (word >= 0) return accept(new Address(4, { w0: 0, w1: 0, w2: 0, w3: word }));
  if (!parse6(text)) return refuseAddress(text);
  return accept(new Address(6, { w0: parsedWord(0), w1: parsedWord(1), w2: parsedWord(2), w3: parsedWord(3) }));
}

/**
 * Reads an address that stands in the source code.
 *
 * @param text - any spelling that {@link parseAddress} takes
 * @returns its value
 * @throws {@link IpamError} `address/malformed` (caller bug)
 */
export function addressOf(text: string): Address {
  return valueOf(parseAddress(text));
}

/**
 * Reads an address out of a number, for edges that store or count.
 *
 * @param family - IP version
 * @param value - 0 to 2^32 - 1 for IPv4, 0 to 2^128 - 1 for IPv6
 * @returns its value in the form that everything else takes
 * @throws {@link IpamError} `addressing/out-of-range` outside of that interval (caller bug)
 */
export function addressFromBigInt(family: Family, value: bigint): Address {
  if (value < 0n || value >> BigInt(familyBits(family)) !== 0n) {
    throw new IpamError('addressing/out-of-range', `${value.toString()} is not the value of an IPv${family} address`);
  }
  const word = (shift: bigint): number => Number((value >> shift) & 0xffff_ffffn);
  return new Address(family, { w0: word(96n), w1: word(64n), w2: word(32n), w3: word(0n) });
}

// IPv4 part of {@link unusableReason}.
function unusable4(word: number): string | undefined {
  const first = word >>> 24;
  if (word === 0) return 'unspecified';
  if (first === 0) return 'this-network'; // RFC 1122 section 3.2.1.3: only a source while a host learns its address
  if (first === 127) return 'loopback';
  if (word >>> 16 === 0xa9fe) return 'link-local';
  if (word >>> 28 === 0xe) return 'multicast';
  return word === LAST_WORD ? 'broadcast' : undefined;
}

/**
 * Tells why no Service, Pod or node can be reached under an address (REQ-07).
 *
 * @param address - any address
 * @returns one word such as `loopback`, `multicast` or `IPv4-mapped`; undefined for an address that can be claimed
 */
export function unusableReason(address: Address): string | undefined {
  if (address.family === 4) return unusable4(address.w3);
  if (address.w0 >>> 24 === 0xff) return 'multicast';
  if (address.w0 >>> 22 === 0xfe80 >>> 6) return 'link-local';
  if (address.w0 !== 0 || address.w1 !== 0) return undefined;
  // counts as both families for programs that look at the text, so it would have two owners
  if (address.w2 === 0xffff) return 'IPv4-mapped';
  if (address.w2 !== 0 || address.w3 > 1) return undefined;
  return address.w3 === 0 ? 'unspecified' : 'loopback';
}

/**
 * Tells whether a list has an address, however either is written.
 *
 * @param address - to look for
 * @param list - to look in
 * @returns true when it is there
 * @remarks O(length of the list)
 */
export function isIn(address: Address, list: readonly Address[]): boolean {
  return list.some((each) => each.equals(address));
}

/**
 * Tells whether two lists have the same addresses in the same order, however either is written.
 *
 * @param a - a list
 * @param b - another one
 * @returns false where one has another address at some place
 */
export const sameAddresses = (a: readonly Address[], b: readonly Address[]): boolean =>
  a.length === b.length && a.every((address, index) => b[index]?.equals(address));
