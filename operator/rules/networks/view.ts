import { familyBits } from '../../addressing/address';
import type { Prefix } from '../../addressing/prefix';
import { MOST_SHOWN_ENTRIES } from '../../contract/nephio';
import type { NetworkEntry } from '../../contract/networks/entry';
import { labelsOf, labelsOfFirst, type Labels } from './labels';
import { reservedIn } from './reserved';
import type { Instance } from './types';

// Entries come in address order, the larger block first, so the nearest one around an entry is among those that are open.
function parentAmong(open: NetworkEntry[], block: Prefix): Prefix | undefined {
  while (open.length > 0 && open.at(-1)?.block.containsPrefix(block) !== true) open.pop();
  return open.at(-1)?.block;
}

/**
 * Writes entries as the status of a NetworkInstance shows them. The reserved first address of a subnet is shown too, though no claim
 * holds it.
 *
 * @param entries - in address order
 * @param instance - their NetworkInstance
 * @returns labels by the text of the prefix, of the first 1000
 */
export function viewOf(
  entries: readonly NetworkEntry[],
  instance: Pick<Instance, 'name'>,
): Readonly<Record<string, Labels>> {
  const shown = new Map<string, Labels>();
  const open: NetworkEntry[] = [];
  for (const entry of entries) {
    if (shown.size >= MOST_SHOWN_ENTRIES) break;
    const parent = parentAmong(open, entry.block);
    open.push(entry);
    const isInNetwork = entry.facts?.kind === 'network' && entry.facts.role !== 'subnet';
    shown.set(entry.block.toString(), labelsOf(entry, instance, isInNetwork ? parent : undefined));
    const { first } = entry.facts?.role === 'subnet' ? reservedIn(entry.block) : {};
    if (first === undefined || shown.size >= MOST_SHOWN_ENTRIES) continue;
    // a claim of the address comes next and takes its place
    shown.set(`${first.toString()}/${String(familyBits(first.family))}`, labelsOfFirst(entry, instance));
  }
  return Object.fromEntries(shown);
}
