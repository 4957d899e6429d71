import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { RecordFilter, RecordPage } from '../../../ports/claim-counts';
import { pastColumns } from '../shared/past-claims';

/** SQL of the archive's fixed statements, by name; those in {@link PAST_SQL} return arrays. */
export const ARCHIVE_SQL = {
  // by their own indexes and not by the one of pools: few holders are not bound
  unbound: `SELECT a.network, a.zone AS pool, a.family, sum(u.weight = 3) AS reserved, sum(u.weight = 2) AS retained,
      sum(u.weight = 1) AS contested
    FROM (SELECT address_id, max(weight) AS weight FROM (
      SELECT address_id, 3 AS weight FROM holder INDEXED BY holder_reserved WHERE ended_at IS NULL AND state = 'reserved'
      UNION ALL
      SELECT address_id, 2 FROM holder INDEXED BY holder_retained WHERE ended_at IS NULL AND state = 'retained'
      UNION ALL
      SELECT address_id, 1 FROM holder INDEXED BY holder_contested WHERE ended_at IS NULL AND state = 'contested'
    ) GROUP BY address_id) u JOIN address a ON a.id = u.address_id
    WHERE NOT EXISTS (SELECT 1 FROM holder b WHERE b.address_id = a.id AND b.ended_at IS NULL AND b.state = 'bound')
    GROUP BY a.network, a.zone, a.family`,
  inRange: `SELECT count(*) AS n FROM address WHERE zone = ? AND network = ? AND ended_at IS NULL AND length IS NULL
    AND address BETWEEN ? AND ? AND (state = 'held' OR quarantine_until > ?)`,
  foreignInRange: `SELECT count(*) AS n FROM address WHERE network = ? AND address BETWEEN ? AND ? AND ended_at IS NULL
    AND state = 'foreign' AND length IS NULL`,
  prefixes: `SELECT network, zone AS pool, family, address, length, state = 'foreign' AS isForeign FROM address
    WHERE ended_at IS NULL AND length IS NOT NULL AND (state <> 'quarantined' OR quarantine_until > ?)`,
  lastAddress: `SELECT a.address FROM holder h JOIN address a ON a.id = h.address_id
    WHERE h.ended_at IS NOT NULL AND h.cluster_uid = :cluster AND h.service_name = :name
    AND h.api_version = :apiVersion AND h.kind = :kind
    AND (h.namespace_uid = :namespaceUid OR (h.namespace = :namespace AND h.namespace <> ''))
    AND (h.state <> 'reserved' OR h.service_uid IS NOT NULL) AND a.length IS NULL AND a.network = :network AND a.family = :family
    ORDER BY h.ended_at DESC, h.row_id DESC LIMIT 1`,
  clusters: `SELECT uid AS cluster, name, reported_at AS reportedAtMs FROM cluster ORDER BY uid`,
  clusterClaims: `SELECT cluster_uid AS cluster, count(*) AS claims FROM holder
    WHERE (ended_at IS NULL OR former = 1) AND ended_at IS NULL AND cluster_uid <> '' GROUP BY cluster_uid`,
  isKnown: `SELECT 1 FROM cluster WHERE uid = :cluster UNION ALL
    SELECT 1 FROM holder WHERE (ended_at IS NULL OR former = 1) AND ended_at IS NULL AND cluster_uid = :cluster LIMIT 1`,
  reportCluster: `INSERT INTO cluster (uid, name, reported_at) VALUES (?, ?, ?) ON CONFLICT (uid) DO UPDATE
    SET name = CASE excluded.name WHEN '' THEN name ELSE excluded.name END, reported_at = excluded.reported_at`,
  renamedClaims: `SELECT count(*) AS n FROM holder WHERE (ended_at IS NULL OR former = 1) AND ended_at IS NULL AND cluster_uid = ?`,
  renameVersions: `UPDATE address SET version = :version WHERE ended_at IS NULL AND id IN
    (SELECT address_id FROM holder WHERE cluster_uid = :from AND (ended_at IS NULL OR former = 1))`,
  renameKeys: `UPDATE holder SET key = :to || substr(key, length(:from) + 1)
    WHERE cluster_uid = :cluster AND substr(key, 1, length(:from)) = :from`,
  renameHolders: 'UPDATE holder SET cluster_uid = :to WHERE cluster_uid = :from',
  renameForeign: 'UPDATE address SET foreign_cluster = :to WHERE foreign_cluster = :from',
  renameReport:
    'INSERT INTO cluster (uid, name, reported_at) SELECT :to, name, reported_at FROM cluster WHERE uid = :from ON CONFLICT DO NOTHING',
  forgetReport: 'DELETE FROM cluster WHERE uid = ?',
  pruneHolders: `DELETE FROM holder WHERE row_id IN (SELECT row_id FROM holder
    WHERE ended_at < ? AND ended_at IS NOT NULL AND former = 0 ORDER BY ended_at LIMIT ?)`,
  pruneAddresses: `DELETE FROM address WHERE id IN (SELECT id FROM address a WHERE ended_at < ? AND ended_at IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM holder h WHERE h.address_id = a.id) ORDER BY ended_at LIMIT ?)`,
  busyNamespaces: `SELECT DISTINCT cluster_uid AS cluster, namespace_uid AS namespaceUid FROM holder INDEXED BY holder_ended
    WHERE ended_at > ? AND ended_at IS NOT NULL AND former = 0`,
  pruneNamespace: `DELETE FROM holder WHERE row_id IN (SELECT row_id FROM holder
    WHERE cluster_uid = ? AND namespace_uid = ? AND ended_at IS NOT NULL AND former = 0
    ORDER BY ended_at DESC, row_id DESC LIMIT ? OFFSET ?) RETURNING address_id AS addressId`,
  pruneAddress: `DELETE FROM address WHERE id = ? AND ended_at IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM holder h WHERE h.address_id = address.id)`,
  keyUse: `SELECT substr(secret_hash, 1, instr(secret_hash, ':') - 1) AS keyId, count(*) AS records FROM address
    WHERE ended_at IS NULL AND secret_hash IS NOT NULL GROUP BY 1 ORDER BY 1`,
} as const;

