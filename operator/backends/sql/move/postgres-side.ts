import type { PostgresQuery, PostgresRows } from '../postgres/postgres-connections';
import { BEGIN_LONG } from '../postgres/postgres-schema';
import { MOVED_TABLES, type MovedTable } from './moved-tables';
import type { MovedRow, MovedSettings } from './sqlite-side';

/** Runs one statement of the transaction. */
export type Run = (query: PostgresQuery) => Promise<PostgresRows>;

// Nothing else reads or writes until the end: what was compared stays as it is. In the order of the migrations.
const LOCKS = `LOCK TABLE ipam.writer, ipam.address, ipam.holder, ipam.free_range, ipam.occupied, ipam.setting
  IN ACCESS EXCLUSIVE MODE`;

// Between two messages rows are read from the file, which takes seconds on a busy machine.
const PATIENT = 'SET LOCAL idle_in_transaction_session_timeout = 300000';

const ARRIVED = "SELECT value FROM ipam.setting WHERE name = 'movedFrom'";

const USED = `SELECT ${MOVED_TABLES.map((table) => `EXISTS (SELECT FROM ipam.${table})`).join(' OR ')}
  OR EXISTS (SELECT FROM ipam.setting WHERE name = 'keyFingerprint' AND value <> '')`;

// Takes the space of live rows out of the free ranges by the functions of a take: a row whose space another row has already is returned.
const CARVED = `SELECT host(s.address) FROM (SELECT * FROM ipam.address WHERE id = ANY ($1::bigint[]) AND ended_at IS NULL
    ORDER BY network, address) s
  WHERE CASE WHEN s.length IS NULL THEN ipam.carve_named(s.network, s.address, true)
    ELSE ipam.carve_block(s.network, s.address, ipam.last_of(s.address, s.length), true) END <> 'done'`;

const AVOIDED = `WITH carved AS (UPDATE ipam.occupied o SET carved = true
    WHERE avoided AND NOT EXISTS (SELECT FROM ipam.overlaps(o.network, o.address, NULL)) RETURNING network, address)
  SELECT host(s.address) FROM (SELECT DISTINCT network, address FROM carved ORDER BY network, address) s
  WHERE ipam.carve_named(s.network, s.address, true) <> 'done'`;

const SEQUENCES = `SELECT
  setval(pg_get_serial_sequence('ipam.address', 'id'), (SELECT coalesce(max(id), 0) + 1 FROM ipam.address), false),
  setval(pg_get_serial_sequence('ipam.holder', 'row_id'), (SELECT coalesce(max(row_id), 0) + 1 FROM ipam.holder), false),
  setval('ipam.revision', greatest($1::bigint, (SELECT max(id) FROM ipam.holder), (SELECT max(version) FROM ipam.address)) + 1, false)`;

// A place in the log of the file could be taken for one here: everything before this transaction is unknown.
const FREED = `INSERT INTO ipam.setting (name, value) VALUES ('freedPruned', pg_current_xact_id()::text)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value`;

// Ends are moments of the store's clock, and the other store has another one: what is left of each stays the same.
const SHIFTS = [
  'UPDATE ipam.address SET quarantine_until = quarantine_until + $1 WHERE ended_at IS NULL AND quarantine_until IS NOT NULL',
  'UPDATE ipam.holder SET expires_at = expires_at + $1 WHERE ended_at IS NULL AND expires_at IS NOT NULL',
  'UPDATE ipam.outside SET next_at = next_at + $1 WHERE next_at IS NOT NULL',
];

/**
 * Begins the transaction of a move, with the tables locked.
 *
 * @param run - the connection
 * @returns id of the move that brought what is there, undefined: none did; and whether anything is there
 */
export async function beginMove(run: Run): Promise<{ readonly arrived: string | undefined; readonly isUsed: boolean }> {
  await run({ text: BEGIN_LONG });
  await run({ text: PATIENT });
  await run({ text: LOCKS });
  const [arrived] = await run({ text: ARRIVED });
  const [used] = await run({ text: USED });
  return { arrived: arrived?.[0] as string | undefined, isUsed: used?.[0] === true };
}

/**
 * Makes networks that are free from end to end.
 *
 * @param run - the transaction
 * @param names - each network that a row lies in
 */
export async function addNetworks(run: Run, names: readonly string[]): Promise<void> {
  await run({ text: 'SELECT ipam.add_networks($1::jsonb)', values: [JSON.stringify(names)] });
}

/** Rows of one message. */
export interface ArrivingRows {
  readonly table: MovedTable;
  readonly columns: readonly string[];
  readonly rows: readonly MovedRow[];
}

/**
 * Writes rows, and takes the space of live ones out of what is free.
 *
 * @param run - the transaction
 * @param arriving - table, its columns, and rows
 * @returns addresses of rows whose space another row has already
 */
export async function addRows(run: Run, { table, columns, rows }: ArrivingRows): Promise<readonly string[]> {
  const list = columns.map((column) => `"${column}"`).join(', ');
  await run({
    text: `INSERT INTO ipam.${table} (${list}) OVERRIDING SYSTEM VALUE
      SELECT ${list} FROM jsonb_populate_recordset(NULL::ipam.${table}, $1::jsonb)`,
    values: [JSON.stringify(rows)],
  });
  if (table !== 'address') return [];
  return textsOf(await run({ text: CARVED, values: [rows.map(({ id }) => id)] }));
}

/**
 * Writes what follows from the rows, when all of them are there.
 *
 * @param run - the transaction
 * @param settings - of the file
 * @param nowMs - time of the file's clock
 * @returns avoided addresses that are not free and have no claim either
 */
export async function finishRows(run: Run, settings: MovedSettings, nowMs: number): Promise<readonly string[]> {
  const texts = `INSERT INTO ipam.setting (name, value) SELECT name, value
    FROM jsonb_to_recordset($1::jsonb) AS r(name text, value text) ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
  await run({ text: texts, values: [JSON.stringify(settings.texts)] });
  const [now] = await run({ text: 'SELECT ipam.now_ms()' });
  for (const text of SHIFTS) await run({ text, values: [Number(now?.[0]) - nowMs] });
  await run({ text: SEQUENCES, values: [settings.revision] });
  await run({ text: FREED });
  return textsOf(await run({ text: AVOIDED }));
}

/**
 * Counts the rows that arrived, and has the planner learn of them.
 *
 * @param run - the transaction
 * @param table - one that was written
 * @returns how many
 */
export async function countRows(run: Run, table: MovedTable): Promise<number> {
  await run({ text: `ANALYZE ipam.${table}` });
  const [row] = await run({ text: `SELECT count(*) FROM ipam.${table}` });
  return Number(row?.[0]);
}

/**
 * Notes which move brought the rows, so that a later run finds what became of it.
 *
 * @param run - the transaction
 * @param id - of the move
 */
export async function noteArrival(run: Run, id: string): Promise<void> {
  await run({ text: "INSERT INTO ipam.setting (name, value) VALUES ('movedFrom', $1)", values: [id] });
}

const textsOf = (rows: PostgresRows): readonly string[] => rows.map(([text]) => String(text));
