import { addressOf } from '../../../../operator/addressing/address';
import type { ReleaseByService } from '../../../../operator/ports/address-book';
import {
  ask,
  askByApi,
  claimant,
  CUSTOM,
  granted,
  LedgerWorld,
  live,
  liveServices,
  refusal,
  texts,
} from '../../../support/ledger-world';

const DAY = 86_400_000;
const at = '192.0.2.31';
const days = (retentionPeriodDays: number) => ({ retentionPeriodDays, denyExternalCleanup: false });

function apiRelease(change: Partial<ReleaseByService> = {}): ReleaseByService {
  const { service } = claimant('a/web');
  return { zone: 'z', family: 4, address: addressOf(at), service, secret: CUSTOM.value, options: days(0), ...change };
}

describe('releaseByUid', () => {
  test('quarantines the address of a Service that is gone', async () => {
    const world = new LedgerWorld();
    await world.owns(ask('a/web', { at }), 'u1');
    expect(texts(granted(await world.book.releaseByUid({ serviceUid: 'u1' })).released)).toEqual([at]);
    const record = await world.record(at);
    expect(record).toMatchObject({ state: 'quarantined', holders: [] });
    expect(record?.quarantine?.untilMs).toBe(world.clock.nowMs() + 300_000);
  });

  test('DEL-04 takes "nothing held" for success, however often it is told', async () => {
    const world = new LedgerWorld();
    await world.owns(ask('a/web', { at }), 'u1');
    await world.book.releaseByUid({ serviceUid: 'u1' });
    expect(granted(await world.book.releaseByUid({ serviceUid: 'u1' })).released).toEqual([]);
    expect(granted(await world.book.releaseByUid({ serviceUid: 'never seen' })).released).toEqual([]);
  });

  test('DEL-04 leaves an address alone that a newer object of the name owns', async () => {
    const world = new LedgerWorld();
    await world.owns(ask('a/web', { at }), 'u1');
    await world.owns(ask('a/web', { at }), 'u2');
    expect(granted(await world.book.releaseByUid({ serviceUid: 'u1' })).released).toEqual([]);
    expect((await world.record(at))?.holders).toMatchObject([{ state: 'bound', owner: { uid: 'u2' } }]);
  });

  test('keeps the address for a Service of the same name that is not stored yet', async () => {
    const world = new LedgerWorld([{ name: 'z', prefixes: ['192.0.2.0/24'], quarantineSeconds: 0 }]);
    const old = await world.owns(ask('a/web'), 'u1');
    const again = await world.has(ask('a/web'));
    expect(again.address).toEqual(old.address);
    expect(await world.writesOf(() => world.has(ask('a/web')))).toBe(0);

    expect(granted(await world.book.releaseByUid({ serviceUid: 'u1' })).released).toEqual([]);
    expect((await world.has(ask('a/thief'))).address).not.toEqual(old.address);
    const bound = await world.book.bind({ claimant: { ...claimant('a/web'), serviceUid: 'u2' }, grant: again });
    expect(granted(bound)).toMatchObject({ state: 'bound', address: old.address });
  });

  test('keeps the addresses that the object still names', async () => {
    const world = new LedgerWorld();
    await world.owns(ask('a/web', { at }), 'u1');
    await world.owns(ask('a/web', { at: '192.0.2.7' }), 'u1');
    const { released } = granted(await world.book.releaseByUid({ serviceUid: 'u1', keep: [addressOf('192.0.2.7')] }));
    expect(texts(released)).toEqual([at]);
  });

  test('retains the address for as many days as its owner asked for, once', async () => {
    const world = new LedgerWorld();
    await world.owns(ask('a/web', { at, options: days(2) }), 'u1');
    await world.book.releaseByUid({ serviceUid: 'u1' });
    const end = world.clock.nowMs() + 2 * DAY;
    world.clock.advance(1000);
    await world.book.releaseByUid({ serviceUid: 'u1' });
    expect((await world.record(at))?.holders).toMatchObject([{ state: 'retained', expiresAtMs: end }]);
    expect(await world.book.holdings(claimant('a/web'))).toEqual([]);
  });
});

