import { randomUUID } from 'node:crypto';
import { ChangeListeners } from '../../../claim-store/change-listeners';
import { IpamError } from '../../../errors/ipam-error';
import type { ClaimChange } from '../../../ports/claims';
import type { Clock } from '../../../ports/clock';
import { awaitSystem } from '../../../runtime/awaited-system';
import { FollowedClock } from '../../../runtime/followed-clock';
import {
  PostgresConnections,
  PostgresFailure,
  type PostgresConnectionOptions,
  type PostgresQuery,
  type PostgresRows,
} from './postgres-connections';
import { storeError } from './postgres-fault';
import { ChangeFeed } from './postgres-feed';
import { WriteProbe } from './postgres-probe';
import { MIGRATION_OPTIONS, migratePostgres } from './postgres-schema';
import { batchText, changeOf, type BatchAnswer, type PostgresWrite, type WriteResult } from './postgres-wire';
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

/** Batches that are remembered after they were given up. */
const MOST_ABANDONED = 10_000;

/**
 * The calls of one process to the database: writes in one line of batches, reads beside it, and the changes of every process. While
 * the database fails over or restarts, calls wait and try again.
 */
export class PostgresCalls {
  /** Follows the clock of the database. */
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
  /** The batch that has no answer yet, with the changes that the feed found of it. */
  #sent: { readonly number: number; readonly found: ClaimChange[] } | undefined;
  readonly #reading = new Set<Promise<unknown>>();
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
      clock,
      patienceMs,
      run: (number, writes) => this.#runBatch(number, writes),
      answered: (answer) => {
        this.#answered(answer);
      },
      abandoned: (number) => {
        this.#abandon(number);
      },
      explain: (fault) => storeError(this.#writer.at, fault, fault.again ? patienceMs : undefined),
    });
    this.#feed = new ChangeFeed({
      connections: this.#readers,
      clock,
      pollMs,
      followClock: () => this.#followClock(),
      tell: (change, writer, batch) => {
        if (writer !== this.#writerId || this.#abandoned.has(batch)) this.#listeners.tell(change);
        else if (this.#sent?.number === batch) this.#sent.found.push(change);
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

  /**
   * Runs a write, behind those that were asked for before it.
   *
   * @param write - request and verb
   * @returns the answer of the database
   * @throws IpamError `store/closed`, `store/unavailable`
   */
  async write(write: PostgresWrite): Promise<WriteResult> {
    this.#checkOpen();
    return awaitSystem('postgres', () => this.#line.ask(write));
  }

  /**
   * Reads, and sees what was written before.
   *
   * @param query - may be run twice
   * @returns the rows
   * @throws IpamError `store/closed`, `store/unavailable`
   */
  async read(query: PostgresQuery): Promise<PostgresRows> {
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

  /**
   * Listens to changes, own and of other processes.
   *
   * @param listener - told each
   * @returns the function that stops it
   */
  watch(listener: (change: ClaimChange) => void): () => void {
    this.#checkOpen();
    return this.#listeners.add(listener);
  }

  /**
   * Tells whether the database answers and stores. It is tried once: the caller will ask again, and wants to hear of a fail-over, not
   * to wait for its end.
   *
   * @throws IpamError `store/closed`, `store/unavailable`
   */
  async ping(): Promise<void> {
    this.#checkOpen();
    await this.#patiently(this.#readers, () => this.#probe.look(), 0);
  }

  /**
   * Ends the calls.
   *
   * @returns when nothing is under way
   */
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

  async #runBatch(number: number, writes: readonly PostgresWrite[]): Promise<BatchAnswer> {
    const values = [this.#writerId, number, batchText(writes)];
    if (this.#sent?.number !== number) this.#sent = { number, found: [] };
    this.#probe.begun();
    const [row] = await this.#writer.query({ text: 'SELECT ipam.run_writes($1, $2, $3)', values });
    this.#probe.stored();
    const answer = row?.[0] as BatchAnswer | null | undefined;
    if (answer === null || answer === undefined)
      throw new IpamError('internal', 'the database answered a batch that it was not asked for last');
    this.#options.onGroup?.(answer.results.length);
    return answer;
  }

  // The feed may have found its changes before it was known that no answer comes.
  #abandon(number: number): void {
    this.#abandoned.add(number);
    // the feed finds what came late within half a minute, in which far fewer are given up
    const [oldest] = this.#abandoned;
    if (oldest !== undefined && this.#abandoned.size > MOST_ABANDONED) this.#abandoned.delete(oldest);
    for (const change of this.#sent?.found ?? []) this.#listeners.tell(change);
    this.#sent = undefined;
  }

  #answered(answer: BatchAnswer): void {
    this.#sent = undefined;
    for (const change of answer.changes) this.#listeners.tell(changeOf(change));
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
