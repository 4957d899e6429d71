/* eslint-disable @typescript-eslint/no-non-null-assertion -- every index is an offset that this class gave out; a check per word would cost a branch on the hottest path */
import { bitAt, headMask, type BitKey } from './bit-key';

// One record per node in one array, so that a node lies on one cache line:
//   [LEFT, RIGHT, META, key (1 or 4 words)]      16 bytes IPv4, 28 bytes IPv6
// META is the prefix length in the low 8 bits and the slot of the value above; slot 0 is a mere fork of two branches.
// Offset 0 is no node: its first word is the link to the root.
const META = 2;
const KEY = 3;
const ROOT_LINK = 0;
const LENGTH_MASK = 0xff;
const SLOT_SHIFT = 8;

const FIRST_CAPACITY = 32;

/** How many blocks a tree of one IP version can hold: a slot has 24 bits, and slot 0 is taken. */
export const MOST_BLOCKS = (1 << 24) - 1;

/** Where a walk goes on from a node: into it, behind it, or nowhere. */
export type WalkStep = 'inside' | 'behind' | 'end';

/**
 * The nodes of a prefix tree for one IP version: a path-compressed binary trie in which blocks may lie inside blocks.
 *
 * @remarks Every walk costs O(min(W, log n)) for n blocks, W = 32 or 128. A node is known to the caller by the offset of its record, which
 * stays valid until its block is removed; 0 stands for no node. Not safe for use from several threads.
 */
export class PrefixNodes {
  readonly #words: number;
  readonly #stride: number;
  #records: Uint32Array;
  #end: number;
  #reusable = 0;

  /**
   * Starts without a block.
   *
   * @param words - words of a key: 1 (IPv4) or 4 (IPv6)
   */
  constructor(words: number) {
    this.#words = words;
    this.#stride = KEY + words;
    this.#records = new Uint32Array(FIRST_CAPACITY * this.#stride);
    this.#end = this.#stride;
  }

  /**
   * Reads the prefix length of a node.
   *
   * @param node - a node of this trie
   * @returns bits
   */
  lengthOf(node: number): number {
    return this.#records[node + META]! & LENGTH_MASK;
  }

  /**
   * Reads where the value of a node is kept.
   *
   * @param node - a node of this trie
   * @returns its slot, 0 for a fork without a value
   */
  slotOf(node: number): number {
    return this.#records[node + META]! >>> SLOT_SHIFT;
  }

  /**
   * Reads the network address of a node.
   *
   * @param node - a node of this trie
   * @returns a copy
   */
  keyOf(node: number): BitKey {
    return this.#records.slice(node + KEY, node + this.#stride);
  }

  /**
   * Gives a node its slot.
   *
   * @param node - a node of this trie
   * @param slot - 1 to {@link MOST_BLOCKS}
   */
  setSlot(node: number, slot: number): void {
    this.#records[node + META] = this.lengthOf(node) | (slot << SLOT_SHIFT);
  }

  /**
   * Finds the node of exactly one block.
   *
   * @param key - network address of the block
   * @param length - prefix length in bits
   * @returns the node, or 0
   */
  find(key: BitKey, length: number): number {
    const node = this.topInside(key, length);
    return node !== 0 && this.lengthOf(node) === length ? node : 0;
  }

