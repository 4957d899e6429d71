/* eslint-disable @typescript-eslint/no-non-null-assertion -- every index is an offset that this class gave out; a check per word would cost a branch on the hottest path */
import { bitAt, headMask, type BitKey } from './bit-key';
import { FreeNodes, LENGTH, ROOT } from './free-nodes';

/**
 * Free space of one block as a path-compressed binary trie of the *full* blocks in it.
 *
 * A leaf is a maximal full block; two full siblings become one leaf; what no leaf covers is free. The edge from a node to a child
 * that is several bits longer stands for free blocks too, one per skipped bit:
 *
 * ```text
 *   node   |-------------------------------|   /24
 *   edge           |-------|                   free /26, the other half of the skipped bit
 *                  ^       |---------------|   free /25
 *   child  |xxxxxxx|                           full /26
 * ```
 *
 * @remarks Take, release and search cost O(min(W, log n)) for n full blocks, W = 32 or 128; nothing depends on the size of the block.
 * Not safe for use from several threads. Holds memory only; nothing to close.
 */
export class FreeTrie extends FreeNodes {
  /** Network address of the block that the last successful search found. */
  readonly found: BitKey;
  readonly #rootKey: BitKey;
  readonly #rootLength: number;
  readonly #path: Uint32Array;
  #depth = 0;
  #isEmpty = true;
  // where the last successful search ended: the node at the end of the path, and the bit that the found block turns
  #foundBit = 0;

  /**
   * Starts with all of a block free.
   *
   * @param rootKey - network address of the block, one word (IPv4) or four (IPv6); copied
   * @param rootLength - its prefix length in bits
   */
  constructor(rootKey: BitKey, rootLength: number) {
    super(rootKey.length);
    this.found = new Uint32Array(rootKey.length);
    this.#rootKey = rootKey.slice();
    this.#rootLength = rootLength;
    this.#path = new Uint32Array(32 * this.words + 1);
  }

