import type { Address, Family } from '../../../addressing/address';
import { AddressPool } from '../../../addressing/address-pool';
import { PrefixSetBuilder, type PrefixSet } from '../../../addressing/prefix-set';
import { rangeOf } from '../../../addressing/range';
import { fromColumn, type AddressColumn } from '../shared/address-column';
import type { Statements } from './statements';
import type { WireRange } from './take-wire';

/** One zone and family of one network. */
export interface PoolKey {
  readonly network: string;
  readonly zone: string;
  readonly family: Family;
}

interface Slot {
  readonly family: Family;
  readonly space: readonly WireRange[];
  /** Built when it is first needed. */
  pool: AddressPool | undefined;
}

function spaceOf(ranges: readonly WireRange[]): PrefixSet {
  const builder = new PrefixSetBuilder();
  for (const [first, last] of ranges) builder.add(rangeOf(fromColumn(first), fromColumn(last)));
  return builder.build();
}

/**
 * Index of what is free, one pool for each network, zone and family, over the rows of the database.
 *
 * A pool may think that a taken address is free (the unique index then says no and the next one is tried), never the
 * other way round, since that would leak addresses: hence {@link freed} tells every pool of the network, for the holders of
 * a zone that shrank lie in the pool of another one. One caller at a time. After a rollback call {@link forget}.
 */
export class FreePools {
  private readonly networks = new Map<string, Map<string, Slot>>();
  private readonly statements: Pick<Statements, 'live'>;

  /**
   * Starts without any pool.
   *
   * @param statements - reads live addresses when a pool is built
   */
  constructor(statements: Pick<Statements, 'live'>) {
    this.statements = statements;
  }

  /**
   * Sets what a zone may give out; its pool is built anew when it is next needed.
   *
   * @param key - network, zone and family
   * @param space - disjoint ranges of that family
   */
  setSpace(key: PoolKey, space: readonly WireRange[]): void {
    let slots = this.networks.get(key.network);
    if (slots === undefined) this.networks.set(key.network, (slots = new Map<string, Slot>()));
    slots.set(`${key.family}/${key.zone}`, { family: key.family, space, pool: undefined });
  }

  /**
   * Finds the lowest address that nobody seems to have, and counts it as taken.
   *
   * @param key - network, zone and family; {@link setSpace} came before
   * @returns the address, undefined when the zone is full
   * @remarks O(live addresses in the space) the first time, then O(log).
   */
  takeLowest(key: PoolKey): Address | undefined {
    const slot = this.slotOf(key);
    if (slot === undefined) return undefined;
    slot.pool ??= this.build(key.network, slot);
    return slot.pool.takeLowest();
  }

  /**
   * Counts an address as taken that its caller named.
   *
   * @param key - network, zone and family
   * @param address - inside or outside of the zone's space
   */
  taken(key: PoolKey, address: Address): void {
    this.slotOf(key)?.pool?.take(address);
  }

  /**
   * Gives an address back to every pool that may give it out.
   *
   * @param network - where it was taken
   * @param address - not live any more
   */
  freed(network: string, address: Address): void {
    for (const slot of this.networks.get(network)?.values() ?? []) {
      if (slot.family === address.family) slot.pool?.release(address);
    }
  }

  /** Drops what may differ from the rows; the spaces stay. */
  forget(): void {
    for (const slots of this.networks.values()) {
      for (const slot of slots.values()) slot.pool = undefined;
    }
  }

  private slotOf(key: PoolKey): Slot | undefined {
    return this.networks.get(key.network)?.get(`${key.family}/${key.zone}`);
  }

  private build(network: string, slot: Slot): AddressPool {
    const pool = new AddressPool(spaceOf(slot.space), slot.family);
    for (const [first, last] of slot.space) {
      // in one piece: row by row costs twice as much
      const rows = this.statements.live.all(network, first, last) as unknown as readonly (readonly [AddressColumn])[];
      for (const [column] of rows) pool.take(fromColumn(column));
    }
    return pool;
  }
}
