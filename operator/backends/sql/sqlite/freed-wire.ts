import type { AddressColumn } from '../shared/address-column';

const COLUMNS = 'seq, token, network, zone, address, free_at';

/** Statements on the table `freed` of SQLite; all of them only read. */
export const FREED_SQL = {
  last: `SELECT ${COLUMNS} FROM freed ORDER BY seq DESC LIMIT 1`,
  at: `SELECT ${COLUMNS} FROM freed WHERE seq = ? AND token = ?`,
  after: `SELECT ${COLUMNS} FROM freed WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?`,
} as const;

/** Name of a statement. */
export type FreedVerb = keyof typeof FREED_SQL;

/** Request of the main thread to the log. */
export interface FreedWire {
  readonly verb: 'freed';
  readonly statement: FreedVerb;
  readonly values: readonly number[];
}

/** One entry. */
export type FreedRow = readonly [
  seq: number,
  token: number,
  network: string,
  zone: string,
  address: AddressColumn,
  freeAtMs: number,
];