/** Statements whose rows are arrays. */
export const PAST_SQL = {
  past: `SELECT ${pastColumns(':now', 'holder')} FROM address a JOIN holder h ON h.address_id = a.id WHERE a.id IN (
      SELECT id FROM address WHERE network = :network AND address = :address AND length IS :length AND ended_at IS NULL
      UNION ALL SELECT id FROM address WHERE network = :network AND address = :address AND length IS :length
        AND ended_at IS NOT NULL
    ) ORDER BY h.row_id`,
} as const;

/** The archive's statements, compiled. */
export type ArchiveStatements = {
  readonly [K in keyof typeof ARCHIVE_SQL | keyof typeof PAST_SQL]: StatementSync;
} & {
  /** Compiles the statement of a page when it is first needed. */
  readonly page: (filter: RecordFilter, after: RecordPage['after'] | undefined) => StatementSync;
};

const HOLDER_CONDITIONS = {
  cluster: 'f.cluster_uid = :cluster',
  namespace: 'f.namespace = :namespace',
  name: 'f.service_name = :name',
} as const;

function holderCondition(filter: RecordFilter): readonly string[] {
  const named = Object.entries(HOLDER_CONDITIONS).flatMap(([field, text]) =>
    filter[field as keyof typeof HOLDER_CONDITIONS] === undefined ? [] : [text],
  );
  const ofHolder = filter.state !== undefined && filter.state !== 'quarantined';
  const all = ofHolder ? [...named, 'f.ended_at IS NULL', 'f.state = :state'] : named;
  if (all.length === 0) return [];
  const where = ['(f.ended_at IS NULL OR f.former = 1)', ...all].join(' AND ');
  // few holders: begin with them; many: walk over the addresses, which stops when the page is full
  return filter.cluster === undefined && filter.namespace === undefined
    ? [`EXISTS (SELECT 1 FROM holder f WHERE f.address_id = a.id AND ${where})`]
    : [`a.id IN (SELECT f.address_id FROM holder f WHERE ${where})`];
}

/**
 * Writes the statement of a page.
 *
 * @param columns - what is read of `address a` and `holder h`
 * @param filter - which fields are named; values are parameters
 * @param after - whether the page goes on behind another
 * @returns SQL with named parameters, `:now` and `:limit` among them
 */
export function pageSql(columns: string, filter: RecordFilter, after: boolean): string {
  const conditions = [
    "a.ended_at IS NULL AND (a.state = 'held' OR a.quarantine_until > :now)",
    ...(filter.network === undefined ? [] : ['a.network = :network']),
    ...(filter.pool === undefined ? [] : ['a.zone = :pool']),
    ...(filter.state === undefined ? [] : [`a.state = '${filter.state === 'quarantined' ? 'quarantined' : 'held'}'`]),
    ...holderCondition(filter),
    ...(after ? ['(a.network, a.address) > (:afterNetwork, :afterAddress)'] : []),
  ];
  return `SELECT ${columns} FROM address a LEFT JOIN holder h ON h.address_id = a.id AND (h.ended_at IS NULL OR h.former = 1)
    WHERE a.id IN (SELECT a.id FROM address a WHERE ${conditions.join(' AND ')} ORDER BY a.network, a.address LIMIT :limit)
    ORDER BY a.network, a.address, h.id`;
}

/**
 * Compiles the archive's statements.
 *
 * @param db - open database of the newest version
 * @param columns - what a page reads
 * @returns one compiled statement under each name
 */
export function prepareArchive(db: DatabaseSync, columns: string): ArchiveStatements {
  const compile = (texts: Readonly<Record<string, string>>, arrays: boolean): Record<string, StatementSync> =>
    Object.fromEntries(
      Object.entries(texts).map(([name, text]) => {
        const statement = db.prepare(text);
        statement.setReturnArrays(arrays);
        return [name, statement];
      }),
    );
  const pages = new Map<string, StatementSync>();
  const page: ArchiveStatements['page'] = (filter, after) => {
    const text = pageSql(columns, filter, after !== undefined);
    const known = pages.get(text);
    if (known !== undefined) return known;
    const statement = db.prepare(text);
    statement.setReturnArrays(true);
    pages.set(text, statement);
    return statement;
  };
  return { ...compile(ARCHIVE_SQL, false), ...compile(PAST_SQL, true), page } as unknown as ArchiveStatements;
}
