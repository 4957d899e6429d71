import { randomUUID } from 'node:crypto';
import type { Address } from '../../../addressing/address';
import { IpamError } from '../../../errors/ipam-error';
import { accept, type Outcome } from '../../../errors/outcome';
import type {
  ClusterTally,
  FormerHolder,
  KeyUse,
  PastClaim,
  RecordFilter,
  RecordPage,
  UsageTally,
  ZoneSpace,
} from '../../../ports/claim-archive';
import type {
  AddressRecord,
  BindRequest,
  ClaimChange,
  ClaimQuery,
  ClaimStore,
  ReleaseRequest,
  Taken,
  TakeRequest,
  ZoneTally,
} from '../../../ports/claim-store';
import type { Clock } from '../../../ports/clock';
import type { FreedLog, FreedLogHost } from '../../../ports/freed-log';
import type { OutsideRows, OutsideRowsHost } from '../../../ports/outside-rows';
import { ChangeListeners } from '../shared/change-listeners';
import { oneRecord, recordsOf } from '../shared/claim-row';
import * as archive from './postgres-archive';
import {
  PostgresConnections,
  PostgresFailure,
  type PostgresConnectionOptions,
  type PostgresQuery,
  type PostgresRows,
} from './postgres-connections';
import { storeError, type PostgresFault } from './postgres-fault';
import { ChangeFeed } from './postgres-feed';
import { PostgresFreedLog } from './postgres-freed-log';
import { PostgresOutsideRows } from './postgres-outside-rows';
import { getQuery, listQuery, tallyQuery } from './postgres-queries';
import { MIGRATION_LIMITS, migratePostgres } from './postgres-schema';
import {
  batchText,
  changeOf,
  claimRow,
  refusalFor,
  type BatchAnswer,
  type PostgresWrite,
  type WriteResult,
} from './postgres-wire';
import { WriteLine } from './postgres-write-line';

/** How the store is opened. */
export interface PostgresStoreOptions extends PostgresConnectionOptions {
  /** For waits between tries, and between looks at what other processes changed. */
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
   * @default - nobody is called
   */
  readonly onGroup?: (requests: number) => void;
}

const DEFAULT_PATIENCE_MS = 8000;
const DEFAULT_READERS = 4;
const DEFAULT_POLL_MS = 500;
const PING: PostgresQuery = { text: 'SELECT pg_is_in_recovery()' };
const STANDBY: PostgresFault = { again: true, unknown: false, words: 'it is a standby, which takes no changes' };
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;

/**
 * Claims in one PostgreSQL database, which several processes write to at once. Each holds no more than connections: what is
 * free is chosen in the database, and its unique index proves that nobody else has it.
 *
 * Calls of one process take effect in their order, those of several in that of their commits. {@link watch} tells own
 * changes before the verb answers, those of others within `pollMs`, so an own change may overtake theirs. A process that
 * cannot reach the database for 10 minutes does not hear what changed meanwhile. While the database fails over or restarts,
 * calls wait and try again.
 */
class PostgresClaimStore implements ClaimStore, OutsideRowsHost, FreedLogHost {
  private readonly options: PostgresStoreOptions;
  /** Tells the database who runs a batch; a new one in each life. */
  private readonly writerId = randomUUID();
  private readonly listeners = new ChangeListeners();
  private readonly writer: PostgresConnections;
  private readonly readers: PostgresConnections;
  private readonly line: WriteLine;
  private readonly feed: ChangeFeed;
  /** Batches that nobody waited for any more: their changes are told when the feed finds them. */
  private readonly abandoned = new Set<number>();
  private readonly reading = new Set<Promise<unknown>>();
  private readonly ask: archive.Read = (query) => this.read(query);
  private closing: Promise<void> | undefined;

  /**
   * Opens nothing yet.
   *
   * @param options - where the database is
   */
  constructor(options: PostgresStoreOptions) {
    this.options = options;
    const { clock, patienceMs = DEFAULT_PATIENCE_MS, pollMs = DEFAULT_POLL_MS } = options;
    this.writer = new PostgresConnections(options, 1);
    this.readers = new PostgresConnections(options, options.readers ?? DEFAULT_READERS);
    this.line = new WriteLine({
      ...{ clock, patienceMs },
      run: (number, writes) => this.runBatch(number, writes),
      answered: (answer) => {
        this.answered(answer);
      },
      abandoned: (number) => this.abandoned.add(number),
      explain: (fault) => storeError(this.writer.at, fault, fault.again ? patienceMs : undefined),
    });
    this.feed = new ChangeFeed({
      ...{ connections: this.readers, clock, pollMs },
      isOwn: (writer, batch) => writer === this.writerId && !this.abandoned.has(batch),
      tell: (change) => {
        this.listeners.tell(change);
      },
    });
  }

