import { valueOf } from '../../../../../operator/errors/ipam-error';
import {
  addressText,
  binding,
  firstHolder,
  leaseOf,
  refusalOf,
  releasing,
  retainedOf,
  taken,
  taking,
} from '../../../../support/claim-requests';
import { openSqlite } from '../../../../support/open-stores';
import type { StoreUnderTest } from '../../../../support/store-under-test';

const YEAR_MS = 365 * 86_400_000;
const WISH = { address: '10.0.0.3' };

let opened: StoreUnderTest;

beforeEach(async () => {
  opened = await openSqlite();
});
afterEach(async () => {
  await opened.dispose();
});

/** Puts the clock a year ahead, lets a test write, and puts it back. */
async function whileAhead(write: () => Promise<void>): Promise<void> {
  await opened.clock.advance(YEAR_MS);
  await write();
  await opened.clock.advance(-YEAR_MS);
}

async function quarantined(quarantineMs: number): Promise<void> {
  await opened.store.release(releasing(await taken(opened.store, 'a', WISH), { quarantineMs }));
}

describe('FU-13 a SQLite store whose clock was ahead and went back', () => {
  test.each(['running', 'opened again'])('ends a quarantine after its length from then on, %s', async (how) => {
    await whileAhead(() => quarantined(60_000));
    const store = how === 'running' ? opened.store : await opened.reopen!();
    expect(refusalOf(await store.take(taking('b', WISH)))).toMatchObject({
      code: 'address/quarantined',
      retryAfterSeconds: 60,
    });
    await opened.clock.advance(60_000);
    expect(addressText(await taken(store, 'b', WISH))).toBe('10.0.0.3');
  });

  test('ends it after its length when the clock goes back a second time', async () => {
    await whileAhead(() => quarantined(60_000));
    await opened.store.list({ by: 'pool', network: 'default', pool: 'z' });
    await opened.clock.advance(-3_600_000);
    expect(refusalOf(await opened.store.take(taking('b', WISH)))).toMatchObject({ retryAfterSeconds: 60 });
  });

  test('keeps a quarantine that began before the clock was ahead', async () => {
    await quarantined(60_000);
    await whileAhead(() => Promise.resolve());
    await opened.clock.advance(20_000);
    expect(refusalOf(await opened.store.take(taking('b', WISH)))).toMatchObject({ retryAfterSeconds: 40 });
  });

  test('ends leases and retentions after their length from then on', async () => {
    await whileAhead(async () => {
      await taken(opened.store, 'lease', { holder: leaseOf('lease', 300_000) });
      const { key: _key, ...held } = leaseOf('kept', 5);
      const kept = await taken(opened.store, 'kept', { holder: held });
      await opened.clock.advance(1_000);
      const retained = retainedOf('kept', 600_000);
      valueOf(await opened.store.bind(binding(kept, retained, { holderId: firstHolder(kept).id })));
      await opened.clock.advance(-1_000);
    });
    const over = async (state: 'reserved' | 'retained'): Promise<number> =>
      (await opened.store.list({ by: 'expired', state, sinceMs: 0 })).length;
    const counts = [await over('reserved'), await over('retained')];
    await opened.clock.advance(300_001);
    counts.push(await over('reserved'), await over('retained'));
    await opened.clock.advance(300_000);
    counts.push(await over('retained'));
    expect(counts).toEqual([0, 0, 1, 0, 1]);
  });

  test('gives an unchanged lease the end that it had', async () => {
    await whileAhead(async () => {
      const record = await taken(opened.store, 'a', { holder: leaseOf('a', 300_000) });
      await opened.clock.advance(100_000);
      const changed = { ...leaseOf('a', 0), expiry: { kind: 'unchanged' } as const, purpose: 'changed' };
      valueOf(await opened.store.bind(binding(record, changed, { holderId: firstHolder(record).id })));
      await opened.clock.advance(-100_000);
    });
    const [record] = await opened.store.list({ by: 'pool', network: 'default', pool: 'z' });
    expect(firstHolder(record!).expiresAtMs).toBe(opened.clock.nowMs() + 300_000);
  });
});
