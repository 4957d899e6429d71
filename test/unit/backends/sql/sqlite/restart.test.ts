import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { addressOf } from '../../../../../operator/addressing/address';
import { openSqliteStore } from '../../../../../operator/backends/sql/sqlite/sqlite-claim-store';
import { valueOf } from '../../../../../operator/errors/ipam-error';
import { SYSTEM_CLOCK } from '../../../../../operator/backends/system/system-clock';
import {
  addressText,
  at,
  binding,
  firstHolder,
  holderOf,
  leaseOf,
  NOW,
  refusalOf,
  releasing,
  spaceOf,
  taken,
  takenOf,
  taking,
} from '../../../../support/claim-requests';
import type { StoreUnderTest } from '../../../../support/store-under-test';
import { openSqlite } from '../../../../support/open-stores';

let opened: StoreUnderTest;

beforeEach(async () => {
  opened = await openSqlite();
});
afterEach(async () => {
  await opened.dispose();
});

describe('sqlite store after a restart', () => {
  test('knows every record as it was', async () => {
    const sharing = { key: 'k', ports: ['53/UDP'], trafficPolicy: 'Cluster', selector: '' } as const;
    const first = await taken(opened.store, 'a', {
      family: 6,
      holder: leaseOf('a', 5, { sharing, writtenKeys: ['x'] }),
    });
    await opened.store.bind(binding(first, holderOf('b')));
    await taken(opened.store, 'c');
    const before = await opened.store.list({ by: 'pool', network: 'default', pool: 'z' });
    const store = await opened.reopen!();
    expect(await store.list({ by: 'pool', network: 'default', pool: 'z' })).toEqual(before);
    expect(before).toHaveLength(2);
  });

  test('gives no held address again and no version twice', async () => {
    const first = await taken(opened.store, 'a');
    await opened.store.release(releasing(await taken(opened.store, 'gone')));
    const store = await opened.reopen!();
    const second = await taken(store, 'b');
    expect([addressText(first), addressText(second)]).toEqual(['10.0.0.0', '10.0.0.1']);
    expect(second.version).toBeGreaterThan(first.version + 2);
    expect(firstHolder(second).id).not.toBe(firstHolder(first).id);
  });

  test('EGR-05 has shortened no quarantine', async () => {
    const record = await taken(opened.store, 'a', { address: '10.0.0.3' });
    const left = valueOf(await opened.store.release(releasing(record, { quarantineMs: 600_000 })))!;
    const store = await opened.reopen!();
    await opened.clock.advance(10_000);
    const stranger = taking('b', { address: '10.0.0.3' });
    expect(refusalOf(await store.take(stranger))).toMatchObject({
      code: 'address/quarantined',
      retryAfterSeconds: 590,
    });
    expect(await store.tally()).toMatchObject([{ held: 0, quarantined: 1 }]);
    await opened.clock.advance(589_999);
    const automatic = await taken(store, 'c', { space: spaceOf('10.0.0.3/32', '10.0.0.9/32') });
    expect(addressText(automatic)).toBe('10.0.0.9');
    const back = await taken(store, 'a', { address: '10.0.0.3', returningOver: left.version });
    expect(addressText(back)).toBe('10.0.0.3');
  });

  test('still counts quota, reservations and the key of the secrets', async () => {
    await opened.store.keyFingerprint('one');
    await taken(opened.store, 'a', { holder: leaseOf('a', 5) });
    const store = await opened.reopen!();
    const quota = await store.take(taking('b', { poolQuota: 1 }));
    const limit = await store.take(taking('b', { holder: leaseOf('b', 5), maxReservedInNamespace: 1 }));
    expect([refusalOf(quota).code, refusalOf(limit).code]).toEqual(['zone/quota', 'reservation/limit']);
    expect(await store.keyFingerprint('two')).toBe('one');
  });

  test('W-02 answers a repeated request with what it gave before', async () => {
    const first = await taken(opened.store, 'a');
    const store = await opened.reopen!();
    expect(await takenOf(store, taking('a'))).toEqual({ record: first, created: false });
  });
});

describe('sqlite store file', () => {
  test('keeps the history of every address and holder', async () => {
    const first = await taken(opened.store, 'a', { holder: leaseOf('a', 5) });
    const { id } = firstHolder(first);
    await opened.clock.advance(1);
    const bound = valueOf(await opened.store.bind(binding(first, holderOf('a'), { holderId: id })));
    await opened.clock.advance(1);
    await opened.store.release(releasing(bound, { quarantineMs: 8 }));
    await opened.clock.advance(18);
    await taken(opened.store, 'b');
    await opened.store.close();
    const db = new DatabaseSync(opened.path!, { readOnly: true });
    expect(
      db
        .prepare('SELECT state, ended_at FROM address ORDER BY id')
        .all()
        .map((row) => ({ ...row })),
    ).toEqual([
      { state: 'quarantined', ended_at: NOW + 10 },
      { state: 'held', ended_at: null },
    ]);
    const holders = db
      .prepare('SELECT id, service_name AS name, state, ended_at, former FROM holder ORDER BY row_id')
      .all();
    expect(holders.map((row) => Object.values(row))).toEqual([
      [Number(id), 'a', 'reserved', NOW + 1, 0],
      [Number(id), 'a', 'bound', NOW + 2, 0],
      [expect.any(Number), 'b', 'bound', null, 0],
    ]);
    db.close();
  });

  test('is readable by its owner alone and lies there whole after close', async () => {
    await taken(opened.store, 'a');
    await opened.store.close();
    expect(statSync(opened.path!).mode & 0o777).toBe(0o600);
    expect(statSync(`${opened.path!}-wal`, { throwIfNoEntry: false })).toBeUndefined();
  });

  test('is locked against a second store of the same process until the first one closes', async () => {
    await expect(openSqliteStore({ path: opened.path!, clock: SYSTEM_CLOCK })).rejects.toMatchObject({ code: 'store/locked' });
    // the failed try must not have taken the lock of the first one away
    await expect(openSqliteStore({ path: opened.path!, clock: SYSTEM_CLOCK })).rejects.toMatchObject({ code: 'store/locked' });
    expect(addressText(await taken(opened.store, 'a'))).toBe('10.0.0.0');
    await opened.store.close();
    const second = await openSqliteStore({ path: opened.path!, clock: SYSTEM_CLOCK });
    expect(await second.get(at('10.0.0.0'))).toBeDefined();
    await second.close();
  });
});
