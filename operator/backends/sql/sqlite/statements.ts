import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { ClaimQuery } from '../../../ports/claims';
import { prepareArchive, type ArchiveStatements } from './archive-statements';
import { CLAIM_COLUMNS, CLAIM_ORDER, HOLDER_COLUMNS, SERVICE_CELLS } from '../shared/claim-row';
import { CLAMP_SQL } from './clamp-ends';
import { FREED_SQL } from './freed-wire';
import { USE_SQL, USES_SQL } from './occupied-wire';
import { OUTSIDE_SQL } from '../shared/outside-tables';

const JOINED = `SELECT ${CLAIM_COLUMNS} FROM address a LEFT JOIN holder h ON h.address_id = a.id AND (h.ended_at IS NULL OR h.former = 1)`;
const LIVE = "a.ended_at IS NULL AND (a.state <> 'quarantined' OR a.quarantine_until > :now)";
const ONE = 'a.network = :network AND a.address = :address AND a.length IS :length';

const inHolders = (condition: string): string => `a.id IN (SELECT address_id FROM holder WHERE ${condition})`;
const LIVE_OR_FORMER = '(ended_at IS NULL OR former = 1)';

/** The condition of each query; each one is served by an index, which a test proves. */
const FILTERS: Readonly<Record<ClaimQuery['by'], string>> = {
  owner: inHolders(
    `${LIVE_OR_FORMER} AND cluster_uid = :cluster AND namespace_uid = :namespaceUid AND service_name = :name`,
  ),
  name: inHolders(`${LIVE_OR_FORMER} AND namespace = :namespace AND service_name = :name AND cluster_uid = :cluster`),
  uid: inHolders(`${LIVE_OR_FORMER} AND service_uid = :uid`),
  key: inHolders('ended_at IS NULL AND key = :key'),
  pool: 'a.network = :network AND a.zone = :pool',
  cluster: inHolders(`${LIVE_OR_FORMER} AND ended_at IS NULL AND cluster_uid = :cluster`),
  expired: inHolders('ended_at IS NULL AND state = :state AND expires_at < :now - :sinceMs'),
};

/** SQL of {@link ClaimQuery}, by its kind. */
export const LIST_SQL: Readonly<Record<ClaimQuery['by'], string>> = {
  owner: `${JOINED} WHERE ${LIVE} AND ${FILTERS.owner} ${CLAIM_ORDER}`,
  name: `${JOINED} WHERE ${LIVE} AND ${FILTERS.name} ${CLAIM_ORDER}`,
  uid: `${JOINED} WHERE ${LIVE} AND ${FILTERS.uid} ${CLAIM_ORDER}`,
  key: `${JOINED} WHERE ${LIVE} AND ${FILTERS.key} ${CLAIM_ORDER}`,
  pool: `${JOINED} WHERE ${LIVE} AND ${FILTERS.pool} ${CLAIM_ORDER}`,
  cluster: `${JOINED} WHERE ${LIVE} AND ${FILTERS.cluster} ${CLAIM_ORDER}`,
  expired: `${JOINED} WHERE ${LIVE} AND ${FILTERS.expired} ${CLAIM_ORDER}`,
};

const INSERT_HOLDER = `INSERT INTO holder (id, address_id, since, moved_at, ${HOLDER_COLUMNS.join(', ')})
  VALUES (?, ?, ?, ?${', ?'.repeat(HOLDER_COLUMNS.length)})`;
// most holders by far: what is not bound costs nothing
const INSERT_SERVICE = `INSERT INTO holder (id, address_id, since, ${HOLDER_COLUMNS.slice(0, SERVICE_CELLS).join(', ')})
  VALUES (?, ?, ?${', ?'.repeat(SERVICE_CELLS)})`;
// a live row as `AddressRow`
const PLACE = 'id, network, address, length, zone AS pool, family, state, quarantine_until AS untilMs, version';

