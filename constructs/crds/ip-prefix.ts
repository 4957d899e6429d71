// Generated from the declaration in operator/contract/kinds by `npm run generate`; edit that one.

/** A prefix of a NetworkInstance. */
export interface IPPrefixSpec {
  /**
   * Kind of the prefix: a subnet with its addresses, loopback addresses, a pool, or an aggregate.
   *
   * @default network
   */
  readonly kind?: 'network' | 'loopback' | 'pool' | 'aggregate';
  /**
   * Prefix in CIDR notation; for kind network 10.0.1.1/24 is the address 10.0.1.1 inside of the subnet 10.0.1.0/24.
   */
  readonly prefix: string;
  /**
   * Name of the NetworkInstance, in the namespace of the prefix.
   */
  readonly networkInstance: string;
  /**
   * Name of the network; needed for kind network.
   *
   * @default - none
   */
  readonly network?: string;
  /**
   * Addresses that are never given out: single ones, ranges, or prefixes in CIDR notation.
   *
   * @default - none
   */
  readonly excluded?: readonly string[];
  /**
   * Part of the prefix, such as 10.0.1.10-10.0.1.20, that is given only to requests that select the labels of this object.
   *
   * @default - none
   */
  readonly range?: string;
  /**
   * Nothing new is given out, and holders keep what they have; false by default.
   *
   * @default - none
   */
  readonly draining?: boolean;
}
