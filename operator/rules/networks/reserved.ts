import { familyBits, type Address } from '../../addressing/address';
import type { Prefix } from '../../addressing/prefix';

/** Addresses of a subnet that nothing is given. */
interface Reserved {
  readonly first?: Address;
  readonly last?: Address;
}

/**
 * Finds the addresses of a subnet that hosts cannot have: the first and the last one of IPv4, the first one of IPv6. Links of two
 * addresses have none.
 *
 * @param subnet - of any family
 * @returns the addresses
 */
export function reservedIn(subnet: Prefix): Reserved {
  const { family, first, last, length } = subnet;
  if (familyBits(family) - length < 2) return {};
  return family === 4 ? { first, last } : { first };
}

/**
 * Tells whether the text of a network prefix names its subnet alone, such as 10.0.1.0/24.
 *
 * @param subnet - block of the text
 * @param address - address before the slash
 * @returns true where the address is the reserved first one
 */
export function isPrefixForm(subnet: Prefix, address: Address): boolean {
  return reservedIn(subnet).first?.equals(address) === true;
}
