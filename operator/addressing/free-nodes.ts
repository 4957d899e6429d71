/* eslint-disable @typescript-eslint/no-non-null-assertion -- every index is an offset that this class gave out; a check per word would cost a branch on the hottest path */
import { headMask, spanMask, type BitKey } from './bit-key';

// One record per node in one array, so that a node, and mostly its sibling too, lies on one cache line:
//   [CHILDREN, LENGTH, free lengths (1 or 4 words), key (1 or 4 words)]      16 bytes IPv4, 40 bytes IPv6
// CHILDREN is the offset of two adjacent records, first the one whose next bit is 0; 0 in a leaf, for the root is no child.
// Bit p of the free lengths says that a maximal free block of length p + 1 lies below the node.
/** Place of the prefix length in a record. */
export const LENGTH = 1;
/** Place of the free lengths in a record. */
const FREE = 2;
/** Offset of the root's record. */
export const ROOT = 0;

const FIRST_CAPACITY = 64;
const NO_LENGTH = 255;

/** The nodes of a free trie: storage, and what concerns one node and its two children. */
export class FreeNodes {
  protected readonly words: number;
  protected readonly stride: number;
  protected readonly keyAt: number;
  protected records: Int32Array;
  #end: number;
  #freePair = 0;

  /**
   * Makes room for the first nodes.
   *
   * @param words - words of a key: 1 (IPv4) or 4 (IPv6)
   */
  constructor(words: number) {
    this.words = words;
    this.keyAt = FREE + words;
    this.stride = this.keyAt + words;
    this.records = new Int32Array(FIRST_CAPACITY * this.stride);
    // the place beside the root stays empty: two IPv4 siblings then share half a cache line
    this.#end = 2 * this.stride;
  }

  // How many leading bits, at most `limit`, the node has in common with the key.
  protected shared(at: number, key: BitKey, limit: number): number {
    const own = at + this.keyAt;
    let start = 0;
    let difference = this.records[own]! ^ key[0]!;
    while (difference === 0) {
      start += 32;
      if (start >= limit) return limit;
      difference = this.records[own + (start >>> 5)]! ^ key[start >>> 5]!;
    }
    const bits = start + Math.clz32(difference);
    return bits < limit ? bits : limit;
  }

  // Length of the largest free block below the node; above every length when there is none.
  protected shortestBelow(at: number): number {
    const last = at + this.keyAt;
    for (let word = at + FREE, start = 1; word < last; word++, start += 32) {
      const free = this.records[word]!;
      if (free !== 0) return start + Math.clz32(free);
    }
    return NO_LENGTH;
  }

  // Length of the smallest maximal free block below the node that is as large as `most` bits leave; 0 when there is none.
  protected longestBelow(at: number, most: number): number {
    for (let word = this.words - 1; word >= 0; word--) {
      const start = 32 * word;
      const free = this.records[at + FREE + word]! & spanMask(0, most - start);
      if (free !== 0) return start + Math.clz32(free & -free) + 1;
    }
    return 0;
  }

  // Whether a maximal free block of exactly this length lies on the edge, which skips the bits from `from` on, or below the node.
  protected holdsExactly(at: number, from: number, length: number): boolean {
    if (from < length && length <= this.records[at + LENGTH]!) return true;
    const bit = length - 1;
    return (this.records[at + FREE + (bit >>> 5)]! & (0x8000_0000 >>> (bit & 31))) !== 0;
  }

  // Whether a free block of this size lies on the edge, which skips the bits from `from` on, or below the node.
  protected holds(at: number, from: number, length: number): boolean {
    return (from < length && from < this.records[at + LENGTH]!) || this.shortestBelow(at) <= length;
  }

  // First bit of the node's key in [from, to) that is 1, or -1.
  protected firstSetBit(at: number, from: number, to: number): number {
    for (let start = from & ~31; start < to; start += 32) {
      const bits = this.records[at + this.keyAt + (start >>> 5)]! & spanMask(from - start, to - start);
      if (bits !== 0) return start + Math.clz32(bits);
    }
    return -1;
  }

