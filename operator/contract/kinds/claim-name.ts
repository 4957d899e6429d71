import { familyBits, type Address } from '../../addressing/address';
import type { Prefix } from '../../addressing/prefix';
import { MAX_ADDRESS_LENGTH, MAX_NAME_LENGTH } from '../vocabulary';

/** Most characters of a network: what is left of an object's name beside `.<IPv6 address>-<length>`. */
export const MAX_NETWORK_LENGTH = MAX_NAME_LENGTH - MAX_ADDRESS_LENGTH - '.'.length - '-128'.length;

/** Space that the name of a claim names. */
interface ClaimedSpace {
  readonly network: string;
  /** A single address is a prefix of 32 (IPv4) or 128 (IPv6) bits. */
  readonly prefix: Prefix;
}

// Eight groups of four digits with dots, since an object's name holds no colon.
function expanded(address: Address): string {
  const digits = address.toBigInt().toString(16).padStart(32, '0');
  return Array.from({ length: 8 }, (_, i) => digits.slice(4 * i, 4 * i + 4)).join('.');
}

/**
 * Names the claim of a prefix. Equal prefixes of one network have equal names, whichever object asks, and different ones
 * have different names, so that the API server itself refuses the second claim.
 *
 * @param space - network and prefix
 * @returns `<network>.<address>[-<length>]`, the length only for more than one address, IPv6 in full with dots
 */
export function claimName({ network, prefix }: ClaimedSpace): string {
  const address = prefix.family === 4 ? prefix.first.toString() : expanded(prefix.first);
  const suffix = prefix.length === familyBits(prefix.family) ? '' : `-${prefix.length}`;
  return `${network}.${address}${suffix}`;
}
