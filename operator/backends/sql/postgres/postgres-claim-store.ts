import type { Address } from '../../../addressing/address';
import { accept, type Outcome } from '../../../errors/outcome';
import type { PoolSpace, PoolTally, PoolUsage, RecordFilter, RecordPage } from '../../../ports/claim-counts';
import type { FormerHolder, PastClaim, PruneRequest } from '../../../ports/claim-history';
import type {
  AddressRecord,
  BindRequest,
  ClaimChange,
  ClaimQuery,
  FirstTake,
  Move,
  Place,
  ReleaseRequest,
  Taken,
  TakeRequest,
} from '../../../ports/claims';
import type { ClusterTally } from '../../../ports/cluster-reports';
import type { FreedLog, FreedLogHost } from '../../../ports/freed-log';
import type { KeyUse } from '../../../ports/key-mark';
import type { OccupiedAddresses, OccupiedAddressesHost } from '../../../ports/occupied-addresses';
import type { OutsideRows, OutsideRowsHost } from '../../../ports/outside-rows';
import type { NoteRequest } from '../../../ports/notes';
import type { OwnStore, StoreBytes } from '../../../ports/store';
import type { StoreTime } from '../../../ports/store-time';
import type { FollowedClock } from '../../../runtime/followed-clock';
import { oneRecord, recordsOf } from '../shared/claim-row';
import { exchangeMoves } from '../shared/exchange-moves';
import * as archive from './postgres-archive';
import { PostgresCalls, type PostgresStoreOptions } from './postgres-calls';
import { PostgresFreedLog } from './postgres-freed-log';
import { PostgresOccupied } from './postgres-occupied';
import { PostgresOutsideRows } from './postgres-outside-rows';
import { getQuery, listQuery } from './postgres-queries';
import { refuseChange } from './postgres-refusals';
import { firstTakenBy, isUseWritten, takenBy } from './postgres-taken';
import { claimRow, recordIn } from './postgres-wire';

/**
 * Claims in one PostgreSQL database, which several processes write to at once. Each holds no more than connections: what is
 * free is chosen in the database, and its locks and its unique index prove that no other process gives it.
 *
 * Calls of one process take effect in their order, those of several in that of their commits. {@link watch} tells own
 * changes before the verb answers, those of others within `pollMs`, so an own change may overtake theirs. A process that
 * cannot reach the database for 10 minutes does not hear what changed meanwhile. While the database fails over or restarts,
 * calls wait and try again.
 */
