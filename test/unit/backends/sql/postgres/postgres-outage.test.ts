import type { PostgresStoreOptions } from '../../../../../operator/backends/sql/postgres/postgres-calls';
import { openPostgresStore } from '../../../../../operator/backends/sql/postgres/postgres-claim-store';
import { SYSTEM_CLOCK } from '../../../../../operator/backends/system/system-clock';
import { valueOf } from '../../../../../operator/errors/ipam-error';
import { accountForAnswers } from '../../../../../operator/runtime/awaited-system';
import type { OwnStore } from '../../../../../operator/ports/store';
import {
  addressText,
  binding,
  firstHolder,
  holderOf,
  releasing,
  spaceOf,
  taken,
  takenOf,
  taking,
} from '../../../../support/claim-requests';
import { auditPostgres } from '../../../../support/postgres-audit';
import { PostgresServer } from '../../../../support/postgres-server';
import { TcpProxy } from '../../../../support/tcp-proxy';

const SPACE = spaceOf('10.0.0.0/16');
let server: PostgresServer;
let proxy: TcpProxy;
let dsn: string;
let store: OwnStore;
const opened: OwnStore[] = [];

async function open(options: Partial<PostgresStoreOptions> = {}): Promise<OwnStore> {
  const through = dsn.replace(`:${server.port}/`, `:${proxy.port}/`);
  const one = await openPostgresStore({ dsn: through, clock: SYSTEM_CLOCK, pollMs: 20, ...options });
  opened.push(one);
  return one;
}

const zone = (): Promise<string[]> =>
  store
    .list({ by: 'pool', network: 'default', pool: 'z' })
    .then((records) => records.map((record) => `${firstHolder(record).key!} ${addressText(record)}`));

beforeAll(async () => {
  server = await PostgresServer.start();
});
afterAll(() => server.remove());
beforeEach(async () => {
  dsn = await server.newDatabase();
  proxy = await TcpProxy.start(server.port);
  store = await open();
});
afterEach(async () => {
  proxy.allow();
  await Promise.all(opened.splice(0).map((each) => each.close()));
  await proxy.close();
});

describe('a lost answer', () => {
  test('of a take neither loses nor doubles it, with or without a key', async () => {
    const { key: _key, ...keyless } = holderOf('keyless');
    for (const holder of [holderOf('keyed'), keyless]) {
      const told: string[] = [];
      const stop = store.watch(({ kind }) => told.push(kind));
      const lost = proxy.loseAnswerTo('run_writes');
      const outcome = await takenOf(store, taking('', { holder, space: SPACE }));
      await lost;
      stop();
      expect([outcome.created, told]).toEqual([true, ['taken']]);
    }
    expect((await store.tally())[0]!.held).toBe(2);
  });

  test('of a bind and of a release is not taken for a conflict', async () => {
    const record = await taken(store, 'a');
    let lost = proxy.loseAnswerTo('run_writes');
    const bound = valueOf(await store.bind(binding(record, holderOf('b'))));
    await lost;
    expect(bound.holders).toHaveLength(2);
    lost = proxy.loseAnswerTo('run_writes');
    const left = valueOf(await store.release(releasing(bound)));
    await lost;
    expect(left?.holders).toEqual([bound.holders[1]]);
  });

  test('of a group gives each caller its own result', async () => {
    const lost = proxy.loseAnswerTo('run_writes');
    const records = await Promise.all(Array.from({ length: 20 }, (_, i) => taken(store, `s${i}`, { space: SPACE })));
    await lost;
    expect(records.map(addressText)).toEqual(Array.from({ length: 20 }, (_, i) => `10.0.0.${i}`));
    expect(await auditPostgres(server, dsn)).toEqual([]);
  });

  test('that nobody waits for any more is told to the watchers later', async () => {
    const impatient = await open({ patienceMs: 1 });
    const heard = new Promise((resolve) => impatient.watch(resolve));
    const lost = proxy.loseAnswerTo('run_writes');
    await expect(impatient.take(taking('a'))).rejects.toMatchObject({
      code: 'store/unavailable',
      message: expect.stringContaining('whether the change was stored is not known') as string,
    });
    await lost;
    expect(await heard).toMatchObject({ kind: 'taken' });
    const again = await takenOf(impatient, taking('a'));
    expect([again.created, addressText(again.record)]).toEqual([false, '10.0.0.0']);
  });
});

