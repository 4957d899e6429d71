// Generated from the declaration in operator/contract/kinds by `npm run generate`; edit that one.

import type { LabelSelector } from '../../operator/contract/label-selector';

/** Object of the same namespace with which the allocation ends. */
export interface IPAllocationOwnerRef {
  /**
   * API group and version of the owner.
   */
  readonly apiVersion: string;
  /**
   * Kind of the owner.
   */
  readonly kind: string;
  /**
   * Name of the owner.
   */
  readonly name: string;
}

/** Request for an address or a prefix. */
export interface IPAllocationSpec {
  /**
   * Kind of the prefix: a subnet with its addresses, loopback addresses, a pool, or an aggregate.
   *
   * @default network
   */
  readonly kind?: 'network' | 'loopback' | 'pool' | 'aggregate';
  /**
   * Family of the result; by default the one that a match has, IPv4 before IPv6.
   *
   * @default - none
   */
  readonly addressFamily?: 'ipv4' | 'ipv6';
  /**
   * Prefix that is asked for; by default a free one is chosen.
   *
   * @default - none
   */
  readonly prefix?: string;
  /**
   * Length of the prefix that is chosen, for kinds pool and loopback; one address by default.
   *
   * @default - none
   */
  readonly prefixLength?: number;
  /**
   * Chooses what is given from, by labels.
   *
   * @default - none
   */
  readonly selector?: LabelSelector;
  /**
   * Object of the same namespace with which the allocation ends.
   *
   * @default - none
   */
  readonly ownerRef?: IPAllocationOwnerRef;
}
