import { openPostgresStore } from '../../../../../operator/backends/sql/postgres/postgres-claim-store';
import { SYSTEM_CLOCK } from '../../../../../operator/backends/system/system-clock';
import type { Clock } from '../../../../../operator/ports/clock';
import { taken, taking } from '../../../../support/claim-requests';
import { ManualClock } from '../../../../support/manual-clock';
import { removeSharedPostgres, sharedPostgres, type PostgresServer } from '../../../../support/postgres-server';

let server: PostgresServer;

beforeAll(async () => {
  server = await sharedPostgres();
});
afterAll(removeSharedPostgres);

async function opened<C extends Clock>(clock: C) {
  const dsn = await server.newDatabase();
  const store = await openPostgresStore({ dsn, clock, patienceMs: 100 });
  const sql = (text: string) => server.sql(text, dsn);
  const probes = async (): Promise<unknown> => {
    const [row] = await sql("SELECT xmin::text AS written FROM ipam.setting WHERE name = 'probe'");
    return row?.['written'];
  };
  return { store, clock, sql, probes };
}

describe('FU-25 a look at PostgreSQL', () => {
  test('fails while claims cannot be written, although reading works', async () => {
    const { store, sql } = await opened(SYSTEM_CLOCK);
    await store.ping();
    // as the server says it when its disk is full
    await sql(`CREATE FUNCTION ipam.disk() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
      RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$;
      CREATE TRIGGER disk BEFORE INSERT ON ipam.holder FOR EACH ROW EXECUTE FUNCTION ipam.disk()`);
    const claim = store.take(taking('a')).catch((thrown: unknown) => thrown);

    await expect(store.tally()).resolves.toEqual([]);
    await expect(store.ping()).rejects.toMatchObject({
      code: 'store/unavailable',
      message: expect.stringContaining('No space left on device') as unknown,
    });
    await sql('DROP TRIGGER disk ON ipam.holder');
    await claim;
    await expect(store.ping()).resolves.toBeUndefined();
    await store.close();
  });

  test('writes nothing while claims are stored, and one row every ten seconds else', async () => {
    const { store, clock, probes, sql } = await opened(new ManualClock());
    await store.ping();
    const first = await probes();
    clock.advance(9_999);
    await store.ping();
    expect(await probes()).toBe(first);
    clock.advance(1);
    await store.ping();
    const second = await probes();
    expect(second).not.toBe(first);
    clock.advance(9_999);
    await taken(store, 'a');
    clock.advance(9_999);
    await store.ping();
    expect(await probes()).toBe(second);
    expect(await sql('SELECT count(*)::int AS n FROM ipam.address')).toEqual([{ n: 1 }]);
    await store.close();
  });
});
