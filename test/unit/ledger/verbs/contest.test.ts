import { addressOf } from '../../../../operator/addressing/address';
import { MemoryClaimStore } from '../../../../operator/backends/memory/memory-claim-store';
import type { ContestRequest } from '../../../../operator/ports/address-book';
import { storeClock } from '../../../support/store-clock';
import { ManualClock } from '../../../support/manual-clock';
import { ask, claimant, CUSTOM, granted, LedgerWorld, refusal, sharing, texts } from '../../../support/ledger-world';

const AT = '192.0.2.7';
const end = { serviceUid: 'u1', clusterUid: 'c1', keep: [] };

const showing = (label: string, uid: string, at = AT): ContestRequest => ({
  claimant: { ...claimant(label), serviceUid: uid },
  zone: 'z',
  address: addressOf(at),
});

/** A ledger over a store on whose record clusters show {@link AT} by the Service `a/web`. */
async function shownBy(...clusters: readonly string[]): Promise<{ world: LedgerWorld; store: MemoryClaimStore }> {
  const clock = new ManualClock();
  const store = new MemoryClaimStore(clock);
  const world = new LedgerWorld(undefined, undefined, { store, clock: storeClock(clock) });
  const use = { source: 'Service/a/web', weight: 'occupied' } as const;
  for (const cluster of clusters) {
    await store.occupiedAddresses().write({ cluster, network: 'default', address: addressOf(AT), use });
  }
  return { world, store };
}

/** States of the holders of an address, with their owners. */
async function holders(world: LedgerWorld): Promise<readonly string[]> {
  const record = await world.record(AT);
  return record?.holders.map(({ owner, state }) => `${owner.name} ${state}`) ?? [];
}

