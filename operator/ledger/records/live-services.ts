import type { LiveService } from '../../ports/address-book';
import type { AddressRecord, Holder } from '../../ports/claims';
import { reservationPrefix } from './claim-key';

/** The Services of one cluster, indexed for the sweep; immutable after construction. */
export class LiveServices {
  readonly #byUid = new Map<string, LiveService>();
  readonly #byName = new Map<string, LiveService>();
  readonly #byReservation = new Map<string, LiveService[]>();

  /**
   * Indexes a list.
   *
   * @param live - every Service of the cluster
   */
  constructor(live: readonly LiveService[]) {
    for (const service of live) {
      this.#byUid.set(service.uid, service);
      this.#byName.set(`${service.namespace}/${service.name}`, service);
      if (service.reservation === undefined) continue;
      const prefix = reservationPrefix(service.reservation);
      this.#byReservation.set(prefix, [...(this.#byReservation.get(prefix) ?? []), service]);
    }
  }

  /**
   * Finds the stored object that a lease belongs to. An object found by UID or name must also name the address: an update
   * that was refused leaves its object alive, but without the address that it asked for.
   *
   * @param record - the address
   * @param holder - the leaseholder
   * @returns the object, undefined when nobody stored needs the lease
   */
  ownerOf(record: AddressRecord, holder: Holder): LiveService | undefined {
    const reserved = this.#carrierOf(record, holder);
    if (reserved !== undefined) return reserved;
    const { namespace, name, uid } = holder.owner;
    const named = namespace === '' ? undefined : this.#byName.get(`${namespace}/${name}`);
    const candidates = [uid === undefined ? undefined : this.#byUid.get(uid), named];
    return candidates.find((each) => each?.addresses.some((address) => address.equals(record.address)) === true);
  }

  // several objects may carry one id, since annotations are copied: the one with the name, else one with the address
  #carrierOf(record: AddressRecord, { key, owner }: Holder): LiveService | undefined {
    const end = key?.startsWith('res:') === true ? key.indexOf('/') : -1;
    const carriers = key === undefined || end === -1 ? [] : (this.#byReservation.get(key.slice(0, end + 1)) ?? []);
    const { namespace, name } = owner;
    const fitting = carriers.filter((each) => each.namespace === namespace && (name === '' || name === each.name));
    return fitting.find(({ addresses }) => addresses.some((each) => each.equals(record.address))) ?? fitting[0];
  }
}
