import { addressOf } from '../../operator/addressing/address';
import type { Clock } from '../../operator/ports/clock';
import type { AddressBook, Claimant, Grant } from '../../operator/ports/address-book';
import { contract } from '../support/claims-suite';
import type { OpenStore } from '../support/store-under-test';
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
  sharing,
} from '../support/ledger-world';
import { openMemory, openSqlite } from '../support/open-stores';
import { openRemoteBook } from '../support/remote-book';

/** One address book under test, with zone `z` of 192.0.2.0/24 and 2001:db8::/120. */
interface OpenBook {
  readonly book: AddressBook;
  readonly clock: Clock;
  readonly advance: (ms: number) => Promise<void>;
  /** Waits until freed addresses are heard of. */
  readonly listening: () => Promise<void>;
  readonly dispose: () => Promise<void>;
}

const overStore = (open: OpenStore) => async (): Promise<OpenBook> => {
  const opened = await open();
  const world = new LedgerWorld(undefined, undefined, opened);
  const { book, clock } = world;
  const advance = (ms: number): Promise<void> => world.advance(ms);
  return { book, clock, advance, listening: () => Promise.resolve(), dispose: opened.dispose };
};

const overHttps = async (): Promise<OpenBook> => {
  const world = new LedgerWorld();
  const { book, v3, close } = await openRemoteBook(world);
  const advance = (ms: number): Promise<void> => world.advance(ms);
  return { book, clock: world.clock, advance, listening: () => v3.following, dispose: close };
};

const owner = (label: string, serviceUid: string): Claimant & { serviceUid: string } => ({
  ...claimant(label),
  serviceUid,
});
const texts = (grants: readonly Grant[]): readonly string[] => grants.map(({ address }) => address.toString());
const none = { retentionPeriodDays: 0, denyExternalCleanup: false };