  /** Brings the tables to the newest version and begins to follow the changes of others. */
  async open(): Promise<void> {
    try {
      await this.migrate();
      await this.patiently(this.readers, () => this.feed.start());
    } catch (error) {
      await this.close();
      throw error;
    }
  }

  private async migrate(): Promise<void> {
    const connections = new PostgresConnections({ ...this.options, ...MIGRATION_LIMITS }, 1);
    try {
      await this.patiently(connections, () => migratePostgres(connections));
    } finally {
      await connections.end();
    }
  }

  async take(request: TakeRequest): Promise<Outcome<Taken>> {
    const write = { verb: 'take', request } as const;
    const result = await this.write(write);
    if ('refused' in result) return refusalFor(write, result);
    return accept({ record: oneRecord(result.rows.map(claimRow)), created: result.created === true });
  }

  async bind(request: BindRequest): Promise<Outcome<AddressRecord>> {
    const write = { verb: 'bind', request } as const;
    const result = await this.write(write);
    return 'refused' in result ? refusalFor(write, result) : accept(oneRecord(result.rows.map(claimRow)));
  }

  async release(request: ReleaseRequest): Promise<Outcome<AddressRecord | undefined>> {
    const write = { verb: 'release', request } as const;
    const result = await this.write(write);
    return 'refused' in result ? refusalFor(write, result) : accept(recordsOf(result.rows.map(claimRow))[0]);
  }

  async get(network: string, address: Address, nowMs: number): Promise<AddressRecord | undefined> {
    return recordsOf((await this.read(getQuery(network, address, nowMs))).map(claimRow))[0];
  }

  async list(query: ClaimQuery, nowMs: number): Promise<readonly AddressRecord[]> {
    return recordsOf((await this.read(listQuery(query, nowMs))).map(claimRow));
  }

