import { addressOf } from '../../operator/addressing/address';
import { V3RecordView } from '../../operator/backends/ipam-api-client/v3/v3-record-view';
import { withoutShown } from '../../operator/ledger/guards/shown-gate';
import { renameCluster } from '../../operator/ledger/verbs/rename-cluster';
import { parseAnswer } from '../../operator/contract/ipam-api/v3/parse-call';
import type { ContestRequest, FreedAddress } from '../../operator/ports/address-book';
import { ask, claimant, CUSTOM, granted, refusal, texts } from '../support/ledger-world';
import { ManualClock } from '../support/manual-clock';
import { leaves, shows } from '../support/occupied-suite';
import { openSqlite } from '../support/open-stores';
import { olderServer, openShownWorld, SHOWING_CLIENTS, type ShownWorld } from '../support/remote-shown';

const AT = '192.0.2.7';
const place = (address: string) => ({ network: 'default', address: addressOf(address) });
const who = (label: string, cluster: string, uid: string) => ({ ...claimant(label, { cluster }), serviceUid: uid });
const contest = (cluster: string, uid = 'u1', at = AT): ContestRequest => ({
  claimant: who('a/web', cluster, uid),
  zone: 'z',
  address: addressOf(at),
});
const asks = (cluster: string, name: string, at: string) => ask(claimant(`b/${name}`, { cluster }), { at });

/** Lets one be ahead, then the other one, then both leave at once. */
async function race<V>(round: number, show: () => Promise<unknown>, take: () => Promise<V>): Promise<V> {
  if (round % 4 === 0) await show();
  const taking = round % 4 === 1 ? Promise.resolve(await take()) : undefined;
  const [first, second] = round % 2 === 0 ? [show(), taking ?? take()] : [taking ?? take(), show()];
  await Promise.all([first, second]);
  return (round % 2 === 0 ? second : first) as Promise<V>;
}

