import { pastColumns } from '../shared/past-claims';
import { lengthColumn } from '../shared/address-column';
import { CLAIM_COLUMNS, CLAIM_ORDER } from '../shared/claim-row';
import type { ClaimQuery, Place } from '../../../ports/claims';
import type { PostgresQuery } from './postgres-connections';

/** The store's clock in a statement: read once, so that an index can be compared with it. */
export const NOW_MS = '(SELECT ipam.now_ms())';

/** Reads live claims, as `claimRow` takes them. */
export const JOINED = `SELECT ${CLAIM_COLUMNS} FROM ipam.address a
  LEFT JOIN ipam.holder h ON h.address_id = a.id AND (h.ended_at IS NULL OR h.former)`;
/** Condition of live rows `a`; a quarantine that is over is not live. */
export const LIVE = `a.ended_at IS NULL AND (a.state <> 'quarantined' OR a.quarantine_until > ${NOW_MS})`;

const inHolders = (condition: string): string => `a.id IN (SELECT address_id FROM ipam.holder WHERE ${condition})`;
const LIVE_OR_FORMER = '(ended_at IS NULL OR former)';

function filterOf(query: ClaimQuery): readonly [condition: string, ...values: (string | number)[]] {
  switch (query.by) {
    case 'owner': {
      const { cluster, namespaceUid, name } = query.owner;
      const same = `cluster_uid = $1 AND namespace_uid = $2 AND service_name = $3`;
      return [inHolders(`${LIVE_OR_FORMER} AND ${same}`), cluster, namespaceUid, name];
    }
    case 'name': {
      const { namespace, name, cluster } = query;
      const same = 'namespace = $1 AND service_name = $2 AND cluster_uid = $3';
      return [inHolders(`${LIVE_OR_FORMER} AND ${same}`), namespace, name, cluster];
    }
    case 'uid':
      return [inHolders(`${LIVE_OR_FORMER} AND service_uid = $1`), query.uid];
    case 'key':
      return [inHolders('ended_at IS NULL AND key = $1'), query.key];
    case 'pool':
      return ['a.network = $1 AND a.zone = $2', query.network, query.pool];
    case 'cluster':
      return [inHolders(`${LIVE_OR_FORMER} AND ended_at IS NULL AND cluster_uid = $1`), query.cluster];
    case 'expired': {
      const over = `state = $1 AND expires_at < ${NOW_MS} - $2::bigint`;
      return [inHolders(`ended_at IS NULL AND ${over}`), query.state, query.sinceMs];
    }
  }
}

/**
 * Reads the records of a query.
 *
 * @param query - as the port takes it; each kind is served by an index
 * @returns the statement, whose rows are those of `claimRow`
 */
export function listQuery(query: ClaimQuery): PostgresQuery {
  const [condition, ...values] = filterOf(query);
  return { text: `${JOINED} WHERE ${LIVE} AND ${condition} ${CLAIM_ORDER}`, values };
}

/**
 * Reads one record.
 *
 * @param place - its place
 * @returns the statement, whose rows are those of `claimRow`
 */
export function getQuery(place: Place): PostgresQuery {
  const one = 'a.network = $1 AND a.address = $2 AND a.length IS NOT DISTINCT FROM $3::smallint';
  return { text: `${JOINED} WHERE ${LIVE} AND ${one} ${CLAIM_ORDER}`, values: placeValues(place) };
}

function placeValues(place: Place): readonly (string | number | null)[] {
  return [place.network, place.address.toString(), lengthColumn(place)];
}

/**
 * Counts the live claims of every pool.
 *
 * @returns the statement: network, pool, family, held, quarantined
 */
export function tallyQuery(): PostgresQuery {
  const text = `SELECT network, zone, family, count(*) FILTER (WHERE state = 'held'),
    count(*) FILTER (WHERE state = 'quarantined') - coalesce((SELECT count(*) FROM ipam.address o WHERE o.network = a.network
      AND o.zone = a.zone AND o.family = a.family AND o.ended_at IS NULL AND o.state = 'quarantined'
      AND o.quarantine_until <= ${NOW_MS}), 0)
    FROM ipam.address a WHERE ended_at IS NULL AND state <> 'foreign' GROUP BY network, zone, family ORDER BY network, zone, family`;
  return { text };
}

const PAST = `SELECT ${pastColumns(NOW_MS, 'ipam.holder')} FROM ipam.address a JOIN ipam.holder h ON h.address_id = a.id WHERE a.id IN (
    SELECT id FROM ipam.address WHERE network = $1 AND address = $2 AND length IS NOT DISTINCT FROM $3::smallint
      AND ended_at IS NULL
    UNION ALL
    SELECT id FROM ipam.address WHERE network = $1 AND address = $2 AND length IS NOT DISTINCT FROM $3::smallint
      AND ended_at IS NOT NULL
  ) ORDER BY h.row_id`;

/**
 * Reads what became of a space.
 *
 * @param of - its place
 * @returns the statement, whose rows are those of `pastClaims`
 */
export function pastQuery(of: Place): PostgresQuery {
  return { text: PAST, values: placeValues(of) };
}
