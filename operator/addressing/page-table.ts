/* eslint-disable @typescript-eslint/no-non-null-assertion -- every index is an offset that this class gave out; a check per word would cost a branch on the hottest path */
import type { BitKey } from './bit-key';

/** Addresses on one page: a /24 (IPv4) or /120 (IPv6). */
export const PAGE_SIZE = 256;
/** Bits of an address that choose its place on the page. */
export const PAGE_BITS = 8;

// One record per page in one array: [NEXT, COUNT, key (1 or 4 words), bitmap (8 words)]: 44 bytes IPv4, 56 bytes IPv6.
const NEXT = 0;
const COUNT = 1;
const KEY = 2;
const BITMAP_WORDS = PAGE_SIZE / 32;
const PLACE_MASK = PAGE_SIZE - 1;
// set in COUNT when some addresses of the page lie outside of the pool
const EDGE = 1 << 16;

const FIRST_CAPACITY = 64;

/**
 * Pages of 256 addresses with a bit for each address in use, in a chained hash table. A page without a bit has no record.
 *
 * @remarks Every operation is O(1) expected. A page is known to its caller by the offset of its record, which stays valid until the page
 * is dropped; 0 stands for no page. Not safe for use from several threads. Holds memory only; nothing to close.
 */
export class PageTable {
  readonly #lastWord: number;
  readonly #bitmapAt: number;
  readonly #stride: number;
  #records: Uint32Array;
  #heads: Uint32Array;
  #hashShift: number;
  #end: number;
  #reusable = 0;
  #pages = 0;

  /**
   * Starts without a page.
   *
   * @param words - words of a key: 1 (IPv4) or 4 (IPv6)
   */
  constructor(words: number) {
    this.#lastWord = words - 1;
    this.#bitmapAt = KEY + words;
    this.#stride = this.#bitmapAt + BITMAP_WORDS;
    this.#records = new Uint32Array(FIRST_CAPACITY * this.#stride);
    this.#heads = new Uint32Array(FIRST_CAPACITY);
    this.#hashShift = Math.clz32(FIRST_CAPACITY) + 1;
    this.#end = this.#stride;
  }

