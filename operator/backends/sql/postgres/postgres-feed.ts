import type { ClaimChange } from '../../../ports/claims';
import type { Clock } from '../../../ports/clock';
import type { PostgresConnections } from './postgres-connections';
import { changeOf } from './postgres-wire';

/** Longer than any statement may run, so a number that is still missing then was never committed. */
const MISSING_MS = 30_000;
/** How far back numbers may still be on their way when the feed begins. */
const LOOK_BACK = 256;
/** How long changes are kept for processes that cannot reach the database. */
const KEEP_MS = 600_000;
const PRUNE_EVERY_MS = 60_000;
const MOST_AT_ONCE = 2000;
/** Looks for changes between two looks at the clock of the database. */
const CLOCK_EVERY = 10;

/** Connections, times and listeners that a feed works with. */
export interface ChangeFeedParts {
  readonly connections: PostgresConnections;
  readonly clock: Clock;
  readonly pollMs: number;
  /** Takes over the time of the database, every few seconds. */
  readonly followClock: () => Promise<void>;
  /** Is given each change, also those of this process. */
  readonly tell: (change: ClaimChange, writer: string, batch: number) => void;
}

type ChangeRow = readonly [
  seq: number,
  writer: string,
  batch: number,
  kind: ClaimChange['kind'],
  network: string,
  pool: string,
  address: string,
  length: number | null,
];

const START = `SELECT last_value, is_called, (
  SELECT coalesce(jsonb_agg(seq), '[]') FROM ipam.change WHERE seq > s.last_value - ${LOOK_BACK})
  FROM ipam.change_seq s`;
const READ = `SELECT seq, writer, batch, kind, network, zone, address, length FROM ipam.change
  WHERE seq > $1 OR seq = ANY ($2::bigint[]) ORDER BY seq LIMIT ${MOST_AT_ONCE}`;
const PRUNE = 'DELETE FROM ipam.change WHERE seq <= $1';
const PRUNE_FREED = 'SELECT ipam.prune_freed()';
const PRUNE_WRITERS = "DELETE FROM ipam.writer WHERE at < clock_timestamp() - interval '1 day'";

/**
 * Changes that other processes made, read from the table of changes every now and then: NOTIFY would make every writer's
 * commit wait for those of all others, and loses what is sent without a listener.
 *
 * Numbers are given before commits, so a lower one may appear after a higher one: gaps are asked for again.
 */
export class ChangeFeed {
  readonly #parts: ChangeFeedParts;
  #position = 0;
  readonly #missing = new Map<number, number>();
  /** Where the feed was at some times, so that it knows what is old. */
  readonly #marks: { readonly atMs: number; readonly position: number }[] = [];
  #cancel: (() => void) | undefined;
  #running: Promise<void> | undefined;
  #stopped = false;
  #looks = 0;

  /**
   * Reads nothing yet.
   *
   * @param parts - what it needs
   */
  constructor(parts: ChangeFeedParts) {
    this.#parts = parts;
  }

  /** Begins after what was committed until now. */
  async start(): Promise<void> {
    const [row] = await this.#parts.connections.query({ text: START });
    const [last, called, seen] = row as unknown as readonly [number, boolean, readonly number[]];
    this.#position = called ? last : 0;
    const known = new Set(seen);
    const nowMs = this.#parts.clock.nowMs();
    for (let seq = Math.max(1, this.#position - LOOK_BACK + 1); seq <= this.#position; seq++) {
      if (!known.has(seq)) this.#missing.set(seq, nowMs);
    }
    this.#marks.push({ atMs: nowMs, position: this.#position });
    this.#next();
  }

  /** Ends; nothing is told after it. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancel?.();
    await this.#running;
  }

  #next(): void {
    if (this.#stopped) return;
    this.#cancel = this.#parts.clock.after(this.#parts.pollMs, () => {
      this.#running = this.#tick().then(
        () => {
          this.#next();
        },
        () => {
          // the database is away: the requests of callers say so, and what was missed is read later
          this.#next();
        },
      );
    });
  }

  async #tick(): Promise<void> {
    for (let read = MOST_AT_ONCE; read === MOST_AT_ONCE && !this.#stopped;) read = await this.#read();
    if (++this.#looks % CLOCK_EVERY === 0) await this.#parts.followClock();
    await this.#prune();
  }

  async #read(): Promise<number> {
    const values = [this.#position, [...this.#missing.keys()]];
    const rows = (await this.#parts.connections.query({ text: READ, values })) as unknown as readonly ChangeRow[];
    if (rows.length === 0) await this.#followRestore();
    for (const row of rows) this.#note(row);
    const oldest = this.#parts.clock.nowMs() - MISSING_MS;
    for (const [seq, sinceMs] of this.#missing) if (sinceMs < oldest) this.#missing.delete(seq);
    return rows.length;
  }

  #note([seq, writer, batch, ...change]: ChangeRow): void {
    const nowMs = this.#parts.clock.nowMs();
    this.#missing.delete(seq);
    // a server that was promoted goes on some numbers later, never more than it may have lost
    const from = Math.max(this.#position + 1, seq - LOOK_BACK);
    for (let gap = from; gap < seq; gap++) this.#missing.set(gap, nowMs);
    this.#position = Math.max(this.#position, seq);
    if (!this.#stopped) this.#parts.tell(changeOf([0, ...change]), writer, batch);
  }

  // A restored database counts from where its backup was.
  async #followRestore(): Promise<void> {
    const [row] = await this.#parts.connections.query({ text: 'SELECT last_value FROM ipam.change_seq' });
    this.#position = Math.min(this.#position, row?.[0] as number);
  }

  async #prune(): Promise<void> {
    const nowMs = this.#parts.clock.nowMs();
    if (nowMs - (this.#marks.at(-1)?.atMs ?? 0) < PRUNE_EVERY_MS) return;
    this.#marks.push({ atMs: nowMs, position: this.#position });
    const old = this.#marks.filter(({ atMs }) => atMs < nowMs - KEEP_MS).at(-1);
    if (old === undefined) return;
    this.#marks.splice(0, this.#marks.indexOf(old));
    await this.#parts.connections.query({ text: PRUNE, values: [old.position] });
    await this.#parts.connections.query({ text: PRUNE_WRITERS });
    await this.#parts.connections.query({ text: PRUNE_FREED });
  }
}
