import type { PrefixSet } from '../../addressing/prefix-set';
import type { EntryDraft } from '../../contract/networks/entry';
import type { At } from './types';

/** Most names in one message. */
const MOST_NAMED = 5;

/**
 * Lists what has a part of a block beside the table: pools of other front doors, and objects with an address. It is left out of what is
 * given.
 *
 * @param draft - entry of the block
 * @param at - what is known beside the table
 * @param excluded - what the author excludes
 * @returns each in words; of very many the first ones
 */
export function othersIn(draft: EntryDraft, { context }: At, excluded: PrefixSet): readonly string[] {
  const outside = context.excludedFrom({ ...draft, takenAtMs: 0, version: 0 });
  const names = new Set<string>();
  for (const { first } of outside.subtract(excluded).ranges()) {
    const name = context.usedBy(first);
    if (name !== undefined) names.add(name);
    if (names.size === MOST_NAMED) break;
  }
  return [...names];
}