describe('a batch that is given up after the feed found its changes', () => {
  test('is told to the watchers', async () => {
    const impatient = await open({ patienceMs: 1_000 });
    const heard = new Promise((resolve) => impatient.watch(resolve));
    const lost = proxy.loseAnswerTo('run_writes').then(() => {
      proxy.refuse();
    });
    await expect(impatient.take(taking('a'))).rejects.toMatchObject({ code: 'store/unavailable' });
    await lost;
    expect(await heard).toMatchObject({ kind: 'taken' });
  });
});

describe('a connection that is cut at any moment', () => {
  test('S5 loses and doubles nothing', async () => {
    const answered: string[] = [];
    let running = true;
    const callers = Array.from({ length: 8 }, async (_, caller) => {
      for (let i = 0; running; i++) {
        const name = `${caller}-${i}`;
        answered.push(`key of ${name} ${addressText(await taken(store, name, { space: SPACE }))}`);
      }
    });
    for (let cut = 1; cut <= 15; cut++) {
      // whatever is under way when that many were answered
      const target = answered.length + 1 + ((cut * 7) % 23);
      while (answered.length < target) await new Promise((resolve) => setImmediate(resolve));
      proxy.cut({ again: true });
    }
    running = false;
    await Promise.all(callers);
    expect((await zone()).sort()).toEqual(answered.sort());
    expect(await auditPostgres(server, dsn)).toEqual([]);
  });
});

describe('a database that restarts', () => {
  test.each(['SIGINT', 'SIGQUIT'] as const)('by %s costs no call its answer', async (signal) => {
    await taken(store, 'before', { space: SPACE });
    await server.end(signal);
    const calls = Array.from({ length: 10 }, (_, i) => taken(store, `s${i}`, { space: SPACE }));
    const list = store.list({ by: 'pool', network: 'default', pool: 'z' });
    await server.run();
    const records = await Promise.all(calls);
    expect(new Set(records.map(addressText)).size).toBe(10);
    expect(await list).toHaveLength(11);
    expect(await auditPostgres(server, dsn)).toEqual([]);
  });

  test('refuses calls after the patience, with the server and without the password, and serves again later', async () => {
    const impatient = await open({ patienceMs: 200 });
    await taken(impatient, 'before');
    proxy.cut({ again: false });
    const errors = await Promise.all(
      [impatient.take(taking('late')), impatient.tally()].map((call) => call.catch((error: unknown) => error)),
    );
    const server_ = `127.0.0.1:${proxy.port}/`;
    for (const error of errors) {
      expect(error).toMatchObject({ code: 'store/unavailable', message: expect.stringContaining(server_) as string });
      expect(JSON.stringify(error) + String(error)).not.toMatch(/p@ss|p%40ss/u);
    }
    proxy.allow();
    expect(addressText(await taken(impatient, 'after'))).toBe('10.0.0.1');
  });
});

describe('a lock that somebody keeps', () => {
  const SLEEPS = "FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'";
  /** Locks until the returned function is called. */
  async function lock(statement: string): Promise<() => Promise<void>> {
    const locked = server.sql(`BEGIN; ${statement}; SELECT pg_sleep(3600)`, dsn).catch(() => undefined);
    while ((await server.sql(`SELECT ${SLEEPS}`, dsn)).length === 0);
    return async () => {
      await server.sql(`SELECT pg_cancel_backend(pid) ${SLEEPS}`, dsn);
      await locked;
    };
  }
  const WAITERS =
    "SELECT query_start::text AS since FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  /** Waits until so many statements were seen waiting for a lock, one after the other or together. */
  async function waiters(count: number): Promise<void> {
    const seen = new Set<unknown>();
    while (seen.size < count)
      for (const { since } of (await server.sql(WAITERS, dsn)) as { since: string }[]) seen.add(since);
  }

  test('is waited for no longer than its limit, then tried again', async () => {
    const quick = await open({ lockTimeoutMs: 50, patienceMs: 100_000 });
    const record = await taken(quick, 'a');
    const unlock = await lock('SELECT FROM ipam.address FOR UPDATE');
    const binds = quick.bind(binding(record, holderOf('b')));
    await waiters(2);
    await unlock();
    expect(valueOf(await binds).holders).toHaveLength(2);
  });

  test('FU-36 is what a write and a read are said to wait for', async () => {
    const unlock = await lock('LOCK TABLE ipam.address');
    const asking = Promise.all(
      [() => taken(store, 'a'), () => store.tally()].map((call) =>
        accountForAnswers(async (awaited) => {
          const asked = call();
          await new Promise(setImmediate);
          const system = awaited();
          await asked;
          return [system, awaited()];
        }),
      ),
    );
    await waiters(2);
    await unlock();
    expect(await asking).toEqual([
      ['postgres', undefined],
      ['postgres', undefined],
    ]);
  });

  test('of a whole table ends the call, not the store', async () => {
    const quick = await open({ lockTimeoutMs: 50, patienceMs: 100 });
    const unlock = await lock('LOCK TABLE ipam.address');
    await expect(quick.take(taking('a'))).rejects.toMatchObject({
      code: 'store/unavailable',
      message: expect.stringContaining('lock timeout') as string,
    });
    await unlock();
    expect(addressText(await taken(quick, 'a'))).toBe('10.0.0.0');
  });
});

