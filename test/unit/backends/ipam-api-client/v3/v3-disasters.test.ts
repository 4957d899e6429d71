import { RemoteAddressBook } from '../../../../../operator/backends/ipam-api-client/v3/v3-address-book';
import { SYSTEM_CLOCK } from '../../../../../operator/backends/system/system-clock';
import type { Clock } from '../../../../../operator/ports/clock';
import {
  ask,
  claimant,
  CUSTOM,
  granted,
  LedgerWorld,
  live,
  liveServices,
  refusal,
} from '../../../../support/ledger-world';
import { RecordedLogger } from '../../../../support/recorded-telemetry';
import { startV3, v3Client } from '../../../../support/remote-book';

const HOUR_MS = 3_600_000;
const closers: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** The operator of cluster `c1`, on a server with the record of a world; its clock runs apart from that of the server by `skewMs`. */
async function operatorOn(world: LedgerWorld, skewMs = 0): Promise<RemoteAddressBook> {
  const clock: Clock = {
    nowMs: () => SYSTEM_CLOCK.nowMs() + skewMs,
    after: (ms, run) => SYSTEM_CLOCK.after(ms, run),
  };
  const v3 = await startV3(world);
  const client = v3Client(v3, { clock, token: 'token-of-c1' });
  const book = new RemoteAddressBook({ client, clusterUid: 'c1', clock, logger: new RecordedLogger() });
  closers.push(
    () => v3.server.close(),
    () => {
      client.close();
    },
    () => {
      book.close();
    },
  );
  return book;
}

/** Request of the comparison of stored Services: the address that the Service shows. */
const shows = (label: string, at: string) => ask(label, { at, adopt: 'announced', as: 'bound' });

describe('a server whose record came from an old backup', () => {
  test('has every address that a Service shows on record again', async () => {
    const restored = new LedgerWorld();
    const book = await operatorOn(restored);
    for (const [label, at] of [
      ['a/web', '192.0.2.7'],
      ['a/db', '2001:db8::9'],
    ] as const) {
      expect(granted(await book.reserve(shows(label, at))).address.toString()).toBe(at);
    }
    expect((await restored.book.owners('c1')).map(({ address }) => address.toString())).toEqual([
      '192.0.2.7',
      '2001:db8::9',
    ]);
    expect(await restored.tally()).toEqual({ held: 2, quarantined: 0 });
  });

  test('that gave an announced address to another cluster meanwhile says so, and moves nothing', async () => {
    const restored = new LedgerWorld();
    const there = ask(claimant('b/other', { cluster: 'c2' }), { at: '192.0.2.7', secret: CUSTOM });
    await restored.owns(there, 'u9');
    const book = await operatorOn(restored);
    const refused = refusal(await book.reserve(shows('a/web', '192.0.2.7')));
    expect(refused.message).toContain('192.0.2.7');
    expect(await book.holdings(claimant('a/web'))).toEqual([]);
    expect((await restored.record('192.0.2.7'))?.holders.map(({ owner }) => owner.cluster)).toEqual(['c2']);
  });
});

test('a server with other zones refuses by the name of the zone, and keeps what a Service has there', async () => {
  const world = new LedgerWorld([{ name: 'elsewhere', prefixes: ['198.51.100.0/24'] }]);
  const book = await operatorOn(world);
  const refused = refusal(await book.reserve(ask('a/web')));
  expect(refused.code).toBe('zone/unknown');
  expect(refused.message).toContain('"z"');
  expect(await world.tally()).toEqual({ held: 0, quarantined: 0 });
});

describe.each([
  ['an hour ahead of', HOUR_MS],
  ['an hour behind', -HOUR_MS],
])('an operator whose clock is %s that of the server', (_name, skewMs) => {
  test('ends no lease early, and releases nothing that a Service has', async () => {
    const world = new LedgerWorld();
    const book = await operatorOn(world, skewMs);
    const leased = granted(await book.reserve(ask('a/leased')));
    const grant = granted(await book.reserve(ask('a/web')));
    granted(await book.bind({ claimant: { ...claimant('a/web'), serviceUid: 'u1' }, grant }));
    const services = [live('a/web', 'u1', [grant.address.toString()])];
    const startedMs = SYSTEM_CLOCK.nowMs() + skewMs;
    await book.sweep({ clusterUid: 'c1', startedMs, live: liveServices(...services) });
    expect(await world.tally()).toEqual({ held: 2, quarantined: 0 });
    expect((await world.record(leased.address.toString()))?.holders[0]?.state).toBe('reserved');
    expect(
      granted(await book.bind({ claimant: { ...claimant('a/leased'), serviceUid: 'u2' }, grant: leased })).state,
    ).toBe('bound');
  });
});
