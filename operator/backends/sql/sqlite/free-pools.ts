import { familyBits, type Address, type Family } from '../../../addressing/address';
import { AddressPool } from '../../../addressing/address-pool';
import { Prefix } from '../../../addressing/prefix';
import { PrefixPool } from '../../../addressing/prefix-pool';
import { PrefixSetBuilder, type PrefixSet } from '../../../addressing/prefix-set';
import { rangeOf } from '../../../addressing/range';
import { columnFamily, fromColumn, type AddressColumn } from '../shared/address-column';
import type { PoolCounts } from './pool-counts';
import type { Statements } from './statements';
import type { WireRange } from './take-wire';

/** One pool and family of one network. */
export interface PoolKey {
  readonly network: string;
  readonly pool: string;
  readonly family: Family;
}

/** An address, or the prefix of `length` bits that begins there. */
export interface Space {
  readonly address: Address;
  readonly length: number | null;
}

/** Index of what is free: of addresses alone, or of prefixes of any length, which costs more. */
type FreeIndex =
  | { readonly kind: 'addresses'; readonly pool: AddressPool }
  | { readonly kind: 'prefixes'; readonly pool: PrefixPool; readonly space: PrefixSet };

interface Slot {
  readonly family: Family;
  readonly space: readonly WireRange[];
  /** Built when it is first needed. */
  index: FreeIndex | undefined;
}

type LiveStatements = Pick<Statements, 'live' | 'livePrefixes'>;

function spaceOf(ranges: readonly WireRange[]): PrefixSet {
  const builder = new PrefixSetBuilder();
  for (const [first, last] of ranges) builder.add(rangeOf(fromColumn(first), fromColumn(last)));
  return builder.build();
}

// The parts of a space that a pool knows; a row may lie across the border of a pool.
function partsOf({ address, length }: Space, within: PrefixSet): readonly Prefix[] {
  if (length === null) return [new Prefix(address, familyBits(address.family))];
  const block = new Prefix(address, length);
  if (within.containsPrefix(block)) return [block];
  return new PrefixSetBuilder().add(block).build().intersect(within).prefixes(address.family);
}

/**
 * Index of what is free, one for each network, pool and family, over the rows of the database.
 *
 * An index may think that taken space is free (the row that stands there then says no, and the caller tells it by {@link learn}),
 * never the other way round, since that would leak space: hence {@link freed} tells every pool of the network, for the
 * holders of a pool that shrank lie in the space of another one. One caller at a time. After a rollback call {@link forget}.
 */
export class FreePools {
  readonly #networks = new Map<string, Map<string, Slot>>();
  readonly #statements: LiveStatements;
  readonly #counts: Pick<PoolCounts, 'hasPrefixes'>;

  /**
   * Starts without any pool.
   *
   * @param statements - reads live rows when an index is built
   * @param counts - tells where live rows are prefixes
   */
  constructor(statements: LiveStatements, counts: Pick<PoolCounts, 'hasPrefixes'>) {
    this.#statements = statements;
    this.#counts = counts;
  }

  /**
   * Sets what a pool may give out; its index is built anew when it is next needed.
   *
   * @param key - network, pool and family
   * @param space - disjoint ranges of that family
   */
  setSpace(key: PoolKey, space: readonly WireRange[]): void {
    let slots = this.#networks.get(key.network);
    if (slots === undefined) this.#networks.set(key.network, (slots = new Map<string, Slot>()));
    slots.set(`${key.family}/${key.pool}`, { family: key.family, space, index: undefined });
  }

  /**
   * Finds the lowest space that seems to be free, and counts it as taken.
   *
   * @param key - network, pool and family; {@link setSpace} came before
   * @param length - bits of a prefix, null for one address
   * @returns the address, or the first one of the prefix; undefined when the pool has none left
   * @remarks O(live rows in the space) the first time, then O(log).
   */
  takeLowest(key: PoolKey, length: number | null): Address | undefined {
    const slot = this.#slotOf(key);
    if (slot === undefined) return undefined;
    const index = this.#indexOf(key.network, slot, length);
    if (index.kind === 'addresses') return index.pool.takeLowest();
    return index.pool.takeFirst(length ?? familyBits(key.family))?.first;
  }

