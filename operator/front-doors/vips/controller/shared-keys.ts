import { IP_NETWORK } from '../../../contract/paas';
import type { Address } from '../../../addressing/address';
import type { AddressRecord, ClaimChange } from '../../../ports/claims';
import type { KnownClaims } from '../../../ports/known-claims';
import { placeOf } from './record';

/** Addresses on record by the sharing keys of their holders, and the order of those that want to share. */
export class SharedKeys {
  readonly #known: KnownClaims;
  readonly #byKey = new Map<string, Map<string, Address>>();
  readonly #keys = new Map<string, readonly string[]>();
  /** End of the last work for a key. */
  readonly #turns = new Map<string, Promise<void>>();

  /**
   * Reads the record once.
   *
   * @param known - the record
   */
  constructor(known: KnownClaims) {
    this.#known = known;
    for (const record of known.find({ by: 'cluster', cluster: '' })) this.#put(record.address, record);
  }

  /**
   * Takes a change of the record.
   *
   * @param change - as the record tells it
   */
  follow({ network, address }: Pick<ClaimChange, 'network' | 'address'>): void {
    if (network === IP_NETWORK) this.#put(address, this.#known.at(placeOf(address)));
  }

  /**
   * Finds addresses.
   *
   * @param key - a sharing key
   * @returns those of which a holder has it, lowest first
   */
  addressesOf(key: string): readonly Address[] {
    return [...(this.#byKey.get(key)?.values() ?? [])].sort((a, b) => a.compareTo(b));
  }

  /**
   * Runs work for a key after all that came before it. Services of one key that are made at the same moment would else each take an
   * address, since none sees what the other one is about to get.
   *
   * @param key - a sharing key
   * @param work - decides for one Service, and puts the address on record
   * @returns what the work returns
   */
  async inTurn<T>(key: string, work: () => T | Promise<T>): Promise<T> {
    const own = (this.#turns.get(key) ?? Promise.resolve()).then(work);
    const end = own.then(
      () => undefined,
      () => undefined,
    );
    this.#turns.set(key, end);
    try {
      return await own;
    } finally {
      if (this.#turns.get(key) === end) this.#turns.delete(key);
    }
  }

  #put(address: Address, record: AddressRecord | undefined): void {
    const text = address.toString();
    for (const key of this.#keys.get(text) ?? []) this.#remove(key, text);
    const keys = [...new Set((record?.holders ?? []).flatMap(({ sharing }) => sharing?.key ?? []))];
    if (keys.length === 0) this.#keys.delete(text);
    else this.#keys.set(text, keys);
    for (const key of keys) {
      const addresses = this.#byKey.get(key) ?? new Map<string, Address>();
      this.#byKey.set(key, addresses.set(text, address));
    }
  }

  #remove(key: string, text: string): void {
    const addresses = this.#byKey.get(key);
    addresses?.delete(text);
    if (addresses?.size === 0) this.#byKey.delete(key);
  }
}
