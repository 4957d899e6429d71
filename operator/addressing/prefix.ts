import { IpamError, valueOf } from '../errors/ipam-error';
import { accept, refuse, type Outcome } from '../errors/outcome';
import { Address, addressFromBigInt, familyBits, parseAddress, unusableReason, type Family } from './address';
import type { Words } from './address-codec';
import { quoted } from './refused-address';

const ALL_ONES = 0xffff_ffff;

/** Bits before the IPv4 address in an IPv4-mapped one. */
const MAPPED_LENGTH = 96;

// Mask of the word that begins at bit `start`, for a prefix of `bits` bits.
function maskWord(bits: number, start: number): number {
  const inWord = bits - start;
  if (inWord <= 0) return 0;
  return inWord >= 32 ? ALL_ONES : (ALL_ONES << (32 - inWord)) >>> 0;
}

// IPv4 counts its 32 bits in the last word, so its masks begin 96 bits later.
function masksOf(family: Family, length: number): Words {
  const bits = family === 4 ? length + 96 : length;
  return { w0: maskWord(bits, 0), w1: maskWord(bits, 32), w2: maskWord(bits, 64), w3: maskWord(bits, 96) };
}

function firstOf(address: Address, mask: Words): Address {
  return new Address(address.family, {
    w0: (address.w0 & mask.w0) >>> 0,
    w1: (address.w1 & mask.w1) >>> 0,
    w2: (address.w2 & mask.w2) >>> 0,
    w3: (address.w3 & mask.w3) >>> 0,
  });
}

function lastOf(first: Address, mask: Words): Address {
  return new Address(first.family, {
    w0: (first.w0 | ~mask.w0) >>> 0,
    w1: (first.w1 | ~mask.w1) >>> 0,
    w2: (first.w2 | ~mask.w2) >>> 0,
    w3: (first.w3 | ~mask.w3) >>> 0,
  });
}

/** A CIDR block as an immutable value (RFC 4632 section 3.1); its first address has no host bits. */
export class Prefix {
  readonly family: Family;
  /** Bits that are fixed, 0 to 32 (IPv4) or 128 (IPv6). */
  readonly length: number;
  /** Network address. */
  readonly first: Address;
  /** Highest address of the block. */
  readonly last: Address;

  /**
   * Builds the block of a length that an address lies in; text goes through {@link parsePrefix}.
   *
   * @param member - any address of the block
   * @param length - prefix length in bits, 0 to 32 (IPv4) or 128 (IPv6)
   * @throws {@link IpamError} `addressing/out-of-range` when `length` leaves that interval (caller bug)
   */
  constructor(member: Address, length: number) {
    if (!Number.isInteger(length) || length < 0 || length > familyBits(member.family)) {
      throw new IpamError('addressing/out-of-range', `${String(length)} is not a prefix length of IPv${member.family}`);
    }
    const mask = masksOf(member.family, length);
    this.family = member.family;
    this.length = length;
    this.first = firstOf(member, mask);
    this.last = lastOf(this.first, mask);
  }

