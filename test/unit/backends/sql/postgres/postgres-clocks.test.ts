import { openPostgresStore } from '../../../../../operator/backends/sql/postgres/postgres-claim-store';
import { SYSTEM_CLOCK } from '../../../../../operator/backends/system/system-clock';
import { openLedger, type Ledger } from '../../../../../operator/ledger/open-ledger';
import type { FreedAddress } from '../../../../../operator/ports/address-book';
import type { Clock } from '../../../../../operator/ports/clock';
import {
  ask,
  askByApi,
  claimant,
  granted,
  liveServices,
  refusal,
  TestZones,
  testHasher,
} from '../../../../support/ledger-world';
import { ownRecord } from '../../../../support/own-record';
import { removeSharedPostgres, sharedPostgres } from '../../../../support/postgres-server';

const HOUR_MS = 3_600_000;
const PREFIX = ['192.0.2.0/24'];

interface Replica extends Ledger {
  readonly clock: Clock;
}

let replicas: Record<'right' | 'ahead' | 'behind', Replica>;
let closing: (() => Promise<void>)[];

function skewed(ms: number): Clock {
  return { ...SYSTEM_CLOCK, nowMs: () => SYSTEM_CLOCK.nowMs() + ms };
}

async function replica(dsn: string, skewMs: number, zones: TestZones): Promise<Replica> {
  const store = await openPostgresStore({ dsn, clock: skewed(skewMs), pollMs: 20 });
  closing.push(() => store.close());
  const { clock } = store;
  return { clock, ...openLedger({ record: ownRecord(store), zones, hasher: testHasher, clock, leaseSeconds: 300 }) };
}

beforeEach(async () => {
  const server = await sharedPostgres();
  const dsn = await server.newDatabase();
  closing = [];
  const zones = new TestZones([{ name: 'z', prefixes: PREFIX, quarantineSeconds: 300 }]);
  replicas = {
    right: await replica(dsn, 0, zones),
    ahead: await replica(dsn, HOUR_MS, zones),
    behind: await replica(dsn, -HOUR_MS, zones),
  };
});
afterEach(async () => {
  await Promise.all(closing.map((close) => close()));
});
afterAll(removeSharedPostgres);

const AT = '192.0.2.7';
const SKEWED = ['ahead', 'behind'] as const;

async function released(by: Replica): Promise<void> {
  granted(await by.book.reserve(askByApi(claimant('a/web'), { at: AT })));
  const service = claimant('a/web').service;
  const { secret, options, wish, zone, family } = askByApi(claimant('a/web'), { at: AT });
  granted(await by.book.releaseByService({ zone, family, address: wish!, service, secret: secret.value, options }));
}

describe('FU-13 replicas whose clocks are an hour off, on one PostgreSQL', () => {
  test.each(SKEWED)('tell the time of the database, one hour %s', (name) => {
    expect(Math.abs(replicas[name].clock.nowMs() - SYSTEM_CLOCK.nowMs())).toBeLessThan(60_000);
  });

  test.each(SKEWED)('refuse a quarantined address with the seconds that are left, one hour %s', async (name) => {
    await released(replicas.right);
    const refused = refusal(await replicas[name].book.reserve(ask('b/web', { at: AT })));
    expect(refused.code).toBe('address/quarantined');
    expect(refused.retryAfterSeconds).toBeGreaterThan(200);
    expect(refused.retryAfterSeconds).toBeLessThanOrEqual(300);
  });

  test.each(SKEWED)('tell when a freed address may be had, by the same clock, one hour %s', async (name) => {
    const { book, clock } = replicas[name];
    const heard: FreedAddress[] = [];
    book.onFreed((freed) => heard.push(freed));
    await released(replicas[name]);
    const waitMs = heard[0]!.freeAtMs - clock.nowMs();
    expect(waitMs).toBeGreaterThan(200_000);
    expect(waitMs).toBeLessThanOrEqual(301_000);
  });

  test.each(SKEWED)('sweep no lease that runs, one hour %s', async (name) => {
    granted(await replicas.right.book.reserve(ask('a/web', { at: AT })));
    const { book, clock } = replicas[name];
    const startedMs = clock.nowMs();
    const swept = await book.sweep({ clusterUid: 'c1', startedMs, live: liveServices() });
    expect(swept).toEqual({ released: 0, bound: 0 });
  });

  test.each(SKEWED)('let a take-over go on in its first hour, one hour %s', async (name) => {
    const takeOver = (label: string, at: string): ReturnType<typeof ask> =>
      ask(claimant(label, { serviceUid: `uid ${label}` }), { at, adopt: 'takeover', assertedBy: 'cluster' });
    granted(await replicas.right.book.reserve(takeOver('a/one', '192.0.2.8')));
    expect((await replicas[name].book.reserve(takeOver('a/two', '192.0.2.9'))).ok).toBe(true);
  });

  test.each(SKEWED)('import a retention by the clock of the database, one hour %s', async (name) => {
    const { registry, clock } = replicas[name];
    const { wish, zone, secret, options } = askByApi(claimant('a/web'), { at: AT });
    const services = [{ service: claimant('a/web').service, options, expiresAtMs: SYSTEM_CLOCK.nowMs() + HOUR_MS / 2 }];
    const claim = { zone, address: wish!, secret: secret.value, services };
    expect(await registry.importClaim(claim, true)).toMatchObject({ verdict: 'imported' });
    expect(clock.nowMs()).toBeLessThan(SYSTEM_CLOCK.nowMs() + HOUR_MS / 2);
  });
});
