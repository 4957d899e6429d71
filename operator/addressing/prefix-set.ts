import type { Address } from './address';
import { type Family } from './address';
import { Prefix, prefixOf } from './prefix';
import { Range, rangeOfPrefix, rangeToPrefixes } from './range';

/** Space that can be added to and taken out of a set. */
export type Block = Prefix | Range | Address | PrefixSet;

/** Ranges in order, without overlap or touching neighbours; all interval functions below take and give this form. */
type Intervals = readonly Range[];

function higher(a: Address, b: Address): Address {
  return a.compareTo(b) >= 0 ? a : b;
}

function lower(a: Address, b: Address): Address {
  return a.compareTo(b) <= 0 ? a : b;
}

// True when `next` starts inside `range` or right behind it.
function touches(range: Range, next: Range): boolean {
  if (next.first.compareTo(range.last) <= 0) return true;
  return range.last.next()?.equals(next.first) ?? false;
}

// Sorts and merges.
function normalize(ranges: readonly Range[]): Intervals {
  const sorted = [...ranges].sort((a, b) => a.first.compareTo(b.first));
  const merged: Range[] = [];
  for (const range of sorted) {
    const before = merged.at(-1);
    // apart: keep both          |-----|  |-----|
    // touching or overlapping:  |-----|-----|   |---[--]---|   |---[--]|
    if (before === undefined || !touches(before, range)) merged.push(range);
    else merged[merged.length - 1] = new Range(before.first, higher(before.last, range.last));
  }
  return merged;
}

// What of `range` remains beside the holes, which are in order; `holes` may reach over both ends.
function cut(range: Range, holes: Intervals, into: Range[]): void {
  let from: Address | undefined = range.first;
  for (const hole of holes) {
    if (from === undefined) return;
    // piece before the hole   have  |----------|
    //                         hole      |---|       keep |--| and go on behind the hole
    // hole at the start       have  |----------|
    //                         hole |---|            keep nothing yet
    const end = hole.first.compareTo(from) > 0 ? hole.first.previous() : undefined;
    if (end !== undefined) into.push(new Range(from, end));
    // hole to the end         have  |----------|
    //                         hole         |-----|  nothing remains
    from = hole.last.compareTo(range.last) < 0 ? hole.last.next() : undefined;
  }
  if (from !== undefined) into.push(new Range(from, range.last));
}

// Calls back with each range and the others that overlap it; each list is walked once.
function sweep(ranges: Intervals, others: Intervals, visit: (range: Range, overlapping: Intervals) => void): void {
  let start = 0;
  for (const range of ranges) {
    while (start < others.length && (others[start]?.last.compareTo(range.first) ?? 0) < 0) start++;
    let end = start;
    while (end < others.length && (others[end]?.first.compareTo(range.last) ?? 1) <= 0) end++;
    visit(range, others.slice(start, end));
    // the last one may reach into the next range
    start = Math.max(start, end - 1);
  }
}

function without(ranges: Intervals, holes: Intervals): Intervals {
  if (holes.length === 0) return ranges;
  const rest: Range[] = [];
  sweep(ranges, holes, (range, overlapping) => {
    cut(range, overlapping, rest);
  });
  return rest;
}

function common(ranges: Intervals, others: Intervals): Intervals {
  const both: Range[] = [];
  sweep(ranges, others, (range, overlapping) => {
    // have   |----------|
    // other      |---|      or  |----|  at an end: the common part is inside both
    for (const other of overlapping) {
      both.push(new Range(higher(range.first, other.first), lower(range.last, other.last)));
    }
  });
  return both;
}

function rangesOf(block: Block): Intervals {
  if (block instanceof PrefixSet) return block.ranges();
  if (block instanceof Range) return [block];
  if (block instanceof Prefix) return [rangeOfPrefix(block)];
  return [new Range(block, block)];
}

/** Collects blocks in the order of the calls: a later call wins over an earlier one. Reusable after {@link build}. */
export class PrefixSetBuilder {
  #added: Range[] = [];
  #removed: Range[] = [];

