import type { Address } from '../../addressing/address';
import { NestedSpace, type FitSearch } from '../../addressing/nested-space';
import type { Prefix } from '../../addressing/prefix';
import type { Range } from '../../addressing/range';
import type { EntryDraft, NetworkEntry, PrefixKind } from '../../contract/networks/entry';
import type { EntryOwnerQuery, NetworkTable, TableVerdict } from '../../contract/networks/table';
import { isSameOwner } from './owners';

const inOrder = (a: NetworkEntry, b: NetworkEntry): number => a.block.compareTo(b.block);

/**
 * The table of a network that nothing stores: plans are checked by it before anything is made.
 *
 * @remarks Look-ups by name or owner walk all entries; for plans of some thousand entries. Holds memory only; nothing to close.
 */
export class PlannedTable implements NetworkTable {
  nowMs = 0;
  readonly #space = new NestedSpace<NetworkEntry>();
  readonly #all = new Map<string, NetworkEntry>();
  #version = 0;

  /**
   * Lists everything.
   *
   * @returns entries in address order, IPv4 first
   */
  entries(): readonly NetworkEntry[] {
    return [...this.#all.values()].sort(inOrder);
  }

  /**
   * Stores an entry.
   *
   * @param draft - as a decision writes it; without facts, an entry that was declared by hand
   */
  put(draft: EntryDraft | Omit<NetworkEntry, 'takenAtMs' | 'version'>): void {
    const name = draft.block.toString();
    const takenAtMs = this.#all.get(name)?.takenAtMs ?? this.nowMs;
    const entry: NetworkEntry = { ...draft, takenAtMs, version: ++this.#version };
    this.#all.set(name, entry);
    this.#space.insert(draft.block, entry);
  }

  /**
   * Takes an entry away.
   *
   * @param block - its block
   */
  remove(block: Prefix): void {
    this.#all.delete(block.toString());
    this.#space.remove(block);
  }

  /**
   * Carries a verdict out.
   *
   * @param verdict - of a decision over this table
   * @returns the same verdict
   */
  apply<V>(verdict: TableVerdict<V>): TableVerdict<V> {
    if (verdict.as !== 'change') return verdict;
    for (const block of verdict.remove) this.remove(block);
    for (const draft of verdict.put) this.put(draft);
    return verdict;
  }

  /**
   * Looks an entry up by its block.
   *
   * @param block - the block, stored or not
   * @returns as the table of a store does
   */
  at(block: Prefix): NetworkEntry | undefined {
    return this.#space.get(block);
  }

  /**
   * Lists strictly larger entries around a block, the largest first.
   *
   * @param block - the block, stored or not
   * @returns as the table of a store does
   */
  around(block: Prefix): readonly NetworkEntry[] {
    return this.#space.around(block);
  }

  /**
   * Visits direct children, the lowest first.
   *
   * @param block - the block, stored or not
   * @param visit - gets each entry; false ends all
   */
  eachInside(block: Prefix, visit: (entry: NetworkEntry) => boolean): void {
    this.#space.eachInside(block, visit);
  }

  /**
   * Counts the addresses of direct children.
   *
   * @param block - the block, stored or not
   * @returns as the table of a store does
   */
  countInside(block: Prefix): bigint {
    return this.#space.countInside(block);
  }

  /**
   * Lists what an owner holds or uses.
   *
   * @param owner - an object that holds or uses entries
   * @returns as the table of a store does
   */
  ofOwner(owner: EntryOwnerQuery): readonly NetworkEntry[] {
    return this.#where(({ owner: holder, user }) => isSameOwner(holder, owner) || isSameOwner(user, owner));
  }

  /**
   * Looks an entry up by its idempotency key.
   *
   * @param key - as the caller made it
   * @returns as the table of a store does
   */
  ofKey(key: string): NetworkEntry | undefined {
    return this.#where((entry) => entry.key === key)[0];
  }

  /**
   * Lists subnets, the lowest first.
   *
   * @param networkName - of one network; all without it
   * @returns as the table of a store does
   */
  subnets(networkName?: string): readonly NetworkEntry[] {
    return this.#where(
      ({ facts }) => facts?.role === 'subnet' && (networkName === undefined || facts.networkName === networkName),
    );
  }

  /**
   * Lists recorded hosts of a subnet, the lowest first.
   *
   * @param subnet - block of the subnet
   * @returns as the table of a store does
   */
  hosts(subnet: Prefix): readonly NetworkEntry[] {
    const parent = subnet.toString();
    return this.#where(({ facts }) => facts?.role === 'host' && facts.parent === parent);
  }

  /**
   * Lists declared prefixes of a kind, the lowest first.
   *
   * @param kind - of the entries
   * @returns as the table of a store does
   */
  prefixes(kind: Exclude<PrefixKind, 'network'>): readonly NetworkEntry[] {
    return this.#where(({ facts }) => facts?.role === 'prefix' && facts.kind === kind);
  }

  /**
   * Lists prefixes that were given out, the lowest first.
   *
   * @param kind - of the entries
   * @returns as the table of a store does
   */
  carved(kind: 'pool' | 'loopback'): readonly NetworkEntry[] {
    return this.#where(
      ({ facts, block }) => facts?.role === 'allocation' && facts.kind === kind && block.hostCount > 1n,
    );
  }

  /**
   * Finds the best fitting free block.
   *
   * @param parent - the block that it is to be found in
   * @param search - what is looked for
   * @returns as the table of a store does
   */
  bestFit(parent: Prefix, search: FitSearch): Prefix | undefined {
    return this.#space.bestFit(parent, search);
  }

  /**
   * Finds the lowest free address of a range.
   *
   * @param parent - the block that it is to be found in
   * @param range - inside of the parent
   * @param search - what is looked for
   * @returns as the table of a store does
   */
  lowestFree(parent: Prefix, range: Range, search: FitSearch): Address | undefined {
    return this.#space.lowestFree(parent, range, search);
  }

  #where(isWanted: (entry: NetworkEntry) => boolean): readonly NetworkEntry[] {
    return [...this.#all.values()].filter(isWanted).sort(inOrder);
  }
}
