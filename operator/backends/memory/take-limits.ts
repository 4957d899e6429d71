import type { Outcome } from '../../errors/outcome';
import { refuseQuota, refuseReservation, refuseShare } from '../../errors/store-refusals';
import type { TakeRequest } from '../../ports/claims';
import { term, type RecordIndex } from './record-index';

/**
 * Finds the limit that a take would go over.
 *
 * @param records - what is live now
 * @param request - the take with its limits
 * @param more - how many spaces it would take
 * @returns the refusal; undefined when so many more may be taken
 */
export function overLimit(records: RecordIndex, request: TakeRequest, more: number): Outcome<never> | undefined {
  const { holder, network, pool, limits = {} } = request;
  const { owner, state } = holder;
  const { maxReservedInNamespace: limit = Infinity, poolQuota = Infinity } = limits;
  if (state === 'reserved' && reservedIn(records, owner.namespaceUid) + more > limit) {
    return refuseReservation(owner, limit);
  }
  if (records.count(term.held(network, pool)) + more > poolQuota) return refuseQuota(pool, poolQuota, owner.kind);
  return overShare(records, request, more);
}

function reservedIn(records: RecordIndex, namespaceUid: string): number {
  const holders = records.all(term.reserved(namespaceUid)).flatMap((record) => record.holders);
  return holders.filter((each) => each.state === 'reserved' && each.owner.namespaceUid === namespaceUid).length;
}

function overShare(records: RecordIndex, request: TakeRequest, more: number): Outcome<never> | undefined {
  const { clusterQuota = Infinity, namespaceQuota = Infinity } = request.limits ?? {};
  const { owner } = request.holder;
  if (records.count(term.cluster(owner.cluster)) + more > clusterQuota) return refuseShare('cluster', request);
  if (records.count(term.namespace(owner)) + more <= namespaceQuota) return undefined;
  return refuseShare('namespace', request);
}