/** Every statement that changes or reads one claim, by name. */
export const CLAIM_SQL = {
  begin: 'BEGIN IMMEDIATE',
  commit: 'COMMIT',
  rollback: 'ROLLBACK',
  savepoint: 'SAVEPOINT request',
  keepSavepoint: 'RELEASE request',
  undoSavepoint: 'ROLLBACK TO request',
  probe: 'SAVEPOINT probe',
  undoProbe: 'ROLLBACK TO probe',
  keepProbe: 'RELEASE probe',
  setting: 'SELECT value FROM setting WHERE name = ?',
  anyRename: "SELECT 1 FROM setting WHERE name >= 'note:renamed:' AND name < 'note:renamed;' LIMIT 1",
  setSetting: 'INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  liveAddress: `SELECT ${PLACE} FROM address WHERE network = ? AND address = ? AND ended_at IS NULL`,
  // the two that a prefix and its neighbours are found by; a former holder may return over one of several
  liveInside: `SELECT ${PLACE} FROM address WHERE network = ? AND address BETWEEN ? AND ? AND ended_at IS NULL
    ORDER BY address LIMIT 2`,
  prefixBelow: `SELECT ${PLACE} FROM address WHERE network = ? AND address <= ? AND ended_at IS NULL AND length IS NOT NULL
    ORDER BY address DESC LIMIT 1`,
  liveHolders: `SELECT id, since AS sinceMs, moved_at AS movedAtMs, expires_at AS expiresAtMs FROM holder
    WHERE address_id = ? AND ended_at IS NULL ORDER BY id`,
  someHolder: `SELECT kind, service_name AS name, namespace, namespace_uid AS namespaceUid, cluster_uid AS cluster
    FROM holder WHERE address_id = ? AND (ended_at IS NULL OR former = 1) ORDER BY id LIMIT 1`,
  holderByKey: 'SELECT id, address_id AS addressId FROM holder WHERE key = ? AND ended_at IS NULL',
  // whatever `LIST_SQL` of owner and name or `lastAddress` could find is among these; three indexes, no row is read
  anyTrace: `SELECT 1 FROM holder WHERE ${LIVE_OR_FORMER} AND cluster_uid = ?1 AND namespace_uid = ?2 AND service_name = ?3
    UNION ALL SELECT 1 FROM holder WHERE ${LIVE_OR_FORMER} AND namespace = ?4 AND service_name = ?3 AND cluster_uid = ?1
    UNION ALL SELECT 1 FROM holder WHERE ended_at IS NOT NULL AND cluster_uid = ?1 AND service_name = ?3 LIMIT 1`,
  reservedIn: "SELECT count(*) AS n FROM holder WHERE namespace_uid = ? AND ended_at IS NULL AND state = 'reserved'",
  heldByCluster: `SELECT count(DISTINCT address_id) AS n FROM holder WHERE ${LIVE_OR_FORMER}
    AND ended_at IS NULL AND cluster_uid = ?`,
  heldByNamespace: `SELECT count(DISTINCT address_id) AS n FROM holder WHERE ${LIVE_OR_FORMER}
    AND ended_at IS NULL AND cluster_uid = ? AND namespace_uid = ?`,
  insertAddress: `INSERT INTO address (network, address, length, family, zone, secret_hash, secret_scope, secret_sealed, state,
    version, taken_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'held', ?, ?) ON CONFLICT DO NOTHING`,
  insertHolder: INSERT_HOLDER,
  insertService: INSERT_SERVICE,
  endHolder: 'UPDATE holder SET ended_at = ? WHERE address_id = ? AND id = ? AND ended_at IS NULL',
  endLastHolder: 'UPDATE holder SET ended_at = ?, former = 1 WHERE address_id = ? AND id = ? AND ended_at IS NULL',
  endAddress: 'UPDATE address SET ended_at = ? WHERE id = ?',
  stateOfHolder: 'SELECT state FROM holder WHERE address_id = ? AND id = ? AND ended_at IS NULL',
  // the newest one that left before the last one and may return; before the space was taken it was another claim
  leftBefore: `SELECT h.row_id AS rowId, h.ended_at AS leftAtMs FROM holder h JOIN address a ON a.id = h.address_id
    WHERE h.address_id = ? AND h.id <> ? AND h.ended_at > a.taken_at AND h.state <> 'contested'
    AND (h.state <> 'reserved' OR h.service_uid IS NOT NULL) AND NOT EXISTS (SELECT 1 FROM holder l
      WHERE l.address_id = h.address_id AND l.id = h.id AND l.row_id > h.row_id)
    ORDER BY h.ended_at DESC, h.id DESC LIMIT 1`,
  markFormer: 'UPDATE holder SET former = 1 WHERE row_id = ?',
  forgetFormer: 'UPDATE holder SET former = 0 WHERE address_id = ? AND former = 1',
  moveHolder: `INSERT INTO holder (id, address_id, since, moved_at, ${HOLDER_COLUMNS.join(', ')})
    SELECT id, ?, since, ?, ${HOLDER_COLUMNS.join(', ')} FROM holder WHERE row_id = ?`,
  holderRow: 'SELECT row_id AS rowId FROM holder WHERE address_id = ? AND id = ? AND ended_at IS NULL',
  secretOf: 'SELECT secret_hash AS hash, secret_scope AS scope, secret_sealed AS sealed FROM address WHERE id = ?',
  setVersion: 'UPDATE address SET version = ? WHERE id = ?',
  setSecret: 'UPDATE address SET secret_hash = ?, secret_scope = ?, secret_sealed = ? WHERE id = ?',
  retake: 'UPDATE address SET version = ?, taken_at = ? WHERE id = ?',
  quarantine: "UPDATE address SET state = 'quarantined', quarantine_until = ?, version = ? WHERE id = ?",
  expired: `SELECT ${PLACE} FROM address WHERE network = ?
    AND ended_at IS NULL AND state = 'quarantined' AND quarantine_until <= ? ORDER BY address`,
  // left to itself, the planner walks over all live addresses in the order of the groups
  expiredEverywhere: `SELECT network, zone AS pool, family, count(*) AS n FROM address INDEXED BY address_quarantine WHERE ended_at IS NULL
    AND state = 'quarantined' AND quarantine_until <= ? GROUP BY network, zone, family`,
  quarantinedIn: `SELECT count(*) AS n, min(quarantine_until) AS firstMs FROM address
    WHERE network = ? AND zone = ? AND family = ? AND state = 'quarantined' AND ended_at IS NULL`,
  counts: `SELECT network, zone AS pool, family, state, count(*) AS n FROM address WHERE ended_at IS NULL
    AND state <> 'foreign' GROUP BY network, zone, family, state`,
  prefixCounts: `SELECT network, count(*) AS n FROM address WHERE ended_at IS NULL AND length IS NOT NULL GROUP BY network`,
  someHeld: "SELECT 1 FROM address WHERE ended_at IS NULL AND state = 'held' LIMIT 1",
} as const;

