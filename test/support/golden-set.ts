import { addressFromBigInt, type Address, type Family } from '../../operator/addressing/address';
import type { Range } from '../../operator/addressing/range';

const keyOf = (family: Family, value: bigint): string => `${family}:${value.toString()}`;

/** The naive twin of PrefixSet: a list of single addresses. */
export class GoldenSet {
  readonly #keys = new Set<string>();

  add(range: Range): this {
    for (const key of GoldenSet.#list(range)) this.#keys.add(key);
    return this;
  }

  subtract(range: Range): this {
    for (const key of GoldenSet.#list(range)) this.#keys.delete(key);
    return this;
  }

  contains(address: Address): boolean {
    return this.#keys.has(keyOf(address.family, address.toBigInt()));
  }

  /** Every address, one by one, as sorted text. */
  members(): readonly string[] {
    return [...this.#keys].sort();
  }

  static of(ranges: Iterable<Range>): GoldenSet {
    const set = new GoldenSet();
    for (const range of ranges) set.add(range);
    return set;
  }

  static union(a: GoldenSet, b: GoldenSet): GoldenSet {
    return GoldenSet.#ofKeys([...a.#keys, ...b.#keys]);
  }

  static difference(a: GoldenSet, b: GoldenSet): GoldenSet {
    return GoldenSet.#ofKeys([...a.#keys].filter((key) => !b.#keys.has(key)));
  }

  static intersection(a: GoldenSet, b: GoldenSet): GoldenSet {
    return GoldenSet.#ofKeys([...a.#keys].filter((key) => b.#keys.has(key)));
  }

  static #ofKeys(keys: Iterable<string>): GoldenSet {
    const set = new GoldenSet();
    for (const key of keys) set.#keys.add(key);
    return set;
  }

  static #list(range: Range): readonly string[] {
    const keys: string[] = [];
    for (let value = range.first.toBigInt(); value <= range.last.toBigInt(); value++)
      keys.push(keyOf(range.family, value));
    return keys;
  }
}

/** Lists the addresses of a short range. */
export function listRange(range: Range): readonly Address[] {
  const all: Address[] = [];
  for (let value = range.first.toBigInt(); value <= range.last.toBigInt(); value++) {
    all.push(addressFromBigInt(range.family, value));
  }
  return all;
}
