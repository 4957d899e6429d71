import type { PrefixSet } from '../addressing/prefix-set';
import type { Outcome } from '../errors/outcome';

/** One pool of the load balancer. */
export interface PublishedPool {
  readonly name: string;
  readonly space: PrefixSet;
  readonly autoAssign: boolean;
  /** True when the field manager of the operator owns its addresses. */
  readonly ours: boolean;
  /** True when a controller of the load balancer wrote a status on it. */
  readonly handled: boolean;
}

/** The pools from which the load balancer may announce addresses (MetalLB's `IPAddressPool`). */
export interface AddressPools {
  /** All pools, with those of administrators; what cannot be parsed in them counts as absent. */
  list(): Promise<readonly PublishedPool[]>;
  /**
   * Tells whether the load balancer is installed: the API server knows its kind of pools.
   *
   * @throws IpamError `cluster/unavailable`
   */
  installed(): Promise<boolean>;
  /**
   * Makes the pool hold exactly `space`, `autoAssign: false`; an empty space deletes the pool, since an empty pool freezes MetalLB's
   * whole configuration. Writes nothing when the pool is so already. Only the leader calls it.
   *
   * @returns refusal `pool/owned` or `pool/overlap`, naming the obstacle; `store/conflict` when another manager wrote the pool at
   *   the same time, `cluster/refused` for a rule of the cluster
   * @throws IpamError `cluster/unavailable`
   */
  publish(name: string, space: PrefixSet): Promise<Outcome<void>>;
  /** Tells that a pool changed, by any writer; returns the function that stops it. */
  onChange(listener: (name: string) => void): () => void;
}
