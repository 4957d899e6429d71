import { IpamError } from '../errors/ipam-error';
import { familyBits, type Address, type Family } from './address';
import { gapsOf, spanOf } from './address-pool';
import { addressOfKey, coverInterval, loadKey, newKey, type BitKey } from './bit-key';
import { FreeTrie } from './free-trie';
import { Prefix } from './prefix';
import type { PrefixSet } from './prefix-set';
import type { Range } from './range';

/**
 * Which blocks of a space are taken, for one IP version.
 *
 * The pool knows what is taken, not in which pieces: the holder of each block is in the record. So a half of a taken block can be
 * given back, and a block that was taken in two halves can be given back at once.
 *
 * @remarks Every operation costs O(min(W, log n)) for n taken blocks, W = 32 or 128; building costs O(W r) for r ranges. Nothing
 * depends on the size of the space. One writer; not safe for use from several threads. Holds memory only: about 15 bytes
 * per block (IPv4); nothing to close.
 */
export class PrefixPool {
  readonly family: Family;
  readonly #space: PrefixSet;
  // true when the space is one block, so that the question whether something lies in it needs no search
  readonly #isWhole: boolean;
  readonly #blocks: FreeTrie;
  readonly #key: BitKey;

  /**
   * Starts with every block of the space free.
   *
   * @param space - what may be given; addresses of the other family are ignored
   * @param family - IP version of the pool
   */
  constructor(space: PrefixSet, family: Family) {
    this.family = family;
    this.#space = space;
    this.#key = newKey(family);
    const root = spanOf(space, family);
    if (root !== undefined) loadKey(this.#key, root.first);
    this.#blocks = new FreeTrie(this.#key, root?.length ?? 0);
    this.#isWhole = root?.hostCount === space.count(family);
    if (root === undefined) this.#blocks.take(this.#key, 0);
    else if (!this.#isWhole) this.#closeGaps(root);
  }

  /**
   * Takes exactly one block.
   *
   * @param prefix - the wished one
   * @returns false when a part of it is taken already or outside of the space; nothing changes then
   */
  take(prefix: Prefix): boolean {
    if (!this.#loadInside(prefix)) return false;
    return this.#blocks.take(this.#key, prefix.length);
  }

  /**
   * Takes all of a block that is not taken yet.
   *
   * @param prefix - a block of the space
   * @returns false when a part of it is outside of the space; nothing changes then
   * @remarks Costs as much more as there are taken blocks inside of it.
   */
  fill(prefix: Prefix): boolean {
    if (!this.#loadInside(prefix)) return false;
    this.#blocks.fill(this.#key, prefix.length);
    return true;
  }

  /**
   * Takes the free block with the lowest address.
   *
   * @param length - wanted prefix length in bits, 0 to 32 (IPv4) or 128 (IPv6)
   * @returns the block; undefined when none of this size is free
   * @throws {@link IpamError} `addressing/out-of-range` when `length` leaves that interval (caller bug)
   */
  takeFirst(length: number): Prefix | undefined {
    this.#checkLength(length);
    return this.#blocks.findFirst(length) ? this.#takeFound(length) : undefined;
  }

  /**
   * Finds the free block with the lowest address without taking it.
   *
   * @param length - wanted prefix length in bits, 0 to 32 (IPv4) or 128 (IPv6)
   * @returns the block; undefined when none of this size is free
   * @throws {@link IpamError} `addressing/out-of-range` when `length` leaves that interval (caller bug)
   */
  lowestFree(length: number): Prefix | undefined {
    this.#checkLength(length);
    return this.#blocks.findFirst(length) ? new Prefix(addressOfKey(this.#blocks.found), length) : undefined;
  }

  /**
   * Finds room without taking it: in the smallest free block that is large enough, of several the lowest one, and there at its start. So
   * large blocks stay whole as long as they can.
   *
   * @param length - wanted prefix length in bits, 0 to 32 (IPv4) or 128 (IPv6)
   * @returns the block; undefined when none of this size is free
   * @throws {@link IpamError} `addressing/out-of-range` when `length` leaves that interval (caller bug)
   */
  bestFit(length: number): Prefix | undefined {
    this.#checkLength(length);
    return this.#blocks.findBest(length) ? new Prefix(addressOfKey(this.#blocks.found), length) : undefined;
  }

  /**
   * Finds the lowest free address of a range without taking it.
   *
   * @param range - begins in the space
   * @returns the address; undefined when none is free
   * @remarks O(W²) whatever the size of the range and the number of taken blocks.
   */
  lowestFreeIn(range: Range): Address | undefined {
    const width = familyBits(this.family);
    let address: Address | undefined = range.first;
    while (address !== undefined && address.compareTo(range.last) <= 0) {
      if (!this.#loadInside(new Prefix(address, width))) return undefined;
      const full = this.#blocks.fullLength(this.#key, width);
      if (full < 0) return address;
      address = new Prefix(address, full).last.next();
    }
    return undefined;
  }

  /**
   * Gives a block back.
   *
   * @param prefix - a block whose addresses are all taken
   * @returns false when a part of it is not taken or outside of the space; nothing changes then
   */
  release(prefix: Prefix): boolean {
    if (!this.#loadInside(prefix)) return false;
    return this.#blocks.release(this.#key, prefix.length);
  }

  // Loads the block into the key when all of it lies in the space.
  #loadInside(prefix: Prefix): boolean {
    if (prefix.family !== this.family) return false;
    loadKey(this.#key, prefix.first);
    return this.#blocks.isInside(this.#key, prefix.length) && (this.#isWhole || this.#space.containsPrefix(prefix));
  }

  #checkLength(length: number): void {
    const width = familyBits(this.family);
    if (Number.isInteger(length) && length >= 0 && length <= width) return;
    throw new IpamError(
      'addressing/out-of-range',
      `prefix length ${String(length)} is outside 0..${String(width)} for IPv${this.family}; use ${String(width)} for a single address`,
    );
  }

  #takeFound(length: number): Prefix {
    this.#blocks.takeFound(length);
    return new Prefix(addressOfKey(this.#blocks.found), length);
  }

  // Keeps what is outside of the space from being given: it counts as full, but without a holder.
  #closeGaps(root: Prefix): void {
    const first = newKey(this.family);
    const last = newKey(this.family);
    for (const gap of gapsOf(root, this.#space)) {
      loadKey(first, gap.first);
      loadKey(last, gap.last);
      const bits = familyBits(this.family);
      coverInterval({ first, last, bits }, (key, length) => this.#blocks.take(key, length));
    }
  }
}
