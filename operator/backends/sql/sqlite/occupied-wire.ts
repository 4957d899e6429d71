import type { OccupiedChange } from '../../../ports/occupied-addresses';
import { toColumn, type AddressParameter } from '../shared/address-column';
import { MET_COLUMNS, OCCUPIED_COLUMNS } from '../shared/occupied-tables';

/** Statements that read uses; their rows are arrays. */
export const USES_SQL = {
  ofCluster: `SELECT ${OCCUPIED_COLUMNS} FROM occupied WHERE cluster = ? ORDER BY address, network`,
  ofAddress: `SELECT ${OCCUPIED_COLUMNS} FROM occupied WHERE network = ? AND address = ? ORDER BY cluster`,
  completeSince: 'SELECT network, since FROM occupied_complete WHERE cluster = ?',
  met: `SELECT ${MET_COLUMNS} FROM occupied o
    JOIN address a ON a.network = o.network AND a.address = o.address AND a.ended_at IS NULL AND a.length IS NULL
    JOIN holder h ON h.address_id = a.id AND (h.ended_at IS NULL OR h.former = 1)
    WHERE o.avoided = 0 AND a.state = 'held' AND h.ended_at IS NULL ORDER BY a.address, a.network, h.id`,
} as const;

/** Statements that the writes of uses are made of. */
export const USE_SQL = {
  use: 'SELECT source, avoided FROM occupied WHERE network = ? AND address = ? AND cluster = ?',
  putUse: `INSERT INTO occupied (network, address, cluster, source, avoided) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT DO UPDATE SET source = excluded.source, avoided = excluded.avoided`,
  dropUse: 'DELETE FROM occupied WHERE network = ? AND address = ? AND cluster = ?',
  // of the cluster that comes first, so that every process names the same one
  someUse: `SELECT cluster, source FROM occupied WHERE network = ? AND address = ? AND avoided = 0 ORDER BY cluster LIMIT 1`,
  foreignUse: 'SELECT foreign_cluster AS cluster, foreign_source AS source FROM address WHERE id = ?',
  otherUse: `SELECT cluster, source FROM occupied WHERE network = ? AND address = ? AND avoided = 0
    AND NOT (cluster = ? AND source = ?) ORDER BY cluster LIMIT 1`,
  isAvoided: 'SELECT 1 FROM occupied WHERE network = ? AND address = ? AND avoided = 1 LIMIT 1',
  usedInside: `SELECT DISTINCT address FROM occupied WHERE network = ? AND address BETWEEN ? AND ? AND avoided = 0 ORDER BY address`,
  // the last choice: what is avoided and free
  avoidedFree: `SELECT o.address FROM occupied o INDEXED BY occupied_avoided WHERE o.network = ? AND o.avoided = 1
    AND o.address BETWEEN ? AND ? AND NOT EXISTS (SELECT 1 FROM address a WHERE a.network = o.network
      AND a.address = o.address AND a.ended_at IS NULL) ORDER BY o.address LIMIT 1`,
  useCounts: 'SELECT network, count(*) AS n FROM occupied GROUP BY network',
  insertForeign: `INSERT INTO address (network, address, family, zone, state, foreign_cluster, foreign_source, version, taken_at)
    VALUES (?, ?, ?, '', 'foreign', ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
  nameForeign: 'UPDATE address SET foreign_cluster = ?, foreign_source = ? WHERE id = ?',
  completeUses: 'INSERT INTO occupied_complete (cluster, network, since) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
  renameComplete: `INSERT INTO occupied_complete (cluster, network, since)
    SELECT :to, network, since FROM occupied_complete WHERE cluster = :from ON CONFLICT DO NOTHING`,
  forgetComplete: 'DELETE FROM occupied_complete WHERE cluster = ?',
} as const;

/** Name of a statement that reads uses. */
type UsesVerb = keyof typeof USES_SQL;

/** `write` of the port, in a form that crosses the thread border. */
export interface WireUse {
  readonly verb: 'writeUse';
  readonly cluster: string;
  readonly network: string;
  readonly address: AddressParameter;
  readonly use?: { readonly source: string; readonly avoided: 0 | 1 };
  readonly nowMs: number;
}

/** Requests of the main thread about uses. */
export type UsesRequest =
  | WireUse
  | { readonly verb: 'uses'; readonly statement: UsesVerb; readonly values: readonly (string | AddressParameter)[] }
  | {
      readonly verb: 'completeUses';
      readonly cluster: string;
      readonly networks: readonly string[];
      readonly nowMs: number;
    }
  | { readonly verb: 'forgetUses'; readonly cluster: string; readonly nowMs: number };

/** Answers of each verb. */
export interface UsesResults {
  /** False where its cluster has another name on record by now. */
  readonly writeUse: boolean;
  readonly uses: readonly (readonly unknown[])[];
  readonly completeUses: undefined;
  readonly forgetUses: number;
}

/**
 * Encodes a difference.
 *
 * @param change - as the port takes it
 * @param nowMs - the moment of the store's clock
 * @returns the message
 */
export function wireUse({ cluster, network, address, use }: OccupiedChange, nowMs: number): WireUse {
  const shown = use === undefined ? {} : { use: { source: use.source, avoided: avoidedColumn(use.weight) } };
  return { verb: 'writeUse', cluster, network, address: toColumn(address), ...shown, nowMs };
}

function avoidedColumn(weight: 'occupied' | 'avoided'): 0 | 1 {
  return weight === 'avoided' ? 1 : 0;
}
