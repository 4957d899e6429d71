import { closeSync, openSync, rmSync } from 'node:fs';
import { backup, type DatabaseSync } from 'node:sqlite';
import { refusalOf } from '../../../errors/ipam-error';
import { storeError } from './open-database';
import type { BackedUp } from './wire';

/** Pages in one step: all of them, since the connection waits for the end anyway. */
const PAGES = 0x7fff_ffff;

/**
 * Copies an open database by SQLite's own online backup. The connection must not write meanwhile.
 *
 * @param db - the open store
 * @param path - where to; must not exist
 * @returns how it ended; never throws
 */
export async function writeBackup(db: DatabaseSync, path: string): Promise<BackedUp> {
  let made = false;
  try {
    // made here, so that no other user can read it at any moment
    closeSync(openSync(path, 'wx', 0o600));
    made = true;
    await backup(db, path, { rate: PAGES });
    return { kind: 'backedUp', path };
  } catch (error) {
    if (made) rmSync(path, { force: true });
    const { code, message } = refusalOf(storeError(error, path));
    return { kind: 'backedUp', path, problem: { code, message } };
  }
}
