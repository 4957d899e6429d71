import type { Address } from '../../addressing/address';
import { placeKey } from '../../addressing/place';
import type { OwnedAddress } from '../../ports/address-book';
import { forEachInTurn } from '../records/others-first';
import type { Showing } from './shown-index';

/**
 * Claims of a cluster as one list had them, for as long as nothing about them changed. What changes while the list is made, or
 * afterwards, is not told from here any more.
 */
export class OwnedPlaces {
  readonly #uids = new Map<string, readonly string[]>();
  readonly #changed = new Set<string>();

  /**
   * Takes the list in, slowly enough that no caller waits for it.
   *
   * @param owners - of the cluster
   * @returns when all of them are noted
   */
  fill(owners: readonly OwnedAddress[]): Promise<void> {
    return forEachInTurn(owners, ({ network, address, serviceUid }) => {
      const key = placeKey({ network, address });
      if (serviceUid === undefined || this.#changed.has(key)) return;
      this.#uids.set(key, [...(this.#uids.get(key) ?? []), serviceUid]);
    });
  }

  /**
   * Notes that a claim changed.
   *
   * @param place - network and address
   */
  changes(place: Pick<OwnedAddress, 'network' | 'address'>): void {
    const key = placeKey(place);
    this.#changed.add(key);
    this.#uids.delete(key);
  }

  /**
   * Tells whether a Service shows an address that it has.
   *
   * @param networks - where it may have it
   * @param address - that it shows
   * @param showing - the Service
   * @returns true when it does; false where the record has to be asked
   */
  has(networks: readonly string[], address: Address, { kind, uid }: Showing): boolean {
    if (kind !== 'ingress' || uid === '') return false;
    return networks.some((network) => this.#uids.get(placeKey({ network, address }))?.includes(uid) === true);
  }
}
