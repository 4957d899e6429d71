import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { DatabaseSync } from 'node:sqlite';
import { IpamError } from '../../../errors/ipam-error';
import { accept, refuse, type Outcome } from '../../../errors/outcome';
import { PostgresConnections, PostgresFailure } from '../postgres/postgres-connections';
import { storeError } from '../postgres/postgres-fault';
import { migratePostgres, MIGRATION_OPTIONS } from '../postgres/postgres-schema';
import { movedMessage, readMoveMark, writeMoveMark, type MoveMark } from '../sqlite/move-mark';
import { openDatabase, storeError as fileError } from '../sqlite/open-database';
import { MOVED_TABLES, type MovedRows } from './moved-tables';
import { addNetworks, addRows, beginMove, countRows, finishRows, noteArrival, type Run } from './postgres-side';
import { columnsOf, networksOf, pagesOf, settingsOf } from './sqlite-side';

/** Request to {@link moveStore}. */
export interface MoveRequest {
  /** File of the SQLite store; the operator must be stopped. */
  readonly path: string;
  /** File with the connection string of the PostgreSQL store. */
  readonly dsnFile: string;
  /** CA certificates of the server. */
  readonly caFile?: string;
  /** `try`: everything but the last step, which keeps it; `cancel`: gives a move up whose end is not known. */
  readonly what: 'try' | 'move' | 'cancel';
  /** Time of this machine, whose clock the file follows. */
  readonly nowMs: number;
}

/** Result of a move. */
export interface Moved {
  /** The PostgreSQL store: host, port and database. */
  readonly to: string;
  /** `here`: nothing has gone; `before`: an earlier run brought the claims. */
  readonly state: 'here' | 'moved' | 'before';
  /** Rows that were copied; absent where none were. */
  readonly rows?: MovedRows;
}

/**
 * Moves the claims of a SQLite store to an empty PostgreSQL store, with history, quarantines and the mark of the keys. Everything is
 * copied and checked in one transaction. The file is marked just before the commit, so no operator serves it from then on; a run that died
 * at any moment is finished, or begun anew, by the next one.
 *
 * @param request - both stores, and how far to go
 * @returns what was done; or refusal `store/moved` (the claims are elsewhere), `store/conflict` (the other store has claims, or
 *   rows that contradict each other), with both stores as they were
 * @throws IpamError `store/locked` while the operator runs, `store/unavailable`, `store/schema`, `settings/invalid`
 */
export async function moveStore(request: MoveRequest): Promise<Outcome<Moved>> {
  const { path, dsnFile, caFile } = request;
  if (!existsSync(path)) return refuse('settings/invalid', `there is no store "${path}"`);
  const dsn = (): Promise<string> => readFile(dsnFile, 'utf8');
  const options = { dsn, ...(caFile === undefined ? {} : { caFile }), ...MIGRATION_OPTIONS };
  const connections = new PostgresConnections(options, 1);
  let db: DatabaseSync | undefined;
  try {
    db = openDatabase(path, 'move');
    const file = db;
    await migratePostgres(connections);
    // a transaction that is still open at the end of the connection is undone by the server
    return await connections.use((run) => new Move(file, run, connections).carryOut(request));
  } catch (thrown) {
    if (thrown instanceof PostgresFailure) throw storeError(connections.at, thrown.fault);
    throw fileError(thrown, path);
  } finally {
    await connections.end();
    db?.close();
  }
}

/** One transaction of a move. Lives for one call of {@link carryOut}. */
class Move {
  readonly #db: DatabaseSync;
  readonly #run: Run;
  readonly #to: string;

  /**
   * Begins nothing yet.
   *
   * @param db - the file, locked
   * @param run - runs one statement on the only connection
   * @param connections - whose server is named in messages
   */
  constructor(db: DatabaseSync, run: Run, { at }: Pick<PostgresConnections, 'at'>) {
    this.#db = db;
    this.#run = run;
    this.#to = `${at.host}:${at.port}/${at.database}`;
  }

  /**
   * Does what was asked for.
   *
   * @param request - see {@link moveStore}
   * @returns what was done
   */
  async carryOut(request: MoveRequest): Promise<Outcome<Moved>> {
    const { arrived, isUsed } = await beginMove(this.#run);
    const mark = readMoveMark(this.#db);
    if (mark !== undefined && arrived === mark.id) return this.#already(mark, request);
    if (mark !== undefined && (mark.isDone || mark.to !== this.#to))
      return refuse('store/moved', movedMessage(request.path, mark));
    if (request.what === 'cancel') return this.#cancel(mark);
    return isUsed ? refuse('store/conflict', usedMessage(this.#to)) : this.#move(mark, request);
  }

  async #move(mark: MoveMark | undefined, { what, nowMs }: MoveRequest): Promise<Outcome<Moved>> {
    const rows = await this.#copy(nowMs);
    if (!rows.ok) return rows;
    if (what === 'try') return accept({ to: this.#to, state: 'here', rows: rows.value });
    await this.#commit(mark);
    return accept({ to: this.#to, state: 'moved', rows: rows.value });
  }

  #already(mark: MoveMark, { what }: MoveRequest): Outcome<Moved> {
    if (what === 'cancel')
      return refuse('store/conflict', `the PostgreSQL store "${this.#to}" has the claims; a move back is not possible`);
    if (what === 'move') writeMoveMark(this.#db, { ...mark, isDone: true });
    return accept({ to: this.#to, state: 'before' });
  }

  #cancel(mark: MoveMark | undefined): Outcome<Moved> {
    if (mark !== undefined) writeMoveMark(this.#db, undefined);
    return accept({ to: this.#to, state: 'here' });
  }

  async #copy(nowMs: number): Promise<Outcome<MovedRows>> {
    const [db, run] = [this.#db, this.#run];
    await addNetworks(run, networksOf(db));
    const rows: [string, number][] = [];
    for (const table of MOVED_TABLES) {
      const columns = columnsOf(db, table);
      let sent = 0;
      for (const page of pagesOf(db, table)) {
        const twice = await addRows(run, { table, columns, rows: page });
        if (twice.length > 0) return contradiction(twice);
        sent += page.length;
      }
      const found = await countRows(run, table);
      if (found !== sent) throw new IpamError('internal', `of ${sent} rows of table ${table} ${found} arrived`);
      rows.push([table, sent]);
    }
    const stray = await finishRows(run, settingsOf(db), nowMs);
    return stray.length > 0 ? contradiction(stray) : accept(Object.fromEntries(rows) as MovedRows);
  }

  // The mark comes first: between it and the commit no store serves, and never do both.
  async #commit(before: MoveMark | undefined): Promise<void> {
    const mark = before ?? { id: randomUUID(), to: this.#to, isDone: false };
    await noteArrival(this.#run, mark.id);
    writeMoveMark(this.#db, mark);
    try {
      await this.#run({ text: 'COMMIT' });
    } catch (thrown) {
      const isRefused = thrown instanceof PostgresFailure && !thrown.fault.unknown;
      if (isRefused) writeMoveMark(this.#db, before);
      throw thrown;
    }
    writeMoveMark(this.#db, { ...mark, isDone: true });
  }
}

const usedMessage = (to: string): string =>
  `the PostgreSQL store "${to}" has claims or keys of its own; claims are moved to an empty one alone: name another database, or drop its schema "ipam" if nothing of it is needed`;

const contradiction = (addresses: readonly string[]): Outcome<never> =>
  refuse(
    'store/conflict',
    `two rows of the store have space of ${addresses.slice(0, 3).join(', ')}; nothing was moved. Look at it with "ipam show"`,
  );
