import type { EntryFacts, NetworkEntry } from '../../contract/networks/entry';
import type { At, DeclaredRange } from './types';

/** Entry of which a range must be a part. */
type Declared = Pick<DeclaredRange, 'kind' | 'networkName'>;

/**
 * Tells whether an entry is what a range is declared as a part of.
 *
 * @param entry - at the block of the range; undefined where there is none
 * @param range - kind and network name of its IPPrefix
 * @returns false where the IPPrefix is refused for it
 */
export function isDeclaredAs(entry: Pick<NetworkEntry, 'facts'> | undefined, { kind, networkName }: Declared): boolean {
  const facts: Partial<EntryFacts> = entry?.facts ?? {};
  const role = kind === 'network' ? 'subnet' : 'prefix';
  return facts.role === role && facts.kind === kind && (facts.networkName ?? '') === networkName;
}

/**
 * Finds the older range that a range overlaps.
 *
 * @param all - ranges of one block, the oldest first
 * @param range - one of them, or one that is not among them yet
 * @returns the other one, for which the IPPrefix of this one is refused; undefined where there is none
 */
export function olderOverlap(
  all: readonly DeclaredRange[],
  range: Pick<DeclaredRange, 'name' | 'range'>,
): DeclaredRange | undefined {
  const own = all.findIndex(({ name }) => name === range.name);
  const older = own < 0 ? all : all.slice(0, own);
  return older.find((each) => each.range.overlaps(range.range));
}

/**
 * Lists the ranges of an entry that are not refused.
 *
 * @param at - what is known beside the table
 * @param parent - the entry
 * @returns the oldest first
 */
export function rangesIn({ context }: Pick<At, 'context'>, parent: NetworkEntry): readonly DeclaredRange[] {
  const all = context.rangesOf(parent.block);
  return all.filter((each) => isDeclaredAs(parent, each) && olderOverlap(all, each) === undefined);
}
