import { accept, type Outcome } from '../../../errors/outcome';
import { refuseKnownCluster } from '../../../errors/store-refusals';
import type { ClusterRename } from '../../../ports/cluster-renames';
import type { Read } from './postgres-archive';

// One statement, so one transaction. The addresses are locked in the order of their ids, and every verb that runs on one of them
// finds another version afterwards.
const RENAME = `WITH busy AS MATERIALIZED (SELECT count(*) AS n FROM ipam.holder WHERE cluster_uid = $2 AND ended_at IS NULL),
  named AS MATERIALIZED (SELECT id FROM ipam.address WHERE ended_at IS NULL AND (SELECT n FROM busy) = 0 AND id IN
    (SELECT address_id FROM ipam.holder WHERE cluster_uid = $1 AND (ended_at IS NULL OR former)) ORDER BY id FOR UPDATE),
  seen AS (UPDATE ipam.address SET version = nextval('ipam.revision') WHERE id IN (SELECT id FROM named)),
  shown AS (UPDATE ipam.address SET foreign_cluster = $2 WHERE foreign_cluster = $1 AND (SELECT n FROM busy) = 0),
  moved AS (UPDATE ipam.holder SET cluster_uid = $2,
      key = coalesce((SELECT k.after || substr(key, length(k.before) + 1)
        FROM unnest($3::text[], $4::text[]) AS k (before, after) WHERE starts_with(key, k.before) LIMIT 1), key)
    WHERE cluster_uid = $1 AND (SELECT n FROM busy) = 0 AND (SELECT count(*) FROM named) >= 0 RETURNING ended_at),
  gone AS (DELETE FROM ipam.cluster WHERE uid = $1 AND (SELECT n FROM busy) = 0 RETURNING name, reported_at),
  told AS (INSERT INTO ipam.cluster (uid, name, reported_at) SELECT $2, name, reported_at FROM gone ON CONFLICT (uid) DO NOTHING)
  SELECT (SELECT n FROM busy), (SELECT count(*) FROM moved WHERE ended_at IS NULL)`;

/**
 * `renameCluster` of the port.
 *
 * @param read - runs a statement
 * @param rename - both identities, and the keys that name them
 * @returns how many live holders are renamed; or refusal `cluster/known`
 */
export async function renameCluster(
  read: Read,
  { from, to, keys }: ClusterRename,
): Promise<Outcome<{ readonly claims: number }>> {
  const [before, after] = [keys.map((key) => key.from), keys.map((key) => key.to)];
  const [row] = await read({ text: RENAME, values: [from, to, before, after] });
  const [others = 0, claims = 0] = (row ?? []).map(Number);
  return others > 0 ? refuseKnownCluster(to, others) : accept({ claims });
}