class PostgresClaimStore
  implements OwnStore, OutsideRowsHost, OccupiedAddressesHost, FreedLogHost, StoreTime, StoreBytes
{
  readonly clock: FollowedClock;
  readonly renameCluster: OwnStore['renameCluster'] = (rename) => archive.renameCluster(this.#ask, rename);
  readonly #calls: PostgresCalls;
  readonly #ask: archive.Read = (query) => this.#calls.read(query);

  /**
   * Opens nothing yet.
   *
   * @param calls - to the database
   */
  constructor(calls: PostgresCalls) {
    this.#calls = calls;
    this.clock = calls.clock;
  }

  async take(request: TakeRequest): Promise<Outcome<readonly Taken[]>> {
    return takenBy(request, await this.#calls.write({ verb: 'take', request }));
  }

  async takeFirst(request: FirstTake): Promise<Outcome<readonly Taken[]> | undefined> {
    return firstTakenBy(request, await this.#calls.write({ verb: 'takeFirst', request }));
  }

  async bind(request: BindRequest): Promise<Outcome<AddressRecord>> {
    const write = { verb: 'bind', request } as const;
    const result = await this.#calls.write(write);
    if (result.refused !== undefined) return refuseChange(write, result);
    return accept(oneRecord(recordIn(result).rows.map(claimRow)));
  }

  async release(request: ReleaseRequest): Promise<Outcome<AddressRecord | undefined>> {
    const write = { verb: 'release', request } as const;
    const result = await this.#calls.write(write);
    if (result.refused !== undefined) return refuseChange(write, result);
    return accept(recordsOf(recordIn(result).rows.map(claimRow))[0]);
  }

  async exchange(moves: readonly Move[]): Promise<Outcome<readonly AddressRecord[]>> {
    const checked = exchangeMoves(moves);
    if (!checked.ok) return checked;
    const write = { verb: 'exchange', request: checked.value } as const;
    const result = await this.#calls.write(write);
    if (result.refused !== undefined) return refuseChange(write, result);
    return accept((result.records ?? []).map((rows) => oneRecord(rows.map(claimRow))));
  }

  async get(place: Place): Promise<AddressRecord | undefined> {
    return recordsOf((await this.#ask(getQuery(place))).map(claimRow))[0];
  }

  async list(query: ClaimQuery): Promise<readonly AddressRecord[]> {
    return recordsOf((await this.#ask(listQuery(query))).map(claimRow));
  }

  tally(): Promise<readonly PoolTally[]> {
    return archive.tally(this.#ask);
  }

  outsideRows(): OutsideRows {
    return new PostgresOutsideRows(this.#ask);
  }

  occupiedAddresses(): OccupiedAddresses {
    return new PostgresOccupied({
      run: this.#ask,
      write: async (request) => isUseWritten(await this.#calls.write({ verb: 'use', request })),
    });
  }

  freedLog(): FreedLog {
    return new PostgresFreedLog(this.#ask);
  }

  usage(spaces: readonly PoolSpace[]): Promise<readonly PoolUsage[]> {
    return archive.usage(this.#ask, spaces);
  }

  page(filter: RecordFilter, page: RecordPage): Promise<readonly AddressRecord[]> {
    return archive.pageRecords(this.#ask, filter, page);
  }

  history(of: Place, page: { readonly limit: number; readonly before?: number }): Promise<readonly PastClaim[]> {
    return archive.history(this.#ask, of, page);
  }

  lastAddress(of: FormerHolder): Promise<Address | undefined> {
    return archive.lastAddress(this.#ask, of);
  }

  peek(request: TakeRequest): Promise<Outcome<readonly Place[]>> {
    return archive.peek(this.#ask, request);
  }

  reportCluster(report: { readonly cluster: string; readonly name: string }): Promise<undefined> {
    return archive.reportCluster(this.#ask, report);
  }

  clusters(): Promise<readonly ClusterTally[]> {
    return archive.clusters(this.#ask);
  }

  prune(old: PruneRequest): Promise<number> {
    return archive.prune(this.#ask, old);
  }

  bytes(): Promise<number> {
    return archive.bytes(this.#ask);
  }

  keyUse(): Promise<readonly KeyUse[]> {
    return archive.keyUse(this.#ask);
  }

  async replaceKeyFingerprint(before: string, after: string): Promise<boolean> {
    const [row] = await this.#ask({ text: 'SELECT ipam.replace_key_fingerprint($1, $2)', values: [before, after] });
    return row?.[0] as boolean;
  }

  note(note: NoteRequest): Promise<string> {
    return archive.note(this.#ask, note);
  }

  watch(listener: (change: ClaimChange) => void): () => void {
    return this.#calls.watch(listener);
  }

  async keyFingerprint(candidate?: string): Promise<string> {
    const [row] = await this.#ask({ text: 'SELECT ipam.key_fingerprint($1)', values: [candidate ?? null] });
    return row?.[0] as string;
  }

  ping(): Promise<void> {
    return this.#calls.ping();
  }

  close(): Promise<void> {
    return this.#calls.close();
  }
}

/**
 * Opens the store, creating its tables in the schema "ipam" where they are missing; several processes may do so at once.
 *
 * @param options - where the database is; the user must own it or its schema "ipam". A pooler must keep the settings of a session
 * @returns the running store
 * @throws IpamError `settings/invalid` (connection string), `store/unavailable` (server, login, TLS), `store/schema` (tables
 *   of a newer version or of another program, an old server)
 */
export async function openPostgresStore(
  options: PostgresStoreOptions,
): Promise<OwnStore & OutsideRowsHost & OccupiedAddressesHost & FreedLogHost & StoreTime & StoreBytes> {
  const calls = new PostgresCalls(options);
  await calls.open();
  return new PostgresClaimStore(calls);
}
