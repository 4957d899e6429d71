import { addressOf } from '../../../../operator/addressing/address';
import { ownRecord } from '../../../support/own-record';
import { openLedger } from '../../../../operator/ledger/open-ledger';
import { ask, claimant, granted, LedgerWorld, liveServices, testHasher } from '../../../support/ledger-world';

const DAY_MS = 86_400_000;

describe('sweep of the history', () => {
  test('deletes what ended before the history reaches back, and leaves what lives', async () => {
    const world = new LedgerWorld();
    const { store, zones, clock } = world;
    const { book, registry } = openLedger({
      record: ownRecord(store),
      zones,
      hasher: testHasher,
      clock,
      historyDays: 30,
    });
    const past = async () =>
      granted(await registry.history('default', addressOf('192.0.2.0'), { limit: 99 })).entries.length;
    const sweep = () => book.sweep({ clusterUid: 'c1', startedMs: clock.nowMs(), live: liveServices() });
    await world.owns(ask('a/web'), 'u1');
    await book.releaseByUid({ serviceUid: 'u1' });
    clock.advance(DAY_MS);
    await world.owns(ask('a/web'), 'u2');
    clock.advance(29 * DAY_MS);
    await sweep();
    expect(await past()).toBe(5);
    clock.advance(DAY_MS + 1);
    await sweep();
    expect(await past()).toBe(1);
    expect(await book.holdings(claimant('a/web'))).toHaveLength(1);
  });
});