describe('recall', () => {
  test('gives a retained address back to its name and secret, also without a wish', async () => {
    const world = new LedgerWorld();
    await world.owns(ask('a/web', { at, options: days(2) }), 'u1');
    await world.book.releaseByUid({ serviceUid: 'u1' });
    const grant = await world.owns(ask('a/web'), 'u2');
    expect(grant).toMatchObject({ state: 'bound', created: false });
    expect(grant.address.toString()).toBe(at);
    expect((await world.record(at))?.holders[0]?.expiresAtMs).toBeUndefined();
  });

  test('refuses the same name under another secret', async () => {
    const world = new LedgerWorld();
    await world.owns(ask('a/web', { at, options: days(2) }), 'u1');
    await world.book.releaseByUid({ serviceUid: 'u1' });
    expect(refusal(await world.book.reserve(ask('a/web', { at, secret: CUSTOM }))).code).toBe('secret/wrong');
    expect((await world.has(ask('a/web', { secret: CUSTOM }))).address.toString()).toBe('192.0.2.0');
  });

  test('returns to retention when the Service that recalled is never stored', async () => {
    const world = new LedgerWorld();
    await world.owns(ask('a/web', { at, options: days(2) }), 'u1');
    await world.book.releaseByUid({ serviceUid: 'u1' });
    const grant = await world.has(ask('a/web', { options: days(2) }));
    await world.book.undo(grant);
    world.clock.advance(301_000);
    await world.book.sweep({ clusterUid: 'c1', startedMs: world.clock.nowMs(), live: liveServices() });
    expect((await world.record(at))?.holders).toMatchObject([{ state: 'retained' }]);
  });

  test('ends when its days are over, and quarantines then', async () => {
    const world = new LedgerWorld();
    await world.owns(ask('a/web', { at, options: days(2) }), 'u1');
    await world.book.releaseByUid({ serviceUid: 'u1' });
    world.clock.advance(2 * DAY - 1);
    const sweep = () => world.book.sweep({ clusterUid: 'c1', startedMs: world.clock.nowMs(), live: liveServices() });
    expect(await sweep()).toEqual({ released: 0, bound: 0 });
    world.clock.advance(2);
    expect(await sweep()).toEqual({ released: 1, bound: 0 });
    expect(await world.tally()).toEqual({ held: 0, quarantined: 1 });
  });
});

describe('quarantine', () => {
  const pool = [{ name: 'z', prefixes: ['192.0.2.31/32'], quarantineSeconds: 600 }];

  test('EGR-05 makes the stranger wait with an end time, through a restart, and lets the former owner return at once', async () => {
    const world = new LedgerWorld(pool);
    await world.owns(ask('n/old'), 'u1');
    await world.book.releaseByUid({ serviceUid: 'u1' });
    const end = new Date(world.clock.nowMs() + 600_000).toISOString();
    world.clock.advance(10_000);
    const again = world.restarted();

    const stranger = refusal(await again.reserve(ask('n/new')));
    expect(stranger.code).toBe('pool/exhausted');
    expect(stranger.message).toContain(end);
    const wished = refusal(await again.reserve(ask('m/new', { at })));
    expect(wished).toMatchObject({ code: 'address/quarantined', retryAfterSeconds: 590 });
    expect(wished.message).toContain(`quarantined until ${end}`);
    expect(await world.tally()).toEqual({ held: 0, quarantined: 1 });

    const returned = granted(await again.reserve(ask('n/old')));
    expect(returned).toMatchObject({ state: 'reserved', created: true });
    expect(returned.address.toString()).toBe(at);
  });

  test('EGR-05 is over at its end', async () => {
    const world = new LedgerWorld(pool);
    await world.owns(ask('n/old'), 'u1');
    await world.book.releaseByUid({ serviceUid: 'u1' });
    world.clock.advance(600_000);
    expect((await world.has(ask('n/new'))).address.toString()).toBe(at);
  });

  test('lets the former namespace and name return under another secret and another namespace UID', async () => {
    const world = new LedgerWorld();
    await world.owns(ask('n/old', { at }), 'u1');
    await world.book.releaseByUid({ serviceUid: 'u1' });
    const reborn = claimant('n/old', { service: { serviceName: 'old', namespaceUid: 'ns-n-2', clusterUid: 'c1' } });
    expect((await world.has(ask(reborn, { at, secret: CUSTOM }))).created).toBe(true);
  });

  test('lets the custom secret return from anywhere, the default secret under another name of its namespace only', async () => {
    const world = new LedgerWorld();
    await world.owns(ask('n/one', { at, secret: CUSTOM }), 'u1');
    await world.owns(ask('n/two', { at: '192.0.2.32' }), 'u2');
    await world.book.releaseByUid({ serviceUid: 'u1' });
    await world.book.releaseByUid({ serviceUid: 'u2' });
    expect((await world.has(ask('m/three', { at, secret: CUSTOM }))).created).toBe(true);
    expect(refusal(await world.book.reserve(ask('m/four', { at: '192.0.2.32' }))).code).toBe('address/quarantined');
    expect((await world.has(ask('n/four', { at: '192.0.2.32' }))).created).toBe(true);
  });

  test('begins anew when the one who returned is never stored', async () => {
    const world = new LedgerWorld(pool);
    await world.owns(ask('n/old'), 'u1');
    await world.book.releaseByUid({ serviceUid: 'u1' });
    await world.book.undo(await world.has(ask('n/old')));
    expect(await world.tally()).toEqual({ held: 0, quarantined: 1 });
    await world.has(ask('n/old'));
    world.clock.advance(301_000);
    await world.book.sweep({
      clusterUid: 'c1',
      startedMs: world.clock.nowMs(),
      live: liveServices(live('n/else', 'u9')),
    });
    expect(await world.tally()).toEqual({ held: 0, quarantined: 1 });
  });
});

