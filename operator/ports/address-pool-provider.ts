import type { Address } from '../addressing/address';
import type { Prefix } from '../addressing/prefix';
import type { PrefixSet } from '../addressing/prefix-set';
import type { ObjectName } from './object-feed';

/** A pool of one door, offered to objects of other API groups that refer to it. */
export interface OfferedPool {
  /** Network and pool that a claim from this pool names. */
  readonly network: string;
  readonly pool: string;
  /** Space that may be given out now: without exclusions and without the pools of stronger doors. */
  readonly space: PrefixSet;
  /** Subnets of the pool, each with its gateway where it has one: an interface is configured with the length of its subnet. */
  readonly subnets: readonly { readonly prefix: Prefix; readonly gateway?: Address }[];
}

/** The pools that one door offers, of one kind. Assembly hands the providers of all doors to whichever door serves references. */
export interface AddressPoolProvider {
  /** API group of the kind, without its version. */
  readonly apiGroup: string;
  readonly kind: string;
  /** Looks a pool up as the door knows it now; undefined when there is none of that name. */
  pool(name: ObjectName): OfferedPool | undefined;
  /** Tells each pool that was added, changed or removed; returns the function that stops it. */
  onChange(listener: (name: ObjectName) => void): () => void;
}
