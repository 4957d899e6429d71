import { addressOf } from '../../operator/addressing/address';
import type { Claimant, Grant } from '../../operator/ports/address-book';
import type { CleanupEntry, ImportedClaim, StandingClaim } from '../../operator/ports/registry';
import { contract } from '../support/claims-suite';
import type { OpenStore } from '../support/store-under-test';
import {
  ask,
  askByApi,
  claimant,
  CUSTOM,
  granted,
  LedgerWorld,
  liveServices,
  refusal,
  texts,
} from '../support/ledger-world';
import { openMemory, openPostgres, openSqlite } from '../support/open-stores';
import { sharedPostgres } from '../support/postgres-server';

const none = { retentionPeriodDays: 0, denyExternalCleanup: false };
const DAY_MS = 86_400_000;

beforeAll(sharedPostgres);

/** Everything that `ports/registry` promises. */
function registrySuite(open: OpenStore): void {
  let world: LedgerWorld;
  let dispose: () => Promise<void>;
  beforeEach(async () => {
    const opened = await open();
    dispose = opened.dispose;
    world = new LedgerWorld(undefined, undefined, opened);
  });
  afterEach(async () => {
    await dispose();
  });

  const registry = () => world.registry;
  const at = (address: string) => ({ network: 'default', address: addressOf(address) });
  const ipv4 = async () => (await registry().zones()).find(({ family }) => family === 4)!;
  const owns = (label: string, uid: string, change: Parameters<typeof ask>[1] = {}): Promise<Grant> =>
    world.owns(ask(label, change), uid);

  describe('zones', () => {
    test('tells exact numbers of both families, none of them by walking', async () => {
      await owns('a/web', 'u1');
      await world.has(ask('a/lease'));
      expect(await registry().zones()).toEqual([
        {
          network: 'default',
          zone: 'z',
          family: 4,
          capacity: 256n,
          free: 254n,
          draining: false,
          reserved: 1n,
          bound: 1n,
          retained: 0n,
          quarantined: 0n,
          contested: 0n,
          outside: 0n,
          foreign: 0n,
        },
        {
          network: 'default',
          zone: 'z',
          family: 6,
          capacity: 256n,
          free: 256n,
          draining: false,
          reserved: 0n,
          bound: 0n,
          retained: 0n,
          quarantined: 0n,
          contested: 0n,
          outside: 0n,
          foreign: 0n,
        },
      ]);
    });

    test('tells holders of a zone that shrank or went away', async () => {
      await owns('a/low', 'u1', { at: '192.0.2.1' });
      await owns('a/high', 'u2', { at: '192.0.2.200' });
      world.zones.become([{ name: 'z', prefixes: ['192.0.2.0/25'], excluded: ['192.0.2.1'], quota: 9 }]);
      expect(await ipv4()).toMatchObject({ capacity: 127n, outside: 2n, free: 127n, bound: 2n, quota: 9 });
      world.zones.become([{ name: 'y', prefixes: ['192.0.2.0/25'] }]);
      expect(await registry().zones()).toEqual([
        expect.objectContaining({ zone: 'y', capacity: 128n, free: 127n, bound: 0n }),
        expect.objectContaining({ zone: 'z', capacity: 0n, free: 0n, bound: 2n, outside: 2n, draining: true }),
      ]);
    });

    test('counts a zone of 2^96 addresses at once', async () => {
      world.zones.become([{ name: 'z', prefixes: ['2001:db8::/32'] }]);
      await owns('a/six', 'u1', { family: 6 });
      expect((await registry().zones())[0]).toMatchObject({ capacity: 2n ** 96n, free: 2n ** 96n - 1n });
    });
  });

  describe('claims and history', () => {
    test('pages through claims and through the past of an address, each entry once', async () => {
      for (const [i, label] of ['a/one', 'a/two', 'b/three'].entries()) await owns(label, `u${i}`);
      const first = await registry().claims({}, { limit: 2 });
      const second = await registry().claims({}, { limit: 2, after: first.next! });
      expect(texts([...first.entries, ...second.entries].map(({ address }) => address))).toEqual([
        '192.0.2.0',
        '192.0.2.1',
        '192.0.2.2',
      ]);
      expect(second.next).toBeUndefined();
      expect((await registry().claims({ namespace: 'b' }, { limit: 9 })).entries).toHaveLength(1);
      await world.book.releaseByUid({ serviceUid: 'u0' });
      const past = granted(await registry().history('default', addressOf('192.0.2.0'), { limit: 2 }));
      const page = { limit: 2, after: past.next! };
      const rest = granted(await registry().history('default', addressOf('192.0.2.0'), page));
      expect([...past.entries, ...rest.entries].map(({ state }) => state)).toEqual([
        'quarantined',
        'bound',
        'reserved',
      ]);
      expect(
        JSON.stringify([past, rest], (_key, value: unknown) => (typeof value === 'bigint' ? '' : value)),
      ).not.toMatch(/k1:/);
    });

    test('refuses what is no "next" and what is no limit', async () => {
      await expect(registry().claims({}, { limit: 0 })).rejects.toMatchObject({ code: 'api/malformed' });
      await expect(registry().claims({}, { limit: 1, after: 'nowhere' })).rejects.toMatchObject({
        code: 'api/malformed',
      });
      const history = registry().history('default', addressOf('192.0.2.0'), { limit: 1, after: '-1' });
      await expect(history).rejects.toMatchObject({ code: 'api/malformed' });
    });
  });

  describe('plan', () => {
    const plan = async (...request: Parameters<typeof ask>) => {
      const planned = await registry().plan(ask(...request));
      return planned.ok ? `${planned.value.kind} ${planned.value.address.toString()}` : planned.refusal.code;
    };

    test('says what a reservation then gets, and takes nothing', async () => {
      await owns('a/web', 'u1', { at: '192.0.2.7', secret: CUSTOM });
      await owns('a/gone', 'u2', { at: '192.0.2.8' });
      await world.book.releaseByUid({ serviceUid: 'u2' });
      const asked: Parameters<typeof ask>[] = [
        ['a/web', { secret: CUSTOM }],
        ['a/gone'],
        ['a/new'],
        ['a/new', { at: '192.0.2.7' }],
        ['b/new', { at: '192.0.2.8' }],
        ['a/new', { at: '198.51.100.1' }],
      ];
      const told = [];
      for (const request of asked) told.push(await plan(...request));
      expect(told).toEqual([
        ...['kept 192.0.2.7', 'returned 192.0.2.8', 'new 192.0.2.0'],
        ...['address/held', 'address/quarantined', 'address/outside-zone'],
      ]);
      expect(await world.writesOf(() => plan('a/new'))).toBe(0);
      expect(texts([(await world.has(ask('a/new'))).address])).toEqual(['192.0.2.0']);
      const joins = await registry().plan(askByApi(claimant('a/dns', { cluster: 'c2' }), { at: '192.0.2.7' }));
      expect(granted(joins).kind).toBe('joined');
    });

    test('refuses a full zone and a short secret as a reservation does', async () => {
      world.zones.become([{ name: 'z', prefixes: ['192.0.2.0/32'] }]);
      await owns('a/web', 'u1');
      expect(await plan('a/new')).toBe('pool/exhausted');
      expect(await plan('a/new', { secret: { value: 'short', scope: 'shared' } })).toBe('secret/invalid');
    });
  });

  describe('release and replaceSecret', () => {
    test('ends one holder without its secret, tells who waits, and does not find it again', async () => {
      const grant = await owns('a/web', 'u1');
      const freed: string[] = [];
      world.book.onFreed(({ address }) => freed.push(address.toString()));
      const request = { ...at('192.0.2.0'), holderId: grant.holderId };
      const quarantinedUntilMs = world.clock.nowMs() + 300_000;
      expect(granted(await registry().release(request))).toEqual({ quarantinedUntilMs });
      expect(freed).toEqual(['192.0.2.0']);
      expect(refusal(await registry().release(request)).code).toBe('claim/not-found');
    });

    test('begins the retention where the owner itself gives up', async () => {
      const { holderId } = await owns('a/web', 'u1', { options: { ...none, retentionPeriodDays: 2 } });
      granted(await registry().release({ ...at('192.0.2.0'), holderId, retain: true }));
      expect((await world.record('192.0.2.0'))?.holders[0]).toMatchObject({
        state: 'retained',
        expiresAtMs: world.clock.nowMs() + 2 * DAY_MS,
      });
    });

    test('gives an address another secret under the rules of any secret, unless several hold it', async () => {
      granted(await world.book.reserve(askByApi(claimant('a/web'), { at: '192.0.2.5' })));
      const replace = (secret: string) => registry().replaceSecret({ ...at('192.0.2.5'), secret });
      expect(refusal(await replace('short')).code).toBe('secret/invalid');
      expect(refusal(await replace('x'.repeat(65))).code).toBe('secret/invalid');
      const next = { value: 'the-next-secret', scope: 'shared' } as const;
      granted(await replace(next.value));
      expect(refusal(await world.book.reserve(askByApi(claimant('b/dns'), { at: '192.0.2.5' }))).code).toBe(
        'secret/wrong',
      );
      granted(await world.book.reserve(askByApi(claimant('b/dns'), { at: '192.0.2.5', secret: next })));
      expect(refusal(await replace('one-more-secret')).code).toBe('secret/shared');
      expect(refusal(await registry().replaceSecret({ ...at('192.0.2.6'), secret: next.value })).code).toBe(
        'claim/not-found',
      );
    });
  });

  describe('clearCluster', () => {
    const brief = (entries: readonly CleanupEntry[]) =>
      entries.map(({ address, verdict }) => `${address.toString()} ${verdict}`);

    test('honours retention, deny_external_cleanup and those who stay, tells first, and finds nothing the second time', async () => {
      const far = (label: string): Claimant => claimant(label, { cluster: 'c2' });
      const take = async (label: string, address: string, options = none) =>
        granted(await world.book.reserve(askByApi(far(label), { at: address, options })));
      await take('a/plain', '192.0.2.1');
      await take('a/kept', '192.0.2.2', { ...none, retentionPeriodDays: 5 });
      await take('a/denied', '192.0.2.3', { ...none, denyExternalCleanup: true });
      await take('a/dns', '192.0.2.4');
      granted(await world.book.reserve(askByApi(claimant('a/dns'), { at: '192.0.2.4' })));
      await owns('a/home', 'u1', { at: '192.0.2.9' });
      const expected = ['192.0.2.1 released', '192.0.2.2 retained', '192.0.2.3 denied', '192.0.2.4 joined'];
      expect(brief(await registry().clearCluster({ clusterUid: 'c2', dryRun: true }))).toEqual(expected);
      expect((await ipv4()).bound).toBe(5n);
      const freed: string[] = [];
      world.book.onFreed(({ address }) => freed.push(address.toString()));
      expect(brief(await registry().clearCluster({ clusterUid: 'c2', dryRun: false }))).toEqual(expected);
      expect(freed).toEqual(['192.0.2.1']);
      expect(brief(await registry().clearCluster({ clusterUid: 'c2', dryRun: false }))).toEqual(['192.0.2.3 denied']);
      expect((await world.record('192.0.2.4'))?.holders.map(({ owner }) => owner.cluster)).toEqual(['c1']);
      expect((await world.record('192.0.2.2'))?.holders[0]).toMatchObject({
        expiresAtMs: world.clock.nowMs() + 5 * DAY_MS,
      });
      expect(await world.record('192.0.2.9')).toBeDefined();
    });
  });

  describe('clusters', () => {
    test('names clusters by their reports and counts their claims', async () => {
      await owns('a/web', 'u1');
      await registry().reported({ clusterUid: 'c1', name: 'blue' });
      await registry().reported({ clusterUid: 'c2' });
      const reportedAtMs = world.clock.nowMs();
      expect(granted(await registry().clusters())).toEqual([
        { clusterUid: 'c1', name: 'blue', claims: 1, reportedAtMs },
        { clusterUid: 'c2', name: '', claims: 0, reportedAtMs },
      ]);
    });
  });

  describe('standing claims', () => {
    const claim: StandingClaim = {
      name: 'firewall',
      zone: 'z',
      family: 4,
      secret: CUSTOM.value,
      purpose: 'outer side of the firewall',
    };

    test('keep their address over repeats, sweeps and clean-ups until they are given up', async () => {
      const record = granted(await registry().putStanding(claim));
      expect(record.holders[0]).toMatchObject({ key: 'standing:firewall', purpose: claim.purpose, state: 'bound' });
      expect(granted(await registry().putStanding(claim))).toEqual(record);
      await world.advance(400 * DAY_MS);
      await world.book.sweep({ clusterUid: '', startedMs: world.clock.nowMs(), live: liveServices() });
      expect(await registry().clearCluster({ clusterUid: '', dryRun: false })).toEqual([]);
      expect(await registry().standing('firewall')).toEqual(record);
      expect(granted(await registry().endStanding('firewall')).address).toEqual(record.address);
      expect(await registry().standing('firewall')).toBeUndefined();
      expect(refusal(await registry().endStanding('firewall')).code).toBe('claim/not-found');
    });

    test('are one for each name, however many ask at once', async () => {
      const put = await Promise.all(Array.from({ length: 8 }, () => registry().putStanding(claim)));
      expect(new Set(texts(put.map((each) => granted(each).address)))).toEqual(new Set(['192.0.2.0']));
    });

    test('take another purpose, and keep the rest', async () => {
      const before = granted(await registry().putStanding(claim));
      const after = granted(await registry().putStanding({ ...claim, purpose: 'inner side' }));
      const { version, holders, ...same } = before;
      expect(after).toMatchObject({ ...same, holders: [{ ...holders[0], purpose: 'inner side' }] });
      expect(after.version).toBeGreaterThan(version);
      expect(await registry().standing('firewall')).toEqual(after);
    });

    test('refuse another wish, zone, secret, name or purpose than allowed', async () => {
      granted(await registry().putStanding({ ...claim, wish: addressOf('192.0.2.9') }));
      const put = async (change: Partial<StandingClaim>) =>
        refusal(await registry().putStanding({ ...claim, ...change })).code;
      expect(await put({ wish: addressOf('192.0.2.8') })).toBe('claim/key-used');
      expect(await put({ family: 6 })).toBe('claim/key-used');
      expect(await put({ zone: 'y' })).toBe('claim/key-used');
      expect(await put({ secret: 'another-secret' })).toBe('secret/wrong');
      expect(await put({ name: '' })).toBe('claim/invalid');
      expect(await put({ name: 'n'.repeat(254) })).toBe('claim/invalid');
      expect(await put({ name: 'two', purpose: 'two\nlines' })).toBe('claim/invalid');
      expect(await put({ name: 'two', wish: addressOf('198.51.100.1') })).toBe('address/outside-zone');
    });

    test('let a Service join that shows the secret, and stay when it leaves', async () => {
      granted(await registry().putStanding({ ...claim, wish: addressOf('192.0.2.9') }));
      const joined = granted(await world.book.reserve(askByApi(claimant('a/dns'), { at: '192.0.2.9' })));
      expect(joined.sharedWith).toHaveLength(1);
      granted(await registry().release({ ...at('192.0.2.9'), holderId: joined.holderId }));
      expect(await registry().standing('firewall')).toBeDefined();
    });
  });

  describe('importClaim', () => {
    const service = (serviceName: string, clusterUid = 'c9') => ({ serviceName, namespaceUid: 'ns-x', clusterUid });
    const imported = (change: Partial<ImportedClaim> = {}): ImportedClaim => ({
      zone: 'z',
      address: addressOf('192.0.2.77'),
      secret: CUSTOM.value,
      services: [{ service: service('web'), options: none }],
      ...change,
    });
    const bring = async (change: Partial<ImportedClaim> = {}, dryRun = false) =>
      (await registry().importClaim(imported(change), dryRun)).verdict;
    const problem = async (change: Partial<ImportedClaim>) =>
      (await registry().importClaim(imported(change), false)).problem;

    test('puts an address on record as it was, with all who share it and the end of a retention, twice without harm', async () => {
      const expiresAtMs = world.clock.nowMs() + DAY_MS;
      const services = [
        { service: service('web'), options: none },
        { service: service('web', 'c8'), options: { retentionPeriodDays: 3, denyExternalCleanup: true }, expiresAtMs },
      ];
      expect(await bring({ services }, true)).toBe('imported');
      expect(await world.record('192.0.2.77')).toBeUndefined();
      expect(await bring({ services })).toBe('imported');
      const record = await world.record('192.0.2.77');
      expect(
        record?.holders.map(({ state, expiresAtMs: end, options }) => [state, end, options?.denyExternalCleanup]),
      ).toEqual([
        ['bound', undefined, false],
        ['retained', expiresAtMs, true],
      ]);
      expect(await bring({ services })).toBe('same');
      expect(await bring({ services }, true)).toBe('same');
      expect(await world.record('192.0.2.77')).toEqual(record);
      // its owner shows the secret and has it
      const request = askByApi({ service: service('web'), namespace: '' }, { at: '192.0.2.77' });
      expect(granted(await world.book.reserve(request)).created).toBe(false);
    });

    test('adds who came since, and leaves those who are here as they are now', async () => {
      await bring();
      const options = { ...none, retentionPeriodDays: 9 };
      const services = [
        { service: service('web'), options },
        { service: service('api'), options },
      ];
      expect(await bring({ services })).toBe('imported');
      const holders = (await world.record('192.0.2.77'))?.holders ?? [];
      expect(holders.map((each) => [each.owner.name, each.options?.retentionPeriodDays])).toEqual([
        ['web', 0],
        ['api', 9],
      ]);
    });

    test('never gives an address twice, and says what does not fit', async () => {
      await owns('a/here', 'u1', { at: '192.0.2.78' });
      expect(await problem({ address: addressOf('192.0.2.78') })).toContain('"a/here"');
      expect(await problem({ address: addressOf('203.0.113.1') })).toContain('outside of zone "z"');
      expect(await problem({ zone: 'y' })).toContain('"y"');
      expect(await problem({ secret: 'short' })).toContain('8 to 64');
      expect(await problem({ services: [] })).toContain('no service');
      const over = [{ service: service('web'), options: none, expiresAtMs: world.clock.nowMs() }];
      expect(await problem({ services: over })).toContain('ended at');
      expect((await world.tally()).held).toBe(1);
    });
  });
}

contract('registry of the ledger', { memory: openMemory, sqlite: openSqlite, postgres: openPostgres }, registrySuite);
