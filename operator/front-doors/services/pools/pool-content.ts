import { PrefixSet, PrefixSetBuilder } from '../../../addressing/prefix-set';
import type { JsonMap } from '../../../contract/loose-json';
import { announcedAddresses } from '../../../contract/shown-addresses';
import type { PublishedPool } from '../../../ports/address-pools';

/** Facts that decide about the content of one pool. */
export interface PoolCase {
  /** Name of zone and pool. */
  readonly zone: string;
  /** Reserved and bound addresses of the zone in this cluster. */
  readonly claimed: PrefixSet;
  /** All pools as they are. */
  readonly pools: readonly PublishedPool[];
  /** Finds which addresses of a set stored Services show in their status. */
  readonly inUse: (among: PrefixSet) => PrefixSet;
}

/** Wanted content of a pool. */
export interface PoolContent {
  readonly space: PrefixSet;
  /** Addresses without a claim that stay, since a Service uses them. */
  readonly kept: PrefixSet;
  /** Claimed addresses that cannot be published, since another pool holds them. */
  readonly blocked: readonly { readonly pool: string; readonly space: PrefixSet }[];
}

/**
 * Computes what the pool of a zone is to hold; pure.
 *
 * @param on - claims, pools and Services
 * @returns every claimed address, but for new ones that another pool holds: one clash must not stop the neighbours
 */
export function poolContent({ zone, claimed, pools, inUse }: PoolCase): PoolContent {
  const current = pools.find(({ name }) => name === zone)?.space ?? PrefixSet.EMPTY;
  // also what the zone lost meanwhile: MetalLB would take a working address away
  const unclaimed = current.subtract(claimed);
  const kept = unclaimed.isEmpty ? PrefixSet.EMPTY : inUse(unclaimed);
  const wanted = claimed.union(kept);
  const fresh = wanted.subtract(current);
  const blocked = pools
    .filter(({ name, space }) => name !== zone && space.overlaps(fresh))
    .map(({ name, space }) => ({ pool: name, space: space.intersect(fresh) }));
  return { space: blocked.reduce((rest, { space }) => rest.subtract(space), wanted), kept, blocked };
}

/**
 * Finds addresses that Services use.
 *
 * @param services - stored objects
 * @param among - which addresses matter
 * @returns those of them that a Service shows in its status
 */
export function announcedAmong(services: readonly JsonMap[], among: PrefixSet): PrefixSet {
  const builder = new PrefixSetBuilder();
  for (const address of services.flatMap(announcedAddresses)) if (among.contains(address)) builder.add(address);
  return builder.build();
}
