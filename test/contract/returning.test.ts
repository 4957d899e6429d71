import { addressOf } from '../../operator/addressing/address';
import type { Grant } from '../../operator/ports/address-book';
import { contract } from '../support/claims-suite';
import type { OpenStore } from '../support/store-under-test';
import { ask, askByApi, claimant, CUSTOM, granted, LedgerWorld, refusal, texts } from '../support/ledger-world';
import { openMemory, openPostgres, openSqlite } from '../support/open-stores';
import { sharedPostgres } from '../support/postgres-server';

const none = { retentionPeriodDays: 0, denyExternalCleanup: false };

beforeAll(sharedPostgres);

/** Tests of the ledger with several processes at once, and with a Service that comes back. */
function returningSuite(open: OpenStore): void {
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

  const ipv4 = async () => (await world.registry.zones()).find(({ family }) => family === 4)!;
  const owns = (label: string, uid: string, change: Parameters<typeof ask>[1] = {}): Promise<Grant> =>
    world.owns(ask(label, change), uid);

  describe('two processes on one store', () => {
    test('W-13 lose nobody when two clusters join and leave one address at the same time', async () => {
      const books = [world.book, world.ledger().book, world.ledger().book];
      const request = (n: number) => askByApi(claimant('a/dns', { cluster: `c${n}` }), { at: '192.0.2.53' });
      const leave = (n: number) => {
        const { service } = request(n).claimant;
        const about = { zone: 'z', family: 4, address: addressOf('192.0.2.53'), service } as const;
        return books[n % 3]!.releaseByService({ ...about, secret: CUSTOM.value, options: none });
      };
      for (const n of [0, 1, 2, 3]) granted(await books[n % 3]!.reserve(request(n)));
      const joins = [4, 5, 6, 7, 8].map((n) => books[n % 3]!.reserve(request(n)));
      const leaves = [0, 1, 2, 3].map(leave);
      for (const outcome of await Promise.all([...joins, ...leaves])) expect(outcome.ok).toBe(true);
      const names = (await world.record('192.0.2.53'))?.holders.map(({ owner }) => owner.cluster);
      expect(names?.sort()).toEqual(['c4', 'c5', 'c6', 'c7', 'c8']);
    });

    test('give a Service that both see one address', async () => {
      const books = [world.book, world.ledger().book];
      const grants = await Promise.all(books.map((book) => book.reserve(ask('a/web'))));
      expect(new Set(texts(grants.map((each) => granted(each).address))).size).toBe(1);
    });
  });

  describe('a Service that comes back', () => {
    const quarantineMs = 300_000;

    test('gets its last address after the quarantine, if that is still free', async () => {
      await owns('a/one', 'u1');
      await owns('a/two', 'u2');
      await world.book.releaseByUid({ serviceUid: 'u1' });
      await world.book.releaseByUid({ serviceUid: 'u2' });
      await world.advance(quarantineMs);
      expect(texts([(await world.has(ask('a/two'))).address])).toEqual(['192.0.2.1']);
      expect(texts([(await world.has(ask('b/new'))).address])).toEqual(['192.0.2.0']);
      // the last one of a/one is taken by now
      expect(texts([(await world.has(ask('a/one'))).address])).toEqual(['192.0.2.2']);
    });

    test('gets nothing that its zone would not give today', async () => {
      await owns('a/one', 'u1', { at: '192.0.2.200' });
      await world.book.releaseByUid({ serviceUid: 'u1' });
      await world.advance(quarantineMs);
      world.zones.become([{ name: 'z', prefixes: ['192.0.2.0/25'] }]);
      expect(texts([(await world.has(ask('a/one'))).address])).toEqual(['192.0.2.0']);
    });

    test('DR-02 has its address again when it and its namespace were restored under new UIDs', async () => {
      const restored = { ...claimant('a/web'), service: { ...claimant('a/web').service, namespaceUid: 'ns-restored' } };
      const { address } = await owns('a/web', 'u1', { at: '192.0.2.40' });
      await owns('a/old', 'u2', { at: '192.0.2.41' });
      // held by the old object that nobody released yet, then quarantined, then free
      expect((await world.has(ask(restored))).address).toEqual(address);
      const bound = await world.owns(ask(restored), 'u-new');
      expect(bound).toMatchObject({ address, state: 'bound' });
      const [holder, ...others] = (await world.record('192.0.2.40'))?.holders ?? [];
      expect(holder).toMatchObject({ owner: { uid: 'u-new', namespaceUid: 'ns-restored' } });
      expect(others).toEqual([]);
      await world.book.releaseByUid({ serviceUid: 'u1' });
      expect((await world.record('192.0.2.40'))?.state).toBe('held');
      await world.book.releaseByUid({ serviceUid: 'u-new' });
      expect((await world.has(ask('a/web'))).address).toEqual(address);
    });

    test('gives another namespace nothing of it, whatever that is named', async () => {
      await owns('a/web', 'u1', { at: '192.0.2.40', options: { ...none, retentionPeriodDays: 3 } });
      await world.book.releaseByUid({ serviceUid: 'u1' });
      const foreign = { ...claimant('b/web'), service: { ...claimant('b/web').service, namespaceUid: 'ns-b' } };
      expect(texts([(await world.has(ask(foreign))).address])).toEqual(['192.0.2.0']);
      const elsewhere = claimant('a/web', { cluster: 'c2' });
      expect(texts([(await world.has(ask(elsewhere))).address])).toEqual(['192.0.2.1']);
    });

    test('recalls a retained address by its secret, which clears the end, while another must name the address', async () => {
      const options = { ...none, retentionPeriodDays: 3 };
      const owner = askByApi(claimant('a/web'), { at: '192.0.2.60', options });
      granted(await world.book.reserve(owner));
      const { service } = owner.claimant;
      const release = { zone: 'z', family: 4, address: addressOf('192.0.2.60'), service, options } as const;
      granted(await world.book.releaseByService({ ...release, secret: CUSTOM.value }));
      const other = claimant('b/other', { cluster: 'c7' });
      expect(texts([granted(await world.book.reserve(askByApi(other))).address])).toEqual(['192.0.2.0']);
      expect(granted(await world.book.reserve(askByApi(other, { at: '192.0.2.60' }))).created).toBe(true);
      const back = granted(await world.book.reserve(askByApi(claimant('a/web'), { options })));
      expect(back).toMatchObject({ state: 'bound', created: false });
      const holder = (await world.record('192.0.2.60'))?.holders.find((each) => each.id === back.holderId);
      expect(holder?.expiresAtMs).toBeUndefined();
    });

    test('EGR-05 has its address at once during the pause, which a restart does not shorten and a stranger waits for', async () => {
      world.zones.become([{ name: 'z', prefixes: ['192.0.2.31/32'], quarantineSeconds: 600 }]);
      await owns('a/web', 'u1');
      await world.book.releaseByUid({ serviceUid: 'u1' });
      await world.advance(10_000);
      const { book } = world.ledger();
      const stranger = refusal(await book.reserve(ask('b/new')));
      expect(stranger).toMatchObject({
        code: 'pool/exhausted',
        message: expect.stringContaining('00:10:00') as string,
      });
      const named = refusal(await book.reserve(ask('b/new', { at: '192.0.2.31' })));
      expect(named).toMatchObject({ code: 'address/quarantined', retryAfterSeconds: 590 });
      expect(await ipv4()).toMatchObject({ quarantined: 1n, free: 0n });
      expect(granted(await book.reserve(ask('a/web'))).created).toBe(true);
    });
  });
}

contract('ledger', { 'on memory': openMemory, 'on sqlite': openSqlite, 'on postgres': openPostgres }, returningSuite);