  /**
   * Looks a page up.
   *
   * @param key - any address of the page
   * @returns offset of its record, or 0
   */
  find(key: BitKey): number {
    let page = this.#heads[this.#hash(key, 0)]!;
    while (page !== 0 && !this.#isPageOf(page, key)) page = this.#records[page + NEXT]!;
    return page;
  }

  /**
   * Makes a page without any bit; the caller sets one before it makes another page.
   *
   * @param key - any address of the page, which must not exist yet
   * @returns offset of its record
   */
  add(key: BitKey): number {
    if (this.#pages === this.#heads.length) this.#rehash();
    const page = this.#allocate();
    const records = this.#records;
    const head = this.#hash(key, 0);
    records[page + NEXT] = this.#heads[head]!;
    this.#heads[head] = page;
    records[page + COUNT] = 0;
    for (let word = 0; word <= this.#lastWord; word++) records[page + KEY + word] = key[word]!;
    records[page + KEY + this.#lastWord]! &= ~PLACE_MASK;
    // eight words: a loop, since `fill` costs more than that to call
    for (let word = page + this.#bitmapAt; word < page + this.#stride; word++) records[word] = 0;
    this.#pages++;
    return page;
  }

  /**
   * Removes the record, whatever bits it has.
   *
   * @param page - what {@link find} or {@link add} gave; not valid afterwards
   */
  drop(page: number): void {
    const records = this.#records;
    const next = records[page + NEXT]!;
    const head = this.#hash(records, page + KEY);
    if (this.#heads[head] === page) this.#heads[head] = next;
    else {
      let before = this.#heads[head]!;
      while (records[before + NEXT] !== page) before = records[before + NEXT]!;
      records[before + NEXT] = next;
    }
    records[page + NEXT] = this.#reusable;
    records[page + COUNT] = 0;
    this.#reusable = page;
    this.#pages--;
  }

  /**
   * Sets one bit.
   *
   * @param page - what {@link find} or {@link add} gave
   * @param place - any number whose low 8 bits are the place of the address
   * @returns false when it was set already
   */
  set(page: number, place: number): boolean {
    const word = this.#wordOf(page, place);
    const bit = 1 << (place & 31);
    if ((this.#records[word]! & bit) !== 0) return false;
    this.#records[word]! |= bit;
    this.#records[page + COUNT]!++;
    return true;
  }

  /**
   * Clears one bit.
   *
   * @param page - what {@link find} or {@link add} gave
   * @param place - any number whose low 8 bits are the place of the address
   * @returns false when it was clear already
   */
  clear(page: number, place: number): boolean {
    const word = this.#wordOf(page, place);
    const bit = 1 << (place & 31);
    if ((this.#records[word]! & bit) === 0) return false;
    this.#records[word]! &= ~bit;
    this.#records[page + COUNT]!--;
    return true;
  }

  /**
   * Sets the bits of addresses outside of the pool and remembers that the page has such.
   *
   * @param page - what {@link find} or {@link add} gave
   * @param first - first place, 0 to 255
   * @param last - last place, not below `first`
   */
  fence(page: number, first: number, last: number): void {
    for (let place = first; place <= last; place++) this.set(page, place);
    this.#records[page + COUNT]! |= EDGE;
  }

  /**
   * Tells whether {@link fence} was called for the page.
   *
   * @param page - what {@link find} or {@link add} gave
   * @returns true when a set bit may stand for an address outside of the pool
   */
  isFenced(page: number): boolean {
    return this.#records[page + COUNT]! >= EDGE;
  }

  /**
   * Counts the set bits.
   *
   * @param page - what {@link find} or {@link add} gave
   * @returns 0 to 256, addresses outside of the pool included
   */
  count(page: number): number {
    return this.#records[page + COUNT]! & (EDGE - 1);
  }

  /**
   * Finds the lowest clear bit.
   *
   * @param page - a page that is not full
   * @returns its place, 0 to 255
   */
  lowestClear(page: number): number {
    let word = 0;
    while (this.#records[page + this.#bitmapAt + word] === 0xffff_ffff) word++;
    const clear = ~this.#records[page + this.#bitmapAt + word]!;
    return 32 * word + 31 - Math.clz32(clear & -clear);
  }

  #wordOf(page: number, place: number): number {
    return page + this.#bitmapAt + ((place & PLACE_MASK) >>> 5);
  }

  #isPageOf(page: number, key: BitKey): boolean {
    const own = page + KEY;
    if (((this.#records[own + this.#lastWord]! ^ key[this.#lastWord]!) & ~PLACE_MASK) !== 0) return false;
    for (let word = 0; word < this.#lastWord; word++) if (this.#records[own + word] !== key[word]) return false;
    return true;
  }

  // Place among the heads of the page whose key starts at `from`. The multipliers are odd with well mixed bits (Knuth's golden ratio for
  // the first); page numbers are mostly consecutive, and this spreads them over all heads.
  #hash(words: Uint32Array, from: number): number {
    let mixed = Math.imul(words[from + this.#lastWord]! >>> PAGE_BITS, 0x9e37_79b1);
    for (let word = 0; word < this.#lastWord; word++) {
      mixed = Math.imul(mixed ^ words[from + word]!, 0x85eb_ca6b);
      mixed ^= mixed >>> 15;
    }
    return Math.imul(mixed ^ (mixed >>> 16), 0xc2b2_ae35) >>> this.#hashShift;
  }

  #allocate(): number {
    const reused = this.#reusable;
    if (reused !== 0) {
      this.#reusable = this.#records[reused + NEXT]!;
      return reused;
    }
    const page = this.#end;
    this.#end += this.#stride;
    if (this.#end > this.#records.length) {
      const grown = new Uint32Array(Math.ceil((this.#records.length / this.#stride) * 1.5) * this.#stride);
      grown.set(this.#records);
      this.#records = grown;
    }
    return page;
  }

  // Doubles the heads, so that a chain stays one record long on average. Goes through the records in their order, not along the chains: with
  // a million pages in random order, waiting for memory is nearly all of the cost.
  #rehash(): void {
    this.#heads = new Uint32Array(2 * this.#heads.length);
    this.#hashShift--;
    const records = this.#records;
    for (let page = this.#stride; page < this.#end; page += this.#stride) {
      // a dropped page; those in use have a bit set
      if (records[page + COUNT] === 0) continue;
      const head = this.#hash(records, page + KEY);
      records[page + NEXT] = this.#heads[head]!;
      this.#heads[head] = page;
    }
  }
}
