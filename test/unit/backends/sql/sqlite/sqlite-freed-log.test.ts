import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FREED_KEPT } from '../../../../../operator/backends/sql/sqlite/migrations/005-freed';
import { openDatabase } from '../../../../../operator/backends/sql/sqlite/open-database';
import { openSqliteStore } from '../../../../../operator/backends/sql/sqlite/sqlite-claim-store';
import { valueOf } from '../../../../../operator/errors/ipam-error';
import { SYSTEM_CLOCK } from '../../../../../operator/backends/system/system-clock';
import { releasing, taken } from '../../../../support/claim-requests';
import { sharedWorkerFile } from '../../../../support/open-stores';

describe('the log of freed addresses of SQLite', () => {
  let folder: string;
  let path: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'freed-log-'));
    path = join(folder, 'ipam.sqlite');
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });
  const open = () => openSqliteStore({ path, clock: SYSTEM_CLOCK, workerFile: sharedWorkerFile() });
  const freeOne = async (store: Awaited<ReturnType<typeof open>>): Promise<void> => {
    valueOf(await store.release(releasing(await taken(store, 'a'))));
  };
  const alone = (sql: string): unknown => {
    const db = openDatabase(path);
    try {
      return db.prepare(sql).get();
    } finally {
      db.close();
    }
  };

  test('keeps a bounded number of entries, and knows no place before the oldest', async () => {
    let store = await open();
    const start = await store.freedLog().here();
    await freeOne(store);
    const first = await store.freedLog().here();
    await store.close();
    alone(`WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ${FREED_KEPT + 10})
      INSERT INTO freed SELECT i, i, 'default', 'z', 167772160, 1 FROM n RETURNING seq`);
    store = await open();
    await freeOne(store);
    const log = store.freedLog();
    const [oldest] = await log.after(first, { limit: 1 });
    expect([await log.knows(start), await log.knows(first), await log.knows(oldest!.place)]).toEqual([
      false,
      false,
      true,
    ]);
    await store.close();
    expect(alone('SELECT count(*) AS n FROM freed')).toEqual({ n: FREED_KEPT });
  });

  test('knows no place of a life of the file that a backup ended', async () => {
    let store = await open();
    await freeOne(store);
    const backup = join(folder, 'backup.sqlite');
    await store.backup(backup);
    const kept = await store.freedLog().here();
    await freeOne(store);
    const lost = await store.freedLog().here();
    await store.close();
    path = backup;
    store = await open();
    await freeOne(store);
    await freeOne(store);
    const log = store.freedLog();
    expect([await log.knows(kept), await log.knows(lost), await log.knows('0-0')]).toEqual([true, false, true]);
    await store.close();
  });

  test('begins empty in a file of the version before it', async () => {
    await (await open()).close();
    const later = ['DROP TABLE occupied', 'DROP TABLE occupied_complete'];
    for (const sql of [...later, 'DROP TRIGGER address_freed', 'DROP TABLE freed', 'PRAGMA user_version = 4']) {
      const db = openDatabase(path);
      db.exec(sql);
      db.close();
    }
    const store = await open();
    await freeOne(store);
    expect(await store.freedLog().after('0-0', { limit: 9 })).toHaveLength(1);
    await store.close();
  });
});
