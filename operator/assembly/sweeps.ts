import { IpamError } from '../errors/ipam-error';
import { startSweeps, type SweepParts } from '../ledger/verbs/sweep-rounds';
import type { Sweeps } from '../ports/address-book';
import type { ClusterRegister } from '../ports/registry';
import type { Tools } from '../ports/tools';
import { whileLeading, type LeaderWork } from '../runtime/leadership';

/** Stored objects of the own cluster that hold claims: a lease whose object is there is bound, not ended. */
export type LiveObjects = Required<Pick<SweepParts, 'cluster' | 'isComplete'>>;

/** Parts of the sweeps. */
export interface SweepWorkParts extends Tools {
  readonly book: Sweeps;
  /** Absent where another operator keeps the claims. */
  readonly registry?: Pick<ClusterRegister, 'reported'> | undefined;
  /** Life of a reservation. */
  readonly leaseSeconds: number;
  /** Absent where no object of the own cluster holds claims. */
  readonly live?: LiveObjects | undefined;
}

/**
 * The cluster around an operator that serves other clusters alone. Its own one has no claims here, or reports its Services like
 * the others: a sweep must never take its leases for those of a cluster without Services.
 */
const NO_CLUSTER: SweepParts['cluster'] = {
  clusterUid: () => Promise.resolve(''),
  services: () => Promise.reject(new IpamError('cluster/unavailable', 'no cluster is looked at without its Services')),
};

/**
 * Sweeps while this process leads: leases and retentions end, history is pruned. Leases of other clusters end by their own reports.
 *
 * @param parts - book, live objects, lease, tools
 * @returns the work of the leader
 */
export function sweepWork({ live, registry, ...rest }: SweepWorkParts): LeaderWork {
  const reporting = registry === undefined ? {} : { registry };
  const scope = live === undefined ? { cluster: NO_CLUSTER } : { ...live, ...reporting };
  return whileLeading(() => startSweeps({ ...rest, ...scope }));
}