/** Everything that `ports/address-book` promises. */
function addressBookSuite(open: () => Promise<OpenBook>): void {
  let opened: OpenBook;
  let book: AddressBook;
  beforeEach(async () => {
    opened = await open();
    book = opened.book;
  });
  afterEach(async () => {
    await opened.dispose();
  });

  const has = async (...request: Parameters<typeof ask>): Promise<Grant> =>
    granted(await book.reserve(ask(...request)));
  const owns = async (label: string, uid: string, change: Parameters<typeof ask>[1] = {}): Promise<Grant> =>
    granted(await book.bind({ claimant: owner(label, uid), grant: await has(label, change) }));

  test('gives the same grant when asked again', async () => {
    const first = await has('a/web');
    expect(first.created).toBe(true);
    expect(await has('a/web')).toEqual({ ...first, created: false });
  });

  test('gives equal requests at the same moment one claim, and different ones different addresses', async () => {
    const requests = Array.from({ length: 40 }, (_, i) => book.reserve(ask(`a/s${i % 10}`)));
    const grants = (await Promise.all(requests)).map(granted);
    expect(new Set(texts(grants)).size).toBe(10);
    expect(grants.filter(({ created }) => created)).toHaveLength(10);
  });

  test('lists what is only reserved, of one cluster', async () => {
    await has('a/web', { at: '192.0.2.9' });
    await has(claimant('a/', { reservation: 'r1' }), { at: '192.0.2.3' });
    await owns('a/db', 'u1');
    const shared = { at: '192.0.2.7', sharing: sharing('k'), secret: CUSTOM };
    await owns('a/dns', 'u2', shared);
    await has('a/ntp', { ...shared, sharing: sharing('k', { ports: ['123/UDP'] }) });
    const found = await book.unbound('c1');
    expect(found.map(({ name, address, state }) => `${name} ${String(address)} ${state}`)).toEqual([
      ' 192.0.2.3 reserved',
      'ntp 192.0.2.7 reserved',
      'web 192.0.2.9 reserved',
    ]);
    expect(await book.unbound('c2')).toEqual([]);
  });

  test('lists what the claimant holds, lowest address first', async () => {
    await has('a/web', { at: '192.0.2.9' });
    await has('a/web', { at: '192.0.2.3' });
    await has('a/web', { family: 6 });
    await has('a/db');
    expect(texts(await book.holdings(claimant('a/web')))).toEqual(['192.0.2.3', '192.0.2.9', '2001:db8::']);
  });

  test('checks by UID, by name and by reservation, and refuses everybody else', async () => {
    const bound = await owns('a/web', 'u1');
    const unnamed = claimant('a/', { reservation: 'r1' });
    const reserved = await has(unnamed);
    const check = (who: Claimant, { address }: Grant) => book.check({ claimant: who, zone: 'z', address });
    expect(granted(await check(owner('a/web', 'u1'), bound)).state).toBe('bound');
    expect(granted(await check(claimant('a/web'), bound)).state).toBe('bound');
    expect(granted(await check(unnamed, reserved)).state).toBe('reserved');
    expect(refusal(await check(unnamed, bound)).code).toBe('reservation/missing');
    expect(refusal(await check(claimant('a/'), reserved)).code).toBe('reservation/missing');
  });

  test('undoes what the same call made and nothing else', async () => {
    const first = await has('a/web');
    await book.undo({ ...first, created: false });
    expect(await book.holdings(claimant('a/web'))).toHaveLength(1);
    await book.undo(first);
    expect(await book.holdings(claimant('a/web'))).toEqual([]);
    expect((await has('a/db')).address).toEqual(first.address);
  });

  const moveOf = (uid: string, from: string, to: string) => ({
    serviceUid: uid,
    clusterUid: 'c1',
    network: 'default',
    from: addressOf(from),
    to: addressOf(to),
  });

  test('FU-107 exchanges the addresses of a circle, so that each one may wish its former one again', async () => {
    await owns('a/one', 'u1', { at: '192.0.2.1' });
    await owns('a/two', 'u2', { at: '192.0.2.2' });
    await owns('a/three', 'u3', { at: '192.0.2.3' });
    const moves = [
      moveOf('u1', '192.0.2.1', '192.0.2.2'),
      moveOf('u2', '192.0.2.2', '192.0.2.3'),
      moveOf('u3', '192.0.2.3', '192.0.2.1'),
    ];
    expect(texts(granted(await book.exchange(moves)))).toEqual(['192.0.2.2', '192.0.2.3', '192.0.2.1']);
    const [held] = await book.holdings(owner('a/one', 'u1'));
    expect(held?.address.toString()).toBe('192.0.2.2');
    granted(await book.bind({ claimant: owner('a/one', 'u1'), grant: held! }));
    expect(refusal(await book.exchange(moves)).code).toBe('reservation/missing');
    granted(await book.releaseByUid({ serviceUid: 'u3' }));
    const again = await has(owner('a/one', 'u1'), { at: '192.0.2.1' });
    expect(again.address.toString()).toBe('192.0.2.1');
  });

  test('FU-107 exchanges nothing among namespaces, under two secrets, or where there is no circle', async () => {
    await owns('a/one', 'u1', { at: '192.0.2.1' });
    await owns('b/two', 'u2', { at: '192.0.2.2' });
    await owns('a/three', 'u3', { at: '192.0.2.3', secret: CUSTOM });
    await owns('a/four', 'u4', { at: '192.0.2.4' });
    const pair = (uid: string, at: string) => [moveOf('u1', '192.0.2.1', at), moveOf(uid, at, '192.0.2.1')];
    for (const [uid, at] of [
      ['u2', '192.0.2.2'],
      ['u3', '192.0.2.3'],
    ] as const) {
      expect(refusal(await book.exchange(pair(uid, at))).code).toBe('secret/wrong');
    }
    const open = [moveOf('u1', '192.0.2.1', '192.0.2.4'), moveOf('u4', '192.0.2.4', '192.0.2.9')];
    expect((await book.exchange(open)).ok).toBe(false);
    expect(texts(await book.holdings(owner('a/one', 'u1')))).toEqual(['192.0.2.1']);
  });

  test('binds, and releases by UID as often as it is told', async () => {
    const bound = await owns('a/web', 'u1');
    expect(bound.state).toBe('bound');
    expect(granted(await book.releaseByUid({ serviceUid: 'u1', keep: [bound.address] })).released).toEqual([]);
    expect(granted(await book.releaseByUid({ serviceUid: 'u1' })).released).toEqual([bound.address]);
    expect(granted(await book.releaseByUid({ serviceUid: 'u1' })).released).toEqual([]);
    expect(refusal(await book.reserve(ask('b/db', { at: bound.address.toString() }))).code).toBe('address/quarantined');
  });

  test('binds anew under the terms that the stored object has now, and writes nothing where they are as before', async () => {
    const grant = await owns('a/web', 'u1');
    const terms = { options: { ...none, retentionPeriodDays: 3 }, writtenKeys: ['k'], sharing: sharing('x') };
    const bind = (more: object = {}) =>
      book.bind({ claimant: owner('a/web', 'u1'), grant, terms: { ...terms, ...more } });
    expect(granted(await bind()).writtenKeys).toEqual(['k']);
    granted(await bind({ secret: CUSTOM }));
    const who = owner('a/web', 'u1');
    const showing = (secret: typeof CUSTOM) =>
      book.reserve(ask(who, { at: grant.address.toString(), secret, ...terms }));
    expect((await showing(CUSTOM)).ok).toBe(true);
    granted(await book.bind({ claimant: owner('a/web', 'u1'), grant }));
    expect((await showing(CUSTOM)).ok).toBe(true);
    expect(granted(await book.releaseByUid({ serviceUid: 'u1' })).released).toEqual([grant.address]);
    expect(await book.owners('c1')).toEqual([]);
  });

  test('refuses terms that harm those who share, and leaves the claim as it was', async () => {
    const shared = { sharing: sharing('k'), secret: CUSTOM };
    const grant = await owns('a/web', 'u1', shared);
    await owns('a/dns', 'u2', {
      ...shared,
      at: grant.address.toString(),
      sharing: sharing('k', { ports: ['53/UDP'] }),
    });
    const bind = (change: object) =>
      book.bind({
        claimant: owner('a/web', 'u1'),
        grant,
        terms: { options: none, writtenKeys: [], sharing: sharing('k'), ...change },
      });
    expect(refusal(await bind({ secret: { value: 'another-secret', scope: 'shared' } })).code).toBe('secret/shared');
    expect(refusal(await bind({ sharing: sharing('k', { ports: ['53/UDP'] }) })).code).toBe('sharing/refused');
    expect((await bind({})).ok).toBe(true);
  });

  test('lets an object made anew show the secret of the old one', async () => {
    const grant = await owns('a/web', 'u1');
    const terms = { options: none, writtenKeys: [], secret: { value: 'another-secret', scope: 'shared' } } as const;
    expect(refusal(await book.bind({ claimant: owner('a/web', 'u2'), grant, terms })).code).toBe('secret/wrong');
  });

  test('leaves what was reserved to the object of its name that was bound first', async () => {
    const grant = await has('a/web');
    granted(await book.bind({ claimant: owner('a/web', 'u1'), grant }));
    expect(refusal(await book.bind({ claimant: owner('a/web', 'u2'), grant })).code).toBe('reservation/missing');
  });

  test('lists the owners of one cluster, lowest address first', async () => {
    await has('a/late', { at: '192.0.2.9' });
    await owns('a/web', 'u1', { at: '192.0.2.3' });
    await has(claimant('a/far', { cluster: 'c2' }));
    const listed = (await book.owners('c1')).map(({ address, ...rest }) => ({ ...rest, address: address.toString() }));
    const there = { network: 'default', zone: 'z', namespace: 'a' };
    expect(listed).toEqual([
      { ...there, name: 'web', serviceUid: 'u1', state: 'bound', address: '192.0.2.3' },
      { ...there, name: 'late', state: 'reserved', address: '192.0.2.9' },
    ]);
  });

  test('tells of each freed address and of the end of its quarantine, until it is told to stop', async () => {
    const freed: string[] = [];
    const nowMs = opened.clock.nowMs();
    let heard = (): void => undefined;
    const both = new Promise<void>((resolve) => (heard = resolve));
    const stop = book.onFreed(({ address, freeAtMs }) => {
      freed.push(`${address.toString()} +${freeAtMs - nowMs}`);
      if (freed.length === 2) heard();
    });
    await opened.listening();
    await book.undo(await has('a/try'));
    await owns('a/web', 'u1', { at: '192.0.2.7' });
    await book.releaseByUid({ serviceUid: 'u1' });
    await both;
    stop();
    await book.undo(await has('a/again'));
    expect(freed).toEqual(['192.0.2.0 +0', '192.0.2.7 +300000']);
  });

  test('W-13 loses nobody who joins while others leave', async () => {
    const at = '192.0.2.53';
    const inCluster = (cluster: string) => claimant('a/dns', { cluster });
    granted(await book.reserve(askByApi(inCluster('c0'), { at })));
    const { service } = inCluster('c0');
    const leave = {
      zone: 'z',
      family: 4,
      address: addressOf(at),
      service,
      secret: CUSTOM.value,
      options: none,
    } as const;
    const joins = ['c1', 'c2', 'c3', 'c4'].map((cluster) => book.reserve(askByApi(inCluster(cluster), { at })));
    const [left, ...joined] = await Promise.all([book.releaseByService(leave), ...joins]);
    expect(left.ok).toBe(true);
    for (const outcome of joined) expect(outcome.ok).toBe(true);
    expect(granted(await book.reserve(askByApi(inCluster('c1'), { at }))).sharedWith).toHaveLength(3);
  });

  test('releases by identity and secret, retains, and recalls', async () => {
    const { address } = granted(await book.reserve(askByApi(claimant('a/web'))));
    const { service } = claimant('a/web');
    const release = { zone: 'z', family: 4, address, service, secret: CUSTOM.value } as const;
    granted(await book.releaseByService({ ...release, options: { ...none, retentionPeriodDays: 1 } }));
    expect(granted(await book.reserve(askByApi(claimant('a/web'))))).toMatchObject({ state: 'bound', address });
    granted(await book.releaseByService({ ...release, options: none }));
    granted(await book.releaseByService({ ...release, options: none }));
    await opened.advance(300_000);
    expect(refusal(await book.releaseByService({ ...release, options: none })).code).toBe('claim/not-found');
  });

  test('rotates the secret of a sole holder, and refuses while the address is shared', async () => {
    const at = '192.0.2.8';
    granted(await book.reserve(askByApi(claimant('a/web'), { at })));
    const newSecret = { value: 'the-next-secret', scope: 'shared' } as const;
    const request = {
      zone: 'z',
      family: 4,
      address: addressOf(at),
      claimant: claimant('a/web', { namespace: '' }),
      secret: CUSTOM,
      newSecret,
      options: none,
    } as const;
    granted(await book.rotate(request));
    granted(await book.reserve(askByApi(claimant('b/web'), { at, secret: newSecret })));
    const back = { ...request, secret: newSecret, newSecret: CUSTOM };
    expect(refusal(await book.rotate(back)).code).toBe('secret/shared');
  });

  test('lets Services share by key, and says who is there', async () => {
    const at = '192.0.2.53';
    await owns('a/udp', 'u1', { at, sharing: sharing('k', { ports: ['53/UDP'] }) });
    const joined = await has('a/tcp', { at, sharing: sharing('k', { ports: ['53/TCP'] }) });
    expect(joined.sharedWith).toEqual(['a/udp']);
    expect(refusal(await book.reserve(ask('a/other', { at }))).message).toContain('"a/udp"');
  });

  describe('FU-04 contests', () => {
    const at = addressOf('192.0.2.7');
    const end = { serviceUid: 'u1', clusterUid: 'c1', keep: [] };
    const contest = async (label: string, uid: string): Promise<boolean | undefined> => {
      const noted = await book.contests?.contest({ claimant: owner(label, uid), zone: 'z', address: at });
      return noted && granted(noted);
    };
    const ended = async (request = end) => {
      const addresses = await book.contests?.endContests(request);
      return addresses && granted(addresses).map(String);
    };

    test('keep an address for nobody, are told with the owners, and end as often as they are ended', async () => {
      expect([await contest('a/web', 'u1'), await contest('a/web', 'u1')]).toEqual([true, true]);
      expect(refusal(await book.reserve(ask('b/db', { at: '192.0.2.7' }))).code).toBe('address/held');
      expect(await book.holdings(owner('a/web', 'u1'))).toEqual([]);
      await owns('a/own', 'u2', { at: '192.0.2.3' });
      expect((await book.owners('c1')).map(({ name, state }) => `${name} ${state}`)).toEqual([
        ...['own bound', 'web contested'],
      ]);
      const keep: readonly (typeof at)[] = [at];
      expect(await book.contests?.endContests({ ...end, keep })).toEqual({ ok: true, value: [] });
      expect(await ended({ ...end, clusterUid: 'c2' })).toEqual([]);
      expect([await ended(), await ended()]).toEqual([['192.0.2.7'], []]);
      await has('b/db', { at: '192.0.2.7' });
    });

    test('stand beside a holder without taking anything from it', async () => {
      const grant = await owns('b/db', 'u2', { at: '192.0.2.7', secret: CUSTOM });
      expect([await contest('b/db', 'u2'), await contest('a/web', 'u1')]).toEqual([false, true]);
      expect(granted(await book.check({ claimant: owner('b/db', 'u2'), zone: 'z', address: at }))).toMatchObject({
        holderId: grant.holderId,
        sharedWith: [],
      });
      await book.releaseByUid({ serviceUid: 'u2', clusterUid: 'c1' });
      expect(refusal(await book.reserve(ask('c/x', { at: '192.0.2.7' }))).code).toBe('address/held');
    });

    test('of an address of no zone are refused', async () => {
      const request = { claimant: owner('a/web', 'u1'), zone: 'none', address: at };
      expect(await book.contests?.contest(request)).toMatchObject({ ok: false, refusal: { code: 'zone/unknown' } });
    });
  });

  test('sweeps leases of one cluster by its complete list', async () => {
    await has('a/gone');
    const kept = await has('a/web');
    await has(claimant('a/far', { cluster: 'c2' }));
    await opened.advance(301_000);
    const startedMs = opened.clock.nowMs();
    const services = [live('a/web', 'u1', [kept.address.toString()])];
    expect(await book.sweep({ clusterUid: 'c1', startedMs, live: liveServices(...services) })).toEqual({
      released: 1,
      bound: 1,
    });
    expect(await book.sweep({ clusterUid: 'c1', startedMs, live: liveServices(...services) })).toEqual({
      released: 0,
      bound: 0,
    });
    expect(await book.holdings(claimant('a/far', { cluster: 'c2' }))).toHaveLength(1);
  });
}

contract(
  'address book',
  {
    'ledger on memory': overStore(openMemory),
    'ledger on sqlite': overStore(openSqlite),
    'IPAM-API over HTTPS': overHttps,
  },
  addressBookSuite,
);
