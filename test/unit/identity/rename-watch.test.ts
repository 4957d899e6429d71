import { addressOf } from '../../../operator/addressing/address';
import { MemoryClaimStore } from '../../../operator/backends/memory/memory-claim-store';
import { newNames } from '../../../operator/identity/new-names';
import { RenameWatch } from '../../../operator/identity/rename-watch';
import { renameCluster } from '../../../operator/ledger/verbs/rename-cluster';
import { ask, claimant, granted, LedgerWorld } from '../../support/ledger-world';
import { ManualClock } from '../../support/manual-clock';
import { leaves, shows } from '../../support/occupied-suite';
import { RecordedLogger } from '../../support/recorded-telemetry';
import { settled } from '../../support/wrapped-book';

const RENAMED = { code: 'cluster/renamed' };

async function watched() {
  const clock = new ManualClock();
  const world = new LedgerWorld();
  const store = new MemoryClaimStore(clock);
  const logger = new RecordedLogger();
  const watch = new RenameWatch({ record: store, cluster: 'c1', clock, logger });
  await store.reportCluster({ cluster: 'c1', name: 'north' });
  const look = async (): Promise<void> => {
    clock.advance(5_000);
    await settled();
  };
  const rename = (from: string, to: string) => renameCluster(store, { from, to, dryRun: false });
  return { clock, store, logger, watch, look, rename, world, book: watch.guardBook(world.book) };
}

describe('FU-05 an operator whose cluster is renamed while it runs', () => {
  test('gives, binds and puts on record nothing under the old name, and says what to do', async () => {
    const { store, logger, watch, look, rename, world, book } = await watched();
    const uses = watch.guardUses(store.occupiedAddresses());
    const grant = granted(await book.reserve(ask('a/web')));
    await uses.write(shows('192.0.2.9'));
    await look();
    expect(watch.problem()).toBeUndefined();
    granted(await rename('c1', 'c9'));
    await look();

    expect(watch.problem()).toContain('the record calls cluster "c1" "c9" since it was renamed');
    expect(logger.lines).toMatchObject([{ level: 'error' }]);
    const owner = { ...claimant('a/web'), serviceUid: 'u1' };
    const address = addressOf('192.0.2.7');
    await expect(book.reserve(ask('a/db'))).rejects.toMatchObject(RENAMED);
    await expect(book.preview(ask('a/db'))).rejects.toMatchObject(RENAMED);
    await expect(book.bind({ claimant: owner, grant })).rejects.toMatchObject(RENAMED);
    await expect(book.contests?.contest({ claimant: owner, zone: 'z', address })).rejects.toMatchObject(RENAMED);
    const move = { serviceUid: 'u1', clusterUid: 'c1', network: 'default', from: address, to: address };
    await expect(book.exchange([move])).rejects.toMatchObject(RENAMED);
    await expect(uses.write(leaves('192.0.2.9'))).rejects.toMatchObject(RENAMED);
    await expect(uses.complete({ cluster: 'c1', networks: ['default'] })).rejects.toMatchObject(RENAMED);
    // what other clusters ask for passes
    granted(await book.reserve(ask(claimant('a/db', { cluster: 'c2' }))));
    await uses.write(shows('192.0.2.8', { cluster: 'c2' }));
    expect(await uses.list({ by: 'cluster', cluster: 'c9' })).toHaveLength(1);
    expect(await uses.met('c2')).toEqual([]);
    expect(await uses.completeSince('c2')).toEqual(new Map());
    expect(await uses.forget('c2')).toBe(1);
    expect(granted((await book.contests?.endContests({ serviceUid: 'u1', clusterUid: 'c1', keep: [] }))!)).toEqual([]);
    expect(await world.book.holdings(claimant('a/db'))).toEqual([]);
  });

  test('goes on once the rename is turned back, and where the other name is forgotten', async () => {
    const { store, watch, look, rename, book } = await watched();
    granted(await rename('c1', 'c9'));
    await look();
    expect(watch.problem()).toBeDefined();
    granted(await rename('c9', 'c1'));
    await look();
    expect(watch.problem()).toBeUndefined();
    granted(await book.reserve(ask('a/web')));
    await store.note({ name: 'renamed:c1', text: 'nobody' });
    await look();
    expect(watch.problem()).toBeUndefined();
  });

  test('finds the present name behind several renames, and hands takes of two families on until then', async () => {
    const { watch, look, rename, book } = await watched();
    const both = (name: string) => [ask(name), ask(name, { family: 6 })] as const;
    expect(await book.reserveBoth?.(both('a/web'))).toHaveLength(2);
    granted(await rename('c1', 'c9'));
    granted(await rename('c9', 'c8'));
    await look();
    expect(watch.problem()).toContain('the record calls cluster "c1" "c8"');
    await expect(book.reserveBoth?.(both('a/db'))).rejects.toMatchObject(RENAMED);
  });

  test('keeps what it knows while the store is away, and looks no more once it is closed', async () => {
    const { store, watch, look, rename, clock } = await watched();
    granted(await rename('c1', 'c9'));
    await look();
    await store.close();
    await look();
    expect(watch.problem()).toBeDefined();
    watch.close();
    const before = clock.nowMs();
    await look();
    expect(clock.nowMs()).toBe(before + 5_000);
  });
});

test('FU-05 new names are looked up once in a while, and again after a fault', async () => {
  const clock = new ManualClock();
  let reads = 0;
  let isAway = true;
  const find = newNames(
    {
      note: () => {
        reads += 1;
        return isAway ? Promise.reject(new TypeError('away')) : Promise.resolve('c9');
      },
      clusters: () => Promise.resolve([{ cluster: 'c9', name: '', claims: 1 }]),
    },
    clock,
  );
  await expect(find('c1')).rejects.toThrow('away');
  isAway = false;
  expect([await find('c1'), await find('c1')]).toEqual(['c9', 'c9']);
  expect(reads).toBe(2);
  clock.advance(5_000);
  await find('c1');
  for (let i = 0; i < 1_001; i += 1) await find(`x${i}`);
  expect(await find('c1')).toBe('c9');
  expect(reads).toBe(1_005);
});
