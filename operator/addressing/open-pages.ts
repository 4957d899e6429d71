import type { BitKey } from './bit-key';
import { FreeTrie } from './free-trie';

/**
 * Which pages still have a free address, over a free trie in which pages without one are full.
 *
 * Two things spare most walks through the trie. The lowest open page is remembered. And the page that opened last stays full in the trie for
 * the time being (it is *late*): in a dense pool one holder leaves and the next one takes the same address, so that the page closes again at once.
 *
 * @remarks Every operation costs O(min(W, log n)) at most, W = 32 or 128, for n full pages. Not safe for use from several threads.
 */
export class OpenPages {
  readonly #closed: FreeTrie;
  readonly #length: number;
  readonly #late: BitKey;
  #hasLate = false;
  // lowest page that is open in the trie; meaningless unless known
  readonly #first: BitKey;
  #isFirstKnown = false;
  #hasFirst = false;

  /**
   * Starts with every page open.
   *
   * @param rootKey - network address of the block that holds all pages
   * @param rootLength - its prefix length in bits
   * @param length - prefix length of a page in bits
   */
  constructor(rootKey: BitKey, rootLength: number, length: number) {
    this.#closed = new FreeTrie(rootKey, rootLength);
    this.#length = length;
    this.#late = rootKey.slice();
    this.#first = rootKey.slice();
  }

  /**
   * Closes a block of pages for ever, before any page is opened or closed.
   *
   * @param key - network address of the block
   * @param length - its prefix length in bits, not above that of a page
   */
  fence(key: BitKey, length: number): void {
    this.#closed.take(key, length);
  }

  /**
   * Tells whether a page without an address in use lies in the pool.
   *
   * @param key - network address of the page, anywhere
   * @returns true when it is inside of the root block and was not fenced
   */
  isInPool(key: BitKey): boolean {
    return this.#closed.isInside(key, this.#length) && !this.#closed.isFull(key, this.#length);
  }

  /**
   * Notes that a page without a free address has one again.
   *
   * @param key - network address of the page
   */
  open(key: BitKey): void {
    if (this.#hasLate && compare(key, this.#late) > 0) {
      this.#openInTrie(key);
      return;
    }
    // the lower one of two is likelier to close again
    if (this.#hasLate) this.#openInTrie(this.#late);
    this.#late.set(key);
    this.#hasLate = true;
  }

  /**
   * Notes that a page has no free address any more.
   *
   * @param key - network address of the page
   */
  close(key: BitKey): void {
    if (this.#isLate(key)) {
      this.#hasLate = false;
      return;
    }
    this.#closed.take(key, this.#length);
    if (this.#hasFirst && compare(key, this.#first) === 0) this.#isFirstKnown = false;
  }

  /**
   * Makes sure that the trie tells the truth about a page whose last address was given back.
   *
   * @param key - network address of the page
   */
  settle(key: BitKey): void {
    if (!this.#isLate(key)) return;
    this.#hasLate = false;
    this.#openInTrie(key);
  }

  /**
   * Finds the lowest open page.
   *
   * @param into - gets its network address
   * @returns false when no page is open
   */
  findLowest(into: BitKey): boolean {
    if (!this.#isFirstKnown) {
      this.#hasFirst = this.#closed.findFirst(this.#length);
      this.#isFirstKnown = true;
      if (this.#hasFirst) this.#first.set(this.#closed.found);
    }
    const isLateLower = this.#hasLate && (!this.#hasFirst || compare(this.#late, this.#first) < 0);
    into.set(isLateLower ? this.#late : this.#first);
    return isLateLower || this.#hasFirst;
  }

  #isLate(key: BitKey): boolean {
    return this.#hasLate && compare(key, this.#late) === 0;
  }

  #openInTrie(key: BitKey): void {
    this.#closed.release(key, this.#length);
    if (!this.#isFirstKnown || (this.#hasFirst && compare(key, this.#first) > 0)) return;
    this.#first.set(key);
    this.#hasFirst = true;
  }
}

// Negative, 0 or positive, like two unsigned numbers.
function compare(a: BitKey, b: BitKey): number {
  for (let word = 0; word < a.length; word++) {
    const difference = (a[word] ?? 0) - (b[word] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
