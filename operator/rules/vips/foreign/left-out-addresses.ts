import { addressFromBigInt, familyBits } from '../../../addressing/address';
import { PrefixSetBuilder, type PrefixSet } from '../../../addressing/prefix-set';
import { parseSegment } from '../../../contract/group-space';

/** Most networks of 256 addresses of which the ends are listed: an IPGroup has at most 1024 exclusions. */
const MOST_NETWORKS = 1_000n;
const NETWORK = 256n;

/**
 * Finds the IPv4 addresses that end in .0 or .255, which some routers take for those of a network.
 *
 * @param space - of a pool
 * @returns the addresses; undefined where there are more than an IPGroup can exclude
 */
export function buggyAddresses(space: PrefixSet): PrefixSet | undefined {
  const ranges = space
    .ranges(4)
    .map(({ first, last }) => [first.toBigInt() / NETWORK, last.toBigInt() / NETWORK] as const);
  const networks = ranges.reduce((sum, [first, last]) => sum + last - first + 1n, 0n);
  if (networks > MOST_NETWORKS) return undefined;
  const ends = new PrefixSetBuilder();
  for (const [first, last] of ranges) {
    for (let network = first; network <= last; network++) {
      ends.add(addressFromBigInt(4, network * NETWORK));
      ends.add(addressFromBigInt(4, network * NETWORK + NETWORK - 1n));
    }
  }
  return ends.build().intersect(space);
}

/**
 * Finds the first and the last address of each prefix; prefixes of one or two addresses have none to spare.
 *
 * @param texts - blocks; what is no prefix is passed over
 * @returns the addresses
 */
export function endsOfPrefixes(texts: readonly string[]): PrefixSet {
  const ends = new PrefixSetBuilder();
  for (const text of texts) {
    const parsed = parseSegment(text.trim());
    if (!parsed.ok || familyBits(parsed.value.family) - parsed.value.length < 2) continue;
    ends.add(parsed.value.first).add(parsed.value.last);
  }
  return ends.build();
}
