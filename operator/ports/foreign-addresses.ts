import type { Address } from '../addressing/address';

/** Answer of another source about an address that has no live row in the record. */
export interface ForeignAnswer {
  /** `foreign`: it has the address for another owner; `unknown`: it does not answer, so a request would not get the address now. */
  readonly kind: 'foreign' | 'unknown';
  /** Half a sentence that begins with the name of the source. Never holds a secret. */
  readonly words: string;
}

/** Another source than the record, such as NetBox or what other doors have: asked before an address is given out. */
export interface ForeignAddresses {
  /** Tells why an address that is free on record cannot be taken all the same; undefined where it does not object. */
  foreignAt(place: {
    readonly network: string;
    readonly pool: string;
    readonly address: Address;
  }): Promise<ForeignAnswer | undefined>;
}
