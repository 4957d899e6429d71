import { addressOf } from '../../../addressing/address';
import type { FreedEntry, FreedLog } from '../../../ports/freed-log';
import type { PostgresQuery, PostgresRows } from './postgres-connections';

/** Number of a transaction, and the place in it. */
const PLACE = /^(\d{1,20})-(\d{1,19})$/u;
const LARGEST = 2n ** 63n - 1n;

const HERE = 'SELECT pg_snapshot_xmin(pg_current_snapshot())::text';
// a database that was restored counts its transactions anew, so a place may lie in the future
const KNOWS = `SELECT $1::text::xid8 <= pg_snapshot_xmax(pg_current_snapshot())
  AND $1::text::numeric >= coalesce((SELECT value::numeric FROM ipam.setting WHERE name = 'freedPruned'), 0)`;
const AFTER = `SELECT xid::text, seq, network, zone, host(address), free_at FROM ipam.freed
  WHERE (xid, seq) > ($1::xid8, $2::bigint) AND (xid, seq) <= ($3::xid8, $4::bigint)
    AND xid < pg_snapshot_xmin(pg_current_snapshot()) ORDER BY xid, seq LIMIT $5`;

type FreedRow = readonly [xid: string, seq: number, network: string, zone: string, address: string, freeAtMs: number];

/**
 * {@link FreedLog} over the table that a trigger fills. Reads only below the oldest running transaction of the server: what
 * that one and later ones freed comes with a later reading, and never before what was read.
 */
export class PostgresFreedLog implements FreedLog {
  readonly #run: (query: PostgresQuery) => Promise<PostgresRows>;

  /**
   * Reads nothing yet.
   *
   * @param run - runs one statement, again where it got no answer
   */
  constructor(run: (query: PostgresQuery) => Promise<PostgresRows>) {
    this.#run = run;
  }

  /** @inheritdoc */
  async here(): Promise<string> {
    const [row] = await this.#run({ text: HERE });
    return `${String(row?.[0])}-0`;
  }

  /** @inheritdoc */
  async knows(place: string): Promise<boolean> {
    const parts = partsOf(place);
    if (parts === undefined) return false;
    const [row] = await this.#run({ text: KNOWS, values: [parts[0]] });
    return row?.[0] === true;
  }

  /** @inheritdoc */
  async after(
    place: string,
    page: { readonly limit: number; readonly until?: string },
  ): Promise<readonly FreedEntry[]> {
    const from = partsOf(place);
    const until = page.until === undefined ? undefined : partsOf(page.until);
    if (from === undefined) return [];
    const [lastXid, lastSeq] = until ?? [LARGEST.toString(), LARGEST.toString()];
    const rows = await this.#run({ text: AFTER, values: [...from, lastXid, lastSeq, page.limit] });
    return (rows as unknown as readonly FreedRow[]).map(([xid, seq, network, zone, address, freeAtMs]) => ({
      place: `${xid}-${seq}`,
      network,
      zone,
      address: addressOf(address),
      freeAtMs,
    }));
  }
}

function partsOf(place: string): readonly [string, string] | undefined {
  const [, xid, seq] = PLACE.exec(place) ?? [];
  if (xid === undefined || seq === undefined || BigInt(xid) > LARGEST || BigInt(seq) > LARGEST) return undefined;
  return [xid, seq];
}
