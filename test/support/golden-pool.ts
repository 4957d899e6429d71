/** Slow twins of the free-space structures: plain lists of single addresses, nothing to get wrong. */
import { addressFromBigInt, familyBits, type Address, type Family } from '../../operator/addressing/address';
import { Prefix } from '../../operator/addressing/prefix';
import type { Range } from '../../operator/addressing/range';

/** Space that a twin is built from: blocks that are in, and blocks that are out again. */
export interface GoldenSpace {
  readonly family: Family;
  readonly included: readonly Range[];
  readonly excluded: readonly Range[];
}

type State = 'free' | 'taken' | 'excluded';

/** Address pool and prefix pool at once, over an ordered list of every single address. */
export class GoldenPool {
  readonly #family: Family;
  readonly #states = new Map<bigint, State>();

  constructor(space: GoldenSpace) {
    this.#family = space.family;
    const values = space.included.flatMap((range) => valuesOf(range));
    for (const value of values.sort((a, b) => (a < b ? -1 : 1))) this.#states.set(value, 'free');
    for (const value of space.excluded.flatMap((range) => valuesOf(range))) {
      if (this.#states.has(value)) this.#states.set(value, 'excluded');
    }
  }

  count(state: State): bigint {
    return BigInt([...this.#states.values()].filter((each) => each === state).length);
  }

  /** Addresses of all included blocks, excluded ones too. */
  get size(): bigint {
    return BigInt(this.#states.size);
  }

  isFree(address: Address): boolean {
    return this.#states.get(address.toBigInt()) === 'free';
  }

  take(address: Address): boolean {
    return this.#change(new Prefix(address, familyBits(this.#family)), 'free', 'taken');
  }

  release(address: Address): boolean {
    return this.#change(new Prefix(address, familyBits(this.#family)), 'taken', 'free');
  }

  lowestFree(): Address | undefined {
    for (const [value, state] of this.#states) if (state === 'free') return addressFromBigInt(this.#family, value);
    return undefined;
  }

  takePrefix(prefix: Prefix): boolean {
    return this.#change(prefix, 'free', 'taken');
  }

  releasePrefix(prefix: Prefix): boolean {
    return this.#change(prefix, 'taken', 'free');
  }

  isFreePrefix(prefix: Prefix): boolean {
    return this.#all(prefix, 'free');
  }

  /** Every free aligned block of this length, in address order. */
  freeBlocks(length: number): readonly Prefix[] {
    const blocks: Prefix[] = [];
    const size = 1n << BigInt(familyBits(this.#family) - length);
    for (const value of this.#states.keys()) {
      if (value % size !== 0n) continue;
      const block = new Prefix(addressFromBigInt(this.#family, value), length);
      if (this.#all(block, 'free')) blocks.push(block);
    }
    return blocks;
  }

  /** Start of the smallest maximal free block that has room for a prefix of this length, the lowest of equal ones. */
  bestFit(length: number): Prefix | undefined {
    const isMaximal = (block: Prefix): boolean =>
      block.length === 0 || !this.#all(new Prefix(block.first, block.length - 1), 'free');
    for (let bits = length; bits >= 0 && 1n << BigInt(familyBits(this.#family) - bits) <= this.size; bits--) {
      const found = this.freeBlocks(bits).find(isMaximal);
      if (found !== undefined) return new Prefix(found.first, length);
    }
    return undefined;
  }

  #all(prefix: Prefix, state: State): boolean {
    // a block larger than the whole space can be no part of it, and must not be walked
    if (prefix.hostCount > this.size) return false;
    for (let value = prefix.first.toBigInt(); value <= prefix.last.toBigInt(); value++) {
      if (this.#states.get(value) !== state) return false;
    }
    return true;
  }

  #change(prefix: Prefix, from: State, to: State): boolean {
    if (!this.#all(prefix, from)) return false;
    for (const value of valuesOf(prefix)) this.#states.set(value, to);
    return true;
  }
}

/** Longest match and overlaps over a list of prefixes. */
export class GoldenTable<V> {
  #entries: { readonly prefix: Prefix; readonly value: V }[] = [];

  get size(): number {
    return this.#entries.length;
  }

  insert(prefix: Prefix, value: V): void {
    this.remove(prefix);
    this.#entries.push({ prefix, value });
    this.#entries.sort((a, b) => a.prefix.compareTo(b.prefix));
  }

  remove(prefix: Prefix): boolean {
    const before = this.#entries.length;
    this.#entries = this.#entries.filter((entry) => !entry.prefix.equals(prefix));
    return this.#entries.length < before;
  }

  get(prefix: Prefix): V | undefined {
    return this.#entries.find((entry) => entry.prefix.equals(prefix))?.value;
  }

  lookup(address: Address): V | undefined {
    return this.#entries.filter((entry) => entry.prefix.contains(address)).at(-1)?.value;
  }

  overlapping(prefix: Prefix): readonly { prefix: Prefix; value: V }[] {
    return this.#entries.filter((entry) => entry.prefix.overlaps(prefix));
  }
}

function valuesOf(block: Range | Prefix): bigint[] {
  const values: bigint[] = [];
  for (let value = block.first.toBigInt(); value <= block.last.toBigInt(); value++) values.push(value);
  return values;
}
