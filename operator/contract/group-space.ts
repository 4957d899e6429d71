import { parseAddress, type Address } from '../addressing/address';
import { parseAddressWithMask, type Prefix } from '../addressing/prefix';
import { parseRange, rangeOf, rangeOfPrefix, type Range } from '../addressing/range';
import { accept, refuse, type Outcome } from '../errors/outcome';

// Counts as two families for programs that look at the text; the API server knows no such addresses.
const isMapped = ({ family, w0, w1, w2 }: Address): boolean => family === 6 && w0 === 0 && w1 === 0 && w2 === 0xffff;

/**
 * Reads a segment. Bits after the prefix length are passed over, as the older operator did.
 *
 * @param text - CIDR text such as `1.1.1.5/29`, which is all of `1.1.1.0/29`
 * @returns the whole prefix; or a refusal of `parseAddressWithMask`
 */
export function parseSegment(text: string): Outcome<Prefix> {
  const parsed = parseAddressWithMask(text);
  if (!parsed.ok) return parsed;
  if (!isMapped(parsed.value.address)) return accept(parsed.value.network);
  return refuse('prefix/malformed', `"${text}" holds IPv4 addresses inside of IPv6; write the IPv4 prefix`, {
    value: text,
  });
}

/**
 * Reads an exclusion.
 *
 * @param text - one address, a range `a-b`, or CIDR text, of which bits after the prefix length are passed over
 * @returns the range that it covers; or a refusal of {@link parseAddress}, `parseRange` or {@link parseSegment}
 */
export function parseExclusion(text: string): Outcome<Range> {
  if (text.includes('-')) return parseRange(text);
  if (text.includes('/')) {
    const segment = parseSegment(text);
    return segment.ok ? accept(rangeOfPrefix(segment.value)) : segment;
  }
  const address = parseAddress(text);
  return address.ok ? accept(rangeOf(address.value, address.value)) : address;
}

/** Requirement of one exclusion in CEL, as {@link isExclusionText} judges it. */
export const EXCLUSION_RULE = {
  rule:
    "(!self.contains('-') && (isIP(self) || isCIDR(self))) || " +
    "(size(self.split('-')) == 2 && isIP(self.split('-')[0]) && isIP(self.split('-')[1]) && ip(self.split('-')[0]).family() == ip(self.split('-')[1]).family())",
  message: 'must be an address, a range such as 1.1.1.1-1.1.1.9, or a prefix in CIDR notation',
} as const;

/**
 * Judges an exclusion as the API server does, which cannot tell the order of two addresses.
 *
 * @param text - the entry
 * @returns true for an address, two addresses of one family with a dash between them, or CIDR text
 */
export function isExclusionText(text: string): boolean {
  const ends = text.split('-');
  if (ends.length > 2) return false;
  if (ends.length === 1 && text.includes('/')) return parseSegment(text).ok;
  const parsed = ends.map((end) => parseAddress(end));
  const families = parsed.map((each) => (each.ok && !isMapped(each.value) ? each.value.family : undefined));
  return families.every((family) => family !== undefined && family === families[0]);
}

/**
 * Lists the items of a list that are not as they must be.
 *
 * @param path - of the list
 * @param list - none for an absent one
 * @param isRight - tells whether an item is as it must be
 * @returns the path of each that is not
 */
export function wrongItems(
  path: string,
  list: readonly string[] | undefined,
  isRight: (text: string) => boolean,
): readonly string[] {
  return (list ?? []).flatMap((entry, index) => (isRight(entry) ? [] : [`${path}[${String(index)}]`]));
}
