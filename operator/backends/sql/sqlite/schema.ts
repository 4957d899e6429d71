import type { DatabaseSync } from 'node:sqlite';
import { boundedTerms } from '../../../contract/sharing-terms';
import { IpamError } from '../../../errors/ipam-error';
import { CLAIMS_1 } from './migrations/001-claims';
import { REGISTRY_3 } from './migrations/003-registry';
import { FREED_5 } from './migrations/005-freed';
import { EVERY_DOOR_6 } from './migrations/006-every-door';
import { OCCUPIED_7 } from './migrations/007-occupied';
import { BOUNDED_8 } from './migrations/008-bounded';
import { OUTSIDE_DIFFERENCES } from '../shared/migrations/outside-differences';
import { OUTSIDE_ROWS } from '../shared/migrations/outside-rows';

/** The steps from an empty file to today's tables; step n leads to version n + 1. Released steps are never edited. */
export const MIGRATIONS: readonly string[] = [
  CLAIMS_1,
  OUTSIDE_ROWS,
  REGISTRY_3,
  OUTSIDE_DIFFERENCES,
  FREED_5,
  EVERY_DOOR_6,
  OCCUPIED_7,
  BOUNDED_8,
];

// "IPAM" in ASCII: tells our files from the databases of other programs.
const APPLICATION_ID = 0x4950414d;

function pragma(db: DatabaseSync, name: string): number {
  return Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0] as number;
}

// Which version the file has; 0 for a new one.
function versionOf(db: DatabaseSync, path: string): number {
  const version = pragma(db, 'user_version');
  const tables = db.prepare('SELECT count(*) AS n FROM sqlite_schema').get()?.['n'];
  if (tables === 0 && version === 0) return 0;
  if (pragma(db, 'application_id') === APPLICATION_ID) return version;
  throw new IpamError(
    'store/schema',
    `the file "${path}" is the database of another program; name a file of its own for the store`,
  );
}

function refuseNewer(version: number, path: string, migrations: readonly string[]): void {
  if (version <= migrations.length) return;
  throw new IpamError(
    'store/schema',
    `the store "${path}" has schema version ${version}, but this operator knows versions up to ${migrations.length}; run the newer operator or restore a backup`,
  );
}

/**
 * Checks that a file is a store that this program can open, and changes nothing.
 *
 * @param db - opened database
 * @param path - its file, for messages
 * @returns its version, 1 or more
 * @throws {@link IpamError} `store/schema` when it is empty, newer than this program, or belongs to another one
 */
export function checkOwner(db: DatabaseSync, path: string): number {
  const version = versionOf(db, path);
  refuseNewer(version, path, MIGRATIONS);
  if (version === 0) throw new IpamError('store/schema', `the file "${path}" is empty; it is no store`);
  return version;
}

// Terms as a holder has them, for SQL.
const boundedText = (text: unknown): string =>
  JSON.stringify(boundedTerms(JSON.parse(String(text)) as Parameters<typeof boundedTerms>[0]));

/**
 * Brings the tables to the newest version, each step in a transaction of its own.
 *
 * @param db - opened database
 * @param path - its file, for messages
 * @param migrations - all steps, oldest first
 * @throws {@link IpamError} `store/schema` when the file is newer than this program or belongs to another one
 */
export function migrate(db: DatabaseSync, path: string, migrations: readonly string[] = MIGRATIONS): void {
  const version = versionOf(db, path);
  refuseNewer(version, path, migrations);
  db.function('bounded_terms', { deterministic: true }, boundedText);
  for (const [step, sql] of migrations.entries()) {
    if (step < version) continue;
    db.exec('BEGIN IMMEDIATE');
    try {
      db.exec(sql);
      db.exec(`PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${step + 1}`);
      db.exec('COMMIT');
    } catch (error) {
      db.exec('ROLLBACK');
      throw error;
    }
  }
}
