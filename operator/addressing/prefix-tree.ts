import { IpamError } from '../errors/ipam-error';
import { familyBits, type Address, type Family } from './address';
import { loadKey, newKey } from './bit-key';
import type { Prefix } from './prefix';
import { MOST_BLOCKS, PrefixNodes, type WalkStep } from './prefix-nodes';

/** One IP version of a tree. */
class Half<V> {
  readonly nodes: PrefixNodes;
  readonly width: number;
  readonly #key: Uint32Array;
  // slot 0 means "no value" and is never read
  readonly #values: V[] = [undefined as V];
  readonly #freeSlots: number[] = [];

  constructor(family: Family) {
    this.#key = newKey(family);
    this.nodes = new PrefixNodes(this.#key.length);
    this.width = familyBits(family);
  }

  get size(): number {
    return this.#values.length - 1 - this.#freeSlots.length;
  }

  keyOf(address: Address): Uint32Array {
    loadKey(this.#key, address);
    return this.#key;
  }

  store(node: number, value: V): void {
    let slot = this.nodes.slotOf(node);
    if (slot === 0) {
      slot = this.#freeSlots.pop() ?? this.#values.length;
      this.nodes.setSlot(node, slot);
    }
    this.#values[slot] = value;
  }

  discard(slot: number): void {
    this.#values[slot] = undefined as V;
    this.#freeSlots.push(slot);
  }

  valueAt(node: number): V {
    return this.#values[this.nodes.slotOf(node)] as V;
  }
}

/**
 * Prefixes of both families with a value each; prefixes may lie inside one another. Answers which prefix an address belongs to, what
 * lies in a prefix, and what overlaps.
 *
 * @remarks Look-ups and changes cost O(min(W, log n)) for n prefixes, W = 32 or 128, plus the size of the answer. One writer; not
 * safe for use from several threads. Holds memory only: about 60 bytes (IPv4) or 90 bytes (IPv6) a prefix; nothing to close.
 */
export class PrefixTree<V> {
  readonly #v4: Half<V> = new Half<V>(4);
  readonly #v6: Half<V> = new Half<V>(6);

  /**
   * Counts the prefixes.
   *
   * @returns both families together
   */
  get size(): number {
    return this.#v4.size + this.#v6.size;
  }

  /**
   * Stores a value; one that was stored under the same prefix is replaced.
   *
   * @param prefix - a prefix of any family
   * @param value - anything
   * @throws {@link IpamError} `addressing/out-of-range` when the tree is full with 2^24 - 1 prefixes of one family
   */
  insert(prefix: Prefix, value: V): void {
    const half = this.#half(prefix.family);
    if (half.size === MOST_BLOCKS) {
      throw new IpamError('addressing/out-of-range', `a prefix tree holds at most ${String(MOST_BLOCKS)} prefixes`);
    }
    half.store(half.nodes.place(half.keyOf(prefix.first), prefix.length), value);
  }

  /**
   * Removes exactly one prefix; prefixes inside of it stay.
   *
   * @param prefix - a prefix of any family
   * @returns false when it is not in the tree
   */
  remove(prefix: Prefix): boolean {
    const half = this.#half(prefix.family);
    const key = half.keyOf(prefix.first);
    const node = half.nodes.find(key, prefix.length);
    if (node === 0 || half.nodes.slotOf(node) === 0) return false;
    half.discard(half.nodes.remove(key, prefix.length));
    return true;
  }

  /**
   * Looks up exactly one prefix.
   *
   * @param prefix - a prefix of any family
   * @returns its value; undefined when it is not in the tree
   */
  get(prefix: Prefix): V | undefined {
    const half = this.#half(prefix.family);
    const node = half.nodes.find(half.keyOf(prefix.first), prefix.length);
    return node === 0 ? undefined : half.valueAt(node);
  }

  /**
   * Looks up the value of the smallest prefix that an address lies in.
   *
   * @param address - an address of any family
   * @returns the value; undefined when no prefix holds the address
   */
  lookup(address: Address): V | undefined {
    const half = address.family === 4 ? this.#v4 : this.#v6;
    const node = half.nodes.longest(half.keyOf(address), half.width);
    return node === 0 ? undefined : half.valueAt(node);
  }

  /**
   * Lists the value of every prefix that shares an address with another one: around it, equal to it, inside it.
   *
   * @param prefix - a prefix of any family; it need not be in the tree
   * @returns values, those of larger prefixes first, then in address order
   */
  overlapping(prefix: Prefix): readonly V[] {
    const half = this.#half(prefix.family);
    const around = half.nodes.covering(half.keyOf(prefix.first), prefix.length).map((node) => half.valueAt(node));
    return [...around, ...this.#inside(prefix)];
  }

  /**
   * Tells whether any prefix shares an address with another one.
   *
   * @param prefix - a prefix of any family; it need not be in the tree
   * @returns true when {@link overlapping} would list one
   */
  overlaps(prefix: Prefix): boolean {
    const half = this.#half(prefix.family);
    const key = half.keyOf(prefix.first);
    // every branch ends in a node with a value, so that any node inside proves an overlap
    return half.nodes.topInside(key, prefix.length) !== 0 || half.nodes.longest(key, prefix.length) !== 0;
  }

  /**
   * Lists the values of the prefixes that are strictly larger than another one and hold it.
   *
   * @param prefix - a prefix of any family; it need not be in the tree
   * @returns the value of the largest prefix first
   */
  around(prefix: Prefix): readonly V[] {
    if (prefix.length === 0) return [];
    const half = this.#half(prefix.family);
    return half.nodes.covering(half.keyOf(prefix.first), prefix.length - 1).map((node) => half.valueAt(node));
  }

  /**
   * Looks up the value of the smallest prefix that is strictly larger than another one and holds it.
   *
   * @param prefix - a prefix of any family; it need not be in the tree
   * @returns the value; undefined when no prefix is around it
   */
  parentOf(prefix: Prefix): V | undefined {
    if (prefix.length === 0) return undefined;
    const half = this.#half(prefix.family);
    const node = half.nodes.longest(half.keyOf(prefix.first), prefix.length - 1);
    return node === 0 ? undefined : half.valueAt(node);
  }

  /**
   * Visits the largest prefixes that are strictly inside of another one, in address order.
   *
   * @param prefix - a prefix of any family; it need not be in the tree
   * @param visit - gets each value; false ends all
   */
  eachInside(prefix: Prefix, visit: (value: V) => boolean): void {
    this.#walkInside(prefix, (value) => (visit(value) ? 'behind' : 'end'));
  }

  /**
   * Tells whether any prefix is strictly inside of another one.
   *
   * @param prefix - a prefix of any family; it need not be in the tree
   * @returns true when {@link eachInside} would visit one
   */
  isAnyInside(prefix: Prefix): boolean {
    let isAny = false;
    this.eachInside(prefix, () => {
      isAny = true;
      return false;
    });
    return isAny;
  }

  /**
   * Lists values in the order of their prefixes: IPv4 first, by address, the larger prefix first.
   *
   * @param after - prefix behind which the page begins; it need not be in the tree. Undefined: the first page
   * @param most - most values of the page
   * @returns the page; shorter than `most` at the end
   * @remarks O(W + most)
   */
  page(after: Prefix | undefined, most: number): readonly V[] {
    const values: V[] = [];
    for (const half of after?.family === 6 ? [this.#v6] : [this.#v4, this.#v6]) {
      const collect = (node: number): WalkStep => {
        if (values.length >= most) return 'end';
        values.push(half.valueAt(node));
        return 'inside';
      };
      if (after === undefined || half.width !== familyBits(after.family)) half.nodes.walkAll(collect);
      else half.nodes.walkAfter(half.keyOf(after.first), after.length, collect);
    }
    return values;
  }

  #half(family: Family): Half<V> {
    return family === 4 ? this.#v4 : this.#v6;
  }

  #inside(prefix: Prefix): readonly V[] {
    const values: V[] = [];
    this.#walkInside(prefix, (value) => {
      values.push(value);
      return 'inside';
    });
    return values;
  }

  // Walks what is strictly inside of a block.
  #walkInside(prefix: Prefix, visit: (value: V) => WalkStep): void {
    const half = this.#half(prefix.family);
    const top = half.nodes.topInside(half.keyOf(prefix.first), prefix.length);
    if (top === 0) return;
    const visitNode = (node: number): WalkStep => visit(half.valueAt(node));
    if (half.nodes.lengthOf(top) === prefix.length) half.nodes.walkBelow(top, visitNode);
    else half.nodes.walk(top, visitNode);
  }
}
