import { familyBits, type Address, type Family } from './address';
import { addressOfKey, coverInterval, loadKey, newKey, sharedBits, type BitKey } from './bit-key';
import { OpenPages } from './open-pages';
import { PAGE_BITS, PAGE_SIZE, PageTable } from './page-table';
import { Prefix } from './prefix';
import { PrefixSetBuilder, type PrefixSet } from './prefix-set';
import { Range } from './range';

const LAST_PLACE = PAGE_SIZE - 1;

/**
 * Gives the smallest prefix that holds all addresses of a set.
 *
 * @param space - any set
 * @param family - only addresses of this IP version count
 * @returns the prefix; undefined when there is no address
 */
export function spanOf(space: PrefixSet, family: Family): Prefix | undefined {
  const ranges = space.ranges(family);
  const first = ranges[0]?.first;
  const last = ranges.at(-1)?.last;
  if (first === undefined || last === undefined) return undefined;
  return new Prefix(first, sharedBits(first, last));
}

/**
 * Gives what of a prefix is not in a set.
 *
 * @param prefix - the prefix to look at
 * @param space - addresses that are no gap
 * @returns ranges in order
 */
export function gapsOf(prefix: Prefix, space: PrefixSet): readonly Range[] {
  return new PrefixSetBuilder().add(prefix).subtract(space).build().ranges(prefix.family);
}

/**
 * Which addresses of a space are taken, for one IP version.
 *
 * The automatic choice is always the lowest free address, over all prefixes of the space; a wished address further up changes nothing
 * for later callers. Addresses outside of the space are never given, whatever happens.
 *
 * @remarks Take and release cost O(1) expected, the lowest free address O(min(W, log n)) for n full pages; building costs
 * O(r) for r ranges. Nothing depends on the size of the space. One writer; not safe for use from several threads. Holds memory
 * only: 0.2 bytes (dense) to 63 bytes (random IPv6) per taken address; nothing to close.
 */
export class AddressPool {
  readonly family: Family;
  readonly #space: PrefixSet;
  readonly #pageLength: number;
  readonly #pages: PageTable;
  // pages outside of the space have no record among the pages and are never open
  readonly #open: OpenPages;
  readonly #key: BitKey;

  /**
   * Starts with every address of the space free.
   *
   * @param space - what may be given; addresses of the other family are ignored
   * @param family - IP version of the pool
   */
  constructor(space: PrefixSet, family: Family) {
    this.family = family;
    this.#space = space;
    this.#pageLength = familyBits(family) - PAGE_BITS;
    this.#key = newKey(family);
    this.#pages = new PageTable(this.#key.length);
    const span = spanOf(space, family);
    // whole pages only: a smaller pool is one page whose other addresses are fenced off
    const root = span && new Prefix(span.first, Math.min(span.length, this.#pageLength));
    if (root !== undefined) loadKey(this.#key, root.first);
    this.#open = new OpenPages(this.#key, root?.length ?? 0, this.#pageLength);
    if (root === undefined) this.#open.fence(this.#key, 0);
    else for (const gap of gapsOf(root, space)) this.#close(gap);
  }

  /**
   * Takes one address.
   *
   * @param address - the wished one
   * @returns false when it is taken already or outside of the space; nothing changes then
   */
  take(address: Address): boolean {
    if (address.family !== this.family) return false;
    loadKey(this.#key, address);
    const known = this.#pages.find(this.#key);
    if (known === 0 && !this.#open.isInPool(this.#pageKey())) return false;
    return this.#mark(known, address.w3);
  }

  /**
   * Gives one address back.
   *
   * @param address - a taken one
   * @returns false when it was not taken or is outside of the space; nothing changes then
   */
  release(address: Address): boolean {
    if (address.family !== this.family) return false;
    loadKey(this.#key, address);
    const page = this.#pages.find(this.#key);
    if (page === 0) return false;
    if (this.#pages.isFenced(page) && !this.#space.contains(address)) return false;
    if (!this.#pages.clear(page, address.w3)) return false;
    const left = this.#pages.count(page);
    if (left === LAST_PLACE) this.#open.open(this.#pageKey());
    else if (left === 0) this.#drop(page);
    return true;
  }

  /**
   * Takes the lowest free address.
   *
   * @returns the address; undefined when the pool is exhausted
   */
  takeLowest(): Address | undefined {
    const page = this.#findLowest();
    if (page === undefined) return undefined;
    const lowest = addressOfKey(this.#key);
    this.#mark(page, lowest.w3);
    return lowest;
  }

  // Loads the lowest free address into the key and gives its page, 0 when that has no record yet.
  #findLowest(): number | undefined {
    if (!this.#open.findLowest(this.#key)) return undefined;
    const page = this.#pages.find(this.#key);
    const last = this.#key.length - 1;
    if (page !== 0) this.#key[last] = (this.#key[last] ?? 0) | this.#pages.lowestClear(page);
    return page;
  }

  #mark(known: number, place: number): boolean {
    const page = known === 0 ? this.#pages.add(this.#key) : known;
    if (!this.#pages.set(page, place)) return false;
    if (this.#pages.count(page) === PAGE_SIZE) this.#open.close(this.#pageKey());
    return true;
  }

  #drop(page: number): void {
    this.#pages.drop(page);
    this.#open.settle(this.#pageKey());
  }

  // Turns the loaded address into the network address of its page.
  #pageKey(): BitKey {
    const last = this.#key.length - 1;
    this.#key[last] = (this.#key[last] ?? 0) & ~LAST_PLACE;
    return this.#key;
  }

  // Keeps a range that is outside of the space from being given.
  //   pages  |---------|---------|---------|---------|
  //   gap         |--------------------------|
  //               |fence|closed            |fence|
  #close(gap: Range): void {
    const firstPage = new Prefix(gap.first, this.#pageLength);
    const lastPage = new Prefix(gap.last, this.#pageLength);
    const head = gap.first.w3 & LAST_PLACE;
    const tail = gap.last.w3 & LAST_PLACE;
    const isOnePage = firstPage.equals(lastPage);
    if (isOnePage && tail - head < LAST_PLACE) {
      this.#fence(firstPage, head, tail);
      return;
    }
    if (head > 0) this.#fence(firstPage, head, LAST_PLACE);
    if (tail < LAST_PLACE) this.#fence(lastPage, 0, tail);
    const from = head > 0 ? firstPage.last.next() : firstPage.first;
    const to = tail < LAST_PLACE ? lastPage.first.previous() : lastPage.last;
    if (from !== undefined && to !== undefined && from.compareTo(to) < 0) this.#closePages(new Range(from, to));
  }

  #fence(page: Prefix, head: number, tail: number): void {
    loadKey(this.#key, page.first);
    const known = this.#pages.find(this.#key);
    this.#pages.fence(known === 0 ? this.#pages.add(this.#key) : known, head, tail);
  }

  #closePages(pages: Range): void {
    const first = newKey(this.family);
    const last = newKey(this.family);
    loadKey(first, pages.first);
    loadKey(last, pages.last);
    coverInterval({ first, last, bits: this.#pageLength }, (key, length) => {
      this.#open.fence(key, length);
    });
  }
}
