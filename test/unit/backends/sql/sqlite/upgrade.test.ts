import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { addressOf } from '../../../../../operator/addressing/address';
import { migrate, MIGRATIONS } from '../../../../../operator/backends/sql/sqlite/schema';
import { restoreStore } from '../../../../../operator/backends/sql/sqlite/sqlite-restore';
import { openSqliteStore } from '../../../../../operator/backends/sql/sqlite/sqlite-claim-store';
import { boundedTerms } from '../../../../../operator/contract/sharing-terms';
import { valueOf } from '../../../../../operator/errors/ipam-error';
import { addressText, at, NOW, refusalOf, taken, taking } from '../../../../support/claim-requests';
import { ManualClock } from '../../../../support/manual-clock';
import { sharedWorkerFile } from '../../../../support/open-stores';
import { fileOf, FIRST_ROWS, rowsOf } from '../../../../support/sqlite-upgrade-rows';

/** Tables, indexes and triggers; a table that was written anew has its name in quotes. */
const SCHEMA =
  "SELECT type, name, replace(sql, '\"', '') AS sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name";

/** Every version before today's. */
const OLDER = MIGRATIONS.map((_, index) => index + 1).filter((version) => version < MIGRATIONS.length);

describe('a file of version', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'sqlite-upgrade-'));
    path = join(folder, 'ipam.sqlite');
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const owner = { cluster: 'c1', apiVersion: 'v1', kind: 'Service', namespace: 'a', namespaceUid: 'ns-a' };
  const none = { retentionPeriodDays: 0, denyExternalCleanup: false };

  test.each(OLDER)('%i keeps every claim, its history and its numbers', async (version) => {
    const before = new DatabaseSync(path);
    // from version 6 on the rows are those of an operator that was brought up to date before
    migrate(before, path, MIGRATIONS.slice(0, Math.min(version, 5)));
    before.exec(FIRST_ROWS);
    migrate(before, path, MIGRATIONS.slice(0, version));
    before.close();
    const store = await openSqliteStore({ path, clock: new ManualClock(NOW + 2), workerFile: sharedWorkerFile() });
    const all = { network: 'default', pool: 'z', takenAtMs: NOW };
    expect(await store.list({ by: 'pool', network: 'default', pool: 'z' })).toEqual([
      {
        ...all,
        address: addressOf('10.0.0.0'),
        length: 32,
        family: 4,
        state: 'held',
        version: 7,
        secret: { hash: 'k1:aa', scope: 'shared' },
        holders: [
          {
            id: '4',
            sinceMs: NOW,
            state: 'bound',
            key: 'key of web',
            writtenKeys: ['a/b'],
            owner: { ...owner, name: 'web', uid: 'u1' },
            options: { ...none, retentionPeriodDays: 7, denyExternalCleanup: true },
          },
          {
            id: '5',
            sinceMs: NOW,
            state: 'reserved',
            expiresAtMs: NOW + 99,
            owner: { ...owner, name: 'next' },
            options: none,
          },
        ],
      },
      {
        ...all,
        address: addressOf('2001:db8::1'),
        length: 128,
        family: 6,
        state: 'quarantined',
        version: 9,
        secret: { hash: 'k1:bb', scope: 'namespace' },
        holders: [],
        quarantine: {
          untilMs: NOW + 50,
          former: {
            id: '6',
            sinceMs: NOW,
            state: 'bound',
            owner: { ...owner, name: 'gone', uid: 'u2' },
            options: none,
          },
        },
      },
    ]);
    expect(await store.history(at('10.0.0.1'), { limit: 9 })).toMatchObject([{ fromMs: NOW - 9, untilMs: NOW - 5 }]);
    expect(await store.tally()).toMatchObject([{ held: 1 }, { quarantined: 1 }]);
    const next = await taken(store, 'new');
    expect([next.address.toString(), next.version]).toEqual(['10.0.0.1', 10]);
    await store.close();
  });

  test.each(OLDER.flatMap((version) => rowsOf(version).map(({ what }) => [version, what] as const)))(
    '%i keeps %s',
    async (version, what) => {
      fileOf(version, path).close();
      const store = await openSqliteStore({ path, clock: new ManualClock(NOW + 2), workerFile: sharedWorkerFile() });
      const { records = [], beside } = rowsOf(version).find((each) => each.what === what)!;
      const read = await Promise.all(
        records.map(({ network, address, length }) => store.get({ network, address, length })),
      );
      expect(read).toEqual(records);
      expect(await beside?.read(store)).toEqual(beside?.is);
      await store.close();
    },
  );

  test.each(OLDER)(
    '%i has each claim of its later kinds in the numbers of its pool, and gives none of them again',
    async (version) => {
      fileOf(version, path).close();
      const store = await openSqliteStore({ path, clock: new ManualClock(NOW + 2), workerFile: sharedWorkerFile() });
      const records = rowsOf(version).flatMap((each) => each.records ?? []);
      const listed = await store.list({ by: 'pool', network: 'default', pool: 'y' });
      expect(listed.map(addressText).toSorted()).toEqual(records.map(addressText).toSorted());
      const tally = (await store.tally()).filter(({ pool }) => pool === 'y');
      expect(tally.reduce((sum, { held }) => sum + held, 0)).toBe(records.length);
      for (const record of records) {
        const wish = taking('thief', { address: record.address.toString() });
        expect(refusalOf(await store.take(wish)).code).toBe('address/held');
      }
      await store.close();
    },
  );

  test('FU-21 6 has bounded terms afterwards: digests where they live, none where they ended', () => {
    const sharing = {
      key: 'k'.repeat(120_000),
      ports: ['80/TCP'],
      trafficPolicy: 'Cluster',
      selector: 's'.repeat(9_000),
    };
    const short = { ...sharing, key: 'k', selector: 'app=web' };
    const old = new DatabaseSync(path);
    migrate(old, path, MIGRATIONS.slice(0, 5));
    old.exec(FIRST_ROWS);
    migrate(old, path, MIGRATIONS.slice(0, 6));
    old.prepare('UPDATE holder SET sharing = ?').run(JSON.stringify(sharing));
    old.prepare("UPDATE holder SET sharing = ? WHERE service_name = 'next'").run(JSON.stringify(short));
    migrate(old, path);
    const terms = old.prepare('SELECT service_name AS name, sharing FROM holder ORDER BY row_id').all();
    expect(terms.map(({ name, sharing: text }) => [name, JSON.parse(String(text)) as unknown])).toEqual([
      ['web', boundedTerms(sharing as Parameters<typeof boundedTerms>[0])],
      ['next', short],
      ['gone', boundedTerms(sharing as Parameters<typeof boundedTerms>[0])],
      ['old', null],
    ]);
    old.close();
  });

  test('5 is restored from its backup and brought up to date by the next start', async () => {
    const backup = join(folder, 'backup.sqlite');
    const old = new DatabaseSync(backup);
    migrate(old, backup, MIGRATIONS.slice(0, 5));
    old.exec(FIRST_ROWS);
    old.close();
    const { backup: facts } = valueOf(restoreStore({ backup: readFileSync(backup), path, force: false, nowMs: NOW }));
    expect(facts).toEqual({ schemaVersion: 5, revision: 9, addresses: 2, fingerprint: '' });
    const store = await openSqliteStore({ path, clock: new ManualClock(NOW), workerFile: sharedWorkerFile() });
    expect(await store.list({ by: 'pool', network: 'default', pool: 'z' })).toHaveLength(2);
    await store.close();
  });

  test.each(OLDER)('%i becomes as a new one', (version) => {
    const old = fileOf(version, path);
    migrate(old, path);
    const fresh = new DatabaseSync(':memory:');
    migrate(fresh, ':memory:');
    expect(old.prepare(SCHEMA).all()).toEqual(fresh.prepare(SCHEMA).all());
    expect(old.prepare('PRAGMA foreign_key_check').all()).toEqual([]);
    expect(old.prepare('PRAGMA integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    old.close();
    fresh.close();
  });
});
