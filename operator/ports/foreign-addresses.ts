import type { Address } from '../addressing/address';

/** What an outside source says of an address that no live row of the record has. */
export interface ForeignWord {
  /** `foreign`: it has the address for another owner; `unknown`: it does not answer, so a request would not get the address now. */
  readonly kind: 'foreign' | 'unknown';
  /** Half a sentence that begins with the name of the source. Never holds a secret. */
  readonly words: string;
}

/** An outside source that is asked before an address is given out. */
export interface ForeignAddresses {
  /** Tells why an address that is free on record cannot be had all the same; undefined where nothing outside stands in the way. */
  foreignAt(place: {
    readonly network: string;
    readonly pool: string;
    readonly address: Address;
  }): Promise<ForeignWord | undefined>;
}
