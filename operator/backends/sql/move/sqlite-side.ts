import type { DatabaseSync } from 'node:sqlite';
import { fromColumn, type AddressColumn } from '../shared/address-column';
import type { MovedTable } from './moved-tables';

/** Rows in one message to the other store. */
const PAGE_ROWS = 1_000;

/** A row by the names of its columns, as JSON can carry it. */
export type MovedRow = Readonly<Record<string, unknown>>;

/**
 * Lists the columns of a table.
 *
 * @param db - the open store
 * @param table - its name
 * @returns names, so that a column which the other store lacks is noticed
 */
export function columnsOf(db: DatabaseSync, table: MovedTable): readonly string[] {
  return db
    .prepare('SELECT name FROM pragma_table_info(?)')
    .all(table)
    .map(({ name }) => String(name));
}

/**
 * Reads a table, page by page.
 *
 * @param db - the open store, which nothing else writes to
 * @param table - its name
 * @returns its rows
 */
export function* pagesOf(db: DatabaseSync, table: MovedTable): Generator<readonly MovedRow[], undefined> {
  let page: MovedRow[] = [];
  for (const row of db.prepare(`SELECT * FROM ${table}`).iterate()) {
    page.push(portable(row));
    if (page.length < PAGE_ROWS) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

// Of all columns the address alone has another form in the other store.
function portable(row: MovedRow): MovedRow {
  const { address } = row;
  return address === undefined ? row : { ...row, address: fromColumn(address as AddressColumn).toString() };
}

/**
 * Lists the networks that anything on record lies in.
 *
 * @param db - the open store
 * @returns their names
 */
export function networksOf(db: DatabaseSync): readonly string[] {
  const rows = db.prepare('SELECT network FROM address UNION SELECT network FROM occupied').all();
  return rows.map(({ network }) => String(network));
}

/** Settings of one file. */
export interface MovedSettings {
  /** Counter of changes, from which versions and ids of holders come. */
  readonly revision: number;
  /** Fingerprint of the keys, and notes. */
  readonly texts: readonly MovedRow[];
}

/**
 * Reads what is not in tables of its own.
 *
 * @param db - the open store
 * @returns settings without the mark of a move
 */
export function settingsOf(db: DatabaseSync): MovedSettings {
  const rows = db.prepare("SELECT name, value FROM setting WHERE name <> 'moved'").all();
  return {
    revision: Number(rows.find(({ name }) => name === 'revision')?.['value'] ?? 0),
    texts: rows.filter(({ name }) => name !== 'revision'),
  };
}
