import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { Address } from '../../../operator/addressing/address';
import { toColumn } from '../../../operator/backends/sql/shared/address-column';
import { holderCells, SERVICE_CELLS } from '../../../operator/backends/sql/shared/claim-row';
import { ClaimTables } from '../../../operator/backends/sql/sqlite/claim-tables';
import { GroupCommit } from '../../../operator/backends/sql/sqlite/group-commit';
import { openDatabase, storeError } from '../../../operator/backends/sql/sqlite/open-database';
import { prepareStatements, type Statements } from '../../../operator/backends/sql/sqlite/statements';
import type { WireRange } from '../../../operator/backends/sql/sqlite/take-wire';
import { holderOf, NOW } from '../../support/claim-requests';

const FIRST = 0x0a000000;

/** Address number `index` of 10.0.0.0/8. */
export function addressNumber(index: number): Address {
  return new Address(4, { w0: 0, w1: 0, w2: 0, w3: FIRST + index });
}

/** All of 10.0.0.0/8. */
export const SPACE: readonly WireRange[] = [[toColumn(addressNumber(0)), toColumn(addressNumber(2 ** 24 - 1))]];

/** A database in this thread: the store's own parts, without messages and without the wait for the disk. */
export interface OpenFile {
  readonly db: DatabaseSync;
  readonly statements: Statements;
  readonly tables: ClaimTables;
  readonly groups: GroupCommit;
}

/** Opens a file as the worker does, but for `synchronous`. */
export function openFile(path: string, synchronous: 'OFF' | 'NORMAL'): OpenFile {
  const db = openDatabase(path);
  db.exec(`PRAGMA synchronous = ${synchronous}`);
  const statements = prepareStatements(db);
  const tables = new ClaimTables(statements);
  return { db, statements, tables, groups: new GroupCommit(tables, (error) => storeError(error, path)) };
}

/** Writes one claim with the plainest statements there are for these tables. */
function writeClaim(statements: Statements, index: number): void {
  const name = `seed ${index}`;
  const address = toColumn(addressNumber(index));
  const inserted = statements.insertAddress.run(
    'default',
    address,
    null,
    4,
    'z',
    'k1:00',
    'shared',
    null,
    index + 1,
    NOW,
  );
  const holder = holderCells(holderOf(name), null).slice(0, SERVICE_CELLS);
  statements.insertService.run(index + 1, Number(inserted.lastInsertRowid), NOW, ...holder);
}

/** Fills a new file with the first `rows` addresses of the space. */
export function seed(path: string, rows: number): void {
  const { db, statements } = openFile(path, 'OFF');
  statements.begin.run();
  for (let index = 0; index < rows; index++) writeClaim(statements, index);
  statements.setSetting.run('revision', rows);
  statements.commit.run();
  db.close();
}

/** A folder that is removed at the end. */
export async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-sqlite-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Middle value of an odd number of values. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** CPU of this process, all threads, in microseconds. */
export function cpuOf(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
