import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { moveStore, type MoveRequest } from '../../../../../operator/backends/sql/move/move-store';
import { MOVED_TABLES } from '../../../../../operator/backends/sql/move/moved-tables';
import { openPostgresStore } from '../../../../../operator/backends/sql/postgres/postgres-claim-store';
import { readMoveMark, writeMoveMark } from '../../../../../operator/backends/sql/sqlite/move-mark';
import { MIGRATIONS } from '../../../../../operator/backends/sql/sqlite/schema';
import { openSqliteStore } from '../../../../../operator/backends/sql/sqlite/sqlite-claim-store';
import { restoreStore } from '../../../../../operator/backends/sql/sqlite/sqlite-restore';
import { valueOf } from '../../../../../operator/errors/ipam-error';
import { at, NOW, releasing, spaceOf, taken, taking } from '../../../../support/claim-requests';
import { ManualClock } from '../../../../support/manual-clock';
import { sharedWorkerFile } from '../../../../support/open-stores';
import { auditPostgres } from '../../../../support/postgres-audit';
import { stopPostgresClock } from '../../../../support/postgres-clock';
import { sharedPostgres, type PostgresServer } from '../../../../support/postgres-server';
import { leaves, shows, usesOf } from '../../../../support/occupied-suite';
import { fileOf, rowsOf } from '../../../../support/sqlite-upgrade-rows';
import { TcpProxy } from '../../../../support/tcp-proxy';

type Postgres = Awaited<ReturnType<typeof openPostgresStore>>;
type Sqlite = Awaited<ReturnType<typeof openSqliteStore>>;

const SPACE = spaceOf('10.3.0.0/24', '2001:db8:3::/64');
const clock = new ManualClock(NOW);

let server: PostgresServer;
let folder: string;
let path: string;
let dsn: string;
beforeAll(async () => {
  server = await sharedPostgres();
});
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ipam-move-'));
  path = join(folder, 'ipam.sqlite');
  dsn = await server.newDatabase();
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function moving(what: MoveRequest['what'], change: Partial<MoveRequest> & { readonly to?: string } = {}) {
  const { to = dsn, ...rest } = change;
  writeFileSync(join(folder, 'dsn'), `${to}\n`);
  return moveStore({ path, dsnFile: join(folder, 'dsn'), what, nowMs: NOW, ...rest });
}

async function inFile<T>(work: (store: Sqlite) => Promise<T>): Promise<T> {
  const store = await openSqliteStore({ path, clock, workerFile: sharedWorkerFile() });
  return work(store).finally(() => store.close());
}

async function inDatabase<T>(work: (store: Postgres) => Promise<T>): Promise<T> {
  const store = await openPostgresStore({ dsn, clock });
  return work(store).finally(() => store.close());
}

/** What the file says of a move, read without its store. */
function marked(): boolean | undefined {
  const db = new DatabaseSync(path);
  const mark = readMoveMark(db);
  db.close();
  return mark?.isDone;
}

/** Leaves the file as a run does that dies around its commit. */
function leaveUndone(): void {
  const db = new DatabaseSync(path);
  const { pathname, host } = new URL(dsn);
  writeMoveMark(db, { id: 'an id', to: host + pathname, ...readMoveMark(db), isDone: false });
  db.close();
}

describe('FU-105: a move of a file with every kind of row', () => {
  let store: Postgres;
  const rows = rowsOf(MIGRATIONS.length);
  const kept = rows.filter(({ what }) => !what.includes('freed'));
  beforeEach(async () => {
    fileOf(MIGRATIONS.length, path).close();
    await inDatabase(() => Promise.resolve());
    await stopPostgresClock(server, dsn);
    valueOf(await moving('move'));
    store = await openPostgresStore({ dsn, clock });
  });
  afterEach(() => store.close());

  test('keeps each of them, and what is live is not free', async () => {
    for (const { what, records = [], beside } of kept) {
      const read = await Promise.all(
        records.map(({ network, address, length }) => store.get({ network, address, length })),
      );
      expect([what, read]).toEqual([what, records]);
      expect([what, await beside?.read(store)]).toEqual([what, beside?.is]);
    }
    expect(await auditPostgres(server, dsn)).toEqual([]);
  });

  test('gives none of it again, and numbers go on behind those of the file', async () => {
    const one = await taken(store, 'one', { space: spaceOf('10.1.0.0/28') });
    // 10.1.0.0 to .2 and .4 are held, .5 is in use, .6 is avoided
    expect(one.address.toString()).toBe('10.1.0.3');
    expect(one.version).toBeGreaterThan(27);
    expect(Number(one.holders[0]?.id)).toBeGreaterThan(27);
    expect(await auditPostgres(server, dsn)).toEqual([]);
  });
});