  /**
   * Tells what a pool may give out.
   *
   * @param key - network, pool and family
   * @returns its ranges; none for a pool that was never asked for
   */
  spaceOf(key: PoolKey): readonly WireRange[] {
    return this.#slotOf(key)?.space ?? [];
  }

  /**
   * Counts a space as taken that its caller named.
   *
   * @param key - network, pool and family
   * @param space - inside or outside of the pool's space
   */
  taken(key: PoolKey, space: Space): void {
    const index = this.#slotOf(key)?.index;
    if (index?.kind === 'addresses') index.pool.take(space.address);
    else if (index !== undefined) for (const part of partsOf(space, index.space)) index.pool.take(part);
  }

  /**
   * Corrects an index that gave out space where a row stands.
   *
   * @param key - network, pool and family
   * @param given - what {@link takeLowest} gave
   * @param row - the live row that overlaps it
   */
  learn(key: PoolKey, given: Space, row: Space): void {
    const index = this.#slotOf(key)?.index;
    if (index?.kind !== 'prefixes') return;
    for (const part of partsOf(given, index.space)) index.pool.release(part);
    for (const part of partsOf(row, index.space)) index.pool.take(part);
  }

  /**
   * Prepares a network for its first live prefix: indexes of addresses could not tell it.
   *
   * @param network - where a prefix is taken
   */
  expectPrefix(network: string): void {
    for (const slot of this.#networks.get(network)?.values() ?? []) {
      if (slot.index?.kind === 'addresses') slot.index = undefined;
    }
  }

  /**
   * Gives space back to every pool that may give it out.
   *
   * @param network - where it was taken
   * @param space - not live any more
   */
  freed(network: string, space: Space): void {
    for (const { family, index } of this.#networks.get(network)?.values() ?? []) {
      if (family !== space.address.family || index === undefined) continue;
      if (index.kind === 'addresses') index.pool.release(space.address);
      else for (const part of partsOf(space, index.space)) index.pool.release(part);
    }
  }

  /** Drops what may differ from the rows; the spaces stay. */
  forget(): void {
    for (const slots of this.#networks.values()) {
      for (const slot of slots.values()) slot.index = undefined;
    }
  }

  #slotOf(key: PoolKey): Slot | undefined {
    return this.#networks.get(key.network)?.get(`${key.family}/${key.pool}`);
  }

  #indexOf(network: string, slot: Slot, length: number | null): FreeIndex {
    if (slot.index !== undefined && (length === null || slot.index.kind === 'prefixes')) return slot.index;
    const prefixes = length !== null || this.#counts.hasPrefixes(network);
    return (slot.index = prefixes ? this.#buildPrefixes(network, slot) : this.#buildAddresses(network, slot));
  }

  #buildAddresses(network: string, slot: Slot): FreeIndex {
    const pool = new AddressPool(spaceOf(slot.space), slot.family);
    this.#eachLive(network, slot, (address) => pool.take(address));
    return { kind: 'addresses', pool };
  }

  #buildPrefixes(network: string, slot: Slot): FreeIndex {
    const space = spaceOf(slot.space);
    const pool = new PrefixPool(space, slot.family);
    const last = slot.space.at(-1)?.[1] ?? 0n;
    const rows = this.#statements.livePrefixes.all(network, last) as unknown as readonly [AddressColumn, number][];
    for (const [address, length] of rows) {
      if (columnFamily(address) !== slot.family) continue;
      for (const part of partsOf({ address: fromColumn(address), length }, space)) pool.take(part);
    }
    // the first address of a prefix is taken already
    this.#eachLive(network, slot, (address) => pool.take(new Prefix(address, familyBits(slot.family))));
    return { kind: 'prefixes', pool, space };
  }

  #eachLive(network: string, slot: Slot, take: (address: Address) => unknown): void {
    for (const [first, last] of slot.space) {
      // in one piece: row by row costs twice as much
      const rows = this.#statements.live.all(network, first, last) as unknown as readonly (readonly [AddressColumn])[];
      for (const [column] of rows) take(fromColumn(column));
    }
  }
}