  /**
   * Marks a block as full.
   *
   * @param key - its network address, inside the root block
   * @param length - its prefix length in bits, not below the root's
   * @returns false when any part of it is full already; nothing changes then
   */
  take(key: BitKey, length: number): boolean {
    if (this.#isEmpty) {
      this.#isEmpty = false;
      this.writeLeaf(ROOT, key, length);
      return true;
    }
    let at = ROOT;
    this.#depth = 0;
    for (;;) {
      const own = this.records[at + LENGTH]!;
      const limit = own < length ? own : length;
      const shared = this.shared(at, key, limit);
      this.#path[this.#depth++] = at;
      if (shared < limit) {
        this.writeLeaf(this.#fork(at, key, shared), key, length);
        this.#refresh();
        return true;
      }
      const children = this.records[at]!;
      // inside a full block, or over one:  node |xxxxxxx|   block |--|       node  |x|   block |------|
      if (own >= length || children === 0) return false;
      at = children + bitAt(key, own) * this.stride;
    }
  }

  /**
   * Marks a block as full, whatever parts of it are full already.
   *
   * @param key - its network address, inside the root block
   * @param length - its prefix length in bits, not below the root's
   * @remarks Costs as much more as there are full blocks inside of it.
   */
  fill(key: BitKey, length: number): void {
    if (this.take(key, length)) return;
    // the take ended at a full block around this one, or at the node that all full blocks in it hang from
    const at = this.#path[this.#depth - 1]!;
    if (this.records[at + LENGTH]! < length) return;
    this.#forgetBelow(at);
    this.writeLeaf(at, key, length);
    this.#depth--;
    this.#refresh();
  }

  /**
   * Marks a wholly full block as free; it may be a part of what was taken in one piece, or several pieces.
   *
   * @param key - its network address, inside the root block
   * @param length - its prefix length in bits, not below the root's
   * @returns false when any part of it is free already; nothing changes then
   */
  release(key: BitKey, length: number): boolean {
    const at = this.#leafOver(key, length);
    if (at < 0) return false;
    if (this.records[at + LENGTH] === length) this.#removeLeaf(at);
    else this.#carve(at, key, length);
    return true;
  }

  /**
   * Tells whether a block lies inside of the root block.
   *
   * @param key - its network address, anywhere
   * @param length - its prefix length in bits
   * @returns true when all of it does
   */
  isInside(key: BitKey, length: number): boolean {
    if (length < this.#rootLength) return false;
    for (let word = 0; 32 * word < this.#rootLength; word++) {
      const difference = (key[word]! ^ this.#rootKey[word]!) & headMask(this.#rootLength - 32 * word);
      if (difference !== 0) return false;
    }
    return true;
  }

  /**
   * Tells whether all of a block is full.
   *
   * @param key - its network address, inside the root block
   * @param length - its prefix length in bits
   * @returns true when one full block covers it
   */
  isFull(key: BitKey, length: number): boolean {
    return this.#leafOver(key, length) >= 0;
  }

  /**
   * Finds the full block that covers a block.
   *
   * @param key - network address of the block, inside the root block
   * @param length - its prefix length in bits
   * @returns prefix length of the largest full block over it, at most its own; -1 when a part of it is free
   */
  fullLength(key: BitKey, length: number): number {
    const at = this.#leafOver(key, length);
    return at < 0 ? -1 : this.records[at + LENGTH]!;
  }

  /**
   * Finds the free block with the lowest address and puts its network address into {@link found}.
   *
   * @param length - wanted prefix length in bits
   * @returns false when no free block of this size exists
   */
  findFirst(length: number): boolean {
    if (length < this.#rootLength) return false;
    if (this.#isEmpty) return this.#foundRoot();
    const { records } = this;
    const path = this.#path;
    let at = ROOT;
    let from = this.#rootLength;
    let depth = 0;
    if (!this.holds(at, from, length)) return false;
    for (;;) {
      path[depth++] = at;
      this.#depth = depth;
      const own = records[at + LENGTH]!;
      if (from < own) {
        const to = own < length ? own : length;
        // free blocks of the edge lie on both sides of the node; the longest skipped part is the outermost
        //   |- free -|- free -| node |--- free ---|
        const below = this.firstSetBit(at, from, to);
        if (below >= 0) return this.#foundBeside(at, below);
        if (this.shortestBelow(at) > length) return this.#foundBeside(at, this.lastClearBit(at, from, to));
      }
      from = own + 1;
      at = records[at]!;
      if (!this.holds(at, from, length)) at += this.stride;
    }
  }

  /**
   * Finds the smallest free block that is large enough, the lowest of these, and puts its network address into {@link found}.
   *
   * @param length - wanted prefix length in bits
   * @returns false when no free block of this size exists
   */
  findBest(length: number): boolean {
    if (length < this.#rootLength) return false;
    if (this.#isEmpty) return this.#foundRoot();
    const best = this.#bestLength(length);
    if (best === 0) return false;
    const { records } = this;
    let at = ROOT;
    let depth = 0;
    for (;;) {
      this.#path[depth++] = at;
      this.#depth = depth;
      const own = records[at + LENGTH]!;
      // an edge has one block of each length that it skips, and what lies below the node is smaller
      if (best <= own) return this.#foundBeside(at, best - 1);
      at = records[at]!;
      if (!this.holdsExactly(at, own + 1, best)) at += this.stride;
    }
  }

  /**
   * Marks the start of the {@link found} block as full without looking for its place again. Call it right after a search that found.
   *
   * @param length - prefix length in bits, as searched for
   */
  takeFound(length: number): void {
    if (this.#isEmpty) {
      this.#isEmpty = false;
      this.writeLeaf(ROOT, this.found, length);
      return;
    }
    const at = this.#path[this.#depth - 1]!;
    this.writeLeaf(this.#fork(at, this.found, this.#foundBit), this.found, length);
    this.#refresh();
  }

  // Offset of the leaf that covers the block, or -1; the path then holds its ancestors. Follows the bits without comparing: the key of a leaf
  // has the keys of its ancestors in it, so that one look at the end is enough.
  #leafOver(key: BitKey, length: number): number {
    if (this.#isEmpty) return -1;
    let at = ROOT;
    let depth = 0;
    for (;;) {
      const own = this.records[at + LENGTH]!;
      const children = this.records[at]!;
      if (own > length || children === 0) break;
      this.#path[depth++] = at;
      at = children + bitAt(key, own) * this.stride;
    }
    this.#depth = depth;
    const own = this.records[at + LENGTH]!;
    return own <= length && this.shared(at, key, own) === own ? at : -1;
  }

  // Length of the smallest maximal free block that has room for the length, or 0; those of the root's edge are larger than all below.
  #bestLength(length: number): number {
    const below = this.longestBelow(ROOT, length);
    if (below !== 0) return below;
    const own = this.records[ROOT + LENGTH]!;
    const onEdge = own < length ? own : length;
    return onEdge > this.#rootLength ? onEdge : 0;
  }

  #foundRoot(): boolean {
    this.found.set(this.#rootKey);
    return true;
  }

  // The block on the other side of a skipped bit: the node's key up to it, the bit turned, zeros behind.
  #foundBeside(at: number, bit: number): boolean {
    for (let word = 0; word < this.words; word++) {
      this.found[word] = this.records[at + this.keyAt + word]! & headMask(bit + 1 - 32 * word);
    }
    this.found[bit >>> 5]! ^= 0x8000_0000 >>> (bit & 31);
    this.#foundBit = bit;
    return true;
  }

  // Puts a branch where the node is and the node below it; gives the place beside it, for the new leaf.
  //   before  |node|             after  |------branch------|
  //                                     |node|         |new|
  #fork(at: number, key: BitKey, shared: number): number {
    const pair = this.allocate();
    const bit = bitAt(key, shared);
    this.move(at, pair + (1 - bit) * this.stride);
    this.writeBranch(at, key, shared);
    this.records[at] = pair;
    return pair + bit * this.stride;
  }

  // The leaf goes, so its parent would have one child: the sibling takes the parent's place.
  #removeLeaf(at: number): void {
    if (this.#depth === 0) {
      this.#isEmpty = true;
      return;
    }
    const parent = this.#path[--this.#depth]!;
    const pair = this.records[parent]!;
    this.move(2 * pair + this.stride - at, parent);
    this.forget(pair);
    this.#refresh();
  }

  #forgetBelow(at: number): void {
    const pair = this.records[at]!;
    if (pair === 0) return;
    this.#forgetBelow(pair);
    this.#forgetBelow(pair + this.stride);
    this.forget(pair);
  }

  // Frees a part of a full leaf: what stays full is one sibling for each bit between the two lengths.
  //   before  |xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx|
  //   free             |--|
  //   after   |xxxxxxx|    |xx|xxxxxxxxxxxxxxx|
  #carve(leaf: number, key: BitKey, length: number): void {
    let at = leaf;
    for (let cut = this.records[leaf + LENGTH]! + 1; cut < length; cut++) {
      const pair = this.allocate();
      const bit = bitAt(key, cut - 1);
      this.writeBranch(at, key, cut - 1);
      this.records[at] = pair;
      this.addBelow(at, length);
      this.writeSibling(pair + (1 - bit) * this.stride, key, cut);
      at = pair + bit * this.stride;
    }
    this.writeSibling(at, key, length);
    // nothing else changed, so that the ancestors gain this one length, if they did not have it
    let level = this.#depth - 1;
    while (level >= 0 && this.addBelow(this.#path[level]!, length)) level--;
  }

  // Brings the free lengths up to date along the path, from its end to the root, as far as anything changes.
  #refresh(): void {
    let level = this.#depth - 1;
    while (level >= 0 && this.refreshNode(this.#path[level]!)) level--;
  }
}
