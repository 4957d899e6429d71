import type { PrefixSet } from '../addressing/prefix-set';

/** One pool of addresses, as other doors see it. */
export interface OfferedPool {
  readonly network: string;
  readonly name: string;
  /** All of the pool, excluded addresses too. */
  readonly space: PrefixSet;
}

/** The pools of one kind. Assembly hands the providers to the doors that choose addresses, so that no door knows another one. */
export interface AddressPoolProvider {
  /** In the words of users, for messages, for example `zone`. */
  readonly kind: string;
  /** Lists the pools as they are now; the same list while nothing changed. */
  pools(): readonly OfferedPool[];
  /** Tells that some pool was added, changed or removed; returns the function that stops it. */
  onChange(listener: () => void): () => void;
}
