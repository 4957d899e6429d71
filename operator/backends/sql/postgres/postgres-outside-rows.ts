import { addressOf, type Address } from '../../../addressing/address';
import { IpamError } from '../../../errors/ipam-error';
import type { NewOutsideRow, OutsideChange, OutsideRow, OutsideRows } from '../../../ports/outside-rows';
import { toColumn } from '../shared/address-column';
import {
  beginCells,
  changeCells,
  guardCells,
  OUTSIDE_COLUMNS,
  outsideRowOf,
  type OutsideCell,
} from '../shared/outside-tables';
import type { PostgresQuery, PostgresRows } from './postgres-connections';

const COLUMNS = OUTSIDE_COLUMNS.replace('address', 'host(address)');
const GUARD = (first: number): string =>
  `network = $${first} AND address = $${first + 1} AND revision = $${first + 2} AND mark = $${first + 3}`;

const SQL = {
  one: `SELECT ${COLUMNS} FROM ipam.outside WHERE network = $1 AND address = $2`,
  due: `SELECT ${COLUMNS} FROM ipam.outside WHERE next_at <= $1 ORDER BY next_at LIMIT $2`,
  zone: `SELECT ${COLUMNS} FROM ipam.outside WHERE zone = $1 ORDER BY outside.address, network`,
  zones: 'SELECT DISTINCT zone FROM ipam.outside ORDER BY zone',
  note: 'SELECT text FROM ipam.outside_note WHERE name = $1',
  begin: `INSERT INTO ipam.outside AS o (network, address, zone, mark, state, next_at) VALUES ($1, $2, $3, $4, 'pending', $5)
    ON CONFLICT (network, address) DO UPDATE SET revision = o.revision RETURNING ${COLUMNS}`,
  change: `UPDATE ipam.outside SET zone = $1, mark = $2, state = $3, external_id = $4, attempts = $5, next_at = $6, fault = $7,
    differs_since = $8, has_foreign = $9, revision = revision + 1 WHERE ${GUARD(10)} RETURNING ${COLUMNS}`,
  end: `DELETE FROM ipam.outside WHERE ${GUARD(1)} RETURNING mark`,
  keep: `INSERT INTO ipam.outside_note (name, text) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET text = excluded.text`,
  agree: `INSERT INTO ipam.outside_note AS n (name, text) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET text = n.text
    RETURNING text`,
} as const;

/**
 * {@link OutsideRows} in the PostgreSQL database of the claims. A change whose answer was lost is sent again and then finds its
 * own work, which it takes for that of another process: the caller reads the row again, as the port says.
 */
export class PostgresOutsideRows implements OutsideRows {
  readonly #run: (query: PostgresQuery) => Promise<PostgresRows>;

  /**
   * Works on an open store.
   *
   * @param run - runs one statement, again where it got no answer
   */
  constructor(run: (query: PostgresQuery) => Promise<PostgresRows>) {
    this.#run = run;
  }

  /** @inheritdoc */
  async begin(row: NewOutsideRow): Promise<OutsideRow> {
    const [written] = await this.#rows(SQL.begin, at(beginCells(row), { column: 1, address: row.address }));
    if (written === undefined) throw new IpamError('internal', 'the store wrote no row for an outside source');
    return written;
  }

  /** @inheritdoc */
  async change(row: OutsideRow, change: OutsideChange): Promise<OutsideRow | undefined> {
    return (await this.#rows(SQL.change, at(changeCells(row, change), { column: 10, address: row.address })))[0];
  }

  /** @inheritdoc */
  async end(row: OutsideRow): Promise<boolean> {
    const values = at(guardCells(row), { column: 1, address: row.address });
    return (await this.#run({ text: SQL.end, values })).length > 0;
  }

  /** @inheritdoc */
  async get(network: string, address: Address): Promise<OutsideRow | undefined> {
    return (await this.#rows(SQL.one, [network, address.toString()]))[0];
  }

  /** @inheritdoc */
  async due(nowMs: number, limit: number): Promise<readonly OutsideRow[]> {
    return this.#rows(SQL.due, [nowMs, limit]);
  }

  /** @inheritdoc */
  async ofZone(zone: string): Promise<readonly OutsideRow[]> {
    return this.#rows(SQL.zone, [zone]);
  }

  /** @inheritdoc */
  async zones(): Promise<readonly string[]> {
    return (await this.#run({ text: SQL.zones })).map(([zone]) => String(zone));
  }

  /** @inheritdoc */
  async note(name: string): Promise<string> {
    const [row] = await this.#run({ text: SQL.note, values: [name] });
    return row === undefined ? '' : String(row[0]);
  }

  /** @inheritdoc */
  async keep(name: string, text: string): Promise<void> {
    await this.#run({ text: SQL.keep, values: [name, text] });
  }

  /** @inheritdoc */
  async agree(name: string, text: string): Promise<string> {
    const [row] = await this.#run({ text: SQL.agree, values: [name, text] });
    return row === undefined ? text : String(row[0]);
  }

  async #rows(text: string, values: readonly unknown[]): Promise<readonly OutsideRow[]> {
    return (await this.#run({ text, values })).map((cells) =>
      outsideRowOf([cells[0], toColumn(addressOf(String(cells[1]))), ...cells.slice(2)]),
    );
  }
}

// The address as PostgreSQL reads it.
function at(cells: OutsideCell[], place: { readonly column: number; readonly address: Address }): readonly unknown[] {
  return cells.with(place.column, place.address.toString());
}
