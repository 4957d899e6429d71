import { randomUUID } from 'node:crypto';
import type { Address } from '../../../addressing/address';
import { IpamError } from '../../../errors/ipam-error';
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
import type { Clock } from '../../../ports/clock';
import type { ClusterTally } from '../../../ports/cluster-reports';
import type { FreedLog, FreedLogHost } from '../../../ports/freed-log';
import type { KeyUse } from '../../../ports/key-mark';
import type { OccupiedAddresses, OccupiedAddressesHost, OccupiedChange } from '../../../ports/occupied-addresses';
import type { OutsideRows, OutsideRowsHost } from '../../../ports/outside-rows';
import type { NoteRequest } from '../../../ports/notes';
import type { OwnStore, StoreBytes } from '../../../ports/store';
import type { StoreTime } from '../../../ports/store-time';
import { ChangeListeners } from '../../../claim-store/change-listeners';
import { awaitSystem } from '../../../runtime/awaited-system';
import { FollowedClock } from '../../../runtime/followed-clock';
import { oneRecord, recordsOf } from '../shared/claim-row';
import { exchangeMoves } from '../shared/exchange-moves';
import * as archive from './postgres-archive';
import {
  PostgresConnections,
  PostgresFailure,
  type PostgresConnectionOptions,
  type PostgresQuery,
  type PostgresRows,
} from './postgres-connections';
import { storeError } from './postgres-fault';
import { ChangeFeed } from './postgres-feed';
import { PostgresFreedLog } from './postgres-freed-log';
import { PostgresOccupied } from './postgres-occupied';
import { PostgresOutsideRows } from './postgres-outside-rows';
import { getQuery, listQuery } from './postgres-queries';
import { refuseChange } from './postgres-refusals';
import { firstTakenBy, isUseWritten, takenBy } from './postgres-taken';
import { WriteProbe } from './postgres-probe';
import { MIGRATION_OPTIONS, migratePostgres } from './postgres-schema';
import {
  batchText,
  changeOf,
  recordIn,
  claimRow,
  type BatchAnswer,
  type PostgresWrite,
  type WriteResult,
} from './postgres-wire';
import { WriteLine } from './postgres-write-line';

/** How the store is opened. */
export interface PostgresStoreOptions extends PostgresConnectionOptions {
  /** For waits between tries, and between looks at what other processes changed; stored times are those of the database. */
  readonly clock: Clock;
  /**
   * How long a call is tried again while the database cannot serve it, in milliseconds.
   *
   * @default 8000
   */
  readonly patienceMs?: number;
  /**
   * Most connections for reading; one more is for writing.
   *
   * @default 4
   */
  readonly readers?: number;
  /**
   * How often changes of other processes are looked for, in milliseconds.
   *
   * @default 500
   */
  readonly pollMs?: number;
  /**
   * Called with the number of requests whenever a transaction answered some.
   *
   * @default - nothing is called
   */
  readonly onGroup?: (requests: number) => void;
}

