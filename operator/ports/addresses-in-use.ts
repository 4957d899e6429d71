import type { Address } from '../addressing/address';
import type { Prefix } from '../addressing/prefix';

/** An object that shows an address without a claim of the door that asks. */
export interface AddressShowing {
  /** `externalIPs`: claimed by its own word, which makes an address the last choice and no more. */
  readonly kind: 'apiServer' | 'node' | 'claim' | 'dataplane' | 'ingress' | 'externalIPs';
  /** In the words of users, for example `Node/worker-1`. */
  readonly source: string;
  /** UID of the object. */
  readonly uid: string;
  /** Network in which it has the address; absent: in every one. */
  readonly network?: string;
  /** The prefix that it has; absent for a single address. */
  readonly block?: Prefix;
}

/** Addresses that Nodes, the API server, Services and claims of other doors have or claim. */
export interface AddressesInUse {
  at(address: Address): readonly AddressShowing[];
  /** Those that are shown one by one. */
  addresses(): readonly Address[];
  /** Prefixes of which every address is in use, with the networks where they are. */
  blocks(): readonly { readonly block: Prefix; readonly networks: readonly string[] }[];
  /** Resolves when everything that was stored at the start is known. */
  whenKnown(): Promise<void>;
}

/** The same, with word of what cannot be read. */
export interface WatchedAddresses extends AddressesInUse {
  /** Tells what cannot be read, or is not known yet; undefined where everything is known. */
  problem(): string | undefined;
}
