import type { NewOutsideRow, OutsideChange, OutsideRow, OutsideState } from '../../../ports/outside-rows';
import { fromColumn, toColumn, type AddressColumn, type AddressParameter } from './address-column';

/** Value of one column or parameter. */
export type OutsideCell = string | number | null | AddressParameter;

/** Columns of a row, in the order of {@link outsideRowOf}. */
export const OUTSIDE_COLUMNS =
  'network, address, zone, mark, state, external_id, attempts, next_at, fault, revision, differs_since, has_foreign';

/**
 * Statements on the table `outside` of SQLite. Their names say how they run: what only reads may stand outside of a transaction.
 */
export const OUTSIDE_SQL = {
  readOne: `SELECT ${OUTSIDE_COLUMNS} FROM outside WHERE network = ? AND address = ?`,
  readDue: `SELECT ${OUTSIDE_COLUMNS} FROM outside WHERE next_at <= ? ORDER BY next_at LIMIT ?`,
  readZone: `SELECT ${OUTSIDE_COLUMNS} FROM outside WHERE zone = ? ORDER BY address, network`,
  readZones: 'SELECT DISTINCT zone FROM outside ORDER BY zone',
  readNote: 'SELECT text FROM outside_note WHERE name = ?',
  begin: `INSERT INTO outside (network, address, zone, mark, state, next_at) VALUES (?, ?, ?, ?, 'pending', ?)
    ON CONFLICT DO UPDATE SET revision = revision RETURNING ${OUTSIDE_COLUMNS}`,
  change: `UPDATE outside SET zone = ?, mark = ?, state = ?, external_id = ?, attempts = ?, next_at = ?, fault = ?,
    differs_since = ?, has_foreign = ?, revision = revision + 1
    WHERE network = ? AND address = ? AND revision = ? AND mark = ? RETURNING ${OUTSIDE_COLUMNS}`,
  end: 'DELETE FROM outside WHERE network = ? AND address = ? AND revision = ? AND mark = ? RETURNING mark',
  keep: 'INSERT INTO outside_note (name, text) VALUES (?, ?) ON CONFLICT DO UPDATE SET text = excluded.text RETURNING text',
  agree: 'INSERT INTO outside_note (name, text) VALUES (?, ?) ON CONFLICT DO UPDATE SET text = text RETURNING text',
} as const;

/** Name of a statement. */
export type OutsideVerb = keyof typeof OUTSIDE_SQL;

/**
 * Tells what may run beside others that read.
 *
 * @param verb - name of a statement
 * @returns true when it changes nothing
 */
export function readsOutside(verb: OutsideVerb): boolean {
  return verb.startsWith('read');
}

/**
 * Reads what a statement returned.
 *
 * @param cells - in the order of {@link OUTSIDE_COLUMNS}
 * @returns it in the form of the port
 */
export function outsideRowOf(cells: readonly unknown[]): OutsideRow {
  const [network, address, zone, mark, state, externalId, attempts, nextAtMs, fault, revision, since, foreign] = cells;
  return Object.freeze({
    network: network as string,
    address: fromColumn(address as AddressColumn),
    zone: zone as string,
    mark: mark as string,
    state: state as OutsideState,
    attempts: attempts as number,
    fault: fault as string,
    revision: revision as number,
    differsSinceMs: since as number,
    foreign: foreign === 1,
    ...(externalId === null ? {} : { externalId: externalId as number }),
    ...(nextAtMs === null ? {} : { nextAtMs: nextAtMs as number }),
  });
}

/**
 * Puts the values of a new row in order.
 *
 * @param row - as the port takes it
 * @returns parameters of the statement `begin`, with the address as SQLite has it
 */
export function beginCells({ network, address, zone, mark, nextAtMs }: NewOutsideRow): OutsideCell[] {
  return [network, toColumn(address), zone, mark, nextAtMs ?? null];
}

/**
 * Puts the values of a change in order.
 *
 * @param row - as it was read
 * @param change - what differs
 * @returns parameters of the statement `change`, with the address as SQLite has it
 */
export function changeCells(row: OutsideRow, change: OutsideChange): OutsideCell[] {
  const { zone, mark, state, externalId = null, attempts, fault, differsSinceMs, foreign } = { ...row, ...change };
  const trouble = [fault, differsSinceMs, foreign ? 1 : 0];
  return [zone, mark, state, externalId, attempts, change.nextAtMs ?? null, ...trouble, ...guardCells(row)];
}

/**
 * Puts the values that guard a row in order.
 *
 * @param row - as it was read
 * @returns its place, and what must not have changed
 */
export function guardCells(row: OutsideRow): OutsideCell[] {
  return [row.network, toColumn(row.address), row.revision, row.mark];
}
