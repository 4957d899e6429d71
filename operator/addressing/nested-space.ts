import { familyBits, type Address } from './address';
import type { Prefix } from './prefix';
import { PrefixPool } from './prefix-pool';
import { PrefixSet } from './prefix-set';
import { PrefixTree } from './prefix-tree';
import { Range } from './range';

/** Search for free space inside of a block. */
export interface FitSearch {
  /** Bits of the wanted prefix. */
  readonly length: number;
  /** Space that is never chosen; the same object while nothing of it changes, since the free space is remembered by it. */
  readonly without: PrefixSet;
  /** Address that is passed over though it counts as free. */
  readonly skip?: Address;
}

/** Free space of one block for one set that is never chosen. */
interface FreeSpace {
  readonly without: PrefixSet;
  readonly pool: PrefixPool;
}

/** One block of a space. */
interface Block<V> {
  readonly prefix: Prefix;
  value: V;
  /** Addresses of its direct children. */
  inside: bigint;
  /** Free space that searches in this block asked for, the last one first. */
  free: readonly FreeSpace[];
}

/** Most sets for which the free space of one block is remembered. */
const MOST_REMEMBERED = 4;

const NONE: readonly FreeSpace[] = [];

// What of a set lies in a block, as prefixes.
function within(block: Prefix, set: PrefixSet): readonly Prefix[] {
  return set.isEmpty ? [] : set.intersect(PrefixSet.of(block)).prefixes();
}

/**
 * Blocks of one network with a value each, of both families, which lie inside one another; finds room between them.
 *
 * @remarks Look-ups, changes and searches cost O(min(W, log n)) for n blocks, W = 32 or 128. What changes its parent adds to a change; the
 * first search in a block with a certain set adds its direct children, and the ranges of the set; so does a block that is put around others
 * with these. One writer; not safe for use from
 * several threads. Holds memory only; nothing to close.
 */
export class NestedSpace<V> {
  readonly #blocks = new PrefixTree<Block<V>>();

  /**
   * Counts the blocks.
   *
   * @returns both families together
   */
  get size(): number {
    return this.#blocks.size;
  }