/** Statements whose rows are arrays: those that cross the thread border or are read by the million. */
export const ROW_SQL = {
  claim: `${JOINED} WHERE ${ONE} AND ${LIVE} ${CLAIM_ORDER}`,
  claimById: `${JOINED} WHERE a.id = ? ORDER BY h.id`,
  live: 'SELECT address FROM address WHERE network = ? AND ended_at IS NULL AND address BETWEEN ? AND ?',
  livePrefixes: `SELECT address, length FROM address WHERE network = ? AND ended_at IS NULL AND length IS NOT NULL
    AND address <= ? ORDER BY address`,
} as const;

type Prepared<T> = { readonly [K in keyof T]: StatementSync };

/** All statements, compiled. */
export type Statements = Prepared<typeof CLAIM_SQL> &
  Prepared<typeof CLAMP_SQL> &
  Prepared<typeof ROW_SQL> &
  Prepared<typeof USE_SQL> & {
    readonly uses: Prepared<typeof USES_SQL>;
    readonly list: Prepared<typeof LIST_SQL>;
    readonly archive: ArchiveStatements;
    readonly outside: Prepared<typeof OUTSIDE_SQL>;
    readonly freed: Prepared<typeof FREED_SQL>;
  };

function prepareAll<T extends object>(db: DatabaseSync, texts: T, arrays: boolean): Prepared<T> {
  const statements = Object.entries(texts).map(([name, text]) => {
    const statement = db.prepare(text as string);
    statement.setReturnArrays(arrays);
    return [name, statement] as const;
  });
  return Object.fromEntries(statements) as Prepared<T>;
}

/**
 * Compiles everything once.
 *
 * @param db - open database of the newest version
 * @returns one compiled statement under each name
 */
export function prepareStatements(db: DatabaseSync): Statements {
  return {
    ...prepareAll(db, CLAIM_SQL, false),
    ...prepareAll(db, CLAMP_SQL, false),
    ...prepareAll(db, ROW_SQL, true),
    ...prepareAll(db, USE_SQL, false),
    uses: prepareAll(db, USES_SQL, true),
    list: prepareAll(db, LIST_SQL, true),
    archive: prepareArchive(db, CLAIM_COLUMNS),
    outside: prepareAll(db, OUTSIDE_SQL, true),
    freed: prepareAll(db, FREED_SQL, true),
  };
}