describe('a request that the database cannot take', () => {
  test('costs its neighbours nothing', async () => {
    const bad = store.take(taking('bad', { holder: holderOf('bad', { key: 'nul \0' }), space: SPACE }));
    const good = Array.from({ length: 4 }, (_, i) => taken(store, `s${i}`, { space: SPACE }));
    await expect(bad).rejects.toMatchObject({
      code: 'internal',
      retryAfterSeconds: undefined,
      message: expect.stringMatching(/refuses a statement of this program \(SQLSTATE 22\w{3}\)$/u) as string,
    });
    expect((await Promise.all(good)).map(addressText)).toEqual(['10.0.0.0', '10.0.0.1', '10.0.0.2', '10.0.0.3']);
  });
});

describe('a question that the database cannot answer', () => {
  test('is asked once, and is no outage', async () => {
    await server.sql('ALTER TABLE ipam.address RENAME TO elsewhere', dsn);
    const patient = await open({ patienceMs: 60_000 });
    await expect(patient.list({ by: 'pool', network: 'default', pool: 'z' })).rejects.toMatchObject({
      code: 'internal',
      message: expect.stringContaining('(SQLSTATE 42P01): relation "ipam.address" does not exist') as string,
    });
  });
});

describe('a fail-over to a synchronous standby', () => {
  test('costs no call its answer and loses nothing that was answered', async () => {
    const primary = await PostgresServer.start();
    const standby = await PostgresServer.standbyOf(primary);
    dsn = await primary.newDatabase();
    const before = await TcpProxy.start(primary.port);
    const through = dsn.replace(`:${primary.port}/`, `:${before.port}/`);
    const replica = await openPostgresStore({ dsn: through, clock: SYSTEM_CLOCK, pollMs: 20 });
    const answered: string[] = [];
    let running = true;
    const callers = Array.from({ length: 8 }, async (_, caller) => {
      for (let i = 0; running; i++) {
        const name = `${caller}-${i}`;
        answered.push(`key of ${name} ${addressText(await taken(replica, name, { space: SPACE }))}`);
      }
    });
    const many = async (count: number): Promise<void> => {
      const over = performance.now() + 10_000;
      while (answered.length < count && performance.now() < over)
        await new Promise((resolve) => setTimeout(resolve, 5));
    };
    await many(50);
    await primary.shownBy(standby);
    await primary.end('SIGQUIT');
    before.moveTo(standby.port);
    await expect(replica.ping()).rejects.toMatchObject({ code: 'store/unavailable' });
    await standby.promote();
    await many(answered.length + 50);
    running = false;
    await Promise.all(callers);
    const stored = await replica.list({ by: 'pool', network: 'default', pool: 'z' });
    await expect(replica.ping()).resolves.toBeUndefined();
    await replica.close();
    await before.close();
    const faults = await auditPostgres(standby, dsn.replace(`:${primary.port}/`, `:${standby.port}/`));
    await Promise.all([primary.remove(), standby.remove()]);

    expect(stored.map((record) => `${firstHolder(record).key!} ${addressText(record)}`).sort()).toEqual(
      answered.sort(),
    );
    expect(faults).toEqual([]);
  }, 300_000);
});

describe('ping', () => {
  test('says at once that the database is away, and at once that it is back', async () => {
    proxy.cut({ again: false });
    await expect(store.ping()).rejects.toMatchObject({ code: 'store/unavailable' });
    proxy.allow();
    await expect(store.ping()).resolves.toBeUndefined();
  });
});
