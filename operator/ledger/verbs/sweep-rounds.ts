import { IPAM } from '../../contract/group';
import type { ServiceView } from '../../contract/service';
import { isIpamError } from '../../errors/ipam-error';
import type { LiveService, Sweeps } from '../../ports/address-book';
import type { Cluster } from '../../ports/cluster';
import type { ClusterRegister } from '../../ports/registry';
import type { Tools } from '../../ports/tools';
import { namedAddresses } from '../../rules/wishes';

/** Most milliseconds between two sweeps; a lease is several minutes as a rule, so this adds little to it. */
export const SWEEP_PAUSE_MS = 60_000;

/** What a sweep works with. */
export interface SweepParts extends Tools {
  readonly cluster: Pick<Cluster, 'clusterUid' | 'services'>;
  readonly book: Sweeps;
  /** Where the cluster is noted as heard of; absent where the book does that with its sweep. */
  readonly registry?: Pick<ClusterRegister, 'reported'>;
  /** True while every stored Service is known, also without a new list. */
  readonly isComplete?: () => boolean;
  /** Life of a reservation; a third of it is the longest pause, so that a short one is not prolonged by more. */
  readonly leaseSeconds?: number;
}

/**
 * Sweeps again and again: leases that ran out come back unless a stored Service has the address, retentions end.
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
  const { cluster, book, clock, logger, meter } = parts;
  try {
    // Before the list: a Service stored while the list is made is younger than any lease that counts as over.
    const startedMs = clock.nowMs();
    let isComplete = parts.isComplete?.() ?? false;
    const live = async (): Promise<readonly LiveService[]> => {
      const services = (await cluster.services()).map(liveService);
      isComplete = true;
      return services;
    };
    const clusterUid = await cluster.clusterUid();
    const { released, bound } = await book.sweep({ clusterUid, startedMs, live });
    if (isComplete) await parts.registry?.reported({ clusterUid });
    meter.count('sweeps_total', { result: 'completed' });
    if (released === 0 && bound === 0) return;
    meter.count('reservations_swept_total', {}, released);
    logger.info('reservations swept', { released, bound });
  } catch (thrown) {
    meter.count('sweeps_total', { result: 'failed' });
    logger.warn('sweep failed; the next one does its work', { code: isIpamError(thrown) ? thrown.code : 'internal' });
  }
}

function liveService(service: ServiceView): LiveService {
  const { namespace, name, uid, annotations } = service;
  const reservation = annotations[IPAM.reservation];
  const addresses = namedAddresses(service).flatMap((source) => source.addresses);
  return { namespace, name, uid, addresses, ...(reservation === undefined ? {} : { reservation }) };
}
