import { startSweeps, type StoredKind, type SweepParts } from '../ledger/verbs/sweep-rounds';
import type { LiveObject, Sweeps } from '../ports/address-book';
import type { ClusterRegister } from '../ports/registry';
import type { Tools } from '../ports/tools';
import { whileLeading, type LeaderWork } from '../runtime/leadership';

/** Parts of the sweeps. */
export interface SweepWorkParts extends Tools {
  readonly book: Sweeps;
  /** Absent where another operator keeps the claims. */
  readonly registry?: Pick<ClusterRegister, 'reported'> | undefined;
  /** Life of a reservation. */
  readonly leaseSeconds: number;
  readonly cluster: SweepParts['cluster'];
  /** Empty where no object of the own cluster holds claims. */
  readonly kinds: readonly StoredKind[];
}

/**
 * The cluster around an operator that serves other clusters alone. Its own one has no claims here, or reports its Services like
 * the others: a sweep must never take its leases for those of a cluster without objects.
 */
const NO_CLUSTER: SweepParts['cluster'] = { clusterUid: () => Promise.resolve('') };

/**
 * Sweeps while this process leads: leases and retentions end, history is pruned. Leases of other clusters end by their own reports.
 *
 * @param parts - book, stored objects, lease, tools
 * @returns the work of the leader
 */
export function sweepWork({ cluster, registry, ...rest }: SweepWorkParts): LeaderWork {
  const reporting = registry === undefined ? {} : { registry };
  const scope = rest.kinds.length === 0 ? { cluster: NO_CLUSTER } : { cluster, ...reporting };
  return whileLeading(() => startSweeps({ ...rest, ...scope }));
}

/**
 * Merges the objects that several doors list by their kind, so that a lease is compared with all objects of its kind.
 *
 * @param all - kinds of every door, one kind several times at will
 * @returns each kind once; its list is that of all doors, and it is complete where every one of them is
 */
export function mergeKinds(all: readonly StoredKind[]): readonly StoredKind[] {
  const byKind = new Map<string, StoredKind>();
  for (const each of all) {
    const key = `${each.apiVersion} ${each.kind}`;
    const known = byKind.get(key);
    byKind.set(key, known === undefined ? each : mergeTwo(known, each));
  }
  return [...byKind.values()];
}

function mergeTwo(one: StoredKind, other: StoredKind): StoredKind {
  return {
    apiVersion: one.apiVersion,
    kind: one.kind,
    objects: async () => mergeObjects((await Promise.all([one.objects(), other.objects()])).flat()),
    isComplete: () => one.isComplete() && other.isComplete(),
  };
}

// Each door reads the addresses that it serves out of an object.
function mergeObjects(all: readonly LiveObject[]): readonly LiveObject[] {
  const byUid = new Map<string, LiveObject>();
  for (const object of all) {
    const known = byUid.get(object.uid);
    const addresses = [...(known?.addresses ?? []), ...object.addresses];
    byUid.set(object.uid, { ...known, ...object, addresses });
  }
  return [...byUid.values()];
}