  /**
   * Stores a value; one that was stored under the same block is replaced.
   *
   * @param prefix - the block
   * @param value - anything
   */
  insert(prefix: Prefix, value: V): void {
    const known = this.#blocks.get(prefix);
    if (known !== undefined) {
      known.value = value;
      return;
    }
    const inside = this.#countInside(prefix);
    const parent = this.#blocks.parentOf(prefix);
    if (parent !== undefined) parent.inside += prefix.hostCount - inside;
    this.#blocks.insert(prefix, { prefix, value, inside, free: NONE });
    for (const { pool } of this.#freeAround(prefix)) pool.fill(prefix);
  }

  /**
   * Removes exactly one block; blocks inside of it stay.
   *
   * @param prefix - the block
   * @returns false when there is no such block
   */
  remove(prefix: Prefix): boolean {
    const removed = this.#blocks.get(prefix);
    if (removed === undefined || !this.#blocks.remove(prefix)) return false;
    const parent = this.#blocks.parentOf(prefix);
    if (parent !== undefined) parent.inside += removed.inside - prefix.hostCount;
    for (const { pool, without } of this.#freeAround(prefix)) {
      pool.release(prefix);
      this.#close(pool, prefix, without);
    }
    return true;
  }

  /**
   * Looks up exactly one block.
   *
   * @param prefix - the block
   * @returns its value; undefined when there is no such block
   */
  get(prefix: Prefix): V | undefined {
    return this.#blocks.get(prefix)?.value;
  }

  /**
   * Lists the strictly larger blocks that hold a block.
   *
   * @param prefix - a block, stored or not
   * @returns their values, that of the largest one first
   */
  around(prefix: Prefix): readonly V[] {
    return this.#blocks.around(prefix).map(({ value }) => value);
  }

  /**
   * Looks up the smallest of the strictly larger blocks that hold a block.
   *
   * @param prefix - a block, stored or not
   * @returns its value; undefined when there is none
   */
  parentOf(prefix: Prefix): V | undefined {
    return this.#blocks.parentOf(prefix)?.value;
  }

  /**
   * Visits the direct children of a block: the largest blocks strictly inside of it, in address order.
   *
   * @param prefix - a block, stored or not
   * @param visit - gets each value; false ends all
   */
  eachInside(prefix: Prefix, visit: (value: V) => boolean): void {
    this.#blocks.eachInside(prefix, ({ value }) => visit(value));
  }

  /**
   * Counts the addresses of the direct children of a block, together with what they hold.
   *
   * @param prefix - the block; of a stored one the number is known, of another one its children are added
   * @returns an exact number
   */
  countInside(prefix: Prefix): bigint {
    return this.#blocks.get(prefix)?.inside ?? this.#countInside(prefix);
  }

  #countInside(prefix: Prefix): bigint {
    let all = 0n;
    this.#blocks.eachInside(prefix, (each) => {
      all += each.prefix.hostCount;
      return true;
    });
    return all;
  }

  /**
   * Tells whether a block has children.
   *
   * @param prefix - a block, stored or not
   * @returns true when any block is strictly inside of it
   */
  isAnyInside(prefix: Prefix): boolean {
    return this.#blocks.isAnyInside(prefix);
  }

  /**
   * Lists every block that shares an address with a block.
   *
   * @param prefix - a block, stored or not
   * @returns values: larger blocks first, then itself and what is inside in address order
   */
  overlapping(prefix: Prefix): readonly V[] {
    return this.#blocks.overlapping(prefix).map(({ value }) => value);
  }

  /**
   * Lists blocks in order: IPv4 first, by address, the larger block first.
   *
   * @param after - block behind which the page begins, stored or not; undefined: the first page
   * @param most - most blocks of the page
   * @returns their values
   */
  page(after: Prefix | undefined, most: number): readonly V[] {
    return this.#blocks.page(after, most).map(({ value }) => value);
  }

  /**
   * Finds room inside of a block beside its direct children: in the smallest free block that is large enough, of several the lowest one.
   *
   * @param parent - the block; a stored one remembers its free space
   * @param search - length and space that is not chosen
   * @returns the room; undefined when none of this length is free, or none is so long
   */
  bestFit(parent: Prefix, search: FitSearch): Prefix | undefined {
    const width = familyBits(parent.family);
    if (search.length < parent.length || search.length > width) return undefined;
    const pool = this.#freeIn(parent, search.without);
    const found = pool.bestFit(search.length);
    if (found === undefined || search.skip === undefined || found.length < width) return found;
    if (!found.first.equals(search.skip)) return found;
    pool.take(found);
    const other = pool.bestFit(search.length);
    pool.release(found);
    return other;
  }

  /**
   * Finds the lowest free address of a range inside of a block.
   *
   * @param parent - the block; a stored one remembers its free space
   * @param range - inside of the block
   * @param search - space that is not chosen; its length does not count
   * @returns the address; undefined when none is free
   */
  lowestFree(parent: Prefix, range: Range, search: FitSearch): Address | undefined {
    const pool = this.#freeIn(parent, search.without);
    const found = pool.lowestFreeIn(range);
    if (found === undefined || search.skip === undefined || !found.equals(search.skip)) return found;
    const next = found.next();
    const isInside = next !== undefined && next.compareTo(range.last) <= 0;
    return isInside ? pool.lowestFreeIn(new Range(next, range.last)) : undefined;
  }

  // Free space that the smallest block around another one remembers.
  #freeAround(prefix: Prefix): readonly FreeSpace[] {
    return this.#blocks.parentOf(prefix)?.free ?? NONE;
  }

  #freeIn(parent: Prefix, without: PrefixSet): PrefixPool {
    const block = this.#blocks.get(parent);
    const known = block?.free.find((each) => each.without === without);
    const pool = known?.pool ?? this.#poolOf(parent, without);
    if (block !== undefined && block.free[0]?.pool !== pool) {
      const others = block.free.filter((each) => each.pool !== pool);
      block.free = [{ without, pool }, ...others.slice(0, MOST_REMEMBERED - 1)];
    }
    return pool;
  }

  #poolOf(parent: Prefix, without: PrefixSet): PrefixPool {
    const pool = new PrefixPool(PrefixSet.of(parent), parent.family);
    this.#close(pool, parent, without);
    return pool;
  }

  // Takes what is not free inside of a block that is free as a whole.
  #close(pool: PrefixPool, block: Prefix, without: PrefixSet): void {
    this.#blocks.eachInside(block, ({ prefix }) => {
      pool.fill(prefix);
      return true;
    });
    for (const each of within(block, without)) pool.fill(each);
  }
}
