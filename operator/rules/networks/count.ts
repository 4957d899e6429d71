import type { Prefix } from '../../addressing/prefix';
import { PrefixSet } from '../../addressing/prefix-set';
import type { NetworkEntry } from '../../contract/networks/entry';
import type { NetworkTable } from '../../contract/networks/table';
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

type Counted = Pick<NetworkTable, 'around' | 'at' | 'eachInside' | 'countInside'>;

/**
 * Counts the addresses of a prefix. An excluded address that is in use counts as used.
 *
 * @param table - of the network
 * @param entry - the prefix or subnet
 * @param context - what is known beside the table
 * @returns exact numbers
 * @remarks O(W) for each range of the excluded space, and what is in use in that; no walk over the other children.
 */
export function countPrefix(
  table: Counted,
  entry: NetworkEntry,
  context: Pick<TableContext, 'excludedFrom'>,
): PrefixCount {
  const { block, facts } = entry;
  const { first, last } = facts?.role === 'subnet' ? reservedIn(block) : {};
  const edges = [first, last].flatMap((edge) => edge ?? []);
  const usable = PrefixSet.of(block).subtract(PrefixSet.of(...edges));
  const space = context.excludedFrom(entry).intersect(usable);
  const used = table.countInside(block);
  const excluded = space.count() - space.prefixes().reduce((sum, each) => sum + usedIn(table, block, each), 0n);
  const rest = usable.count() - excluded - used;
  const free = rest > 0n ? rest : 0n;
  return { total: used + free, used, free, excluded };
}

// A child of the parent may hold all of the part, or lie in it.
function usedIn(table: Counted, parent: Prefix, part: Prefix): bigint {
  const isHeld = table.around(part).some((each) => each.block.length > parent.length);
  if (isHeld || (part.length > parent.length && table.at(part) !== undefined)) return part.hostCount;
  return table.countInside(part);
}
