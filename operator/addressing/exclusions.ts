import { familyBits, type Address } from './address';
import { type Prefix } from './prefix';
import { PrefixSetBuilder, type PrefixSet } from './prefix-set';
import type { Range } from './range';

/** `pool`: addresses are routed to their holder, all can be given. `subnet`: hosts share a link with this prefix. */
export type PrefixKind = 'pool' | 'subnet';

/** Addresses that are in a prefix but belong to somebody already; the ones outside of it change nothing. */
export interface Excluded {
  readonly gateway?: Address;
  /** Addresses of the nodes themselves. */
  readonly nodes?: Iterable<Address>;
  /** What the user listed: single addresses, ranges and prefixes, all as ranges. */
  readonly listed?: Iterable<Range>;
}

/**
 * Gives what of a prefix can be given to hosts at all (ADDR-06).
 *
 * @param prefix - a prefix of any family and length
 * @param kind - whether the prefix is routed as a whole or is the network of one link
 * @returns all of a pool; a subnet without the addresses that the standards keep: network and broadcast of IPv4
 *   (RFC 1122 section 3.2.1.3), the subnet-router anycast address of IPv6 (RFC 4291 section 2.6.1). Links of two
 *   (RFC 3021, RFC 6164) and single addresses keep all of theirs.
 */
export function usableSpace(prefix: Prefix, kind: PrefixKind): PrefixSet {
  const space = new PrefixSetBuilder().add(prefix);
  const hostBits = familyBits(prefix.family) - prefix.length;
  if (kind === 'pool' || hostBits < 2) return space.build();
  space.subtract(prefix.first);
  if (prefix.family === 4) space.subtract(prefix.last);
  return space.build();
}

/**
 * Takes addresses out of a space that are never given.
 *
 * @param space - for example the result of {@link usableSpace}
 * @param excluded - gateway, nodes and the user's list; overlaps between them are fine
 * @returns what remains
 * @remarks O(n log n) in the number of entries, whatever their size.
 */
export function withoutExcluded(space: PrefixSet, excluded: Excluded): PrefixSet {
  const rest = new PrefixSetBuilder().add(space);
  if (excluded.gateway !== undefined) rest.subtract(excluded.gateway);
  for (const node of excluded.nodes ?? []) rest.subtract(node);
  for (const range of excluded.listed ?? []) rest.subtract(range);
  return rest.build();
}
