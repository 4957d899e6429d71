import type { Address } from '../addressing/address';
import { parseAddress } from '../addressing/address';
import { parsePrefix, type Prefix } from '../addressing/prefix';
import { isExclusionText, parseSegment } from './group-space';

/**
 * Reads the CIDR text of an EgressIPAM.
 *
 * @param text - IPv4 or IPv6
 * @returns the prefix; undefined where it is none, has bits set after its length, or holds IPv4 addresses inside of IPv6
 */
export function poolOf(text: string): Prefix | undefined {
  const parsed = parsePrefix(text);
  return parsed.ok && parseSegment(text).ok ? parsed.value : undefined;
}

/**
 * Reads one address of an EgressIPAM.
 *
 * @param text - IPv4 or IPv6
 * @returns the address; undefined where it is none, or IPv4 inside of IPv6
 */
export function reservedOf(text: string): Address | undefined {
  const parsed = parseAddress(text);
  return parsed.ok && isExclusionText(text) ? parsed.value : undefined;
}
