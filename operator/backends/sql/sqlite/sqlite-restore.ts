import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { IpamError } from '../../../errors/ipam-error';
import { accept, refuse, type Outcome } from '../../../errors/outcome';
import { movedMessage, readMoveMark } from './move-mark';
import { storeError } from './open-database';
import { checkOwner } from './schema';
import { syncFolder } from '../../../runtime/sync-folder';

/** Facts about one store file. */
interface StoreFacts {
  readonly schemaVersion: number;
  /** Counts every change; of two files of one store the larger one is newer. */
  readonly revision: number;
  /** Live claims. */
  readonly addresses: number;
  /** Fingerprint of the keys; empty where none was ever used. */
  readonly fingerprint: string;
  /** Says where the claims went; absent: they are here. */
  readonly moved?: string;
}

/** Request to {@link restoreStore}. */
export interface RestoreRequest {
  /** Content of the backup. */
  readonly backup: Uint8Array;
  /** File of the store; the operator must be stopped. */
  readonly path: string;
  /** Fingerprint of the keys that the operator will have; absent: not compared. */
  readonly fingerprint?: string;
  /** Put the backup over a newer store, or one of other keys. */
  readonly force: boolean;
  readonly nowMs: number;
}

/** Result of a restore. */
export interface Restored {
  readonly backup: StoreFacts;
  /** The store that was there. */
  readonly former?: StoreFacts & { readonly movedTo: string };
}

/**
 * Puts a backup in the place of a store that is not open. The former store is kept beside it.
 *
 * @param request - backup, place, what to compare
 * @returns what was done; or refusal `store/schema`, `store/keys`, `store/conflict` (the store is newer), `store/moved`, with the files as they were
 * @throws IpamError `store/locked` while the operator runs, `settings/invalid` where no file can be written, `store/unavailable`
 */
export function restoreStore(request: RestoreRequest): Outcome<Restored> {
  const { path, force } = request;
  const draft = `${path}.restoring`;
  try {
    writeDraft(draft, request.backup);
    const backup = readBackup(draft);
    const former = existsSync(path) ? readFacts(path) : undefined;
    const objection = keyObjection(backup, request) ?? (force ? undefined : objectionTo(backup, former));
    if (objection !== undefined) return objection;
    const movedTo = `${path}.before-restore-${new Date(request.nowMs).toISOString().replaceAll(/[:.]/gu, '-')}`;
    if (former !== undefined) moveStore(path, movedTo);
    renameSync(draft, path);
    syncFolder(path);
    return accept({ backup, ...(former === undefined ? {} : { former: { ...former, movedTo } }) });
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(draft + suffix, { force: true });
  }
}

function keyObjection({ fingerprint: kept }: StoreFacts, { fingerprint }: RestoreRequest): Outcome<never> | undefined {
  if (fingerprint === undefined || kept === '' || kept === fingerprint) return undefined;
  const message = 'the backup was made with other keys than those of the key file; no owner could prove itself';
  return refuse('store/keys', message);
}

function objectionTo(backup: StoreFacts, former: StoreFacts | undefined): Outcome<never> | undefined {
  if (former === undefined) return undefined;
  // an operator with the backup would give the addresses that the other store gives
  if (former.moved !== undefined) return refuse('store/moved', `${former.moved}; give --force if that store is lost`);
  if (former.revision > backup.revision) {
    const changes = former.revision - backup.revision;
    return refuse(
      'store/conflict',
      `the store that is there is newer than the backup by ${changes} changes, and holds ${former.addresses} addresses; give --force to put it aside all the same`,
    );
  }
  if (former.addresses > 0 && former.fingerprint !== backup.fingerprint)
    return refuse(
      'store/keys',
      'the store that is there has other keys than the backup; give --force to put it aside all the same',
    );
  return undefined;
}

/** Faults that no later try takes away: the path is no place for a store. */
const WRONG_PLACE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'EROFS']);

function writeDraft(draft: string, content: Uint8Array): void {
  rmSync(draft, { force: true });
  try {
    const file = openSync(draft, 'wx', 0o600);
    try {
      for (let at = 0; at < content.length;) at += writeSync(file, content, at);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown reason';
    const isLasting = WRONG_PLACE.has(code);
    throw new IpamError(
      isLasting ? 'settings/invalid' : 'store/unavailable',
      `"${draft}" cannot be written (${code})`,
      { cause: error },
    );
  }
}

// The draft has a name that is not known and its content comes from the caller, so no wait helps.
function readBackup(draft: string): StoreFacts {
  try {
    return readFacts(draft);
  } catch (error) {
    if (!(error instanceof IpamError) || error.code !== 'store/unavailable') throw error;
    const message = 'the backup is damaged or cut off, or is not a database; take another one';
    throw new IpamError('store/schema', message, { cause: error });
  }
}

// Takes the lock, so that a running operator is noticed, and moves the write-ahead log into the file when it closes.
function readFacts(path: string): StoreFacts {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { timeout: 0 });
    db.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT');
    const schemaVersion = checkOwner(db, path);
    const problem = db.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check'];
    if (problem !== 'ok') throw new IpamError('store/unavailable', `"${path}" is damaged; take another backup`);
    const setting = db.prepare('SELECT value FROM setting WHERE name = ?');
    return {
      ...wentTo(db, path),
      schemaVersion,
      revision: Number(setting.get('revision')?.['value'] ?? 0),
      addresses: Number(
        db.prepare("SELECT count(*) AS n FROM address WHERE ended_at IS NULL AND state <> 'foreign'").get()?.['n'],
      ),
      fingerprint: String(setting.get('keyFingerprint')?.['value'] ?? ''),
    };
  } catch (error) {
    throw storeError(error, path);
  } finally {
    db?.close();
  }
}

function wentTo(db: DatabaseSync, path: string): Pick<StoreFacts, 'moved'> {
  const mark = readMoveMark(db);
  return mark === undefined ? {} : { moved: movedMessage(path, mark) };
}

// A write-ahead log that stayed behind would be played into the restored file.
function moveStore(path: string, to: string): void {
  for (const suffix of ['', '-wal', '-shm']) if (existsSync(path + suffix)) renameSync(path + suffix, to + suffix);
}