describe('FU-04 what a stored object shows although the record does not grant it', () => {
  test('is given to nobody else, has no secret, and is told as shown', async () => {
    const world = new LedgerWorld();
    expect(granted(await world.book.contests.contest(showing('a/web', 'u1')))).toBe(true);
    expect(await world.writesOf(() => world.book.contests.contest(showing('a/web', 'u1')))).toBe(0);

    expect(await world.record(AT)).toMatchObject({ state: 'held', holders: [{ state: 'contested' }] });
    expect(await world.record(AT)).not.toHaveProperty('secret');
    expect(refusal(await world.book.reserve(ask('b/db', { at: AT })))).toMatchObject({ code: 'address/held' });
    expect(refusal(await world.book.reserve(ask('a/db', { at: AT }))).message).toContain('shown by "a/web"');
    expect(await world.book.holdings({ ...claimant('a/web'), serviceUid: 'u1' })).toEqual([]);
    expect(await world.book.owners('c1')).toMatchObject([{ state: 'contested', serviceUid: 'u1' }]);
  });

  test('is free at once when it is shown no more, and tells so', async () => {
    const world = new LedgerWorld();
    await world.book.contests.contest(showing('a/web', 'u1'));
    const freed: string[] = [];
    world.book.onFreed(({ address }) => freed.push(address.toString()));

    expect(granted(await world.book.contests.endContests({ ...end, keep: [addressOf(AT)] }))).toEqual([]);
    expect(granted(await world.book.contests.endContests({ ...end, clusterUid: 'other' }))).toEqual([]);
    expect(texts(granted(await world.book.contests.endContests(end)))).toEqual([AT]);
    expect(freed).toEqual([AT]);
    expect(await world.record(AT)).toBeUndefined();
  });

  test('stands beside a holder without a say: sharing, secret and release are that one’s', async () => {
    const world = new LedgerWorld();
    const owned = await world.owns(ask('b/db', { at: AT, secret: CUSTOM, sharing: sharing('k') }), 'u2');
    await world.book.contests.contest(showing('a/web', 'u1'));

    expect(owned.sharedWith).toEqual([]);
    const next = { value: 'another-secret-of-b', scope: 'shared' } as const;
    const asked = ask({ ...claimant('b/db'), serviceUid: 'u2' }, { at: AT });
    const rotated = granted(
      await world.book.rotate({ ...asked, address: addressOf(AT), secret: CUSTOM, newSecret: next }),
    );
    expect(rotated.sharedWith).toEqual([]);
    const ports = { ports: ['90/TCP'] };
    const joined = ask('b/too', { at: AT, secret: next, sharing: sharing('k', ports) });
    expect((await world.book.reserve(joined)).ok).toBe(true);
    await world.book.releaseByUid({ serviceUid: 'u2', clusterUid: 'c1' });
    expect(await holders(world)).toEqual(['web contested', 'too reserved']);
  });

  test('proves nothing for others of its namespace', async () => {
    const world = new LedgerWorld();
    await world.owns(ask('b/db', { at: AT, sharing: sharing('k') }), 'u2');
    await world.book.contests.contest(showing('a/web', 'u1'));

    const other = ask('a/other', { at: AT, sharing: sharing('k', { ports: ['90/TCP'] }) });
    expect(refusal(await world.book.reserve(other)).code).toBe('address/held');
  });

  test('is first for whoever proves a retained address, who has it once it is shown no more', async () => {
    const world = new LedgerWorld();
    const options = { retentionPeriodDays: 1, denyExternalCleanup: false };
    await world.owns(ask('b/db', { at: AT, secret: CUSTOM, options }), 'u2');
    await world.book.releaseByUid({ serviceUid: 'u2', clusterUid: 'c1' });
    await world.book.contests.contest(showing('a/web', 'u1'));
    await world.owns(ask('b/db', { at: AT, secret: CUSTOM }), 'u3');
    await world.book.contests.endContests(end);

    expect(await holders(world)).toEqual(['db bound']);
  });

  test('ends a quarantine, since it is in use', async () => {
    const world = new LedgerWorld();
    await world.owns(ask('b/db', { at: AT }), 'u2');
    await world.book.releaseByUid({ serviceUid: 'u2', clusterUid: 'c1' });
    await world.book.contests.contest(showing('a/web', 'u1'));

    expect(await holders(world)).toEqual(['web contested']);
  });

  test('goes on pausing for the one that left it, and for no longer', async () => {
    const world = new LedgerWorld();
    const left = ask('b/db', { at: AT });
    await world.owns(left, 'u2');
    await world.book.contests.contest(showing('a/web', 'u1'));
    await world.advance(1_000);
    await world.book.releaseByUid({ serviceUid: 'u2', clusterUid: 'c1' });
    await world.advance(200_000);
    await world.book.contests.endContests(end);

    expect(await world.record(AT)).toMatchObject({
      state: 'quarantined',
      quarantine: { former: { owner: { name: 'db' } } },
    });
    const stranger = refusal(await world.book.reserve(ask('c/other', { at: AT })));
    expect(stranger).toMatchObject({ code: 'address/quarantined', retryAfterSeconds: 100 });
    expect(refusal(await world.book.reserve(ask('a/web', { at: AT }))).code).toBe('address/quarantined');
    await world.advance(50_000);
    expect((await world.has(left)).address).toEqual(addressOf(AT));
  });

  test('becomes the own one of the object as soon as the zone gives it, within the quotas', async () => {
    const world = new LedgerWorld([{ name: 'z', prefixes: ['192.0.2.0/24'], quota: 1 }]);
    await world.owns(ask('b/db', { at: '192.0.2.9' }), 'u2');
    await world.book.contests.contest(showing('a/web', 'u1'));
    const who = { ...claimant('a/web'), serviceUid: 'u1' };
    const refused = refusal(await world.book.reserve(ask(who, { at: AT })));
    expect(refused).toMatchObject({ code: 'zone/quota', message: expect.stringContaining('1 addresses') as string });
    world.zones.become([{ name: 'z', prefixes: ['192.0.2.0/24'], quota: 2 }]);
    await world.owns(ask(who, { at: AT, secret: CUSTOM }), 'u1', CUSTOM);

    expect(await holders(world)).toEqual(['web bound']);
    const proven = ask('b/too', { at: AT, secret: CUSTOM, sharing: sharing('') });
    expect(refusal(await world.book.reserve(proven)).message).toContain('held by "a/web"');
  });

  test('counts against the quota of its namespace, and is refused by none', async () => {
    const world = new LedgerWorld([{ name: 'z', prefixes: ['192.0.2.0/24'], quota: 1 }]);
    await world.owns(ask('c/full', { at: '192.0.2.9' }), 'u3');
    await world.book.contests.contest(showing('a/web', 'u1'));
    world.zones.become([{ name: 'z', prefixes: ['192.0.2.0/24'] }]);

    expect(refusal(await world.book.reserve(ask('a/db', { namespaceQuota: 1 }))).code).toBe('namespace/quota');
  });

  test('is not contested by the object that holds it, but by a later one of its name', async () => {
    const world = new LedgerWorld();
    await world.owns(ask('a/web', { at: AT }), 'u1');

    expect(granted(await world.book.contests.contest(showing('a/web', 'u1')))).toBe(false);
    expect(granted(await world.book.contests.contest(showing('a/web', 'u9')))).toBe(true);
  });

  test('is noted of sixteen objects of a cluster at most, and of those again and again', async () => {
    const world = new LedgerWorld();
    await world.owns(ask('b/db', { at: AT }), 'u0');
    const note = (uid: string, cluster = 'c1') => {
      const who = { ...claimant(`a/${uid}`, { cluster }), serviceUid: uid };
      return world.book.contests.contest({ claimant: who, zone: 'z', address: addressOf(AT) });
    };
    const noted = await Promise.all(Array.from({ length: 40 }, (_, i) => note(`s${i}`)));
    expect(noted.filter(({ ok }) => ok)).toHaveLength(16);
    expect((await holders(world)).toSorted()).toHaveLength(17);
    expect(refusal(await note('s39'))).toMatchObject({ code: 'cluster/quota', value: AT });
    expect(granted(await note('s0'))).toBe(true);
    // no cluster stands in the way of another one
    expect(granted(await note('s0', 'c2'))).toBe(true);
    granted(await world.book.contests.endContests({ serviceUid: 's0', clusterUid: 'c1', keep: [] }));
    expect(granted(await note('s39'))).toBe(true);
  });

  test('does not stand against an import', async () => {
    const world = new LedgerWorld();
    await world.book.contests.contest(showing('a/web', 'u1'));
    const service = { service: claimant('x/db', { cluster: 'c2' }).service, options: ask('a/web').options };
    const claim = { zone: 'z', address: addressOf(AT), secret: 'secret-of-before', services: [service] };

    expect(await world.registry.importClaim(claim, false)).toMatchObject({ verdict: 'imported' });
    expect(await holders(world)).toEqual(['web contested', 'db bound']);
    expect((await world.record(AT))?.secret).toBeDefined();
  });
});

describe('FU-02 an address that a Service shows itself', () => {
  const asked = ask({ ...claimant('a/web'), serviceUid: 'u1' }, { at: AT });

  test('becomes its own', async () => {
    const { world } = await shownBy('c1');
    expect(granted(await world.book.preview(asked)).address).toEqual(addressOf(AT));
    expect((await world.has(asked)).address).toEqual(addressOf(AT));
  });

  test('is refused with the cluster of what else shows it, in one round', async () => {
    const { world, store } = await shownBy('c1', 'c2');
    const held = { code: 'address/held', message: expect.stringContaining('an object of cluster c2') as string };
    expect(refusal(await world.book.reserve(asked))).toMatchObject(held);
    expect(refusal(await world.book.preview(asked))).toMatchObject(held);
    await store.occupiedAddresses().write({ cluster: 'c2', network: 'default', address: addressOf(AT) });
    expect((await world.has(asked)).address).toEqual(addressOf(AT));
  });
});