  /**
   * Finds the smallest block with a value that holds another.
   *
   * @param key - network address of the other block
   * @param length - longest prefix length that counts
   * @returns the node, or 0
   */
  longest(key: BitKey, length: number): number {
    let node = this.#records[ROOT_LINK]!;
    let best = 0;
    while (node !== 0) {
      const meta = this.#records[node + META]!;
      const own = meta & LENGTH_MASK;
      if (own > length || this.#shared(node, key, own) < own) break;
      if (meta > LENGTH_MASK) best = node;
      if (own === length) break;
      node = this.#records[node + bitAt(key, own)]!;
    }
    return best;
  }

  /**
   * Finds all blocks with a value that hold another, equality included.
   *
   * @param key - network address of the other block
   * @param length - its prefix length in bits
   * @returns their nodes, the largest block first
   */
  covering(key: BitKey, length: number): number[] {
    const found: number[] = [];
    let node = this.#records[ROOT_LINK]!;
    while (node !== 0) {
      const own = this.lengthOf(node);
      if (own > length || this.#shared(node, key, own) < own) break;
      if (this.slotOf(node) !== 0) found.push(node);
      if (own === length) break;
      node = this.#records[node + bitAt(key, own)]!;
    }
    return found;
  }

  /**
   * Finds the node that all nodes inside of a block hang from.
   *
   * @param key - network address of the block
   * @param length - its prefix length in bits
   * @returns the node, which may be the block's own one or a fork; 0 when nothing is inside
   */
  topInside(key: BitKey, length: number): number {
    let node = this.#records[ROOT_LINK]!;
    while (node !== 0) {
      const own = this.lengthOf(node);
      const limit = own < length ? own : length;
      if (this.#shared(node, key, limit) < limit) return 0;
      if (own >= length) return node;
      node = this.#records[node + bitAt(key, own)]!;
    }
    return 0;
  }

  /**
   * Walks a node's descendants with a value in address order, the larger block first.
   *
   * @param node - where to start; its own value is not visited
   * @param visit - gets each node, and tells where the walk goes on
   * @returns false when the walk was ended
   */
  walkBelow(node: number, visit: (node: number) => WalkStep): boolean {
    const left = this.#records[node]!;
    const right = this.#records[node + 1]!;
    return (left === 0 || this.walk(left, visit)) && (right === 0 || this.walk(right, visit));
  }

  /**
   * Walks a node and its descendants with a value in address order, the larger block first.
   *
   * @param node - where to start
   * @param visit - gets each node, and tells where the walk goes on
   * @returns false when the walk was ended
   */
  walk(node: number, visit: (node: number) => WalkStep): boolean {
    const step = this.slotOf(node) === 0 ? 'inside' : visit(node);
    return step === 'inside' ? this.walkBelow(node, visit) : step === 'behind';
  }

  /**
   * Walks every node with a value in address order, the larger block first.
   *
   * @param visit - gets each node, and tells where the walk goes on
   */
  walkAll(visit: (node: number) => WalkStep): void {
    const top = this.#records[ROOT_LINK]!;
    if (top !== 0) this.walk(top, visit);
  }

  /**
   * Walks every block with a value that comes behind another one in the order by address, the larger block first.
   *
   * @param key - network address of the other block, which need not be in the tree
   * @param length - its prefix length in bits
   * @param visit - gets each node, and tells where the walk goes on
   */
  walkAfter(key: BitKey, length: number, visit: (node: number) => WalkStep): void {
    for (const each of this.#behind(key, length).reverse()) if (each !== 0 && !this.walk(each, visit)) return;
  }

  /**
   * Finds the node of exactly one block or makes it, without a slot.
   *
   * @param key - network address of the block
   * @param length - its prefix length in bits
   * @returns the node
   */
  place(key: BitKey, length: number): number {
    let link = ROOT_LINK;
    for (;;) {
      const node = this.#records[link]!;
      if (node === 0) return this.#setLink(link, this.#newNode(key, length));
      const own = this.lengthOf(node);
      const limit = own < length ? own : length;
      const shared = this.#shared(node, key, limit);
      if (shared < limit || own > length) return this.#placeOver(link, this.#newNode(key, length), shared);
      if (own === length) return node;
      link = node + bitAt(key, own);
    }
  }

  /**
   * Removes the node of exactly one block; what is inside of the block stays.
   *
   * @param key - network address of the block
   * @param length - its prefix length in bits
   * @returns the slot that its value had; 0 when the block is not in the tree
   */
  remove(key: BitKey, length: number): number {
    let above = ROOT_LINK;
    let link = ROOT_LINK;
    let node = this.#records[ROOT_LINK]!;
    while (node !== 0) {
      const own = this.lengthOf(node);
      if (own >= length || this.#shared(node, key, own) < own) break;
      above = link;
      link = node + bitAt(key, own);
      node = this.#records[link]!;
    }
    if (node === 0 || this.lengthOf(node) !== length || this.#shared(node, key, length) < length) return 0;
    const slot = this.slotOf(node);
    this.#records[node + META] = length;
    this.#prune(link);
    // the fork above may have lost one of its two branches
    if (this.#records[link] === 0 && link !== ROOT_LINK) this.#prune(above);
    return slot;
  }

  // Nodes that hold everything behind a block: what the path to it leaves on its right, the deepest last.
  #behind(key: BitKey, length: number): number[] {
    const behind: number[] = [];
    let node = this.#records[ROOT_LINK]!;
    while (node !== 0) {
      const own = this.lengthOf(node);
      const limit = own < length ? own : length;
      const shared = this.#shared(node, key, limit);
      if (shared < limit) return bitAt(key, shared) === 0 ? [...behind, node] : behind;
      if (own > length) return [...behind, node];
      const left = this.#records[node]!;
      const right = this.#records[node + 1]!;
      if (own === length) return [...behind, right, left];
      const isRight = bitAt(key, own) === 1;
      if (!isRight) behind.push(right);
      node = isRight ? right : left;
    }
    return behind;
  }

  // How many leading bits, at most `limit`, the node has in common with the key.
  #shared(node: number, key: BitKey, limit: number): number {
    const own = node + KEY;
    for (let word = 0; word < this.#words; word++) {
      const difference = this.#records[own + word]! ^ key[word]!;
      if (difference === 0) continue;
      const bits = 32 * word + Math.clz32(difference);
      return bits < limit ? bits : limit;
    }
    return limit;
  }

  #setLink(link: number, node: number): number {
    this.#records[link] = node;
    return node;
  }

  // Hangs a new node between a link and the node that it leads to.
  #placeOver(link: number, fresh: number, shared: number): number {
    const node = this.#records[link]!;
    //   fresh |--------------|
    //   node     |---|
    if (shared === this.lengthOf(fresh)) {
      this.#hang(fresh, node);
      return this.#setLink(link, fresh);
    }
    //   fork  |--------------|
    //   fresh |---|
    //   node             |---|
    const fork = this.#newNode(this.keyOf(fresh), shared);
    this.#hang(fork, fresh);
    this.#hang(fork, node);
    this.#setLink(link, fork);
    return fresh;
  }

  #hang(parent: number, child: number): void {
    const bit = this.lengthOf(parent);
    const side = (this.#records[child + KEY + (bit >>> 5)]! >>> (31 - (bit & 31))) & 1;
    this.#records[parent + side] = child;
  }

  // Takes out a node that has neither a value nor two branches.
  #prune(link: number): void {
    const node = this.#records[link]!;
    const left = this.#records[node]!;
    const right = this.#records[node + 1]!;
    if (this.slotOf(node) !== 0 || (left !== 0 && right !== 0)) return;
    this.#records[link] = left === 0 ? right : left;
    this.#records[node] = this.#reusable;
    this.#reusable = node;
  }

  #newNode(key: BitKey, length: number): number {
    const node = this.#allocate();
    this.#records[node] = 0;
    this.#records[node + 1] = 0;
    this.#records[node + META] = length;
    for (let word = 0; word < this.#words; word++) {
      this.#records[node + KEY + word] = key[word]! & headMask(length - 32 * word);
    }
    return node;
  }

  #allocate(): number {
    const reused = this.#reusable;
    if (reused !== 0) {
      this.#reusable = this.#records[reused]!;
      return reused;
    }
    const node = this.#end;
    this.#end += this.#stride;
    if (this.#end > this.#records.length) {
      const grown = new Uint32Array(Math.ceil((this.#records.length / this.#stride) * 1.5) * this.#stride);
      grown.set(this.#records);
      this.#records = grown;
    }
    return node;
  }
}
