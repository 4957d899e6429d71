/** Slow twin of a nested space: a plain list of blocks, and free space found by looking at every single address. */
import { familyBits, type Address } from '../../operator/addressing/address';
import type { FitSearch } from '../../operator/addressing/nested-space';
import type { Prefix } from '../../operator/addressing/prefix';
import { Range, rangeOfPrefix } from '../../operator/addressing/range';
import { GoldenPool } from './golden-pool';

interface Block<V> {
  readonly prefix: Prefix;
  readonly value: V;
}

/** Blocks that lie inside one another, as a sorted list. */
export class GoldenNested<V> {
  #blocks: readonly Block<V>[] = [];

  get size(): number {
    return this.#blocks.length;
  }

  insert(prefix: Prefix, value: V): void {
    this.remove(prefix);
    this.#blocks = [...this.#blocks, { prefix, value }].sort((a, b) => a.prefix.compareTo(b.prefix));
  }

  remove(prefix: Prefix): boolean {
    const before = this.size;
    this.#blocks = this.#blocks.filter((each) => !each.prefix.equals(prefix));
    return this.size < before;
  }

  get(prefix: Prefix): V | undefined {
    return this.#blocks.find((each) => each.prefix.equals(prefix))?.value;
  }

  around(prefix: Prefix): readonly V[] {
    return this.#blocks.filter((each) => isInside(prefix, each.prefix)).map(({ value }) => value);
  }

  inside(prefix: Prefix): readonly V[] {
    return this.#inside(prefix).map(({ value }) => value);
  }

  countInside(prefix: Prefix): bigint {
    return this.#inside(prefix).reduce((sum, each) => sum + each.prefix.hostCount, 0n);
  }

  overlapping(prefix: Prefix): readonly V[] {
    return this.#blocks.filter((each) => each.prefix.overlaps(prefix)).map(({ value }) => value);
  }

  page(after: Prefix | undefined, most: number): readonly V[] {
    const behind = this.#blocks.filter(({ prefix }) => after === undefined || prefix.compareTo(after) > 0);
    return behind.slice(0, most).map(({ value }) => value);
  }

  bestFit(parent: Prefix, { length, without, skip }: FitSearch): Prefix | undefined {
    if (length < parent.length || length > familyBits(parent.family)) return undefined;
    const pool = this.#poolOf(parent, without);
    const found = pool.bestFit(length);
    if (skip === undefined || found?.length !== familyBits(parent.family) || !found.first.equals(skip)) return found;
    pool.takePrefix(found);
    return pool.bestFit(length);
  }

  lowestFree(parent: Prefix, { first, last }: Range, { without, skip }: FitSearch): Address | undefined {
    const pool = this.#poolOf(parent, without);
    let address: Address | undefined = first;
    while (address !== undefined && address.compareTo(last) <= 0) {
      if (pool.isFree(address) && skip?.equals(address) !== true) return address;
      address = address.next();
    }
    return undefined;
  }

  #inside(prefix: Prefix): readonly Block<V>[] {
    const all = this.#blocks.filter((each) => isInside(each.prefix, prefix));
    return all.filter(({ prefix: own }) => all.every((each) => !isInside(own, each.prefix)));
  }

  #poolOf(parent: Prefix, without: FitSearch['without']): GoldenPool {
    const taken = this.#inside(parent).map(({ prefix }) => rangeOfPrefix(prefix));
    const closed = without.ranges(parent.family).flatMap((range) => common(range, rangeOfPrefix(parent)));
    return new GoldenPool({
      family: parent.family,
      included: [rangeOfPrefix(parent)],
      excluded: [...taken, ...closed],
    });
  }
}

const isInside = (inner: Prefix, outer: Prefix): boolean => outer.length < inner.length && outer.contains(inner.first);

function common(range: Range, other: Range): readonly Range[] {
  const first = range.first.compareTo(other.first) >= 0 ? range.first : other.first;
  const last = range.last.compareTo(other.last) <= 0 ? range.last : other.last;
  return first.compareTo(last) > 0 ? [] : [new Range(first, last)];
}