  /**
   * Writes CIDR text.
   *
   * @returns canonical network address, slash, length
   */
  toString(): string {
    return `${this.first.toString()}/${String(this.length)}`;
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
   * @param other - another prefix of any family
   * @returns true for the same network address and length
   */
  equals(other: Prefix): boolean {
    return this.length === other.length && this.first.equals(other.first);
  }

  /**
   * Orders prefixes by network address, the larger block first.
   *
   * @param other - another prefix of any family
   * @returns negative, 0 or positive
   */
  compareTo(other: Prefix): number {
    return this.first.compareTo(other.first) || this.length - other.length;
  }

  /**
   * Tells whether an address lies in the block.
   *
   * @param address - an address of any family
   * @returns true when it does
   */
  contains(address: Address): boolean {
    return this.first.compareTo(address) <= 0 && this.last.compareTo(address) >= 0;
  }

  /**
   * Tells whether a block lies in this one, equality included.
   *
   * @param other - a prefix of any family
   * @returns true when all of it does
   */
  containsPrefix(other: Prefix): boolean {
    return this.length <= other.length && this.contains(other.first);
  }

  /**
   * Tells whether two blocks share an address; then one contains the other.
   *
   * @param other - a prefix of any family
   * @returns true when they do
   */
  overlaps(other: Prefix): boolean {
    return this.contains(other.first) || other.contains(this.first);
  }

  /**
   * Addresses in the block, network and broadcast included.
   *
   * @returns 1 to 2^128
   */
  get hostCount(): bigint {
    return 1n << BigInt(familyBits(this.family) - this.length);
  }
}

/** The parts of CIDR text before host bits are looked at. */
interface Cidr {
  readonly address: Address;
  readonly length: number;
}

function malformed(text: string, why: string): Outcome<never> {
  return refuse('prefix/malformed', `${quoted(text)} is not a prefix: ${why}`, { value: text });
}

function whyNoLength(lengthText: string): string {
  if (lengthText === '') return 'the length after the slash is missing';
  if (lengthText.includes('/')) return 'it has more than one slash';
  if (/^[0-9]+$/u.test(lengthText)) return `the length ${quoted(lengthText)} has a leading zero`;
  if (/^[0-9.]+$/u.test(lengthText)) return `the mask ${quoted(lengthText)} must be written as a length in bits`;
  return `the length ${quoted(lengthText)} is not a decimal number`;
}

function parseCidr(text: string): Outcome<Cidr> {
  const slash = text.indexOf('/');
  if (slash < 0) return malformed(text, 'the length is missing, as in "192.0.2.0/24" or "2001:db8::/64"');
  const parsed = parseAddress(text.slice(0, slash));
  if (!parsed.ok) return malformed(text, parsed.refusal.message);
  const lengthText = text.slice(slash + 1);
  if (!/^(?:0|[1-9][0-9]*)$/u.test(lengthText)) return malformed(text, whyNoLength(lengthText));
  const length = Number(lengthText);
  const bits = familyBits(parsed.value.family);
  if (length <= bits) return accept({ address: parsed.value, length });
  return malformed(text, `length ${quoted(lengthText)} is outside 0 to ${String(bits)} for IPv${parsed.value.family}`);
}

// As many addresses as the block has, counted from where the author began; what the text seems to promise (ADDR-05).
function rangeAsWritten(address: Address, network: Prefix): string {
  const end = address.toBigInt() + network.hostCount - 1n;
  const fits = end >> BigInt(familyBits(address.family)) === 0n;
  return `${address.toString()}-${(fits ? addressFromBigInt(address.family, end) : network.last).toString()}`;
}

// The IPv4 block that is meant; undefined for a block that is not IPv4-mapped (RFC 4291, section 2.5.5.2).
function mappedNetwork({ first, length }: Prefix): Prefix | undefined {
  if (length <= MAPPED_LENGTH || unusableReason(first) !== 'IPv4-mapped') return undefined;
  return new Prefix(addressFromBigInt(4, first.toBigInt() & 0xffff_ffffn), length - MAPPED_LENGTH);
}

/**
 * Reads CIDR text, strictly: spelling is free as in {@link parseAddress}, but host bits are refused, not masked away.
 *
 * @param text - network address, slash, length in bits
 * @returns the prefix; refusal `prefix/malformed`, or `prefix/host-bits-set` with the network as suggestion
 */
export function parsePrefix(text: string): Outcome<Prefix> {
  const cidr = parseCidr(text);
  if (!cidr.ok) return cidr;
  const { address, length } = cidr.value;
  const network = new Prefix(address, length);
  if (network.first.equals(address)) return accept(network);
  const mapped = mappedNetwork(network);
  if (mapped !== undefined) {
    const advice = `write "${mapped.toString()}", since nothing is given an IPv4-mapped address`;
    const problem = `${quoted(text)} has bits set after its length of ${String(length)}; ${advice}`;
    return refuse('prefix/host-bits-set', problem, { value: text, suggestion: mapped.toString() });
  }
  const block = `"${network.toString()}" for the block ${network.first.toString()} to ${network.last.toString()}`;
  const message =
    `${quoted(text)} has bits set after its length of ${String(length)}; write ${block}, ` +
    `or "${rangeAsWritten(address, network)}" where a range is allowed`;
  return refuse('prefix/host-bits-set', message, { value: text, suggestion: network.toString() });
}

/**
 * Reads a prefix that stands in the source code.
 *
 * @param text - any spelling that {@link parsePrefix} takes
 * @returns its value
 * @throws {@link IpamError} `prefix/malformed` or `prefix/host-bits-set` (caller bug)
 */
export function prefixOf(text: string): Prefix {
  return valueOf(parsePrefix(text));
}

/**
 * Gives the block of one address.
 *
 * @param address - an address of any family
 * @returns its /32 or /128
 */
export function hostPrefix(address: Address): Prefix {
  return new Prefix(address, familyBits(address.family));
}

/**
 * Reads one address that may carry the length of a single host, as older annotations do.
 *
 * @param text - `10.0.0.5`, `10.0.0.5/32`, `2001:db8::1` or `2001:db8::1/128`
 * @returns the address; refusal `address/malformed`, `prefix/malformed`, or `prefix/not-a-host` for any other length
 */
export function parseHostPrefix(text: string): Outcome<Address> {
  if (!text.includes('/')) return parseAddress(text);
  const cidr = parseCidr(text);
  if (!cidr.ok) return cidr;
  const { address, length } = cidr.value;
  const bits = familyBits(address.family);
  if (length === bits) return accept(address);
  const message = `${quoted(text)} is more than one address; write "${address.toString()}", with or without "/${String(bits)}"`;
  return refuse('prefix/not-a-host', message, { value: text, suggestion: address.toString() });
}

/**
 * Reads the address of an interface with the length of its network, where host bits are wanted (ADDR-05).
 *
 * @param text - for example `10.0.0.5/24`
 * @returns address and network; or refusal `prefix/malformed`
 */
export function parseAddressWithMask(text: string): Outcome<{ address: Address; network: Prefix }> {
  const cidr = parseCidr(text);
  if (!cidr.ok) return cidr;
  const { address, length } = cidr.value;
  return accept({ address, network: new Prefix(address, length) });
}
