import type { Address } from '../../addressing/address';
import { AddressPool } from '../../addressing/address-pool';
import type { PrefixSet } from '../../addressing/prefix-set';
import type { AddressRecord, TakeRequest } from '../../ports/claim-store';

interface Slot {
  readonly network: string;
  readonly space: PrefixSet;
  readonly pool: AddressPool;
}

/** One pool for each network, zone and family that was asked for. One caller at a time; holds memory only. */
export class FreeAddresses {
  private readonly slots = new Map<string, Slot>();

  /**
   * Finds the lowest address that is free in the space of a request.
   *
   * @param request - zone, family and space
   * @param isLive - tells whether an address is taken in the network of the request
   * @returns the address, counted as taken from now on; undefined when there is none
   */
  takeLowest(request: TakeRequest, isLive: (address: Address) => boolean): Address | undefined {
    const { pool } = this.slotFor(request);
    for (;;) {
      const address = pool.takeLowest();
      // a pool is filled while it is asked: live addresses are skipped when they are met and stay taken
      if (address === undefined || !isLive(address)) return address;
    }
  }

  /**
   * Finds the same as {@link takeLowest} and leaves it free.
   *
   * @param request - zone, family and space
   * @param isLive - tells whether an address is taken in the network of the request
   * @returns the address; undefined when there is none
   */
  lowest(request: TakeRequest, isLive: (address: Address) => boolean): Address | undefined {
    const address = this.takeLowest(request, isLive);
    if (address !== undefined) this.slotFor(request).pool.release(address);
    return address;
  }

  /**
   * Gives an address back to every pool of its network.
   *
   * @param record - the record that ended
   */
  freed(record: AddressRecord): void {
    for (const { network, pool } of this.slots.values()) {
      if (network === record.network && pool.family === record.family) pool.release(record.address);
    }
  }

  private slotFor({ network, zone, family, space }: TakeRequest): Slot {
    const key = JSON.stringify([network, zone, family]);
    const known = this.slots.get(key);
    if (known?.space.equals(space) === true) return known;
    const slot = { network, space, pool: new AddressPool(space, family) };
    this.slots.set(key, slot);
    return slot;
  }
}
