import { execFileSync } from 'node:child_process';
import { openPostgresStore } from '../../../../../operator/backends/sql/postgres/postgres-claim-store';
import { PostgresConnections } from '../../../../../operator/backends/sql/postgres/postgres-connections';
import { getQuery, listQuery } from '../../../../../operator/backends/sql/postgres/postgres-queries';
import { migratePostgres } from '../../../../../operator/backends/sql/postgres/postgres-schema';
import { SYSTEM_CLOCK } from '../../../../../operator/backends/system/system-clock';
import { valueOf } from '../../../../../operator/errors/ipam-error';
import type { ClaimQuery } from '../../../../../operator/ports/claims';
import type { OwnStore } from '../../../../../operator/ports/store';
import {
  addressText,
  at,
  binding,
  holderOf,
  refusalOf,
  releasing,
  taken,
  taking,
} from '../../../../support/claim-requests';
import { auditPostgres } from '../../../../support/postgres-audit';
import { removeSharedPostgres, sharedPostgres, type PostgresServer } from '../../../../support/postgres-server';

let server: PostgresServer;
let dsn: string;

const opened: OwnStore[] = [];

async function open(over = dsn): Promise<OwnStore> {
  const store = await openPostgresStore({ dsn: over, clock: SYSTEM_CLOCK, patienceMs: 300 });
  opened.push(store);
  return store;
}

beforeAll(async () => {
  server = await sharedPostgres();
});
afterAll(removeSharedPostgres);
beforeEach(async () => {
  dsn = await server.newDatabase();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((store) => store.close()));
});

describe('migrations', () => {
  test('run once where several processes start at the same time', async () => {
    const stores = await Promise.all(Array.from({ length: 5 }, () => openPostgresStore({ dsn, clock: SYSTEM_CLOCK })));
    expect(addressText(await taken(stores[4]!, 'a'))).toBe('10.0.0.0');
    await Promise.all(stores.map((store) => store.close()));
    expect(await server.sql("SELECT value FROM ipam.setting WHERE name = 'schemaVersion'", dsn)).toEqual([
      { value: '13' },
    ]);
  });

  test('go on where an earlier version stopped, or leave it as it was', async () => {
    const connections = new PostgresConnections({ dsn }, 1);
    const steps = ['CREATE TABLE ipam.one (n integer)', 'CREATE TABLE ipam.two (n integer)'];
    const migrate = (...all: readonly string[]) =>
      migratePostgres(connections, { pause: 'LOCK TABLE ipam.one', steps: all, functions: [] });
    await migrate(...steps.slice(0, 1));
    await expect(migrate(...steps, 'SELECT 1 / 0')).rejects.toThrow('SQLSTATE 22012');
    const tables = "SELECT to_regclass('ipam.two') IS NULL AS none";
    expect(await server.sql(tables, dsn)).toEqual([{ none: true }]);
    await migrate(...steps);
    expect(await server.sql(tables, dsn)).toEqual([{ none: false }]);
    await connections.end();
  });

  test.each([
    [
      'of a newer version',
      "CREATE TABLE ipam.setting (name text, value text); INSERT INTO ipam.setting VALUES ('schemaVersion', '99')",
      'the database has schema version 99, but this operator knows versions up to 13; run the newer operator or restore a backup',
    ],
    [
      'of another program',
      'CREATE TABLE ipam.hosts (n integer)',
      'the database has a schema "ipam" that belongs to another program; name a database of its own',
    ],
  ])('leave tables %s alone', async (_whose, sql, message) => {
    await server.sql(`CREATE SCHEMA ipam; ${sql}`, dsn);
    await expect(open()).rejects.toMatchObject({ code: 'store/schema', message });
  });
});

