import type { DatabaseSync } from 'node:sqlite';
import { IpamError } from '../../../errors/ipam-error';

/** Mark of a file whose claims go, or went, to another store. */
export interface MoveMark {
  /** Id that the other store keeps once it has the claims. */
  readonly id: string;
  /** The other store, for messages: host, port and database. */
  readonly to: string;
  /** False: the other store was asked to keep the claims, and it is not known here whether it does. */
  readonly isDone: boolean;
}

const NAME = 'moved';

/**
 * Reads the mark of a file.
 *
 * @param db - the open store
 * @returns the mark; undefined: the claims are here
 */
export function readMoveMark(db: DatabaseSync): MoveMark | undefined {
  const text = db.prepare('SELECT value FROM setting WHERE name = ?').get(NAME)?.['value'];
  return typeof text === 'string' ? (JSON.parse(text) as MoveMark) : undefined;
}

/**
 * Writes or takes away the mark of a file; it is on the disk when this returns.
 *
 * @param db - the open store, without a transaction
 * @param mark - undefined: the claims are here
 */
export function writeMoveMark(db: DatabaseSync, mark: MoveMark | undefined): void {
  if (mark === undefined) db.prepare('DELETE FROM setting WHERE name = ?').run(NAME);
  else db.prepare('INSERT OR REPLACE INTO setting (name, value) VALUES (?, ?)').run(NAME, JSON.stringify(mark));
}

/**
 * Refuses a file whose claims may be in another store: two stores would give the same addresses.
 *
 * @param db - the open store
 * @param path - its file, for messages
 * @throws IpamError `store/moved`
 */
export function refuseMoved(db: DatabaseSync, path: string): void {
  const mark = readMoveMark(db);
  if (mark !== undefined) throw new IpamError('store/moved', movedMessage(path, mark));
}

/**
 * Says where the claims of a file are.
 *
 * @param path - the file
 * @param mark - its mark
 * @returns one sentence
 */
export function movedMessage(path: string, { to, isDone }: MoveMark): string {
  return isDone
    ? `the claims of the store "${path}" were moved to the PostgreSQL store "${to}"; give the operator that store (store)`
    : `the claims of the store "${path}" are on their way to the PostgreSQL store "${to}"; run "ipam migrate-store --yes" again, which finishes the move or begins it anew, or "ipam migrate-store --cancel"`;
}