describe('addresses that clusters show, at one IPAM-API of version 3 on SQLite', () => {
  let world: ShownWorld;
  beforeEach(async () => {
    world = await openShownWorld(openSqlite);
  });
  afterEach(() => world.dispose());

  test('FU-02 what one cluster shows is given to no other, and is free once it is shown no more', async () => {
    const [a, b] = [world.cluster('c1'), world.cluster('c2')];
    await a.uses.write(shows(AT));
    const held = refusal(await b.book.reserve(asks('c2', 'db', AT)));
    expect(held).toMatchObject({ code: 'address/held' });
    expect(held.message).toContain('is in use by an object of cluster c1');
    const freed: FreedAddress[] = [];
    b.book.onFreed((each) => freed.push(each));
    await world.v3.following;
    await a.uses.write(leaves(AT));
    expect(granted(await b.book.reserve(asks('c2', 'db', AT))).address).toEqual(addressOf(AT));
    while (freed.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(freed).toMatchObject([{ ...place(AT), zone: 'z' }]);
  });

  test('FU-02 is on record or given to one holder who is told, whoever comes first', async () => {
    const [a, b] = [world.cluster('c1'), world.cluster('c2')];
    const outcomes = { refused: 0, met: 0 };
    for (let round = 0; round < 120; round++) {
      const at = `192.0.2.${round + 1}`;
      const take = () => b.book.reserve(asks('c2', `s${round}`, at));
      const answer = await race(round, () => a.uses.write(shows(at)), take);
      const record = await world.opened.store.get(place(at));
      const isTaken = answer.ok;
      outcomes[isTaken ? 'met' : 'refused'] += 1;
      expect([record?.state, record?.holders.map(({ owner }) => owner.name), record?.foreign?.cluster]).toEqual(
        isTaken ? ['held', [`s${round}`], undefined] : ['foreign', [], 'c1'],
      );
    }
    const met = await b.uses.met('c2');
    expect(met).toHaveLength(outcomes.met);
    expect(met[0]).toMatchObject({ pool: 'z', holder: { cluster: 'c2' }, use: { cluster: 'c1' } });
    expect(Math.min(outcomes.met, outcomes.refused)).toBeGreaterThan(0);
    expect(await a.uses.met('c1')).toEqual([]);
  });

  test('FU-02 what is chosen without a wish goes around what every cluster shows', async () => {
    const [a, b] = [world.cluster('c1'), world.cluster('c2')];
    await Promise.all(['192.0.2.0', '192.0.2.1', '192.0.2.3'].map((at) => a.uses.write(shows(at))));
    const names = ['x', 'y', 'v'];
    const taken = await Promise.all(names.map((name) => b.book.reserve(ask(claimant(`b/${name}`, { cluster: 'c2' })))));
    expect(texts(taken.map((each) => granted(each).address)).toSorted()).toEqual([
      ...['192.0.2.2', '192.0.2.4', '192.0.2.5'],
    ]);
  });

  test('FU-04 a contested address is given to no other cluster, and is free once it is shown no more', async () => {
    const [a, b] = [world.cluster('c1'), world.cluster('c2')];
    expect(granted(await a.book.contests.contest(contest('c1')))).toBe(true);
    expect(granted(await a.book.contests.contest(contest('c1')))).toBe(true);
    expect(refusal(await b.book.reserve(asks('c2', 'db', AT))).code).toBe('address/held');
    expect(await a.book.owners('c1')).toMatchObject([{ state: 'contested', serviceUid: 'u1', zone: 'z' }]);
    expect(await b.book.owners('c2')).toEqual([]);
    const end = { serviceUid: 'u1', clusterUid: 'c1', keep: [addressOf(AT)] };
    expect(granted(await a.book.contests.endContests(end))).toEqual([]);
    expect(texts(granted(await a.book.contests.endContests({ ...end, keep: [] })))).toEqual([AT]);
    expect(granted(await a.book.contests.endContests({ ...end, keep: [] }))).toEqual([]);
    expect((await b.book.reserve(asks('c2', 'db', AT))).ok).toBe(true);
  });

  test('FU-04 an announced address that is beyond the limit of its cluster is not given out by the operator of that cluster', async () => {
    const limited = SHOWING_CLIENTS.map((each) => (each.name === 'c1' ? { ...each, occupiedQuota: 1 } : each));
    const small = await openShownWorld(openSqlite, { clients: limited });
    try {
      const { book, uses } = small.cluster('c1');
      const shown = { id: '1', kind: 'ingress', namespace: 'a', uid: 'u2', source: 'Service/a/loud' } as const;
      // the index of what the own cluster shows
      const guarded = withoutShown(book, (address) => (address.toString() === '192.0.2.0' ? [shown] : []));
      expect(granted(await book.contests.contest(contest('c1', 'u1', '192.0.2.9')))).toBe(true);
      expect(refusal(await book.contests.contest(contest('c1', 'u2', '192.0.2.0'))).code).toBe('cluster/quota');
      expect(await uses.write(shows('192.0.2.0'))).toBe(false);
      expect(await small.opened.store.get(place('192.0.2.0'))).toBeUndefined();
      const wish = refusal(await guarded.reserve(asks('c1', 'wish', '192.0.2.0')));
      expect(wish).toMatchObject({ code: 'address/held', value: '192.0.2.0' });
      const record = await small.opened.store.get(place('192.0.2.0'));
      expect(record?.holders ?? []).toEqual([]);
      // a choice goes around it, or is given back where nothing else is left
      const choice = await guarded.reserve(ask(claimant('b/choice', { cluster: 'c1' })));
      expect(granted(choice).address.toString()).toBe('192.0.2.1');
    } finally {
      await small.dispose();
    }
  });

  test('FU-04 a contest takes nothing from the holder of another cluster, and stands after it', async () => {
    const [a, b] = [world.cluster('c1'), world.cluster('c2')];
    const owner = who('b/db', 'c2', 'u2');
    const grant = granted(await b.book.reserve(ask(owner, { at: AT, secret: CUSTOM })));
    granted(await b.book.bind({ claimant: owner, grant }));
    expect(granted(await a.book.contests.contest(contest('c1')))).toBe(true);
    expect(granted(await b.book.check({ claimant: owner, zone: 'z', address: addressOf(AT) })).state).toBe('bound');
    expect(granted(await b.book.releaseByUid({ serviceUid: 'u2', clusterUid: 'c2' }))).toMatchObject({
      released: [addressOf(AT)],
    });
    expect(refusal(await b.book.reserve(asks('c2', 'other', AT))).code).toBe('address/held');
  });

  test('FU-04 contests and takes at one moment leave each address with one owner', async () => {
    const [a, b] = [world.cluster('c1'), world.cluster('c2')];
    for (let round = 0; round < 60; round++) {
      const at = `192.0.2.${round + 1}`;
      const note = () => a.book.contests.contest(contest('c1', `u${round}`, at));
      const take = () => b.book.reserve(asks('c2', `s${round}`, at));
      const [noted, taken] =
        round % 2 === 0
          ? await Promise.all([note(), take()])
          : await Promise.all([take(), note()]).then(([x, y]) => [y, x] as const);
      expect(granted(noted)).toBe(true);
      const record = await world.opened.store.get(place(at));
      const states = record?.holders.map(({ state }) => state).toSorted();
      expect(states).toEqual(taken.ok ? ['contested', 'reserved'] : ['contested']);
    }
  });

  test('tells a cluster what it has itself, and nothing of others', async () => {
    const [a, b] = [world.cluster('c1'), world.cluster('c2')];
    const owner = who('a/own', 'c1', 'u3');
    granted(
      await a.book.bind({ claimant: owner, grant: granted(await a.book.reserve(ask(owner, { at: '192.0.2.9' }))) }),
    );
    await a.book.contests.contest(contest('c1'));
    const places = [AT, '192.0.2.9', '192.0.2.10'].map(place);
    const seen = async (each: typeof a) =>
      (await Promise.all(places.map((at) => each.own.get(at)))).map((record) =>
        record?.holders.map(({ state }) => state),
      );
    expect(await seen(a)).toEqual([['contested'], ['bound'], undefined]);
    expect(await seen(b)).toEqual([undefined, undefined, undefined]);
    await a.book.releaseByUid({ serviceUid: 'u3', clusterUid: 'c1' });
    const left = await a.own.get(place('192.0.2.9'));
    expect(left).toMatchObject({ state: 'quarantined', quarantine: { former: { owner: { uid: 'u3' } } } });
    expect(await b.own.get(place('192.0.2.9'))).toBeUndefined();
  });

  test('writes what changes at one moment by one call, and what is beyond its limit by one more; tells that once', async () => {
    const a = world.cluster('c1');
    const all = Array.from({ length: 200 }, (_, i) => shows(`192.0.2.${i}`));
    const warned = () => a.logger.lines.filter(({ level }) => level === 'warn');
    for (let round = 0; round < 2; round += 1) {
      await Promise.all(all.map((change) => a.uses.write(change)));
      const calls = world.v3.meter.samples.filter(({ labels }) => labels['method'] === 'PATCH');
      // each call is counted and timed
      expect(calls).toHaveLength(4 * (round + 1));
      expect(warned().map(({ fields }) => fields['addresses'])).toEqual([72]);
    }
    const weights = (await a.uses.list({ by: 'cluster', cluster: 'c1' })).map(({ weight }) => weight);
    expect(weights.filter((weight) => weight === 'occupied')).toHaveLength(128);
    expect(weights.filter((weight) => weight === 'avoided')).toHaveLength(72);
    const written = await Promise.all(all.map((change) => a.uses.write(change)));
    expect(written.filter(Boolean)).toHaveLength(128);
    await a.uses.write(leaves('192.0.2.0'));
    expect(await a.uses.write(shows('192.0.2.199'))).toBe(true);
    expect(warned()).toHaveLength(1);
    expect(await a.uses.list({ by: 'address', ...place('192.0.2.199') })).toHaveLength(1);
  });

  test('FU-04 what is announced beyond the limit of a cluster is given out last, to its own Services and to others', async () => {
    const limited = SHOWING_CLIENTS.map((each) => (each.name === 'c1' ? { ...each, occupiedQuota: 1 } : each));
    const small = await openShownWorld(openSqlite, {
      clients: limited,
      zones: [{ name: 'z', prefixes: ['192.0.2.0/30'] }],
    });
    try {
      const [a, b] = [small.cluster('c1'), small.cluster('c2')];
      expect(await a.uses.write(shows('192.0.2.3'))).toBe(true);
      expect(await a.uses.write(shows('192.0.2.0'))).toBe(false);
      const chosen: string[] = [];
      for (const [i, { book }] of [b, a, b].entries()) {
        const cluster = book === a.book ? 'c1' : 'c2';
        chosen.push(granted(await book.reserve(ask(claimant(`b/s${i}`, { cluster })))).address.toString());
      }
      expect(chosen).toEqual(['192.0.2.1', '192.0.2.2', '192.0.2.0']);
    } finally {
      await small.dispose();
    }
  });

  test('counts contested addresses by zone, and lists them with the claims of a pool', async () => {
    const a = world.cluster('c1');
    await a.book.contests.contest(contest('c1'));
    const view = new V3RecordView({ client: a.client, clusterUid: 'c1', clock: new ManualClock() });
    expect((await view.usage()).map(({ family, contested }) => [family, contested])).toEqual([
      [4, 1],
      [6, 0],
    ]);
    expect((await view.tally())[0]).toMatchObject({ held: 1 });
    const [record] = await view.list({ by: 'pool', network: 'default', pool: 'z' });
    expect(record?.holders.map(({ state }) => state)).toEqual(['contested']);
  });

  test('answers clients of before as ever: no number and no claim that they do not know', async () => {
    const a = world.cluster('c1');
    await a.book.contests.contest(contest('c1'));
    await a.uses.write(shows('192.0.2.8'));
    const zones = granted(await a.client.call('listZones', {}));
    expect(Object.keys(zones.entries[0]?.usage[0] ?? {})).not.toContain('contested');
    const claims = granted(await a.client.call('listClusterClaims', { params: { clusterUid: 'c1' }, query: {} }));
    expect(claims.entries).toEqual([]);
    expect(parseAnswer('listZones', 200, zones)).toMatchObject({ ok: true });
  });

  test('FU-05 a cluster that is forgotten shows nothing any more, and one that is renamed takes it along', async () => {
    const [a, b] = [world.cluster('c1'), world.cluster('c2')];
    for (const { uses, book } of [a, b]) {
      const cluster = uses === a.uses ? 'c1' : 'c2';
      const [use, other] = cluster === 'c1' ? ['192.0.2.20', '192.0.2.21'] : ['192.0.2.30', '192.0.2.31'];
      await uses.write(shows(use, { cluster }));
      await uses.complete({ cluster, networks: ['default'] });
      expect(granted(await book.contests.contest(contest(cluster, `u-${cluster}`, other)))).toBe(true);
    }
    const gone = { params: { clusterUid: 'c1' }, query: { dryRun: false } };
    expect(granted(await a.client.call('deleteCluster', gone)).entries).toHaveLength(1);
    expect(await world.opened.store.get(place('192.0.2.20'))).toBeUndefined();
    expect(await world.opened.store.get(place('192.0.2.21'))).toBeUndefined();
    expect(await a.uses.completeSince('c1')).toEqual(new Map());
    granted(await renameCluster(world.opened.store, { from: 'c2', to: 'c9', dryRun: false }));
    const renamed = world.cluster('c9', 'admin');
    expect((await renamed.uses.list({ by: 'cluster', cluster: 'c9' })).map(({ address }) => String(address))).toEqual([
      '192.0.2.30',
    ]);
    expect(await renamed.book.owners('c9')).toMatchObject([{ state: 'contested', serviceUid: 'u-c2' }]);
    expect(await world.registry.uses(place('192.0.2.30'))).toMatchObject([{ cluster: 'c9' }]);
    // what a server read of a name counts for some seconds
    world.clock.advance(5_000);
    await expect(b.uses.list({ by: 'cluster', cluster: 'c2' })).rejects.toMatchObject({ code: 'cluster/renamed' });
    expect(refusal(await b.book.reserve(asks('c2', 'late', '192.0.2.40')))).toMatchObject({
      code: 'cluster/renamed',
      message: expect.stringContaining('the record calls cluster "c2" "c9"') as string,
    });
    await expect(b.uses.write(shows('192.0.2.41', { cluster: 'c2' }))).rejects.toMatchObject({
      code: 'cluster/renamed',
    });
  });
});

describe('an operator at an IPAM-API of before', () => {
  let world: ShownWorld | undefined;
  afterEach(() => world?.dispose());

  test('FU-10 reserves what a Service goes back to', async () => {
    world = await openShownWorld(openSqlite, { prepare: olderServer });
    const { book } = world.cluster('c1');
    const request = { ...asks('c1', 'db', AT), claimant: { ...who('b/db', 'c1', 'u1') } };
    const grant = granted(await book.reserve(request));
    granted(await book.bind({ claimant: request.claimant, grant }));
    expect(granted(await book.reserve({ ...request, returns: true })).address.toString()).toBe(AT);
    expect(granted(await book.preview({ ...request, returns: true })).address?.toString()).toBe(AT);
  });

  test('goes on without, and says so once', async () => {
    world = await openShownWorld(openSqlite, { prepare: olderServer });
    const { uses, book, own, logger, client } = world.cluster('c1');
    expect(await Promise.all([uses.write(shows(AT)), uses.write(shows('192.0.2.8'))])).toEqual([false, false]);
    await uses.complete({ cluster: 'c1', networks: ['default'] });
    expect(await uses.whenServed()).toBeUndefined();
    const reads = [
      () => uses.list({ by: 'cluster', cluster: 'c1' }),
      () => uses.met('c1'),
      () => uses.completeSince('c1'),
      () => uses.forget('c1'),
    ];
    // an absent list is none without entries
    for (const read of reads) await expect(read()).rejects.toMatchObject({ code: 'api/not-found' });
    await expect(own.get(place(AT))).rejects.toMatchObject({ code: 'store/not-ready' });
    expect(refusal(await book.contests.contest(contest('c1')))).toMatchObject({
      code: 'store/no-contests',
      message: expect.stringContaining('older version') as string,
    });
    expect(granted(await book.contests.endContests({ serviceUid: 'u1', clusterUid: 'c1', keep: [] }))).toEqual([]);
    granted(await book.reserve(asks('c1', 'db', AT)));
    expect((await book.owners('c1')).map(({ state }) => state)).toEqual(['reserved']);
    const view = new V3RecordView({ client, clusterUid: 'c1', clock: new ManualClock() });
    const [usage] = await view.usage();
    expect(usage).toMatchObject({ reserved: 1 });
    expect(usage).not.toHaveProperty('contested');
    const warned = logger.lines.filter(({ level }) => level === 'warn');
    expect(warned.map(({ message }) => message)).toEqual([
      'what this cluster shows without a claim is not on record: the IPAM-API may give it to other clusters',
    ]);
    const move = {
      serviceUid: 'u1',
      clusterUid: 'c1',
      network: 'default',
      from: addressOf(AT),
      to: addressOf('192.0.2.8'),
    };
    expect(refusal(await book.exchange([move])).code).toBe('store/no-exchange');
  });

  test('goes on without where the clients file calls it no operator, and says that', async () => {
    world = await openShownWorld(openSqlite);
    const { uses, book, logger } = world.cluster('c3');
    for (let round = 0; round < 3; round += 1) {
      expect(await (await uses.whenServed())?.list({ by: 'cluster', cluster: 'c3' })).toEqual([]);
      await uses.write(shows(AT, { cluster: 'c3' }));
      await uses.write(shows('192.0.2.8', { cluster: 'c3' }));
    }
    expect(logger.lines.filter(({ level }) => level !== 'debug')).toHaveLength(1);
    const refusedCalls = world.v3.meter.samples.filter(({ labels }) => labels['status'] === '403');
    expect(refusedCalls).toHaveLength(3);
    expect(await world.opened.store.get(place(AT))).toBeUndefined();
    expect(refusal(await book.contests.contest(contest('c3'))).message).toContain('operator: true in the clients file');
    expect(JSON.stringify(logger.lines)).toContain('operator: true in the clients file');
  });
});
