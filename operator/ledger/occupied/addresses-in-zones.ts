import { addressFromBigInt, familyBits, type Address } from '../../addressing/address';
import type { Prefix } from '../../addressing/prefix';
import { PrefixSet } from '../../addressing/prefix-set';
import type { ZoneCatalogue } from '../../contract/zones';

/** Most addresses of one prefix that are put on record one by one. */
const MAX_IN_BLOCK = 4096;

/**
 * Finds the part of a shown block that zones have.
 *
 * @param catalogue - the zones, of any network
 * @param block - one address, or a prefix
 * @returns the part
 */
export function spaceInZones({ zones }: ZoneCatalogue, block: Prefix): PrefixSet {
  const spaces = zones.filter(({ prefixes }) => prefixes.some((prefix) => prefix.overlaps(block)));
  return PrefixSet.of(...spaces.map(({ space }) => space)).intersect(PrefixSet.of(block));
}

/**
 * Tells whether the addresses of a prefix in zones are put on record one by one.
 *
 * @param inZones - its part that zones have
 * @returns false for more than `MAX_IN_BLOCK`
 */
export const isListed = (inZones: PrefixSet): boolean => inZones.count() <= BigInt(MAX_IN_BLOCK);

/**
 * Lists the addresses of a shown block that a record of single addresses takes.
 *
 * @param catalogue - the zones, of any network
 * @param block - one address, or a prefix
 * @returns the address; of a prefix what lies in zones, and nothing where that is more than `MAX_IN_BLOCK`
 */
export function addressesInZones(catalogue: ZoneCatalogue, block: Prefix): readonly Address[] {
  if (block.length === familyBits(block.family)) return [block.first];
  const inZones = spaceInZones(catalogue, block);
  if (!isListed(inZones)) return [];
  return inZones.ranges().flatMap(({ first, family, count }) => {
    const start = first.toBigInt();
    return Array.from({ length: Number(count) }, (_, at) => addressFromBigInt(family, start + BigInt(at)));
  });
}
