import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openDatabase, storeError } from '../../../../../operator/backends/sql/sqlite/open-database';
import { migrate, MIGRATIONS } from '../../../../../operator/backends/sql/sqlite/schema';
import { openSqliteStore } from '../../../../../operator/backends/sql/sqlite/sqlite-claim-store';
import { SYSTEM_CLOCK } from '../../../../../operator/backends/system/system-clock';
import { sharedWorkerFile } from '../../../../support/open-stores';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'open-database-'));
  path = join(folder, 'ipam.sqlite');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function codeAndText(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    return `${code}: ${message}`;
  }
  return 'nothing was thrown';
}

const pragma = (db: DatabaseSync, name: string): unknown => Object.values(db.prepare(`PRAGMA ${name}`).get()!)[0];

describe('openDatabase', () => {
  test('writes ahead, waits for the disk and has the file alone', () => {
    const db = openDatabase(path);
    const modes = ['journal_mode', 'synchronous', 'locking_mode', 'foreign_keys'].map((name) => pragma(db, name));
    db.close();
    expect(modes).toEqual(['wal', 2, 'exclusive', 1]);
  });

  test('names a folder that is missing', () => {
    const lost = join(folder, 'no', 'ipam.sqlite');
    expect(codeAndText(() => openDatabase(lost))).toBe(
      `store/unavailable: the folder "${join(folder, 'no')}" of the store "${lost}" does not exist; create it or mount the volume there`,
    );
  });

  test('names a folder that is a file', () => {
    writeFileSync(join(folder, 'file'), '');
    const lost = join(folder, 'file', 'ipam.sqlite');
    expect(codeAndText(() => openDatabase(lost))).toContain('is not a folder');
  });

  test('names a file that is a folder', () => {
    mkdirSync(path);
    expect(codeAndText(() => openDatabase(path))).toMatch(
      /^store\/unavailable: the store ".*ipam\.sqlite" cannot be opened/u,
    );
  });

  test('names a file that is no database, and leaves it as it is', () => {
    writeFileSync(path, 'These are my notes. '.repeat(300));
    expect(codeAndText(() => openDatabase(path))).toBe(
      `store/unavailable: the store "${path}" is not a database; name another file or move this one away`,
    );
  });

  test('leaves the database of another program alone', () => {
    const other = new DatabaseSync(path);
    other.exec('CREATE TABLE song (title TEXT)');
    other.close();
    expect(codeAndText(() => openDatabase(path))).toMatch(
      /^store\/schema: the file ".*" is the database of another program/u,
    );
  });

  test('refuses a newer version and says what to do', () => {
    openDatabase(path).close();
    const newer = new DatabaseSync(path);
    newer.exec('PRAGMA user_version = 99');
    newer.close();
    expect(codeAndText(() => openDatabase(path))).toBe(
      `store/schema: the store "${path}" has schema version 99, but this operator knows versions up to ${MIGRATIONS.length}; run the newer operator or restore a backup`,
    );
  });

  test('brings an error of the worker thread to the caller', async () => {
    writeFileSync(path, 'These are my notes. '.repeat(300));
    const opening = openSqliteStore({ path, clock: SYSTEM_CLOCK, workerFile: sharedWorkerFile() });
    await expect(opening).rejects.toMatchObject({ name: 'IpamError', code: 'store/unavailable' });
  });
});

describe('storeError', () => {
  test.each([
    [8, 'store/unavailable', 'is not writable'],
    [10, 'store/unavailable', 'I/O error'],
    [11, 'store/unavailable', 'restore it from a backup'],
    [13, 'store/unavailable', 'the disk is full'],
    [5, 'store/locked', 'another process'],
    [261, 'store/locked', 'another process'],
    [2067, 'store/unavailable', 'SQLite code 2067'],
  ])('says what SQLite code %d means', (errcode, code, words) => {
    const error = storeError(Object.assign(new TypeError('constraint failed'), { errcode }), '/data/ipam.sqlite');
    expect(error).toMatchObject({ code, message: expect.stringContaining(words) as string });
    expect(error.message).toContain('"/data/ipam.sqlite"');
  });
});

describe('migrate', () => {
  test('makes each step once', () => {
    const db = new DatabaseSync(path);
    const steps = ['CREATE TABLE one (n INTEGER)', 'CREATE TABLE two (n INTEGER)'];
    migrate(db, path, steps.slice(0, 1));
    migrate(db, path, steps);
    migrate(db, path, steps);
    expect(pragma(db, 'user_version')).toBe(2);
    db.close();
  });

  test('undoes a step that fails and keeps those before it', () => {
    const db = new DatabaseSync(path);
    const broken = 'CREATE TABLE two (n INTEGER); INSERT INTO nowhere VALUES (1)';
    expect(() => {
      migrate(db, path, ['CREATE TABLE one (n INTEGER)', broken]);
    }).toThrow('nowhere');
    const tables = db.prepare('SELECT name FROM sqlite_schema').all();
    expect([pragma(db, 'user_version'), tables.map((row) => row['name'])]).toEqual([1, ['one']]);
    db.close();
  });
});
