// Generated from the declaration in operator/contract/kinds by `npm run generate`; edit that one.

/** The object that owns the claim, or that owned it last. */
export interface AddressClaimHolder {
  /**
   * API group and version of the holder.
   */
  readonly apiVersion: string;
  /**
   * Kind of the holder.
   */
  readonly kind: string;
  /**
   * Namespace of the holder, a DNS label; absent for a kind without namespaces.
   *
   * @default - none
   */
  readonly namespace?: string;
  /**
   * Name of the holder, a DNS name (a-z, 0-9, - and .).
   */
  readonly name: string;
  /**
   * UID of the holder; absent while it is not known.
   *
   * @default - none
   */
  readonly uid?: string;
}

/** What the claim stands for in a network whose space nests; absent in other networks. */
export interface AddressClaimEntry {
  /**
   * prefix: a declared aggregate, pool or loopback prefix; subnet: the subnet of declared network prefixes; host: the address of one of those; allocation: space that was asked for.
   */
  readonly role: 'prefix' | 'subnet' | 'host' | 'allocation';
  /**
   * Kind of the prefix.
   */
  readonly kind: 'network' | 'loopback' | 'pool' | 'aggregate';
  /**
   * Name of the network of a prefix of this kind.
   *
   * @default - none
   */
  readonly networkName?: string;
  /**
   * The address is the gateway of its subnet.
   *
   * @default - none
   */
  readonly isGateway?: boolean;
  /**
   * The request named the prefix.
   *
   * @default - none
   */
  readonly isStatic?: boolean;
  /**
   * Name of the IPPrefix whose range the space was given from.
   *
   * @default - none
   */
  readonly range?: string;
  /**
   * Digest of the request that was decided; another one means a changed request.
   *
   * @default - none
   */
  readonly request?: string;
}

/** The object that uses the address, where the holder only declares it. */
export interface AddressClaimUser {
  /**
   * API group and version of the user.
   */
  readonly apiVersion: string;
  /**
   * Kind of the user.
   */
  readonly kind: string;
  /**
   * Namespace of the user, a DNS label; absent for a kind without namespaces.
   *
   * @default - none
   */
  readonly namespace?: string;
  /**
   * Name of the user, a DNS name (a-z, 0-9, - and .).
   */
  readonly name: string;
  /**
   * UID of the user; absent while it is not known.
   *
   * @default - none
   */
  readonly uid?: string;
}

/** Holders of addresses; written by the operator alone. */
export interface AddressClaimSpec {
  /**
   * Name of the network, a DNS name of at most 209 characters; inside one network an address has one owner.
   */
  readonly network: string;
  /**
   * The claimed space in canonical text (RFC 5952): one address, or a prefix in CIDR notation.
   */
  readonly address: string;
  /**
   * Front door that the claim was made through.
   */
  readonly door: 'networks' | 'egress' | 'grpc';
  /**
   * Name of the object or CIDR whose space was given out.
   *
   * @default - none
   */
  readonly pool?: string;
  /**
   * reserved: a lease, its holder is not stored yet; bound: has an owner; retained: the owner is gone and may recall it; quarantined: only the former holder may have it yet.
   */
  readonly state: 'reserved' | 'bound' | 'retained' | 'quarantined';
  /**
   * End of the lease, the retention or the quarantine; absent when bound.
   *
   * @default - none
   */
  readonly until?: string;
  /**
   * The object that owns the claim, or that owned it last.
   *
   * @default - none
   */
  readonly holder?: AddressClaimHolder;
  /**
   * Key by which a caller without an object asks again for the same claim.
   *
   * @default - none
   */
  readonly key?: string;
  /**
   * Labels by which requests select this space.
   *
   * @default - none
   */
  readonly labels?: Readonly<Record<string, string>>;
  /**
   * What the claim stands for in a network whose space nests; absent in other networks.
   *
   * @default - none
   */
  readonly entry?: AddressClaimEntry;
  /**
   * The object that uses the address, where the holder only declares it.
   *
   * @default - none
   */
  readonly user?: AddressClaimUser;
}
