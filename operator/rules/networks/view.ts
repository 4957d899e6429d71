import { familyBits } from '../../addressing/address';
import type { Prefix } from '../../addressing/prefix';
import { MOST_SHOWN_CHARACTERS, MOST_SHOWN_ENTRIES } from '../../contract/nephio';
import type { NetworkEntry } from '../../contract/networks/entry';
import { labelsOf, labelsOfFirst, type Labels } from './labels';
import { reservedIn } from './reserved';
import type { Instance } from './types';

// Entries come in address order, the larger block first, so the nearest one around an entry is among those that are open.
function parentAmong(open: NetworkEntry[], block: Prefix): Prefix | undefined {
  while (open.length > 0 && open.at(-1)?.block.containsPrefix(block) !== true) open.pop();
  return open.at(-1)?.block;
}

/** Entries of a status, as many as it has room for. */
class ShownEntries {
  readonly #labels = new Map<string, Labels>();
  #characters = 0;
  #hasRoom = true;

  isFull(): boolean {
    return !this.#hasRoom || this.#labels.size >= MOST_SHOWN_ENTRIES;
  }

  add(prefix: string, labels: Labels): void {
    const { length } = JSON.stringify([prefix, labels]);
    this.#hasRoom = this.#characters + length <= MOST_SHOWN_CHARACTERS;
    if (!this.#hasRoom) return;
    this.#characters += length;
    this.#labels.set(prefix, labels);
  }

  all(): Readonly<Record<string, Labels>> {
    return Object.fromEntries(this.#labels);
  }
}

/**
 * Writes entries as the status of a NetworkInstance shows them. The reserved first address of a subnet is shown too, though no claim
 * holds it.
 *
 * @param entries - in address order
 * @param instance - their NetworkInstance
 * @returns labels by the text of the prefix, of the first 1000, or of as many as a status has room for
 */
export function viewOf(
  entries: readonly NetworkEntry[],
  instance: Pick<Instance, 'name'>,
): Readonly<Record<string, Labels>> {
  const shown = new ShownEntries();
  const open: NetworkEntry[] = [];
  for (const entry of entries) {
    if (shown.isFull()) break;
    const parent = parentAmong(open, entry.block);
    open.push(entry);
    const isInNetwork = entry.facts?.kind === 'network' && entry.facts.role !== 'subnet';
    shown.add(entry.block.toString(), labelsOf(entry, instance, isInNetwork ? parent : undefined));
    const { first } = entry.facts?.role === 'subnet' ? reservedIn(entry.block) : {};
    if (first === undefined || shown.isFull()) continue;
    // a claim of the address comes next and takes its place
    shown.add(`${first.toString()}/${String(familyBits(first.family))}`, labelsOfFirst(entry, instance));
  }
  return shown.all();
}