  // others write as well, and their commits are not in the order of any number
  revision(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  async tally(nowMs: number): Promise<readonly ZoneTally[]> {
    const rows = (await this.read(tallyQuery(nowMs))) as readonly (readonly [string, string, 4 | 6, number, number])[];
    return rows
      .map(([network, zone, family, held, quarantined]) => ({ network, zone, family, held, quarantined }))
      .filter(({ held, quarantined }) => held + quarantined > 0);
  }

  outsideRows(): OutsideRows {
    return new PostgresOutsideRows((query) => this.read(query));
  }

  freedLog(): FreedLog {
    return new PostgresFreedLog((query) => this.read(query));
  }

  usage(spaces: readonly ZoneSpace[], nowMs: number): Promise<readonly UsageTally[]> {
    return archive.usage(this.ask, spaces, nowMs);
  }

  page(filter: RecordFilter, page: RecordPage, nowMs: number): Promise<readonly AddressRecord[]> {
    return archive.pageRecords(this.ask, filter, { ...page, nowMs });
  }

  history(
    at: { readonly network: string; readonly address: Address },
    page: { readonly limit: number; readonly before?: number },
    nowMs: number,
  ): Promise<readonly PastClaim[]> {
    return archive.history(this.ask, at, { ...page, nowMs });
  }

  lastAddress(of: FormerHolder): Promise<Address | undefined> {
    return archive.lastAddress(this.ask, of);
  }

  peek(request: TakeRequest): Promise<Outcome<Address>> {
    return archive.peek(this.ask, request);
  }

  reportCluster(report: Parameters<ClaimStore['reportCluster']>[0]): Promise<undefined> {
    return archive.reportCluster(this.ask, report);
  }

  clusters(): Promise<readonly ClusterTally[]> {
    return archive.clusters(this.ask);
  }

  async prune({ endedBeforeMs, limit }: { readonly endedBeforeMs: number; readonly limit: number }): Promise<number> {
    const [row] = await this.read({ text: 'SELECT ipam.prune($1, $2)', values: [endedBeforeMs, limit] });
    return row?.[0] as number;
  }

  keyUse(): Promise<readonly KeyUse[]> {
    return archive.keyUse(this.ask);
  }

  async replaceKeyFingerprint(before: string, after: string): Promise<boolean> {
    const [row] = await this.read({ text: 'SELECT ipam.replace_key_fingerprint($1, $2)', values: [before, after] });
    return row?.[0] as boolean;
  }

  async note({ name, text }: { readonly name: string; readonly text?: string }): Promise<string> {
    const [row] = await this.read({
      text: `WITH kept AS (
        INSERT INTO ipam.setting (name, value) SELECT 'note:' || $1, $2 WHERE $2::text IS NOT NULL
        ON CONFLICT (name) DO UPDATE SET value = excluded.value RETURNING value
      ) SELECT value FROM kept UNION ALL SELECT value FROM ipam.setting WHERE $2::text IS NULL AND name = 'note:' || $1`,
      values: [name, text ?? null],
    });
    return (row?.[0] ?? '') as string;
  }

  watch(listener: (change: ClaimChange) => void): () => void {
    this.checkOpen();
    return this.listeners.add(listener);
  }

  async keyFingerprint(candidate?: string): Promise<string> {
    const [row] = await this.read({ text: 'SELECT ipam.key_fingerprint($1)', values: [candidate ?? null] });
    return row?.[0] as string;
  }

  // tried once: whoever asks will ask again, and wants to hear of a fail-over, not to wait for its end
  async ping(): Promise<void> {
    this.checkOpen();
    const [row] = await this.patiently(this.readers, () => this.readers.query(PING), 0);
    if (row?.[0] === true) throw storeError(this.readers.at, STANDBY);
  }

  close(): Promise<void> {
    this.closing ??= this.end();
    return this.closing;
  }

  private async end(): Promise<void> {
    await Promise.all([this.line.drained(), this.feed.stop(), ...this.reading]);
    await Promise.all([this.writer.end(), this.readers.end()]);
    this.listeners.clear();
  }

  private checkOpen(): void {
    if (this.closing !== undefined) throw new IpamError('store/closed', 'the store was closed');
  }

  private async write(write: PostgresWrite): Promise<WriteResult> {
    this.checkOpen();
    return this.line.ask(write);
  }

  private async runBatch(number: number, writes: readonly PostgresWrite[]): Promise<BatchAnswer> {
    const values = [this.writerId, number, batchText(writes)];
    const [row] = await this.writer.query({ text: 'SELECT ipam.run_batch($1, $2, $3)', values });
    const answer = row?.[0] as BatchAnswer | null | undefined;
    if (answer === null || answer === undefined)
      throw new IpamError('internal', 'the database answered a batch that it was not asked for last');
    this.options.onGroup?.(answer.results.length);
    return answer;
  }

  private answered(answer: BatchAnswer): void {
    for (const change of answer.changes) this.listeners.tell(changeOf(change));
  }

  // Sees what was asked for before it.
  private async read(query: PostgresQuery): Promise<PostgresRows> {
    this.checkOpen();
    const reading = this.line.drained().then(() => this.patiently(this.readers, () => this.readers.query(query)));
    const settled = reading.then(
      () => undefined,
      () => undefined,
    );
    this.reading.add(settled);
    try {
      return await reading;
    } finally {
      this.reading.delete(settled);
    }
  }

  // For what may be run twice.
  private async patiently<T>(
    connections: PostgresConnections,
    work: () => Promise<T>,
    patienceMs = this.options.patienceMs ?? DEFAULT_PATIENCE_MS,
  ): Promise<T> {
    const { clock } = this.options;
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
 * @param options - where the database is; the user must own it or its schema "ipam". Poolers must keep sessions
 * @returns the running store
 * @throws IpamError `settings/invalid` (connection string), `store/unavailable` (server, login, TLS), `store/schema` (tables
 *   of a newer version or of another program, an old server)
 */
export async function openPostgresStore(
  options: PostgresStoreOptions,
): Promise<ClaimStore & OutsideRowsHost & FreedLogHost> {
  const store = new PostgresClaimStore(options);
  await store.open();
  return store;
}