describe('releaseByService', () => {
  async function apiWorld(): Promise<LedgerWorld> {
    const world = new LedgerWorld();
    await world.has(askByApi(claimant('a/web'), { at }));
    return world;
  }

  test('ends the claim at once without retention, and again while it is quarantined', async () => {
    const world = await apiWorld();
    granted(await world.book.releaseByService(apiRelease()));
    expect(await world.tally()).toEqual({ held: 0, quarantined: 1 });
    granted(await world.book.releaseByService(apiRelease()));
    world.clock.advance(300_001);
    expect(refusal(await world.book.releaseByService(apiRelease())).code).toBe('claim/not-found');
  });

  test('retains for the days of the request, and a repeat moves the end', async () => {
    const world = await apiWorld();
    granted(await world.book.releaseByService(apiRelease({ options: days(2) })));
    world.clock.advance(DAY);
    granted(await world.book.releaseByService(apiRelease({ options: days(3) })));
    const holders = [{ state: 'retained', expiresAtMs: world.clock.nowMs() + 3 * DAY, options: days(3) }];
    expect((await world.record(at))?.holders).toMatchObject(holders);
  });

  test('lets the same triple recall without a wish, and another one only by address and secret', async () => {
    const world = await apiWorld();
    granted(await world.book.releaseByService(apiRelease({ options: days(2) })));
    const other = claimant('b/web');
    expect((await world.has(askByApi(other))).address.toString()).not.toBe(at);
    expect((await world.has(askByApi(other, { at }))).address.toString()).toBe(at);
    expect(await world.has(askByApi(claimant('a/web')))).toMatchObject({ state: 'bound', created: false });
  });

  test('ends a retained claim at once when asked without retention', async () => {
    const world = await apiWorld();
    granted(await world.book.releaseByService(apiRelease({ options: days(2) })));
    granted(await world.book.releaseByService(apiRelease()));
    expect(await world.tally()).toEqual({ held: 0, quarantined: 1 });
  });

  test.each([
    ['an address that nobody holds', { address: addressOf('192.0.2.99') }, 'claim/not-found'],
    ['an address of another triple', { service: claimant('a/db').service }, 'claim/not-found'],
    ['a service without name', { service: claimant('a/').service }, 'claim/not-found'],
    ['a wrong secret', { secret: 'a-wrong-secret' }, 'secret/wrong'],
    ['an unknown zone', { zone: 'x' }, 'zone/unknown'],
  ] as const)('refuses %s', async (_name, change, code) => {
    const world = await apiWorld();
    expect(refusal(await world.book.releaseByService(apiRelease(change))).code).toBe(code);
    expect(await world.tally()).toEqual({ held: 1, quarantined: 0 });
  });

  test('refuses a wrong secret also while the address is quarantined', async () => {
    const world = await apiWorld();
    granted(await world.book.releaseByService(apiRelease()));
    expect(refusal(await world.book.releaseByService(apiRelease({ secret: 'a-wrong-secret' }))).code).toBe(
      'secret/wrong',
    );
  });

  test('releases from a zone that is gone from the document', async () => {
    const world = await apiWorld();
    world.zones.become([{ name: 'y', prefixes: ['198.51.100.0/24'] }]);
    granted(await world.book.releaseByService(apiRelease()));
    expect((await world.record(at))?.quarantine?.untilMs).toBe(world.clock.nowMs() + 300_000);
  });
});