test('FU-105: every table of the file is moved or left for a reason', () => {
  const db = fileOf(MIGRATIONS.length, path);
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all();
  db.close();
  expect(tables.map(({ name }) => name).sort()).toEqual([...MOVED_TABLES, 'setting', 'freed'].sort());
});

describe('FU-105: a move', () => {
  let freedPlace: string;
  beforeEach(async () => {
    await inFile(async (store) => {
      await store.keyFingerprint('k1:of the file');
      await store.note({ name: 'of a job', text: 'kept' });
      for (let i = 0; i < 40; i++) await taken(store, `web-${i}`, { space: SPACE, family: i % 4 === 0 ? 6 : 4 });
      const gone = await taken(store, 'gone', { space: SPACE });
      freedPlace = await store.freedLog().here();
      valueOf(await store.release(releasing(gone, { quarantineMs: 60_000 })));
      await usesOf(store).write(shows('10.3.0.99', { cluster: 'c2' }));
      await usesOf(store).write(
        shows('10.3.0.98', { cluster: 'c2', use: { source: 'Service/x/1', weight: 'avoided' } }),
      );
    });
  });

  const readAll = async (store: Sqlite | Postgres) => ({
    records: await store.list({ by: 'pool', network: 'default', pool: 'z' }),
    history: await store.history(at('10.3.0.30'), { limit: 9 }),
    fingerprint: await store.keyFingerprint(),
    note: await store.note({ name: 'of a job' }),
    uses: await store.occupiedAddresses().list({ by: 'cluster', cluster: 'c2' }),
  });

  test('shows the same claims, history, keys and notes afterwards, and the operator does not serve the file again', async () => {
    const before = await inFile(readAll);
    await inDatabase(() => Promise.resolve());
    await stopPostgresClock(server, dsn);
    expect(await moving('move')).toMatchObject({ ok: true, value: { state: 'moved', rows: { address: 42 } } });
    expect(await inDatabase(readAll)).toEqual(before);
    expect(before.fingerprint).toBe('k1:of the file');
    expect(await auditPostgres(server, dsn)).toEqual([]);
    await expect(inFile(readAll)).rejects.toMatchObject({ code: 'store/moved' });
  });

  test('leaves nothing locked or leaking: what is released and what is no longer shown is given again', async () => {
    valueOf(await moving('move'));
    await inDatabase(async (store) => {
      const [first] = await store.list({ by: 'pool', network: 'default', pool: 'z' });
      valueOf(await store.release(releasing(first!)));
      await usesOf(store).write(leaves('10.3.0.99', 'c2'));
      await usesOf(store).write(leaves('10.3.0.98', 'c2'));
      expect(await auditPostgres(server, dsn)).toEqual([]);
      for (const address of [first!.address.toString(), '10.3.0.99', '10.3.0.98'])
        expect((await taken(store, `next of ${address}`, { space: SPACE, address })).address.toString()).toBe(address);
    });
  });

  test('keeps what is left of a quarantine where the clocks differ', async () => {
    await inDatabase(() => Promise.resolve());
    await stopPostgresClock(server, dsn);
    valueOf(await moving('move', { nowMs: NOW - 5_000 }));
    const quarantined = await inDatabase(async (store) =>
      (await readAll(store)).records.filter(({ state }) => state === 'quarantined'),
    );
    expect(quarantined.map(({ quarantine }) => quarantine?.untilMs)).toEqual([NOW + 65_000]);
  });

  test('makes no place of the log of freed addresses a known one', async () => {
    valueOf(await moving('move'));
    expect(await inDatabase((store) => store.freedLog().knows(freedPlace))).toBe(false);
    expect(await inDatabase((store) => store.freedLog().knows('1-7'))).toBe(false);
  });

  test('that is only tried changes neither store', async () => {
    expect(await moving('try')).toMatchObject({ ok: true, value: { state: 'here', rows: { address: 42 } } });
    expect(marked()).toBeUndefined();
    expect(await inDatabase((store) => store.tally())).toEqual([]);
    expect(await moving('move')).toMatchObject({ ok: true, value: { state: 'moved' } });
  });

  test('is refused beside a running operator, and where the other store has claims or keys', async () => {
    const running = await openSqliteStore({ path, clock, workerFile: sharedWorkerFile() });
    await expect(moving('move')).rejects.toMatchObject({ code: 'store/locked' });
    await running.close();
    await inDatabase((store) => store.replaceKeyFingerprint('', 'k1:of another one'));
    expect(await moving('move')).toMatchObject({ ok: false, refusal: { code: 'store/conflict' } });
    expect(marked()).toBeUndefined();
  });

  test('is refused for a file that is not there, and makes none', async () => {
    const nowhere = join(folder, 'none.sqlite');
    expect(await moving('move', { path: nowhere })).toMatchObject({ ok: false, refusal: { code: 'settings/invalid' } });
    expect(() => readFileSync(nowhere)).toThrow('ENOENT');
  });

  test('is refused, and nothing is moved, where two rows have one space', async () => {
    const db = new DatabaseSync(path);
    db.exec(`UPDATE address SET length = 31 WHERE id = (SELECT id FROM address WHERE family = 4 AND ended_at IS NULL
      AND address % 2 = 0 AND state = 'held' LIMIT 1)`);
    db.close();
    expect(await moving('move')).toMatchObject({
      ok: false,
      refusal: { code: 'store/conflict', message: expect.stringContaining('10.3.0.') as string },
    });
    expect(marked()).toBeUndefined();
    expect(await inDatabase((store) => store.tally())).toEqual([]);
  });

  test('that died before its commit: no store serves, and the next run begins anew, or gives it up', async () => {
    leaveUndone();
    await expect(inFile(readAll)).rejects.toMatchObject({ code: 'store/moved' });
    expect(await moving('cancel')).toMatchObject({ ok: true, value: { state: 'here' } });
    expect((await inFile(readAll)).records).toHaveLength(41);
    leaveUndone();
    expect(await moving('move')).toMatchObject({ ok: true, value: { state: 'moved' } });
    expect(marked()).toBe(true);
  });

  test('that died behind its commit: the next run finds it done, and it is not given up', async () => {
    valueOf(await moving('move'));
    leaveUndone();
    expect(await moving('cancel')).toMatchObject({ ok: false, refusal: { code: 'store/conflict' } });
    expect(marked()).toBe(false);
    expect(await moving('move')).toMatchObject({ ok: true, value: { state: 'before' } });
    expect(marked()).toBe(true);
    expect(await moving('move')).toMatchObject({ ok: true, value: { state: 'before' } });
    expect((await inDatabase(readAll)).records).toHaveLength(41);
  });

  test('to a second database is refused, whether the first one has the claims or may have them', async () => {
    const second = await server.newDatabase();
    leaveUndone();
    for (const what of ['move', 'cancel'] as const)
      expect(await moving(what, { to: second })).toMatchObject({ ok: false, refusal: { code: 'store/moved' } });
    valueOf(await moving('move'));
    expect(await moving('move', { to: second })).toMatchObject({ ok: false, refusal: { code: 'store/moved' } });
  });

  test('whose commit gets no answer keeps both stores from serving until it is known', async () => {
    const proxy = await TcpProxy.start(server.port);
    const through = dsn.replace(String(server.port), String(proxy.port));
    const lost = proxy.loseAnswerTo('COMMIT');
    // the tables are there, so that the commit of the move is the first one
    await inDatabase(() => Promise.resolve());
    await expect(moving('move', { to: through })).rejects.toMatchObject({
      code: 'store/unavailable',
      message: expect.stringContaining('not known') as string,
    });
    await lost;
    expect(marked()).toBe(false);
    expect(await moving('move', { to: through })).toMatchObject({ ok: true, value: { state: 'before' } });
    expect(marked()).toBe(true);
    await proxy.close();
  });

  test('is not undone by a restore', async () => {
    const copy = join(folder, 'copy');
    await inFile((store) => store.backup(copy));
    valueOf(await moving('move'));
    const request = { backup: readFileSync(copy), path, nowMs: NOW };
    expect(restoreStore({ ...request, force: false })).toMatchObject({ ok: false, refusal: { code: 'store/moved' } });
    expect(restoreStore({ ...request, force: true }).ok).toBe(true);
  });
});

test('FU-105: a move of more rows than one message has brings each of them', async () => {
  const prefix = spaceOf('10.8.0.0/20');
  await inFile(async (store) => {
    const names = Array.from({ length: 2_100 }, (_, i) => `many-${i}`);
    await Promise.all(names.map(async (name) => valueOf(await store.take(taking(name, { space: prefix })))));
  });
  expect(await moving('move')).toMatchObject({ ok: true, value: { rows: { address: 2_100, holder: 2_100 } } });
  expect(await inDatabase((store) => store.tally())).toMatchObject([{ held: 2_100 }]);
  expect(await auditPostgres(server, dsn)).toEqual([]);
});
