import { familyBits, type Address } from './address';
import { Prefix } from './prefix';

/** An address, or the prefix of a length that begins there. */
interface Space {
  readonly address: Address;
  readonly length?: number;
}

/**
 * Writes a space as people write it.
 *
 * @param space - an address, or the prefix that begins there
 * @returns canonical text: an address without length, else CIDR
 */
export function spaceText({ address, length }: Space): string {
  const text = address.toString();
  return length === undefined || length === familyBits(address.family) ? text : `${text}/${String(length)}`;
}

/**
 * Turns a space into a block.
 *
 * @param space - an address, or the prefix that begins there
 * @returns the prefix, of one address where there is no length
 */
export function blockOf({ address, length = familyBits(address.family) }: Space): Prefix {
  return new Prefix(address, length);
}