const DEFAULT_PATIENCE_MS = 8000;
const DEFAULT_READERS = 4;
const DEFAULT_POLL_MS = 500;
const NOW: PostgresQuery = { text: 'SELECT ipam.now_ms()' };
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;

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
  readonly #options: PostgresStoreOptions;
  /** Tells the database which process runs a batch; a new one in each life. */
  readonly #writerId = randomUUID();
  readonly #listeners = new ChangeListeners();
  readonly #writer: PostgresConnections;
  readonly #readers: PostgresConnections;
  readonly #probe: WriteProbe;
  readonly #line: WriteLine;
  readonly #feed: ChangeFeed;
  /** Batches that no caller waited for any more: their changes are told when the feed finds them. */
  readonly #abandoned = new Set<number>();
  readonly #reading = new Set<Promise<unknown>>();
  readonly #ask: archive.Read = (query) => this.#read(query);
  readonly renameCluster: OwnStore['renameCluster'] = (rename) => archive.renameCluster(this.#ask, rename);
  #closing: Promise<void> | undefined;

  /**
   * Opens nothing yet.
   *
   * @param options - where the database is
   */
  constructor(options: PostgresStoreOptions) {
    this.#options = options;
    this.clock = new FollowedClock(options.clock);
    const { clock, patienceMs = DEFAULT_PATIENCE_MS, pollMs = DEFAULT_POLL_MS } = options;
    this.#writer = new PostgresConnections(options, 1);
    this.#readers = new PostgresConnections(options, options.readers ?? DEFAULT_READERS);
    this.#probe = new WriteProbe(this.#readers, options.clock);
    this.#line = new WriteLine({
      ...{ clock, patienceMs },
      run: (number, writes) => this.#runBatch(number, writes),
      answered: (answer) => {
        this.#answered(answer);
      },
      abandoned: (number) => this.#abandoned.add(number),
      explain: (fault) => storeError(this.#writer.at, fault, fault.again ? patienceMs : undefined),
    });
    this.#feed = new ChangeFeed({
      ...{ connections: this.#readers, clock, pollMs },
      followClock: () => this.#followClock(),
      isOwn: (writer, batch) => writer === this.#writerId && !this.#abandoned.has(batch),
      tell: (change) => {
        this.#listeners.tell(change);
      },
    });
  }

  /** Brings the tables to the newest version and begins to follow the changes of others. */
  async open(): Promise<void> {
    try {
      await this.#migrate();
      await this.#patiently(this.#readers, () => this.#followClock());
      await this.#patiently(this.#readers, () => this.#feed.start());
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  #followClock(): Promise<void> {
    return this.clock.follow(async () => {
      const [row] = await this.#readers.query(NOW);
      return row?.[0] as number;
    });
  }

  async #migrate(): Promise<void> {
    const connections = new PostgresConnections({ ...this.#options, ...MIGRATION_OPTIONS }, 1);
    try {
      await this.#patiently(connections, () => migratePostgres(connections));
    } finally {
      await connections.end();
    }
  }

  async take(request: TakeRequest): Promise<Outcome<readonly Taken[]>> {
    return takenBy(request, await this.#write({ verb: 'take', request }));
  }

  async takeFirst(request: FirstTake): Promise<Outcome<readonly Taken[]> | undefined> {
    return firstTakenBy(request, await this.#write({ verb: 'takeFirst', request }));
  }

  async bind(request: BindRequest): Promise<Outcome<AddressRecord>> {
    const write = { verb: 'bind', request } as const;
    const result = await this.#write(write);
    if (result.refused !== undefined) return refuseChange(write, result);
    return accept(oneRecord(recordIn(result).rows.map(claimRow)));
  }

  async release(request: ReleaseRequest): Promise<Outcome<AddressRecord | undefined>> {
    const write = { verb: 'release', request } as const;
    const result = await this.#write(write);
    if (result.refused !== undefined) return refuseChange(write, result);
    return accept(recordsOf(recordIn(result).rows.map(claimRow))[0]);
  }

  async exchange(moves: readonly Move[]): Promise<Outcome<readonly AddressRecord[]>> {
    const checked = exchangeMoves(moves);
    if (!checked.ok) return checked;
    const write = { verb: 'exchange', request: checked.value } as const;
    const result = await this.#write(write);
    if (result.refused !== undefined) return refuseChange(write, result);
    return accept((result.records ?? []).map((rows) => oneRecord(rows.map(claimRow))));
  }

  async get(place: Place): Promise<AddressRecord | undefined> {
    return recordsOf((await this.#read(getQuery(place))).map(claimRow))[0];
  }

  async list(query: ClaimQuery): Promise<readonly AddressRecord[]> {
    return recordsOf((await this.#read(listQuery(query))).map(claimRow));
  }

  tally(): Promise<readonly PoolTally[]> {
    return archive.tally(this.#ask);
  }

  outsideRows(): OutsideRows {
    return new PostgresOutsideRows((query) => this.#read(query));
  }

  occupiedAddresses(): OccupiedAddresses {
    return new PostgresOccupied({ run: this.#ask, write: (change) => this.#writeUse(change) });
  }

  freedLog(): FreedLog {
    return new PostgresFreedLog((query) => this.#read(query));
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
    const [row] = await this.#read({ text: 'SELECT ipam.replace_key_fingerprint($1, $2)', values: [before, after] });
    return row?.[0] as boolean;
  }

  note(note: NoteRequest): Promise<string> {
    return archive.note(this.#ask, note);
  }

  watch(listener: (change: ClaimChange) => void): () => void {
    this.#checkOpen();
    return this.#listeners.add(listener);
  }

  async keyFingerprint(candidate?: string): Promise<string> {
    const [row] = await this.#read({ text: 'SELECT ipam.key_fingerprint($1)', values: [candidate ?? null] });
    return row?.[0] as string;
  }

  // tried once: the caller will ask again, and wants to hear of a fail-over, not to wait for its end
  async ping(): Promise<void> {
    this.#checkOpen();
    await this.#patiently(this.#readers, () => this.#probe.look(), 0);
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    await Promise.all([this.#line.drained(), this.#feed.stop(), ...this.#reading]);
    await Promise.all([this.#writer.end(), this.#readers.end()]);
    this.#listeners.clear();
  }

  #checkOpen(): void {
    if (this.#closing !== undefined) throw new IpamError('store/closed', 'the store was closed');
  }

  async #write(write: PostgresWrite): Promise<WriteResult> {
    this.#checkOpen();
    return awaitSystem('postgres', () => this.#line.ask(write));
  }

  async #writeUse(request: OccupiedChange): Promise<boolean> {
    return isUseWritten(await this.#write({ verb: 'use', request }));
  }

  async #runBatch(number: number, writes: readonly PostgresWrite[]): Promise<BatchAnswer> {
    const values = [this.#writerId, number, batchText(writes)];
    this.#probe.begun();
    const [row] = await this.#writer.query({ text: 'SELECT ipam.run_writes($1, $2, $3)', values });
    this.#probe.stored();
    const answer = row?.[0] as BatchAnswer | null | undefined;
    if (answer === null || answer === undefined)
      throw new IpamError('internal', 'the database answered a batch that it was not asked for last');
    this.#options.onGroup?.(answer.results.length);
    return answer;
  }

  #answered(answer: BatchAnswer): void {
    for (const change of answer.changes) this.#listeners.tell(changeOf(change));
  }

  // Sees what was asked for before it.
  async #read(query: PostgresQuery): Promise<PostgresRows> {
    this.#checkOpen();
    const reading = this.#line.drained().then(() => this.#patiently(this.#readers, () => this.#readers.query(query)));
    const settled = reading.then(
      () => undefined,
      () => undefined,
    );
    this.#reading.add(settled);
    try {
      return await awaitSystem('postgres', () => reading);
    } finally {
      this.#reading.delete(settled);
    }
  }

  // For what may be run twice.
  async #patiently<T>(
    connections: PostgresConnections,
    work: () => Promise<T>,
    patienceMs = this.#options.patienceMs ?? DEFAULT_PATIENCE_MS,
  ): Promise<T> {
    const { clock } = this.#options;
    const deadlineMs = clock.nowMs() + patienceMs;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof PostgresFailure)) throw error;
        const fault = { ...error.fault, unknown: false };
        if (!fault.again) throw storeError(connections.at, fault);
        if (patienceMs === 0) throw storeError(connections.at, fault);
        if (clock.nowMs() + pauseMs >= deadlineMs) throw storeError(connections.at, fault, patienceMs);
      }
      await new Promise<void>((resolve) => clock.after(pauseMs, resolve));
    }
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
  const store = new PostgresClaimStore(options);
  await store.open();
  return store;
}
