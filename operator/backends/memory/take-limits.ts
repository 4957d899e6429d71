import type { Outcome } from '../../errors/outcome';
import { refuseQuota, refuseReservation, refuseShare } from '../../errors/store-refusals';
import type { TakeRequest } from '../../ports/claim-store';
import { term, type RecordIndex } from './record-index';

/**
 * Finds the limit that a take would go over.
 *
 * @param records - what is live now
 * @param request - the take with its limits
 * @returns the refusal; undefined when one more may be taken
 */
export function overLimit(records: RecordIndex, request: TakeRequest): Outcome<never> | undefined {
  const { holder, network, zone, zoneQuota: quota } = request;
  const { maxReservedInNamespace: limit } = request;
  if (limit !== undefined && holder.state === 'reserved' && reservedIn(records, holder.service.namespaceUid) >= limit) {
    return refuseReservation({ ...holder.service, namespace: holder.namespace }, limit);
  }
  if (quota !== undefined && records.count(term.held(network, zone)) >= quota) return refuseQuota(zone, quota);
  return overShare(records, request);
}

function reservedIn(records: RecordIndex, namespaceUid: string): number {
  const holders = records.all(term.reserved(namespaceUid)).flatMap((record) => record.holders);
  return holders.filter((each) => each.state === 'reserved' && each.service.namespaceUid === namespaceUid).length;
}

function overShare(records: RecordIndex, request: TakeRequest): Outcome<never> | undefined {
  const { clusterQuota = Infinity, namespaceQuota = Infinity, holder } = request;
  const { service } = holder;
  if (records.count(term.cluster(service.clusterUid)) >= clusterQuota) return refuseShare('cluster', request);
  if (records.count(term.namespace(service)) < namespaceQuota) return undefined;
  return refuseShare('namespace', request);
}
