import { addressOf } from '../../operator/addressing/address';
import type { NewOutsideRow, OutsideRow, OutsideRows, OutsideRowsHost } from '../../operator/ports/outside-rows';
import { openMemory, openPostgres, openSqlite } from '../support/open-stores';
import type { OpenStore, StoreUnderTest } from '../support/store-under-test';

const V4: NewOutsideRow = {
  network: 'default',
  address: addressOf('10.0.0.5'),
  zone: 'inet',
  mark: 'ipam-1',
  nextAtMs: 100,
};
const V6: NewOutsideRow = { ...V4, address: addressOf('2001:db8::5'), mark: 'ipam-2', nextAtMs: 50 };
const gone = (row: OutsideRow): string => `${row.address.toString()} ${row.state}`;

describe.each<readonly [string, OpenStore]>([
  ['memory', openMemory],
  ['sqlite', openSqlite],
  ['postgres', openPostgres],
])('OutsideRows in %s', (_name, open) => {
  let under: StoreUnderTest;
  const rowsOf = (store: unknown): OutsideRows => (store as OutsideRowsHost).outsideRows();
  let rows: OutsideRows;

  beforeEach(async () => {
    under = await open();
    rows = rowsOf(under.store);
  });
  afterEach(() => under.dispose());

  test('begins a row once and returns the one that is there', async () => {
    const first = await rows.begin(V4);
    const fresh = { attempts: 0, fault: '', differsSinceMs: 0, foreign: false, revision: 1 };
    expect(first).toEqual({ ...V4, state: 'pending', ...fresh });
    expect(await rows.begin({ ...V4, mark: 'another', zone: 'other', nextAtMs: 7 })).toEqual(first);
    expect(await rows.get('default', addressOf('10.0.0.5'))).toEqual(first);
    expect(await rows.get('other', addressOf('10.0.0.5'))).toBeUndefined();
  });

  test('changes a row only as it was read', async () => {
    const first = await rows.begin(V4);
    const second = await rows.change(first, { state: 'confirmed', externalId: 77, nextAtMs: undefined });
    const { nextAtMs: _, ...kept } = first;
    expect(second).toEqual({ ...kept, state: 'confirmed', externalId: 77, revision: 2 });
    expect(await rows.change(first, { state: 'leaving', nextAtMs: 5 })).toBeUndefined();
    expect(await rows.end(first)).toBe(false);
    expect(await rows.get('default', V4.address)).toEqual(second);
  });

  test('keeps what a change leaves out, but for the time of the next look', async () => {
    const first = await rows.begin(V4);
    const trouble = { attempts: 3, fault: 'NetBox answered 502', differsSinceMs: 1_790_000_000_000, foreign: true };
    const failed = await rows.change(first, { ...trouble, nextAtMs: 900 });
    expect(failed).toEqual({ ...first, ...trouble, nextAtMs: 900, revision: 2 });
    expect(await rows.change(failed ?? first, {})).toMatchObject({ ...trouble, revision: 3 });
    const again = await rows.get('default', V4.address);
    expect(await rows.change(again ?? first, { foreign: false, differsSinceMs: 0 })).toMatchObject({
      attempts: 3,
      foreign: false,
      differsSinceMs: 0,
    });
    expect((await rows.get('default', V4.address))?.nextAtMs).toBeUndefined();
  });

  test('does not take the next life of a row for the one that was read', async () => {
    const first = await rows.begin(V4);
    expect(await rows.end(first)).toBe(true);
    const next = await rows.begin({ ...V4, mark: 'ipam-3' });
    expect(next.revision).toBe(first.revision);
    expect(await rows.end(first)).toBe(false);
    expect(await rows.change(first, { nextAtMs: 1 })).toBeUndefined();
    expect(await rows.get('default', V4.address)).toEqual(next);
  });

  test('lets one of two changes at once win', async () => {
    const first = await rows.begin(V4);
    const both = await Promise.all([
      rows.change(first, { state: 'leaving', nextAtMs: 1 }),
      rows.change(first, { state: 'confirmed', nextAtMs: 1 }),
    ]);
    expect(both.filter((row) => row !== undefined)).toHaveLength(1);
  });

  test('lists what is due, the longest waiting first, and no more than asked for', async () => {
    await rows.begin(V4);
    await rows.begin(V6);
    const idle = await rows.begin({ ...V4, address: addressOf('10.0.0.6'), mark: 'ipam-4' });
    await rows.change(idle, { state: 'confirmed', nextAtMs: undefined });
    expect((await rows.due(49, 9)).map(gone)).toEqual([]);
    expect((await rows.due(100, 9)).map(gone)).toEqual(['2001:db8::5 pending', '10.0.0.5 pending']);
    expect((await rows.due(100, 1)).map(gone)).toEqual(['2001:db8::5 pending']);
  });

  test('lists the rows of a zone by address, and the zones', async () => {
    await rows.begin(V6);
    await rows.begin({ ...V4, address: addressOf('10.0.0.200'), mark: 'ipam-5' });
    await rows.begin(V4);
    await rows.begin({ ...V4, address: addressOf('10.9.0.1'), zone: 'dmz', mark: 'ipam-6' });
    expect((await rows.ofZone('inet')).map(gone)).toEqual([
      '10.0.0.5 pending',
      '10.0.0.200 pending',
      '2001:db8::5 pending',
    ]);
    expect(await rows.zones()).toEqual(['dmz', 'inet']);
  });

  test('keeps texts by name', async () => {
    expect(await rows.note('zones')).toBe('');
    await rows.keep('zones', '{"a":1}');
    await rows.keep('zones', '{"a":2}');
    expect(await rows.note('zones')).toBe('{"a":2}');
    expect(await Promise.all([rows.agree('id', 'a'), rows.agree('id', 'b')])).toEqual([
      await rows.note('id'),
      await rows.note('id'),
    ]);
  });

  test('refuses after the store was closed', async () => {
    await under.store.close();
    await expect(rows.begin(V4)).rejects.toMatchObject({ code: 'store/closed' });
  });

  test('finds everything again after a restart', async () => {
    const row = await rows.begin(V6);
    await rows.keep('zones', 'kept');
    const again = under.reopen === undefined ? rows : rowsOf(await under.reopen());
    expect([await again.get('default', V6.address), await again.note('zones')]).toEqual([row, 'kept']);
  });
});