describe('a store that cannot be opened', () => {
  const broken = async (over: string): Promise<string> => {
    const error = (await open(over).catch((thrown: unknown) => thrown)) as Error & { code: string };
    expect(error.code).toBe('store/unavailable');
    expect(`${String(error.stack)} ${JSON.stringify(error)} ${String(error.cause)}`).not.toMatch(/s3cret|p@ss|p%40ss/u);
    return error.message;
  };

  test('says that the password was refused', async () => {
    const at = `127.0.0.1:${server.port}/postgres`;
    const wrong = dsn.replace(/:[^:@]*@/u, ':s3cret@').replace(/test_\d+/u, 'postgres');
    expect(await broken(wrong)).toBe(
      `the PostgreSQL store "${at}" failed: refused the password; check the connection string`,
    );
  });

  test('says that there is no such database', async () => {
    expect(await broken(server.dsn('nowhere'))).toContain('has no such database');
  });

  test('says that nobody listens, and for how long it tried', async () => {
    expect(await broken(dsn.replace(`:${server.port}/`, ':1/'))).toContain('ECONNREFUSED');
  });

  test('says that the server speaks no TLS', async () => {
    expect(await broken(dsn.replace('sslmode=disable', 'sslmode=verify-full'))).toContain('SSL');
  });

  test('says what the user may not do', async () => {
    await server.sql("CREATE ROLE guest LOGIN PASSWORD 's3cret'");
    const guest = dsn.replace(/\/\/.*@/u, '//guest:s3cret@');
    expect(await broken(guest)).toContain('allows the user too little');
  });
});

describe('statements', () => {
  const queries: ClaimQuery[] = [
    { by: 'owner', owner: holderOf('a').owner },
    { by: 'uid', uid: 'u' },
    { by: 'key', key: 'k' },
    { by: 'pool', network: 'n', pool: 'z' },
    { by: 'cluster', cluster: 'c' },
    { by: 'expired', state: 'reserved', sinceMs: 1 },
  ];

  test('find records by an index, whatever is asked', async () => {
    await (await open()).close();
    const connections = new PostgresConnections({ dsn }, 1);
    const all = [getQuery(at('10.0.0.1', 'n')), ...queries.map((query) => listQuery(query))];
    const plans = await connections.use(async (run) => {
      // an empty table would be walked, being the cheapest way
      await run({ text: 'SET enable_seqscan = off' });
      const found: string[] = [];
      for (const { text, values = [] } of all) {
        found.push(JSON.stringify(await run({ text: `EXPLAIN ${text}`, values })));
      }
      return found;
    });
    expect(plans.filter((plan) => plan.includes('Seq Scan'))).toEqual([]);
    await connections.end();
  });
});

describe('a dump', () => {
  test('restores every record with its version, and no version comes back', async () => {
    const store = await open();
    await store.keyFingerprint('one');
    const first = await taken(store, 'a');
    const both = valueOf(await store.bind(binding(first, holderOf('b'))));
    const paused = await taken(store, 'c');
    await store.release(releasing(paused, { quarantineMs: 900_000 }));
    const list = (from: OwnStore) => from.list({ by: 'pool', network: 'default', pool: 'z' });
    const before = await list(store);
    await store.close();
    const dump = execFileSync('pg_dump', ['--dbname', dsn, '--schema', 'ipam']);
    const restored = await server.newDatabase();
    execFileSync('psql', ['--quiet', '--set=ON_ERROR_STOP=1', '--dbname', restored], { input: dump, stdio: 'pipe' });
    const after = await open(restored);
    expect(await list(after)).toEqual(before);
    expect(await after.keyFingerprint('two')).toBe('one');
    expect(refusalOf(await after.bind(binding(first, holderOf('d')))).code).toBe('store/conflict');
    const changed = valueOf(await after.release(releasing(both)));
    const next = await taken(after, 'e');
    expect([changed!.version > both.version, next.version > changed!.version]).toEqual([true, true]);
    expect(addressText(next)).toBe('10.0.0.2');
    expect(refusalOf(await after.take(taking('x', { address: '10.0.0.1' }))).code).toBe('address/quarantined');
    expect(await auditPostgres(server, restored)).toEqual([]);
  });
});
