import { IPAM } from '../../contract/group';
import type { ServiceView } from '../../contract/service';
import { SERVICE } from '../../contract/service-identity';
import { isIpamError } from '../../errors/ipam-error';
import type { LiveKind, LiveObject, Sweeps } from '../../ports/address-book';
import type { Cluster } from '../../ports/cluster';
import type { ClusterRegister } from '../../ports/registry';
import type { Tools } from '../../ports/tools';
import { namedAddresses } from '../../rules/wishes';

/** Most milliseconds between two sweeps; a lease is several minutes as a rule, so this adds little to it. */
export const SWEEP_PAUSE_MS = 60_000;

/** Stored objects of one kind of the own cluster that hold claims: a lease whose object is there is bound, not ended. */
export interface StoredKind extends LiveKind {
  /** True while every stored object is known, also without a new list. */
  isComplete(): boolean;
}

/** Parts of a sweep. */
export interface SweepParts extends Tools {
  readonly cluster: Pick<Cluster, 'clusterUid'>;
  readonly kinds: readonly StoredKind[];
  readonly book: Sweeps;
  /** Where the cluster is noted as heard of; absent where the book does that with its sweep. */
  readonly registry?: Pick<ClusterRegister, 'reported'>;
  /** Life of a reservation; a third of it is the longest pause, so that a short one is not prolonged by more. */
  readonly leaseSeconds?: number;
}

/**
 * Sweeps again and again: leases that ran out come back unless a stored object has the address, retentions end.
 *
 * @param parts - cluster, book, registry, clock, logger, meter
 * @returns the function that ends it; it waits for a sweep that is under way
 */
export function startSweeps(parts: SweepParts): () => Promise<void> {
  let stopped = false;
  let running: Promise<void> = Promise.resolve();
  const pauseMs = Math.min(SWEEP_PAUSE_MS, ((parts.leaseSeconds ?? Infinity) * 1_000) / 3);
  const again = (): (() => void) =>
    parts.clock.after(pauseMs, () => {
      running = sweepOnce(parts).finally(() => {
        if (!stopped) cancel = again();
      });
    });
  let cancel = again();
  return async () => {
    stopped = true;
    cancel();
    await running;
  };
}

/**
 * Sweeps once; a failure is logged, and the next sweep does the work.
 *
 * @param parts - cluster, book, registry, clock, logger, meter
 */
export async function sweepOnce(parts: SweepParts): Promise<void> {
  const { cluster, kinds, book, clock, logger, meter } = parts;
  try {
    // Before the lists: an object stored while its list is made is younger than any lease that counts as over.
    const startedMs = clock.nowMs();
    const complete = new Set(kinds.filter((each) => each.isComplete()));
    const live = kinds.map((each) => ({
      apiVersion: each.apiVersion,
      kind: each.kind,
      objects: async () => {
        const objects = await each.objects();
        complete.add(each);
        return objects;
      },
    }));
    const clusterUid = await cluster.clusterUid();
    const { released, bound } = await book.sweep({ clusterUid, startedMs, live });
    if (complete.size === kinds.length) await parts.registry?.reported({ clusterUid });
    meter.count('sweeps_total', { result: 'completed' });
    if (released === 0 && bound === 0) return;
    meter.count('reservations_swept_total', {}, released);
    logger.info('reservations swept', { released, bound });
  } catch (thrown) {
    meter.count('sweeps_total', { result: 'failed' });
    logger.warn('sweep failed; the next one does its work', { code: isIpamError(thrown) ? thrown.code : 'internal' });
  }
}

/**
 * Makes the kind Service out of the Services of a cluster.
 *
 * @param cluster - whose Services hold claims
 * @param isComplete - true while every stored Service is known, also without a new list
 * @returns the kind
 */
export function storedServices(cluster: Pick<Cluster, 'services'>, isComplete: () => boolean): StoredKind {
  return { ...SERVICE, isComplete, objects: async () => (await cluster.services()).map(liveService) };
}

function liveService(service: ServiceView): LiveObject {
  const { namespace, name, uid, annotations } = service;
  const reservation = annotations[IPAM.reservation];
  const addresses = namedAddresses(service).flatMap((source) => source.addresses);
  return { namespace, name, uid, addresses, ...(reservation === undefined ? {} : { reservation }) };
}
