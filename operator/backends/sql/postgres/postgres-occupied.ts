import { addressOf } from '../../../addressing/address';
import type {
  MetClaim,
  OccupiedAddress,
  OccupiedAddresses,
  OccupiedChange,
  OccupiedQuery,
} from '../../../ports/occupied-addresses';
import { toColumn } from '../shared/address-column';
import { MET_COLUMNS, metClaims, OCCUPIED_COLUMNS, occupiedOf } from '../shared/occupied-tables';
import type { PostgresQuery, PostgresRows } from './postgres-connections';

const SQL = {
  ofCluster: `SELECT ${OCCUPIED_COLUMNS} FROM ipam.occupied WHERE cluster = $1 ORDER BY address, network`,
  ofAddress: `SELECT ${OCCUPIED_COLUMNS} FROM ipam.occupied WHERE network = $1 AND address = $2 ORDER BY cluster`,
  completeSince: 'SELECT network, since FROM ipam.occupied_complete WHERE cluster = $1',
  met: `SELECT ${MET_COLUMNS} FROM ipam.occupied o
    JOIN ipam.address a ON a.network = o.network AND a.address = o.address AND a.ended_at IS NULL AND a.length IS NULL
    JOIN ipam.holder h ON h.address_id = a.id AND h.ended_at IS NULL
    WHERE NOT o.avoided AND a.state = 'held' ORDER BY a.address, a.network, h.id`,
  complete: `INSERT INTO ipam.occupied_complete (cluster, network, since)
    SELECT $1, network, ipam.now_ms() FROM jsonb_array_elements_text($2::jsonb) AS n(network)
    WHERE ipam.new_name_of($1) IS NULL ON CONFLICT DO NOTHING`,
  forgetComplete: 'DELETE FROM ipam.occupied_complete WHERE cluster = $1',
} as const;

/** How the uses reach an open store. */
export interface PostgresOccupiedParts {
  /** Runs one statement, again where it got no answer. */
  readonly run: (query: PostgresQuery) => Promise<PostgresRows>;
  /** Writes one difference, in the line of all writes. */
  readonly write: (change: OccupiedChange) => Promise<boolean>;
}

/** {@link OccupiedAddresses} in the PostgreSQL database of the claims. */
export class PostgresOccupied implements OccupiedAddresses {
  readonly #parts: PostgresOccupiedParts;

  /**
   * Works on an open store.
   *
   * @param parts - reads and writes
   */
  constructor(parts: PostgresOccupiedParts) {
    this.#parts = parts;
  }

  /** @inheritdoc */
  async write(change: OccupiedChange): Promise<boolean> {
    return this.#parts.write(change);
  }

  /** @inheritdoc */
  async list(query: OccupiedQuery): Promise<readonly OccupiedAddress[]> {
    const asked =
      query.by === 'cluster'
        ? { text: SQL.ofCluster, values: [query.cluster] }
        : { text: SQL.ofAddress, values: [query.network, query.address.toString()] };
    return (await this.#parts.run(asked)).map((cells) => occupiedOf(withColumn(cells)));
  }

  /** @inheritdoc */
  async complete({ cluster, networks }: { readonly cluster: string; readonly networks: readonly string[] }) {
    await this.#parts.run({ text: SQL.complete, values: [cluster, JSON.stringify(networks)] });
  }

  /** @inheritdoc */
  async completeSince(cluster: string): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#parts.run({ text: SQL.completeSince, values: [cluster] });
    return new Map(rows.map(([network, since]) => [network as string, since as number]));
  }

  /** @inheritdoc */
  async met(cluster: string): Promise<readonly MetClaim[]> {
    return metClaims((await this.#parts.run({ text: SQL.met })).map(withColumn), cluster);
  }

  /** @inheritdoc */
  async forget(cluster: string): Promise<number> {
    const uses = await this.list({ by: 'cluster', cluster });
    await Promise.all(uses.map(({ network, address }) => this.write({ cluster, network, address })));
    await this.#parts.run({ text: SQL.forgetComplete, values: [cluster] });
    return new Set(uses.map(({ address }) => address.toString())).size;
  }
}

// the address as the SQLite store has it
function withColumn(cells: readonly unknown[]): readonly unknown[] {
  return [cells[0], toColumn(addressOf(String(cells[1]))), ...cells.slice(2)];
}