  /**
   * Puts addresses in.
   *
   * @param block - prefix, range, address or set of any family; overlaps are fine
   * @returns the same builder
   */
  add(block: Block): this {
    if (this.#removed.length > 0) this.#settle();
    this.#added.push(...rangesOf(block));
    return this;
  }

  /**
   * Takes addresses out.
   *
   * @param block - prefix, range, address or set of any family; parts outside of the set are ignored
   * @returns the same builder
   */
  subtract(block: Block): this {
    this.#removed.push(...rangesOf(block));
    return this;
  }

  /**
   * Gives what was collected so far; later calls do not change it.
   *
   * @returns an immutable set
   * @remarks O(n log n) in the number of blocks, whatever their size.
   */
  build(): PrefixSet {
    return PrefixSet.ofIntervals(this.#settle());
  }

  #settle(): Intervals {
    const settled = without(normalize(this.#added), normalize(this.#removed));
    this.#added = [...settled];
    this.#removed = [];
    return settled;
  }
}

/** An immutable set of addresses of both families, held as sorted ranges; no operation ever walks single addresses. */
export class PrefixSet {
  /** The set without addresses. */
  static readonly EMPTY: PrefixSet = new PrefixSet([]);

  /** Every address of both families. */
  static readonly EVERYTHING: PrefixSet = new PrefixSet(['0.0.0.0/0', '::/0'].map(prefixOf).map(rangeOfPrefix));

  /**
   * Puts blocks into a set.
   *
   * @param blocks - of any family; overlaps are fine
   * @returns the set of all of their addresses
   * @remarks O(n log n) in the number of blocks, whatever their size.
   */
  static of(...blocks: readonly Block[]): PrefixSet {
    return PrefixSet.ofIntervals(normalize(blocks.flatMap(rangesOf)));
  }

  readonly #sorted: Intervals;

  private constructor(sorted: Intervals) {
    this.#sorted = Object.freeze([...sorted]);
    Object.freeze(this);
  }

  /**
   * Wraps ranges that are in order and apart; other code uses {@link PrefixSetBuilder}.
   *
   * @param sorted - ranges that never touch
   * @returns one value for them, {@link PrefixSet.EMPTY} for none
   * @internal
   */
  static ofIntervals(sorted: readonly Range[]): PrefixSet {
    return sorted.length === 0 ? PrefixSet.EMPTY : new PrefixSet(sorted);
  }

  /**
   * Tells whether there is nothing in the set.
   *
   * @returns true for no address at all
   */
  get isEmpty(): boolean {
    return this.#sorted.length === 0;
  }

  /**
   * Tells whether an address is in the set.
   *
   * @param address - an address of any family
   * @returns true when it is
   * @remarks O(log n) in the number of ranges.
   */
  contains(address: Address): boolean {
    return this.#rangeAt(address) !== undefined;
  }

  /**
   * Tells whether all of a prefix is in the set.
   *
   * @param prefix - a prefix of any family
   * @returns true when it is
   * @remarks O(log n) in the number of ranges.
   */
  containsPrefix(prefix: Prefix): boolean {
    return this.#rangeAt(prefix.first)?.contains(prefix.last) ?? false;
  }

  /**
   * Gives the ranges.
   *
   * @param family - only this IP version; both when left out
   * @returns in order, merged: neighbours never touch
   */
  ranges(family?: Family): readonly Range[] {
    return family === undefined ? this.#sorted : this.#sorted.filter((range) => range.family === family);
  }

  /**
   * Gives the fewest prefixes that cover exactly this set.
   *
   * @param family - only this IP version; both when left out
   * @returns in order and disjoint
   */
  prefixes(family?: Family): readonly Prefix[] {
    return this.ranges(family).flatMap((range) => rangeToPrefixes(range));
  }

  /**
   * Counts the addresses.
   *
   * @param family - only this IP version; both when left out
   * @returns an exact number
   */
  count(family?: Family): bigint {
    return this.ranges(family).reduce((sum, range) => sum + range.count, 0n);
  }

  /**
   * Joins two sets.
   *
   * @param other - another set
   * @returns addresses that are in one of them
   */
  union(other: PrefixSet): PrefixSet {
    return PrefixSet.ofIntervals(normalize([...this.#sorted, ...other.#sorted]));
  }

  /**
   * Takes another set out of this one.
   *
   * @param other - another set
   * @returns addresses of this set that are not in the other
   */
  subtract(other: PrefixSet): PrefixSet {
    return PrefixSet.ofIntervals(without(this.#sorted, other.#sorted));
  }

  /**
   * Keeps what two sets share.
   *
   * @param other - another set
   * @returns addresses that are in both
   */
  intersect(other: PrefixSet): PrefixSet {
    return PrefixSet.ofIntervals(common(this.#sorted, other.#sorted));
  }

  /**
   * Tells whether two sets share an address.
   *
   * @param other - another set
   * @returns true when they do
   */
  overlaps(other: PrefixSet): boolean {
    return common(this.#sorted, other.#sorted).length > 0;
  }

  /**
   * Compares by value, however the sets were built.
   *
   * @param other - another set
   * @returns true when both hold the same addresses
   */
  equals(other: PrefixSet): boolean {
    if (this.#sorted.length !== other.#sorted.length) return false;
    return this.#sorted.every((range, index) => other.#sorted[index]?.equals(range) ?? false);
  }

  /**
   * Writes the set.
   *
   * @returns the ranges, separated by a comma and a blank
   */
  toString(): string {
    return this.#sorted.join(', ');
  }

  // The range that holds an address, by binary search for the last range that starts at or before it.
  #rangeAt(address: Address): Range | undefined {
    let low = 0;
    let high = this.#sorted.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#sorted[middle]?.first.compareTo(address) ?? 1) <= 0) low = middle + 1;
      else high = middle;
    }
    const range = this.#sorted[low - 1];
    return range?.contains(address) === true ? range : undefined;
  }
}
