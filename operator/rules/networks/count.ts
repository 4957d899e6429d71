import { PrefixSetBuilder } from '../../addressing/prefix-set';
import type { NetworkEntry } from '../../contract/networks/entry';
import { reservedIn } from './reserved';
import type { TableContext } from './types';

/** Addresses of a prefix, each counted once. */
export interface PrefixCount {
  /** Used and free ones. */
  readonly total: bigint;
  readonly used: bigint;
  readonly free: bigint;
  readonly excluded: bigint;
}

/** Addresses in use inside of a prefix, and those of them that are excluded by now. */
interface Used {
  readonly all: bigint;
  readonly excluded: bigint;
}

/**
 * Counts the addresses of a prefix. An excluded address that is in use counts as used.
 *
 * @param entry - the prefix or subnet
 * @param used - addresses in use inside of it; a number where none of them is excluded
 * @param context - what is known beside the table
 * @returns exact numbers
 */
export function countPrefix(
  entry: NetworkEntry,
  used: bigint | Used,
  context: Pick<TableContext, 'excludedFrom'>,
): PrefixCount {
  const space = new PrefixSetBuilder().add(entry.block);
  const { first, last } = entry.facts?.role === 'subnet' ? reservedIn(entry.block) : {};
  for (const edge of [first, last]) if (edge !== undefined) space.subtract(edge);
  const usable = space.build();
  const { all, excluded: usedExcluded } = typeof used === 'bigint' ? { all: used, excluded: 0n } : used;
  const excluded = usable.intersect(context.excludedFrom(entry)).count() - usedExcluded;
  const rest = usable.count() - excluded - all;
  const free = rest > 0n ? rest : 0n;
  return { total: all + free, used: all, free, excluded };
}
