import { closeSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { IpamError } from '../../../errors/ipam-error';
import { refuseMoved } from './move-mark';
import { migrate } from './schema';

/** Bits of the primary result code of SQLite (sqlite.org/rescode.html); the upper bits of an extended code only refine it. */
export const PRIMARY_CODE = 0xff;
const BUSY = 5;
const CAUSES: Readonly<Record<number, string>> = {
  8: 'is not writable; check the permissions of the file, its folder and the volume',
  10: 'cannot be read or written (I/O error); check the volume',
  11: 'is damaged; restore it from a backup',
  13: 'cannot grow: the disk is full',
  14: 'cannot be opened; check the permissions of the file, its folder and the volume',
  26: 'is not a database; name another file or move this one away',
};

/**
 * Says in words of the operator what SQLite reported.
 *
 * @param error - whatever SQLite threw
 * @param path - file of the store
 * @returns `store/locked` when another process has the file, else `store/unavailable`
 */
export function storeError(error: unknown, path: string): IpamError {
  if (error instanceof IpamError) return error;
  const code = (error as { errcode?: number }).errcode;
  if (code === undefined) {
    return new IpamError('store/unavailable', `the store "${path}" failed: ${String(error)}`, { cause: error });
  }
  if ((code & PRIMARY_CODE) === BUSY) {
    const message = `the store "${path}" is in use by another process, probably a second operator; stop that one first`;
    return new IpamError('store/locked', message, { cause: error });
  }
  const words = CAUSES[code & PRIMARY_CODE] ?? `failed with SQLite code ${code}`;
  return new IpamError('store/unavailable', `the store "${path}" ${words}`, { cause: error });
}

function checkFolder(path: string): void {
  const folder = dirname(path);
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return;
  const fault = found === undefined ? 'does not exist' : 'is not a folder';
  throw new IpamError(
    'store/unavailable',
    `the folder "${folder}" of the store "${path}" ${fault}; create it or mount the volume there`,
  );
}

// Only makes a missing file. An existing one must not be opened here: closing any descriptor of it would drop the lock
// that another store of this process has on it (POSIX record locks belong to the process).
function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    const message = `the store "${path}" cannot be created (${code ?? 'unknown reason'}); check the permissions of its folder and the volume`;
    throw new IpamError('store/unavailable', message, { cause: error });
  }
}

function setUp(db: DatabaseSync, path: string): void {
  // EXCLUSIVE before the first access: the lock then lasts until the process ends, however it ends, and no -shm file is needed
  db.exec('PRAGMA locking_mode = EXCLUSIVE');
  const mode = db.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode'];
  if (mode !== 'wal')
    throw new IpamError('store/unavailable', `the volume of the store "${path}" allows no write-ahead log`);
  // FULL: an answered claim survives a power cut; NORMAL could lose it and give the address out twice
  db.exec('PRAGMA synchronous = FULL');
  // A small cache: where a commit split pages of an index, SQLite looks at each page of the cache, which at 16 MiB was a tenth of
  // a claim's cost, while the system has the pages that do not fit. A long log, 64 MiB: pages that are changed again and again are
  // moved into the file once.
  db.exec('PRAGMA cache_size = -4096; PRAGMA wal_autocheckpoint = 16384');
  migrate(db, path);
  // takes the lock even where nothing had to be migrated
  db.exec('BEGIN IMMEDIATE; COMMIT');
}

/**
 * Opens the file, creates it where it is missing, locks it for the life of the process and brings it to the newest version.
 *
 * @param path - file of the store; its folder must exist
 * @param use - `serve`: a file whose claims were moved to another store is refused; `move`: it is opened
 * @returns a connection that is ready for statements
 * @throws {@link IpamError} `store/locked`, `store/unavailable`, `store/schema`, `store/moved`; the message names the file
 */
export function openDatabase(path: string, use: 'serve' | 'move' = 'serve'): DatabaseSync {
  let db: DatabaseSync | undefined;
  try {
    checkFolder(path);
    makePrivate(path);
    db = new DatabaseSync(path, { timeout: 0 });
    setUp(db, path);
    if (use === 'serve') refuseMoved(db, path);
    return db;
  } catch (error) {
    db?.close();
    throw storeError(error, path);
  }
}
