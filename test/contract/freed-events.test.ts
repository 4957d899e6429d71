import pg from 'pg';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPostgresStore } from '../../operator/backends/sql/postgres/postgres-claim-store';
import { openSqliteStore } from '../../operator/backends/sql/sqlite/sqlite-claim-store';
import { SYSTEM_CLOCK } from '../../operator/backends/system/system-clock';
import type { OwnStore } from '../../operator/ports/store';
import type { FreedLogHost } from '../../operator/ports/freed-log';
import { EventStream, freedIn, lastIdOf } from '../support/event-stream';
import { askByApi, claimant, granted, LedgerWorld } from '../support/ledger-world';
import { sharedWorkerFile } from '../support/open-stores';
import { removeSharedPostgres, sharedPostgres, type PostgresServer } from '../support/postgres-server';
import { startV3, type V3Server } from '../support/remote-book';

/** One replica: a store, a ledger and a server of its own. */
interface Replica {
  readonly v3: V3Server;
  free(address: string): Promise<void>;
  stop(): Promise<void>;
}

/** Nobody moves the time of a replica. */
const REAL_TIME = { nowMs: () => SYSTEM_CLOCK.nowMs(), advance: () => Promise.resolve() };

async function startReplica(opening: Promise<OwnStore & FreedLogHost>): Promise<Replica> {
  const store = await opening;
  const world = new LedgerWorld(undefined, undefined, { store, clock: REAL_TIME });
  const { book, registry, zones } = world;
  const v3 = await startV3({ book, registry, zones, clock: SYSTEM_CLOCK, freedLog: store.freedLog() });
  return {
    v3,
    free: async (at) => {
      await book.undo(granted(await book.reserve(askByApi(claimant(`a/${at}`), { at }))));
    },
    stop: async () => {
      await v3.server.close();
      await store.close();
    },
  };
}

describe('freed addresses of several replicas on PostgreSQL', () => {
  let server: PostgresServer;
  let dsn: string;
  let one: Replica;
  let other: Replica;
  beforeAll(async () => {
    server = await sharedPostgres();
    dsn = await server.newDatabase();
    one = await startReplica(openPostgresStore({ dsn, clock: SYSTEM_CLOCK }));
    other = await startReplica(openPostgresStore({ dsn, clock: SYSTEM_CLOCK }));
  });
  afterAll(async () => {
    await Promise.all([one.stop(), other.stop()]);
    await removeSharedPostgres();
  });

  test('are told by each replica, whichever freed them, each once', async () => {
    const streams = await Promise.all([EventStream.open(one.v3), EventStream.open(other.v3)]);
    for (const stream of streams) await stream.until('event: ready');
    const addresses = Array.from({ length: 20 }, (_, i) => `192.0.2.${i}`);
    await Promise.all(addresses.map((address, i) => (i % 2 === 0 ? one : other).free(address)));
    await one.free('192.0.2.99');
    const texts = await Promise.all(streams.map((stream) => stream.until('192.0.2.99')));
    for (const stream of streams) stream.close();
    for (const text of texts) expect([...freedIn(text)].sort()).toEqual([...addresses, '192.0.2.99'].sort());
    expect(freedIn(texts[0] ?? '')).toEqual(freedIn(texts[1] ?? ''));
  });

  test('go on at another replica where one left off', async () => {
    const first = await EventStream.open(one.v3);
    await first.until('event: ready');
    await other.free('192.0.2.101');
    const seen = await first.until('192.0.2.101');
    first.close();
    await one.free('192.0.2.102');
    const second = await EventStream.open(other.v3, lastIdOf(seen));
    await one.free('192.0.2.103');
    const text = await second.until('192.0.2.103');
    second.close();
    expect(freedIn(text)).toEqual(['192.0.2.102', '192.0.2.103']);
  });

  test('wait for a transaction that began earlier and commits later, so that no id hides it', async () => {
    const slow = new pg.Client({ connectionString: dsn });
    await slow.connect();
    const stream = await EventStream.open(one.v3);
    await stream.until('event: ready');
    await slow.query('BEGIN');
    await slow.query(
      `INSERT INTO ipam.freed (network, zone, address, free_at) VALUES ('default', 'z', '192.0.2.111', 1)`,
    );
    await other.free('192.0.2.112');
    // whoever comes now is told to go on before both
    const late = await EventStream.open(other.v3, lastIdOf(await stream.until('event: ready')));
    await slow.query('COMMIT');
    await slow.end();
    const texts = await Promise.all([stream.until('192.0.2.112'), late.until('192.0.2.112')]);
    stream.close();
    late.close();
    for (const text of texts) expect(freedIn(text)).toEqual(['192.0.2.111', '192.0.2.112']);
  });

  test('are forgotten after an hour, which is told, and ids of elsewhere are unknown', async () => {
    const stream = await EventStream.open(one.v3);
    const before = lastIdOf(await stream.until('event: ready'));
    await one.free('192.0.2.121');
    await stream.until('192.0.2.121');
    stream.close();
    await server.sql(`UPDATE ipam.freed SET at = now() - interval '2 hours'`, dsn);
    await server.sql('SELECT ipam.prune_freed()', dsn);
    for (const id of [before, '999999999999-1', 'x', '99999999999999999999-1']) {
      const again = await EventStream.open(other.v3, id);
      expect(await again.until('\n\n')).toContain('event: reset');
      again.close();
    }
  });
});

describe('freed addresses of one process on SQLite', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'freed-events-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  test('go on after restarts, each told once, to a client that comes back by its last id', async () => {
    const start = () =>
      startReplica(
        openSqliteStore({ path: join(folder, 'ipam.sqlite'), clock: SYSTEM_CLOCK, workerFile: sharedWorkerFile() }),
      );
    const told: string[] = [];
    let lastId: string | undefined;
    for (const life of [0, 1, 2]) {
      const replica = await start();
      const addresses = [1, 2, 3].map((n) => `192.0.2.${life * 3 + n}`);
      // told to nobody before the client is there again
      await replica.free(addresses[0]!);
      const stream = await EventStream.open(replica.v3, lastId);
      await stream.until(life === 0 ? 'event: ready' : addresses[0]!);
      await replica.free(addresses[1]!);
      const text = await stream.until(addresses[1]!);
      stream.close();
      told.push(...freedIn(text));
      lastId = lastIdOf(text);
      await replica.free(addresses[2]!);
      await replica.stop();
    }
    expect(told).toEqual(['192.0.2.2', '192.0.2.3', '192.0.2.4', '192.0.2.5', '192.0.2.6', '192.0.2.7', '192.0.2.8']);
  });
});