  // Last bit of the node's key in [from, to) that is 0, or -1.
  protected lastClearBit(at: number, from: number, to: number): number {
    for (let start = (to - 1) & ~31; start >= 0 && start + 32 > from; start -= 32) {
      const bits = ~this.records[at + this.keyAt + (start >>> 5)]! & spanMask(from - start, to - start);
      if (bits !== 0) return start + Math.clz32(bits & -bits);
    }
    return -1;
  }

  // Two adjacent records; reused ones first.
  protected allocate(): number {
    const reused = this.#freePair;
    if (reused !== 0) {
      this.#freePair = this.records[reused]!;
      return reused;
    }
    const pair = this.#end;
    this.#end += 2 * this.stride;
    if (this.#end > this.records.length) {
      const grown = new Int32Array(Math.ceil(this.records.length / this.stride / 8) * 10 * this.stride);
      grown.set(this.records);
      this.records = grown;
    }
    return pair;
  }

  protected forget(pair: number): void {
    this.records[pair] = this.#freePair;
    this.#freePair = pair;
  }

  protected move(from: number, to: number): void {
    for (let word = 0; word < this.stride; word++) this.records[to + word] = this.records[from + word]!;
  }

  protected writeLeaf(at: number, key: BitKey, length: number): void {
    this.writeBranch(at, key, length);
    this.records[at] = 0;
  }

  // Length, key and no free lengths; the caller sets the children.
  protected writeBranch(at: number, key: BitKey, length: number): void {
    this.records[at + LENGTH] = length;
    for (let word = 0; word < this.words; word++) {
      this.records[at + FREE + word] = 0;
      this.records[at + this.keyAt + word] = key[word]! & headMask(length - 32 * word);
    }
  }

  // A full leaf beside the block: its key with the last bit turned.
  protected writeSibling(at: number, key: BitKey, length: number): void {
    this.writeLeaf(at, key, length);
    const bit = length - 1;
    this.records[at + this.keyAt + (bit >>> 5)]! ^= 0x8000_0000 >>> (bit & 31);
  }

  protected refreshNode(at: number): boolean {
    const records = this.records;
    const left = records[at]!;
    const right = left + this.stride;
    const own = records[at + LENGTH]!;
    const leftLength = records[left + LENGTH]!;
    const rightLength = records[right + LENGTH]!;
    // two full halves    |xxxxxxx|xxxxxxx|   are one full block   |xxxxxxxxxxxxxxx|
    if (leftLength === own + 1 && rightLength === own + 1 && records[left] === 0 && records[right] === 0) {
      this.forget(left);
      return this.becomeLeaf(at);
    }
    // both edges begin behind this node, so that the longer one has every length of the shorter one
    const longer = leftLength > rightLength ? leftLength : rightLength;
    let changed = false;
    for (let word = FREE; word < this.keyAt; word++) {
      const start = 32 * (word - FREE);
      const edges = spanMask(own + 1 - start, longer - start);
      const free = records[left + word]! | records[right + word]! | edges | 0;
      if (free === records[at + word]) continue;
      records[at + word] = free;
      changed = true;
    }
    return changed;
  }

  // Notes a free block of this length below the node; false when there was one already.
  protected addBelow(at: number, length: number): boolean {
    const bit = length - 1;
    const word = at + FREE + (bit >>> 5);
    const mask = 0x8000_0000 >>> (bit & 31);
    if ((this.records[word]! & mask) !== 0) return false;
    this.records[word]! |= mask;
    return true;
  }

  protected becomeLeaf(at: number): true {
    this.records[at] = 0;
    for (let word = 0; word < this.words; word++) this.records[at + FREE + word] = 0;
    return true;
  }
}
