import { openPostgresStore } from '../../../../../operator/backends/sql/postgres/postgres-claim-store';
import { sessionFault, sessionSettings } from '../../../../../operator/backends/sql/postgres/postgres-session';
import { SYSTEM_CLOCK } from '../../../../../operator/backends/system/system-clock';
import { addressText, taken } from '../../../../support/claim-requests';
import { PoolerProxy } from '../../../../support/pooler-proxy';
import { removeSharedPostgres, sharedPostgres, type PostgresServer } from '../../../../support/postgres-server';

let server: PostgresServer;

beforeAll(async () => {
  server = await sharedPostgres();
});
afterAll(removeSharedPostgres);

describe('FU-24 a connection pooler before PostgreSQL', () => {
  const open = (dsn: string, proxy: PoolerProxy) => {
    const through = dsn.replace(`:${String(server.port)}/`, `:${String(proxy.port)}/`);
    return openPostgresStore({ dsn: through, clock: SYSTEM_CLOCK, patienceMs: 2_000 });
  };

  test('that drops the settings of the session is refused, with each of them', async () => {
    const proxy = await PoolerProxy.start(server.port, 'ignores options');
    const opened = open(await server.newDatabase(), proxy);

    await expect(opened).rejects.toMatchObject({
      code: 'store/unavailable',
      message: expect.stringMatching(
        /statement_timeout is 0 and not \d+.*lock_timeout is 0.*PgBouncer.*ALTER ROLE/u,
      ) as unknown,
    });
    proxy.close();
  });

  test('that refuses the parameter is named', async () => {
    const proxy = await PoolerProxy.start(server.port, 'refuses options');
    const opened = open(await server.newDatabase(), proxy);

    await expect(opened).rejects.toMatchObject({
      code: 'store/unavailable',
      message: expect.stringMatching(
        /PgBouncer stands before it and refuses the startup parameter "options"/u,
      ) as unknown,
    });
    proxy.close();
  });

  test('that drops them serves where the user of the database has the same settings', async () => {
    const proxy = await PoolerProxy.start(server.port, 'ignores options');
    const dsn = await server.newDatabase();
    const database = new URL(dsn).pathname.slice(1);
    const settings = sessionSettings({ statementTimeoutMs: 2_500, lockTimeoutMs: 1_000 });
    for (const [name, value] of Object.entries(settings))
      await server.sql(`ALTER DATABASE ${database} SET ${name} = '${value}'`);
    const store = await open(dsn, proxy);

    expect(addressText(await taken(store, 'a'))).toBe('10.0.0.0');
    await store.close();
    proxy.close();
  });
});

describe('FU-24 settings of a session', () => {
  const asked = sessionSettings({ statementTimeoutMs: 2_500, lockTimeoutMs: 1_000 });
  const found = (change: Readonly<Record<string, string>> = {}) => Object.entries({ ...asked, ...change });

  test.each<[string, Readonly<Record<string, string>>, string]>([
    ['as asked for', {}, ''],
    ['with a commit that waits for standbys to apply it', { synchronous_commit: 'remote_apply' }, ''],
    ['without the one that makes statements fast', { jit: 'on' }, ''],
    ['with commits that are not on the disk', { synchronous_commit: 'off' }, 'synchronous_commit is off and not on'],
    ['that read old rows', { default_transaction_isolation: 'serializable' }, 'default_transaction_isolation'],
    ['that take no changes', { default_transaction_read_only: 'on' }, 'default_transaction_read_only is on'],
  ])('%s', (_title, change, problem) => {
    const { words = '' } = sessionFault(asked, found(change)) ?? {};
    expect([words === '', words.includes(problem)]).toEqual([problem === '', true]);
  });

  test('that cannot be read back are refused', () => {
    expect(sessionFault(asked, [])?.words).toContain('synchronous_commit is missing');
  });
});
