import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, renameSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ClaimTables } from '../../../../../operator/backends/sql/sqlite/claim-tables';
import { GroupCommit } from '../../../../../operator/backends/sql/sqlite/group-commit';
import { openDatabase, storeError } from '../../../../../operator/backends/sql/sqlite/open-database';
import { openSqliteStore } from '../../../../../operator/backends/sql/sqlite/sqlite-claim-store';
import { prepareStatements } from '../../../../../operator/backends/sql/sqlite/statements';
import { WriteHealth } from '../../../../../operator/backends/sql/sqlite/write-health';
import { SYSTEM_CLOCK } from '../../../../../operator/backends/system/system-clock';
import { at, NOW, spaceOf, taken, taking } from '../../../../support/claim-requests';
import { bundle, sharedWorkerFile, WORKER_SOURCE } from '../../../../support/open-stores';

const PAGE = 4096;
let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'write-health-'));
  path = join(folder, 'ipam.sqlite');
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const open = () => openSqliteStore({ path, clock: SYSTEM_CLOCK, workerFile: sharedWorkerFile() });
const unavailable = (words: RegExp) => ({
  code: 'store/unavailable',
  message: expect.stringMatching(words) as unknown,
});

describe('FU-25 a look at the store', () => {
  test('fails while the disk is full, as claims do, although reading works', () => {
    bundle(folder, WORKER_SOURCE, 'test/support/full-disk-taker.ts');
    // no file of the process grows beyond half a megabyte
    const limited = `trap '' XFSZ; ulimit -f 512; exec "$0" --disable-warning=ExperimentalWarning "$@"`;
    const taker = join(folder, 'full-disk-taker.js');
    const told = execFileSync('bash', ['-c', limited, process.execPath, taker, path], {
      encoding: 'utf8',
      timeout: 50_000,
    });

    const broken = expect.stringMatching(/the disk is full|cannot be read or written/u) as unknown;
    expect(JSON.parse(told)).toEqual({ before: 'fine', take: broken, after: broken, read: 'fine' });
  });

  test.each([
    [
      'removed',
      (file: string) => {
        rmSync(file);
      },
    ],
    [
      'replaced',
      (file: string) => {
        renameSync(file, `${file}.old`);
        writeFileSync(file, '');
      },
    ],
  ])('fails at once when the file was %s, and so does every write', async (_how, lose) => {
    for (const name of ['ipam.sqlite', 'ipam.sqlite-wal']) {
      const store = await open();
      await taken(store, `before ${name}`);
      lose(join(folder, name));
      await expect(store.ping()).rejects.toMatchObject(unavailable(/removed or replaced/u));
      await expect(store.take(taking('lost'))).rejects.toMatchObject(unavailable(/removed or replaced/u));
      await store.close();
      for (const each of ['', '-wal', '.old', '-wal.old']) rmSync(`${path}${each}`, { force: true });
    }
  });

  test('fails once a claim has met damaged pages, and goes on to', async () => {
    const first = await open();
    const space = spaceOf('10.0.0.0/20');
    for (let i = 0; i < 600; i++) await first.take(taking(`s${String(i)}`, { space }));
    await first.close();
    damage(path);
    const store = await open();
    await expect(store.ping()).resolves.toBeUndefined();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 600 }, (_, i) => store.get(at(`10.0.${String(Math.floor(i / 256))}.${String(i % 256)}`))),
    );

    expect(outcomes.some(({ status }) => status === 'rejected')).toBe(true);
    await expect(store.ping()).rejects.toMatchObject(unavailable(/is damaged/u));
    await store.close();
  });

  test('writes nothing while claims are stored, and one row every ten seconds else', () => {
    const db = openDatabase(path);
    let nowMs = 0;
    const groups = new GroupCommit(
      new ClaimTables(prepareStatements(db)),
      (error) => storeError(error, path),
      new WriteHealth(path, () => nowMs),
    );
    const changes = (): unknown => db.prepare('SELECT total_changes() AS n').get()?.['n'];
    const look = (): unknown => {
      const before = changes() as number;
      expect(groups.run([{ verb: 'ping', nowMs: NOW }])).toEqual([{ ok: true, result: undefined, changes: [] }]);
      return (changes() as number) - before;
    };
    const rows = (): unknown => db.prepare('SELECT count(*) AS n FROM address').get()?.['n'];

    expect(look()).toBeGreaterThan(0);
    nowMs = 9_999;
    expect(look()).toBe(0);
    nowMs = 10_000;
    expect(look()).toBeGreaterThan(0);
    groups.run([{ verb: 'note', name: 'n', text: 't' }]);
    nowMs = 19_999;
    expect(look()).toBe(0);
    expect(rows()).toBe(0);
    db.close();
  });
});

// Rows of holders, which a start does not read.
function damage(file: string): void {
  const db = new DatabaseSync(file);
  const pages = db.prepare("SELECT pageno AS n FROM dbstat WHERE name = 'holder' AND pagetype = 'leaf'").all();
  db.close();
  const opened = openSync(file, 'r+');
  const nonsense = Buffer.alloc(PAGE, 0xa5);
  // the last one is where new rows come, so that only a claim that was there before meets the damage
  for (const { n } of pages.slice(1, -1)) writeSync(opened, nonsense, 0, PAGE, (Number(n) - 1) * PAGE);
  closeSync(opened);
}
