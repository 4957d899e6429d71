import { isIn } from '../../addressing/address';
import type { LiveObject } from '../../ports/address-book';
import type { AddressRecord, Holder } from '../../ports/claims';
import { reservationPrefix } from './claim-key';

/** The stored objects of one kind, indexed for the sweep; immutable after construction. */
export class LiveObjects {
  readonly #byUid = new Map<string, LiveObject>();
  readonly #byName = new Map<string, LiveObject>();
  readonly #byReservation = new Map<string, LiveObject[]>();

  /**
   * Indexes a list.
   *
   * @param live - every object of the kind in the cluster
   */
  constructor(live: readonly LiveObject[]) {
    for (const object of live) {
      this.#byUid.set(object.uid, object);
      this.#byName.set(`${object.namespace}/${object.name}`, object);
      if (object.reservation === undefined) continue;
      const prefix = reservationPrefix(object.reservation);
      this.#byReservation.set(prefix, [...(this.#byReservation.get(prefix) ?? []), object]);
    }
  }

  /**
   * Finds the stored object that a lease belongs to. An object found by UID or name must also name the address: an update
   * that was refused leaves its object alive, but without the address that it asked for.
   *
   * @param record - the address
   * @param holder - the leaseholder
   * @returns the object, undefined when no stored one needs the lease
   */
  ownerOf(record: AddressRecord, holder: Holder): LiveObject | undefined {
    const reserved = this.#carrierOf(record, holder);
    if (reserved !== undefined) return reserved;
    const { namespace, name, uid } = holder.owner;
    const named = namespace === '' ? undefined : this.#byName.get(`${namespace}/${name}`);
    const candidates = [uid === undefined ? undefined : this.#byUid.get(uid), named];
    return candidates.find((each) => each?.addresses.some((address) => address.equals(record.address)) === true);
  }

  // several objects may carry one id, since annotations are copied: the one with the name, else one with the address
  #carrierOf(record: AddressRecord, { key, owner }: Holder): LiveObject | undefined {
    const end = key?.startsWith('res:') === true ? key.indexOf('/') : -1;
    const carriers = key === undefined || end === -1 ? [] : (this.#byReservation.get(key.slice(0, end + 1)) ?? []);
    const { namespace, name } = owner;
    const fitting = carriers.filter((each) => each.namespace === namespace && (name === '' || name === each.name));
    return fitting.find(({ addresses }) => isIn(record.address, addresses)) ?? fitting[0];
  }
}
