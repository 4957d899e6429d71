import { cleanupEventsWork } from './cleanup-events-work';
import { together, whileLeading, type Leadership, type LeaderWork } from '../runtime/leadership';
import { IpamError } from '../errors/ipam-error';
import type { AddressBook } from '../ports/address-book';
import type { Registry } from '../ports/registry';
import type { Attendance, Ground } from './surroundings';
import { startSweeps, type SweepParts } from '../ledger/verbs/sweep-rounds';

/**
 * The cluster around an IPAM-API that serves other clusters alone. Its own one has no claims here, or speaks for itself like
 * the others: a sweep must never take its leases for those of a cluster without Services.
 */
const NOBODY: SweepParts['cluster'] = {
  clusterUid: () => Promise.resolve(''),
  services: () => Promise.reject(new IpamError('cluster/unavailable', 'no cluster is looked at without its Services')),
};

/**
 * Begins what an operator does that serves the IPAM-API alone: retentions end, history is pruned, outside sources follow the
 * record, and clusters that are gone are cleaned up. The leases of each cluster end by its own reports.
 *
 * @param ground - what was opened, and the registry
 * @param rest - the book that the IPAM-API serves, and who leads
 * @returns what runs beside the server
 */
export function attendAlone(
  ground: Ground & { readonly registry?: Registry },
  rest: { readonly book: AddressBook; readonly lead: (work: LeaderWork) => Leadership },
): Attendance {
  const { clock, logger, meter, leaderWork } = ground;
  const { book } = rest;
  const leaseSeconds = ground.settings.reservationLeaseSeconds;
  const work = together(
    whileLeading(() => startSweeps({ clock, logger, meter, cluster: NOBODY, book, leaseSeconds })),
    ...(leaderWork === undefined ? [] : [leaderWork]),
    ...cleanupEventsWork(ground),
  );
  const leadership = rest.lead(work);
  return { door: { book }, checks: [], liveness: [], end: () => leadership.close() };
}
