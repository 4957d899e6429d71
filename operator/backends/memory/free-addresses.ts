import { familyBits, type Address, type Family } from '../../addressing/address';
import { AddressPool } from '../../addressing/address-pool';
import type { Prefix } from '../../addressing/prefix';
import { PrefixPool } from '../../addressing/prefix-pool';
import { PrefixSetBuilder, type PrefixSet } from '../../addressing/prefix-set';
import type { AddressRecord } from '../../ports/claims';

/** Where one free space is looked for. */
export interface Search {
  readonly network: string;
  readonly pool: string;
  readonly family: Family;
  readonly space: PrefixSet;
  readonly length?: number;
}

/** Space that a search must pass over. */
export interface TakenSpace {
  /** Tells whether a live row has an address of the network, or whether it is to be chosen last. */
  readonly has: (address: Address) => boolean;
  /** Lists the live rows of the network. */
  readonly all: () => readonly Prefix[];
}

interface Slot {
  readonly network: string;
  readonly space: PrefixSet;
  readonly pool: AddressPool;
}

function without(space: PrefixSet, blocks: readonly Prefix[]): PrefixSet {
  const builder = new PrefixSetBuilder().add(space);
  for (const block of blocks) builder.subtract(block);
  return builder.build();
}

/** One pool for each network, pool and family that was asked for. One caller at a time; holds memory only. */
export class FreeAddresses {
  readonly #slots = new Map<string, Slot>();

  /**
   * Finds the lowest free space, and leaves it free.
   *
   * @param search - pool, family and space
   * @param occupied - what is live in the network of the search
   * @returns the address, or the first one of the prefix; undefined when there is none
   */
  lowest(search: Search, occupied: TakenSpace): Address | undefined {
    if (search.length !== undefined && search.length < familyBits(search.family)) {
      const free = new PrefixPool(without(search.space, occupied.all()), search.family);
      return free.lowestFree(search.length)?.first;
    }
    const { pool } = this.#slotFor(search, occupied);
    for (;;) {
      const address = pool.takeLowest();
      if (address === undefined) return undefined;
      // a pool is filled while it is asked: live addresses are skipped when they are met and stay taken
      if (occupied.has(address)) continue;
      pool.release(address);
      return address;
    }
  }

  /**
   * Forgets what depends on the live prefixes of a network: a prefix came or went.
   *
   * @param network - which one
   */
  forget(network: string): void {
    for (const [key, slot] of this.#slots) if (slot.network === network) this.#slots.delete(key);
  }

  /**
   * Gives an address back to every pool of its network.
   *
   * @param record - the record that ended
   */
  freed(record: Pick<AddressRecord, 'network' | 'address' | 'family'>): void {
    for (const { network, pool } of this.#slots.values()) {
      if (network === record.network && pool.family === record.family) pool.release(record.address);
    }
  }

  #slotFor({ network, pool: name, family, space }: Search, occupied: TakenSpace): Slot {
    const key = JSON.stringify([network, name, family]);
    const known = this.#slots.get(key);
    if (known?.space.equals(space) === true) return known;
    const prefixes = occupied.all().filter(({ length }) => length < familyBits(family));
    const slot = { network, space, pool: new AddressPool(without(space, prefixes), family) };
    this.#slots.set(key, slot);
    return slot;
  }
}
