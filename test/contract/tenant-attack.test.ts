import { openLedger } from '../../operator/ledger/open-ledger';
import { addressOf } from '../../operator/addressing/address';
import { ask, claimant, granted, LedgerWorld, testHasher } from '../support/ledger-world';
import { contract } from '../support/claims-suite';
import { openMemory, openPostgres, openSqlite } from '../support/open-stores';
import { sharedPostgres } from '../support/postgres-server';
import { ownRecord } from '../support/own-record';
import type { OpenStore } from '../support/store-under-test';

const STORES = { memory: openMemory, sqlite: openSqlite, postgres: openPostgres };
const MEGABYTE = 1_000_000;
const ROWS = 12;
const ROUNDS = 40;

beforeAll(sharedPostgres);

/** Tests of attacks by a tenant of one namespace, with Services that it may make and delete. */
function attackSuite(open: OpenStore): void {
  let world: LedgerWorld;
  let dispose: () => Promise<void>;
  let store: Awaited<ReturnType<OpenStore>>['store'];
  beforeEach(async () => {
    const opened = await open();
    ({ store, dispose } = opened);
    world = new LedgerWorld(undefined, undefined, opened);
  });
  afterEach(() => dispose());

  const stored = async (): Promise<string> =>
    JSON.stringify(await store.list({ by: 'pool', network: 'default', pool: 'z' }));

  test('FU-21 terms of a megabyte leave a few hundred bytes, reserved and bound', async () => {
    const sharing = {
      key: 'k'.repeat(120_000),
      ports: ['80/TCP'],
      trafficPolicy: 'Local' as const,
      selector: `app=${'s'.repeat(MEGABYTE)}`,
    };
    const grant = granted(await world.book.reserve(ask('a/web', { sharing })));
    expect((await stored()).length).toBeLessThan(2_000);
    const terms = { options: { retentionPeriodDays: 0, denyExternalCleanup: false }, sharing, writtenKeys: [] };
    const named = { ...claimant('a/web'), serviceUid: 'u1' };
    granted(
      await world.book.bind({
        claimant: named,
        grant,
        terms: { ...terms, sharing: { ...sharing, selector: 'b'.repeat(MEGABYTE) } },
      }),
    );
    expect((await stored()).length).toBeLessThan(2_000);
    // equal terms are equal still: a second Service with the same long key may share the address on another port
    const joined = await world.book.reserve(
      ask('a/api', { wish: grant.address, sharing: { ...sharing, ports: ['81/TCP'], selector: 'b'.repeat(MEGABYTE) } }),
    );
    expect(granted(joined).address.toString()).toBe(grant.address.toString());
  });

  test('FU-21 a name that no object can have takes nothing', async () => {
    const long = { ...claimant('a/web'), service: { ...claimant('a/web').service, serviceName: 'x'.repeat(MEGABYTE) } };
    const refused = await world.book.reserve({ ...ask('a/web'), claimant: long });
    expect(refused).toMatchObject({ ok: false, refusal: { code: 'claim/invalid', field: 'metadata.name' } });
    expect(await stored()).toBe('[]');
  });

  test('FU-21 made and deleted in a loop, a namespace keeps its newest rows, and other namespaces all of theirs', async () => {
    const { book } = openLedger({
      record: ownRecord(store),
      zones: world.zones,
      hasher: testHasher,
      clock: world.clock,
      historyRowsPerNamespace: ROWS,
    });
    const wish = addressOf('192.0.2.9');
    for (const label of ['b/quiet', ...Array.from({ length: ROUNDS }, () => 'a/loop')]) {
      const grant = granted(await book.reserve(ask(label, { wish })));
      await book.undo(grant);
      await world.advance(1);
    }
    await book.sweep({ clusterUid: 'c1', startedMs: world.clock.nowMs(), live: [] });
    const past = await store.history({ network: 'default', address: wish }, { limit: 999 });
    const names = past.map(({ owner }) => owner.name);
    expect(names.filter((name) => name === 'quiet')).toHaveLength(1);
    expect(names.filter((name) => name === 'loop')).toHaveLength(ROWS);
    expect(past[0]?.fromMs).toBeGreaterThan(past.at(-2)?.fromMs ?? Infinity);
  });
}

contract('the record under attack', STORES, attackSuite);
