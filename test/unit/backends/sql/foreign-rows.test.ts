import { addressOf } from '../../../../operator/addressing/address';
import { openPostgresStore } from '../../../../operator/backends/sql/postgres/postgres-claim-store';
import { openDatabase } from '../../../../operator/backends/sql/sqlite/open-database';
import { openSqliteStore } from '../../../../operator/backends/sql/sqlite/sqlite-claim-store';
import { SYSTEM_CLOCK } from '../../../../operator/backends/system/system-clock';
import type { OwnStore } from '../../../../operator/ports/store';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addressText, at, refusalOf, spaceOf, taken, taking } from '../../../support/claim-requests';
import { sharedWorkerFile } from '../../../support/open-stores';
import { sharedPostgres } from '../../../support/postgres-server';

const COLUMNS = 'network, address, length, family, zone, state, foreign_cluster, foreign_source, version, taken_at';
const SPACE = spaceOf('10.0.0.0/29');

/** A store in which a cluster uses 10.0.0.0 and 10.0.0.4/31, as if a leader had written it. */
type Open = () => Promise<{ readonly store: OwnStore; readonly end: () => Promise<void> }>;

const sqlite: Open = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'foreign-rows-'));
  const path = join(folder, 'ipam.sqlite');
  const db = openDatabase(path);
  db.exec(`INSERT INTO address (${COLUMNS}) VALUES ('default', 167772160, NULL, 4, '', 'foreign', 'c1', 'Node/worker-1', 1, 5),
    ('default', 167772164, 31, 4, '', 'foreign', 'c1', 'Service/x/y', 2, 5)`);
  db.close();
  const store = await openSqliteStore({ path, clock: SYSTEM_CLOCK, workerFile: sharedWorkerFile() });
  const end = async (): Promise<void> => {
    await store.close();
    rmSync(folder, { recursive: true });
  };
  return { store, end };
};

const postgres: Open = async () => {
  const server = await sharedPostgres();
  const dsn = await server.newDatabase();
  const store = await openPostgresStore({ dsn, clock: SYSTEM_CLOCK });
  await server.sql(
    `SELECT ipam.add_networks('["default"]'); SELECT ipam.carve_named('default', '10.0.0.0', true);
     SELECT ipam.carve_block('default', '10.0.0.4', '10.0.0.5', true);
     INSERT INTO ipam.address (${COLUMNS}) VALUES ('default', '10.0.0.0', NULL, 4, '', 'foreign', 'c1', 'Node/worker-1', 1, 5),
       ('default', '10.0.0.4', 31, 4, '', 'foreign', 'c1', 'Service/x/y', 2, 5)`,
    dsn,
  );
  return { store, end: () => store.close() };
};

beforeAll(sharedPostgres);

describe.each(Object.entries({ sqlite, postgres }))('rows in use without a claim, in %s', (_name, open) => {
  let store: OwnStore;
  let end: () => Promise<void>;
  beforeEach(async () => {
    ({ store, end } = await open());
  });
  afterEach(() => end());

  test('are read with what shows them, and have no holder', async () => {
    expect(await store.get(at('10.0.0.4/31'))).toEqual({
      network: 'default',
      address: addressOf('10.0.0.4'),
      length: 31,
      family: 4,
      pool: '',
      state: 'foreign',
      holders: [],
      foreign: { cluster: 'c1', source: 'Service/x/y' },
      version: 2,
      takenAtMs: 5,
    });
    // pages list claims
    expect(await store.page({}, { limit: 9 })).toEqual([]);
  });

  test('are never chosen', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const given = [];
    for (const name of names) given.push(addressText(await taken(store, name, { space: SPACE })));
    expect(given).toEqual(['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.6', '10.0.0.7']);
    expect(refusalOf(await store.take(taking('f', { space: SPACE }))).code).toBe('pool/exhausted');
  });

  test.each([
    ['10.0.0.0', 'address "10.0.0.0" is in use by Node/worker-1 of cluster c1'],
    ['10.0.0.5', 'address "10.0.0.5" overlaps prefix "10.0.0.4/31", which is in use by Service/x/y of cluster c1'],
    ['10.0.0.0/30', 'prefix "10.0.0.0/30" overlaps address "10.0.0.0", which is in use by Node/worker-1 of cluster c1'],
    ['10.0.0.4/30', 'prefix "10.0.0.4/30" overlaps prefix "10.0.0.4/31", which is in use by Service/x/y of cluster c1'],
  ])('refuse the wish %s by name', async (address, words) => {
    for (const outcome of [await store.take(taking('a', { address })), await store.peek(taking('a', { address }))]) {
      expect(refusalOf(outcome)).toMatchObject({
        code: 'address/held',
        message: expect.stringContaining(words) as string,
      });
    }
  });

  test('count as occupied, and for no pool', async () => {
    await taken(store, 'a', { space: SPACE });
    const [usage] = await store.usage([{ network: 'default', pool: 'z', family: 4, space: SPACE }]);
    expect(usage).toMatchObject({ bound: 1, outside: 0, occupied: 3 });
    expect(await store.tally()).toMatchObject([{ pool: 'z', held: 1, quarantined: 0 }]);
  });
});
