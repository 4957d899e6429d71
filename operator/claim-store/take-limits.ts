import type { Outcome } from '../errors/outcome';
import { refuseQuota, refuseReservation, refuseShare } from '../errors/store-refusals';
import type { AddressRecord, TakeRequest } from '../ports/claims';
import { recordTerm as term } from './record-terms';

/** Live records, found by their terms. */
export interface FoundRecords {
  /** Finds the records that have a term. */
  all(wanted: string): readonly AddressRecord[];
  /** Counts them. */
  count(wanted: string): number;
}

/**
 * Finds the limit that a take would go over.
 *
 * @param view - the records
 * @param request - the take with its limits
 * @param more - how many spaces it would take
 * @returns the refusal; undefined when so many more may be taken
 */
export function overLimit(view: FoundRecords, request: TakeRequest, more: number): Outcome<never> | undefined {
  if (request.limits === undefined) return undefined;
  return overReserved(view, request, more) ?? overQuota(view, request, more);
}

function overReserved(
  view: FoundRecords,
  { holder, limits = {} }: TakeRequest,
  more: number,
): Outcome<never> | undefined {
  const { owner, state } = holder;
  const { maxReservedInNamespace: most } = limits;
  if (most === undefined || state !== 'reserved') return undefined;
  return reservedIn(view, owner.namespaceUid) + more > most ? refuseReservation(owner, most) : undefined;
}

function reservedIn(view: FoundRecords, namespaceUid: string): number {
  const holders = view.all(term.reserved(namespaceUid)).flatMap((record) => record.holders);
  return holders.filter((each) => each.state === 'reserved' && each.owner.namespaceUid === namespaceUid).length;
}

function overQuota(view: FoundRecords, request: TakeRequest, more: number): Outcome<never> | undefined {
  const { holder, network, pool, limits = {} } = request;
  const { owner } = holder;
  const { poolQuota, clusterQuota, namespaceQuota } = limits;
  const isOver = (wanted: string, most: number | undefined): boolean =>
    most !== undefined && view.count(wanted) + more > most;
  if (isOver(term.held(network, pool), poolQuota)) return refuseQuota(pool, poolQuota ?? 0, owner.kind);
  if (isOver(term.cluster(owner.cluster), clusterQuota)) return refuseShare('cluster', request);
  return isOver(term.namespace(owner), namespaceQuota) ? refuseShare('namespace', request) : undefined;
}
