import { PrefixSetBuilder, type PrefixSet } from '../../addressing/prefix-set';
import type { EntryDraft } from '../../contract/networks/entry';
import type { At } from './types';

/**
 * Tells whether a block holds space of another front door, or an address that the cluster uses without a claim; it is left out of what
 * is given.
 *
 * @param draft - entry of the block
 * @param at - what is known beside the table
 * @param excluded - what the author excludes
 * @returns true where some of it is not the network's to give
 */
export function overlapsOtherDoor(draft: EntryDraft, { context }: At, excluded: PrefixSet): boolean {
  const outside = context.excludedFrom({ ...draft, takenAtMs: 0, version: 0 });
  if (outside.isEmpty) return false;
  const block = new PrefixSetBuilder().add(draft.block).build();
  return outside
    .intersect(block)
    .subtract(excluded)
    .ranges()
    .some(({ first }) => context.usedBy(first) !== undefined);
}
