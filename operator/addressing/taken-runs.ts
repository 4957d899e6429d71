import { familyBits, type Address, type Family } from './address';
import { addressOfKey, loadKey, moveBehind, newKey, type BitKey } from './bit-key';
import { FreeTrie } from './free-trie';

/** One IP version: all of it, with what is taken. */
class Half {
  readonly key: BitKey;
  readonly trie: FreeTrie;
  readonly width: number;

  constructor(family: Family) {
    this.key = newKey(family);
    this.trie = new FreeTrie(this.key, 0);
    this.width = familyBits(family);
  }

  keyOf(address: Address): BitKey {
    loadKey(this.key, address);
    return this.key;
  }
}

/**
 * Taken addresses of both families, which tells where a run of them ends: a search for a free address goes over the run in one step,
 * however long it is.
 *
 * @remarks Each change costs O(min(W, log n)) for n runs, W = 32 or 128, and the end of a run at most 2 W times that, since a run is at most 2 W
 * aligned blocks. One writer; not safe for use from several threads. Holds memory only; nothing to close.
 */
export class TakenRuns {
  readonly #v4 = new Half(4);
  readonly #v6 = new Half(6);

  /**
   * Adds an address.
   *
   * @param address - any address
   * @returns false when it is taken already
   */
  add(address: Address): boolean {
    const half = this.#half(address);
    return half.trie.take(half.keyOf(address), half.width);
  }

  /**
   * Takes an address away.
   *
   * @param address - any address
   * @returns false when it is not taken
   */
  remove(address: Address): boolean {
    const half = this.#half(address);
    return half.trie.release(half.keyOf(address), half.width);
  }

  /**
   * Finds where a run ends.
   *
   * @param address - any address
   * @returns the last address of the run from this one on, so that the next one is free; undefined when it is free itself
   */
  endOf(address: Address): Address | undefined {
    const half = this.#half(address);
    const { trie, width } = half;
    const key = half.keyOf(address);
    for (let isTaken = false; ; isTaken = true) {
      const length = trie.fullLength(key, width);
      if (length < 0) return isTaken ? addressOfKey(key).previous() : undefined;
      // behind the last address of the family there is none
      if (!moveBehind(key, length)) return addressOfKey(key);
    }
  }

  #half({ family }: Address): Half {
    return family === 4 ? this.#v4 : this.#v6;
  }
}
