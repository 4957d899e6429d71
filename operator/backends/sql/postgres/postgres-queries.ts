import type { Address } from '../../../addressing/address';
import type { ClaimQuery } from '../../../ports/claim-store';
import { CLAIM_COLUMNS } from '../shared/claim-row';
import type { PostgresQuery } from './postgres-connections';

/** Reads live claims, as `claimRow` takes them. */
export const JOINED = `SELECT ${CLAIM_COLUMNS} FROM ipam.address a
  JOIN ipam.holder h ON h.address_id = a.id AND (h.ended_at IS NULL OR h.former)`;
const LIVE = "a.ended_at IS NULL AND (a.state = 'held' OR a.quarantine_until > $1)";
// the holder's id grows with time, so this is "oldest first"
const ORDER = 'ORDER BY a.address, a.network, h.id';

const inHolders = (condition: string): string => `a.id IN (SELECT address_id FROM ipam.holder WHERE ${condition})`;
const LIVE_OR_FORMER = '(ended_at IS NULL OR former)';

function filterOf(query: ClaimQuery): readonly [condition: string, ...values: (string | number)[]] {
  switch (query.by) {
    case 'service': {
      const { clusterUid, namespaceUid, serviceName } = query.service;
      const same = `cluster_uid = $2 AND namespace_uid = $3 AND service_name = $4`;
      return [inHolders(`${LIVE_OR_FORMER} AND ${same}`), clusterUid, namespaceUid, serviceName];
    }
    case 'name': {
      const { namespace, serviceName, clusterUid } = query;
      const same = 'namespace = $2 AND service_name = $3 AND cluster_uid = $4';
      return [inHolders(`${LIVE_OR_FORMER} AND ${same}`), namespace, serviceName, clusterUid];
    }
    case 'uid':
      return [inHolders(`${LIVE_OR_FORMER} AND service_uid = $2`), query.serviceUid];
    case 'key':
      return [inHolders('ended_at IS NULL AND key = $2'), query.key];
    case 'zone':
      return ['a.network = $2 AND a.zone = $3', query.network, query.zone];
    case 'cluster':
      return [inHolders(`${LIVE_OR_FORMER} AND ended_at IS NULL AND cluster_uid = $2`), query.clusterUid];
    case 'expired':
      return [inHolders('ended_at IS NULL AND state = $2 AND expires_at < $3'), query.state, query.beforeMs];
  }
}

/**
 * Reads the records of a query.
 *
 * @param query - as the port takes it; each kind is served by an index
 * @param nowMs - quarantines that ended by then are left out
 * @returns the statement, whose rows are those of `claimRow`
 */
export function listQuery(query: ClaimQuery, nowMs: number): PostgresQuery {
  const [condition, ...values] = filterOf(query);
  return { text: `${JOINED} WHERE ${LIVE} AND ${condition} ${ORDER}`, values: [nowMs, ...values] };
}

/**
 * Reads one record.
 *
 * @param network - its network
 * @param address - its address
 * @param nowMs - a quarantine that ended by then is left out
 * @returns the statement, whose rows are those of `claimRow`
 */
export function getQuery(network: string, address: Address, nowMs: number): PostgresQuery {
  const text = `${JOINED} WHERE ${LIVE} AND a.network = $2 AND a.address = $3 ${ORDER}`;
  return { text, values: [nowMs, network, address.toString()] };
}

/**
 * Counts the live records of every zone.
 *
 * @param nowMs - quarantines that ended by then are left out
 * @returns the statement: network, zone, family, held, quarantined
 */
export function tallyQuery(nowMs: number): PostgresQuery {
  const text = `SELECT network, zone, family, count(*) FILTER (WHERE state = 'held'),
    count(*) FILTER (WHERE state = 'quarantined') - coalesce((SELECT count(*) FROM ipam.address o WHERE o.network = a.network
      AND o.zone = a.zone AND o.family = a.family AND o.ended_at IS NULL AND o.state = 'quarantined'
      AND o.quarantine_until <= $1), 0)
    FROM ipam.address a WHERE ended_at IS NULL GROUP BY network, zone, family ORDER BY network, zone, family`;
  return { text, values: [nowMs] };
}
