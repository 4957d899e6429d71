import type { ClientProps } from '../../../../../operator/contract/ipam-api/v3/clients';
import { SharedUses } from '../../../../../operator/ledger/occupied/shared-uses';
import type { OccupiedAddresses } from '../../../../../operator/ports/occupied-addresses';
import { addressOf } from '../../../../../operator/addressing/address';
import { ask, claimant, granted, LedgerWorld, refusal } from '../../../../support/ledger-world';
import { usesOf } from '../../../../support/occupied-suite';
import { SHOWING_CLIENTS } from '../../../../support/remote-shown';
import { V3World, type V3Reply } from '../../../../support/v3-world';

const USE = { source: 'Node/worker-1', weight: 'occupied' } as const;
const ZONE = Array.from({ length: 256 }, (_, i) => `192.0.2.${i}`);
const QUARTER: readonly ClientProps[] = SHOWING_CLIENTS.map((each) =>
  each.name === 'c1' ? { ...each, occupiedQuota: 4 } : each,
);

const change = (addresses: readonly string[], use: object = USE, network = 'default') => ({
  changes: addresses.map((address) => ({ network, address, use })),
});
const without = (addresses: readonly string[]) => ({
  changes: addresses.map((address) => ({ network: 'default', address })),
});
const uses = (world: V3World, body: unknown, as = 'c1'): Promise<V3Reply> =>
  world.send('PATCH', `/v3/clusters/${as}/uses`, { body, as });
const contest = (world: V3World, change: object = {}, as = 'c1'): Promise<V3Reply> =>
  world.send('POST', `/v3/clusters/${as}/contests`, {
    as,
    body: {
      claimant: { namespaceUid: 'ns-a', namespace: 'a', serviceName: 'web', serviceUid: 'u1' },
      zone: 'z',
      address: '192.0.2.7',
      ...change,
    },
  });
const by = (serviceUid: string) => ({
  claimant: { namespaceUid: 'ns-a', namespace: 'a', serviceName: 'web', serviceUid },
});
const refusedOf = ({ json }: V3Reply) => json['refused'] as readonly { address: string; code: string }[];
const take = (world: V3World, name: string, at?: string) =>
  world.ledger.book.reserve(
    ask(claimant(name.includes('/') ? name : `b/${name}`, { cluster: 'c2' }), at === undefined ? {} : { at }),
  );

describe('a client that reports every address of a zone', () => {
  test('leaves half of it to the others, and is told, logged and counted', async () => {
    const world = new V3World({ clients: SHOWING_CLIENTS });
    const reply = await uses(world, change(ZONE));
    expect(reply.status).toBe(200);
    expect(refusedOf(reply)).toHaveLength(128);
    expect(refusedOf(reply)[0]).toMatchObject({ address: '192.0.2.128', code: 'cluster/quota' });
    expect(refusedOf(await uses(world, change(ZONE)))).toHaveLength(128);
    expect(granted(await take(world, 'db')).address.toString()).toBe('192.0.2.128');
    expect(refusal(await take(world, 'other', '192.0.2.5')).code).toBe('address/held');
    const line = world.logger.lines.find(({ message }) => message.includes('beyond the limit'));
    expect(line).toMatchObject({ level: 'warn', fields: { client: 'c1', cluster: 'c1', zone: 'z', addresses: 128 } });
    expect(world.meter.samples).toContainEqual({
      name: 'refusals_total',
      labels: { reason: 'ClusterQuota' },
      value: 128,
    });
  });

  test('has no more by many calls at once, by several weights, or by other spellings', async () => {
    const world = new V3World({ clients: SHOWING_CLIENTS });
    for (let at = 0; at < ZONE.length; at += 8) {
      await Promise.all(ZONE.slice(at, at + 8).map((address) => uses(world, change([address]))));
    }
    await uses(world, change(ZONE, { ...USE, weight: 'avoided' }));
    await uses(world, change(ZONE));
    const listed = (await world.send('GET', '/v3/clusters/c1/uses', { as: 'c1' })).json['entries'];
    const occupied = (listed as readonly { weight: string }[]).filter(({ weight }) => weight === 'occupied');
    expect(occupied).toHaveLength(128);
    for (let i = 0; i < 128; i++) granted(await take(world, `n${i}/s`));
    expect(refusal(await take(world, 'last')).code).toBe('pool/exhausted');
  });

  test('has as many as the clients file says, and room again for what it takes off', async () => {
    const world = new V3World({ clients: QUARTER });
    expect(refusedOf(await uses(world, change(ZONE))).map(({ address }) => address)).toEqual(ZONE.slice(4));
    await uses(world, without(ZONE.slice(0, 2)));
    expect(refusedOf(await uses(world, change(ZONE.slice(10, 14))))).toHaveLength(2);
    // what it shows by another object now is no further address
    expect(refusedOf(await uses(world, change(['192.0.2.2'], { ...USE, source: 'Node/z' })))).toEqual([]);
    expect(refusedOf(await uses(world, change(ZONE.slice(0, 9), USE, 'other')))).toEqual([]);
  });

  test('contests no more than that either, by many Services, many addresses or many zones', async () => {
    const ledger = new LedgerWorld([
      { name: 'z', prefixes: ['192.0.2.0/24'] },
      { name: 'tiny', prefixes: ['198.51.100.0/30'] },
    ]);
    const world = new V3World({ ledger, clients: QUARTER });
    await uses(world, change(['192.0.2.1']));
    const first = await Promise.all(['u1', 'u2', 'u3', 'u4', 'u5'].map((uid) => contest(world, by(uid))));
    expect(first.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 429, 429]);
    expect(await contest(world, { ...by('u9'), address: '192.0.2.9' })).toMatchObject({
      status: 429,
      json: { code: 'cluster/quota', value: '192.0.2.9' },
    });
    expect((await contest(world, by('u1'))).status).toBe(200);
    expect(refusedOf(await uses(world, change(['192.0.2.2'])))).toHaveLength(1);
    for (const address of ['192.0.2.30', '203.0.113.1']) {
      expect(await contest(world, { ...by('u1'), zone: 'tiny', address })).toMatchObject({
        json: { code: 'address/outside-zone' },
      });
    }
    expect((await contest(world, { ...by('u1'), zone: 'none' })).json).toMatchObject({ code: 'zone/unknown' });
    const own = ask({ ...claimant('a/own'), serviceUid: 'u7' }, { at: '192.0.2.77' });
    await world.ledger.owns(own, 'u7');
    const granting = { claimant: { ...by('u7').claimant, serviceName: 'own' }, address: '192.0.2.77' };
    expect((await contest(world, granting)).json).toMatchObject({ contested: false, network: 'default' });
  });
});

describe('a client that sends more than the record takes', () => {
  /** A record that answers no list until it may. */
  function slowWorld() {
    const ledger = new LedgerWorld();
    const { registry, zones, clock, store } = ledger;
    const { book } = ledger;
    const uses = usesOf(store);
    const written: string[] = [];
    let lists = 0;
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const slow: OccupiedAddresses = {
      complete: (report) => uses.complete(report),
      completeSince: (cluster) => uses.completeSince(cluster),
      met: (cluster) => uses.met(cluster),
      forget: (cluster) => uses.forget(cluster),
      list: async (query) => {
        lists += 1;
        await gate;
        return uses.list(query);
      },
      write: async (each) => {
        written.push(each.address.toString());
        return uses.write(each);
      },
    };
    const shown = new SharedUses({ uses: slow, book, registry, zones });
    const world = new V3World({ ledger, clients: SHOWING_CLIENTS, parts: { shown } });
    return {
      world,
      clock,
      written,
      lists: () => lists,
      open: () => {
        open();
      },
    };
  }

  /** Sends forty calls at once, and waits until all but those in the line are answered. */
  async function crowd(world: V3World): Promise<readonly Promise<V3Reply>[]> {
    let answered = 0;
    let full = (): void => undefined;
    const whenFull = new Promise<void>((resolve) => (full = resolve));
    const calls = Array.from({ length: 40 }, async (_, i) => {
      const reply = await uses(world, change([`192.0.2.${i}`]));
      answered += 1;
      if (answered === 32) full();
      return reply;
    });
    await whenFull;
    return calls;
  }

  test('has a few calls in the line, and the rest at once the answer that it is busy', async () => {
    const { world, open, written } = slowWorld();
    const calls = await crowd(world);
    open();
    const all = await Promise.all(calls);
    expect(all.filter(({ status }) => status === 200)).toHaveLength(8);
    expect(all.find(({ status }) => status !== 200)).toMatchObject({ status: 503, json: { code: 'api/busy' } });
    expect(written).toHaveLength(8);
    expect((await uses(world, change(['192.0.2.99']))).status).toBe(200);
  });

  test('of one cluster holds no other one up', async () => {
    const { world, open } = slowWorld();
    const calls = await crowd(world);
    expect((await uses(world, without(['192.0.2.0']), 'c2')).status).toBe(200);
    open();
    await Promise.all(calls);
  });

  test('has nothing done any more once its deadline has ended', async () => {
    const { world, clock, open, written, lists } = slowWorld();
    const calls = Array.from({ length: 3 }, (_, i) => uses(world, change(ZONE.slice(i * 64, i * 64 + 64))));
    while (lists() === 0) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(60_000);
    for (const reply of await Promise.all(calls)) {
      expect(reply).toMatchObject({ status: 503, json: { code: 'store/deadline' } });
    }
    open();
    expect((await uses(world, without(['192.0.2.255']))).status).toBe(200);
    // what was under way ends; what stood in the line is not begun
    expect(written.length).toBeLessThanOrEqual(65);
    expect(lists()).toBe(1);
  });

  test('is counted once for a call that takes no further room', async () => {
    const { world, open, lists } = slowWorld();
    open();
    await uses(world, change(ZONE));
    const before = lists();
    expect(refusedOf(await uses(world, change(ZONE, { ...USE, source: 'Node/other' })))).toHaveLength(128);
    expect(lists() - before).toBe(1);
  });
});

describe('a client that contests one address by invented Services', () => {
  const uids = Array.from({ length: 40 }, (_, i) => `u${i}`);

  test('has no more of them by saying first that the address is in use', async () => {
    const world = new V3World({ clients: QUARTER });
    granted(await take(world, 'db', '192.0.2.7'));
    await uses(world, change(['192.0.2.7']));
    for (const uid of uids) await contest(world, by(uid));
    const record = await world.ledger.record('192.0.2.7');
    // the first one takes the room of the use
    expect(record?.holders).toHaveLength(5);
    expect(refusedOf(await uses(world, change(['192.0.2.7'])))).toEqual([]);
    expect(refusedOf(await uses(world, change(['192.0.2.8'])))).toHaveLength(1);
  });

  test('has sixteen at most, whatever its limit is', async () => {
    const world = new V3World({ clients: SHOWING_CLIENTS });
    const replies = await Promise.all(uids.map((uid) => contest(world, by(uid))));
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(16);
    expect(replies.at(-1)).toMatchObject({ status: 429, json: { code: 'cluster/quota', value: '192.0.2.7' } });
    expect((await world.ledger.record('192.0.2.7'))?.holders).toHaveLength(16);
  });
});

describe('a client that speaks for what is not its own', () => {
  test('changes, reads and forgets nothing of another cluster', async () => {
    const world = new V3World({ clients: SHOWING_CLIENTS });
    await uses(world, change(['192.0.2.5']), 'c2');
    await contest(world, {}, 'c2');
    const off = without(['192.0.2.5']);
    const of2 = '/v3/clusters/c2';
    const tries = await Promise.all([
      world.send('PATCH', `${of2}/uses`, { as: 'c1', body: off }),
      world.send('DELETE', `${of2}/uses`, { as: 'c1' }),
      world.send('DELETE', `${of2}/contests?serviceUid=u1`, { as: 'c1' }),
      world.send('PUT', `${of2}/uses/complete`, { as: 'c1', body: { networks: ['default'] } }),
      ...['uses', 'contests', 'met', 'uses/complete'].map((part) => world.send('GET', `${of2}/${part}`, { as: 'c1' })),
      world.send('POST', `${of2}/lookup`, {
        as: 'c1',
        body: { places: [{ network: 'default', address: '192.0.2.7' }] },
      }),
    ]);
    expect(new Set(tries.map(({ status, json }) => `${status} ${String(json['code'])}`))).toEqual(
      new Set(['403 api/forbidden']),
    );
    // its own path reaches its own rows alone, whatever UID or address it names
    await uses(world, off);
    await world.send('DELETE', '/v3/clusters/c1/contests?serviceUid=u1', { as: 'c1' });
    await world.send('DELETE', '/v3/clusters/c1/uses', { as: 'c1' });
    expect(refusal(await take(world, 'a', '192.0.2.5')).message).toContain('of cluster c2');
    expect((await world.ledger.record('192.0.2.7'))?.holders).toMatchObject([{ state: 'contested' }]);
    const looked = await world.send('POST', '/v3/clusters/c1/lookup', {
      as: 'c1',
      body: { places: [{ network: 'default', address: '192.0.2.7' }] },
    });
    expect(looked.json).toEqual({ entries: [] });
  });

  test('is not heard unless it is an operator, and may take its own rows off all the same', async () => {
    const world = new V3World({ clients: SHOWING_CLIENTS });
    for (const reply of [await uses(world, change(['192.0.2.5']), 'c3'), await contest(world, {}, 'c3')]) {
      expect(reply).toMatchObject({ status: 403, json: { code: 'api/forbidden' } });
      expect(reply.json['detail']).toContain('operator: true');
    }
    expect((await uses(world, without(['192.0.2.5']), 'c3')).status).toBe(200);
    // what it put there as an operator
    const was = { network: 'default', address: addressOf('192.0.2.6') };
    await usesOf(world.ledger.store).write({ cluster: 'c3', ...was, use: USE });
    const mixed = { changes: [...change(['192.0.2.5']).changes, ...without(['192.0.2.6']).changes] };
    expect((await uses(world, mixed, 'c3')).status).toBe(403);
    expect(await usesOf(world.ledger.store).list({ by: 'cluster', cluster: 'c3' })).toEqual([]);
    expect(await world.ledger.record('192.0.2.5')).toBeUndefined();
  });

  test('is told of no object of another cluster by what meets its claims', async () => {
    const world = new V3World({ clients: SHOWING_CLIENTS });
    granted(await take(world, 'db', '192.0.2.7'));
    granted(await take(world, 'own', '192.0.2.8'));
    await uses(world, change(['192.0.2.7'], { source: 'Service/secret-project/db', weight: 'occupied' }));
    await uses(world, change(['192.0.2.8']), 'c2');
    const met = (as: string) => world.send('GET', '/v3/clusters/c2/met', { as });
    const sources = ({ json }: V3Reply) =>
      (json['entries'] as readonly { shownBy: { clusterUid: string; source: string } }[])
        .map(({ shownBy }) => `${shownBy.clusterUid} ${shownBy.source}`)
        .toSorted();
    const asCluster = await met('c2');
    expect(asCluster.text).not.toContain('secret-project');
    expect(sources(asCluster)).toEqual(['c1 an object', 'c2 Node/worker-1']);
    expect(sources(await met('admin'))).toEqual(['c1 Service/secret-project/db', 'c2 Node/worker-1']);
  });

  test('does not end a holder of another cluster by saying that its address is in use', async () => {
    const world = new V3World({ clients: SHOWING_CLIENTS });
    const held = await take(world, 'db', '192.0.2.7');
    await uses(world, change(['192.0.2.7']));
    await contest(world);
    await world.send('DELETE', '/v3/clusters/c1', { as: 'c1' });
    await world.send('DELETE', '/v3/clusters/c1?dryRun=false', { as: 'c1' });
    const who = claimant('b/db', { cluster: 'c2' });
    const checked = await world.ledger.book.check({ claimant: who, zone: 'z', address: addressOf('192.0.2.7') });
    expect(granted(checked).holderId).toBe(granted(held).holderId);
  });
});

describe('a client that says that invented networks are complete', () => {
  const complete = (world: V3World, networks: readonly string[], as: string): Promise<V3Reply> =>
    world.send('PUT', `/v3/clusters/${as}/uses/complete`, { as, body: { networks } });
  const invented = (round: number) => Array.from({ length: 1_000 }, (_, i) => `n${round}-${i}`);

  test('fills no record and no answer with them', async () => {
    const world = new V3World({ clients: SHOWING_CLIENTS });
    for (let round = 0; round < 3; round++) {
      const reply = await complete(world, ['default', ...invented(round).slice(1)], 'c1');
      expect(reply).toMatchObject({ status: 200, json: { entries: [{ network: 'default' }] } });
    }
    expect([...(await usesOf(world.ledger.store).completeSince('c1')).keys()]).toEqual(['default']);
    const listed = await world.send('GET', '/v3/clusters/c1/uses/complete', { as: 'c1' });
    expect(listed.json).toMatchObject({ entries: [{ network: 'default' }] });
  });

  test('is not heard unless it is an operator', async () => {
    const world = new V3World({ clients: SHOWING_CLIENTS });
    expect(await complete(world, ['default'], 'c3')).toMatchObject({ status: 403, json: { code: 'api/forbidden' } });
    expect(await usesOf(world.ledger.store).completeSince('c3')).toEqual(new Map());
  });
});

describe('rubbish', () => {
  const long = 'x'.repeat(400);
  test.each([
    ['no list', {}],
    ['a text', '"x"'],
    ['a number of changes that is none', { changes: 7 }],
    ['too many changes', change(Array.from({ length: 1_001 }, (_, i) => `10.0.${i >> 8}.${i & 255}`))],
    ['a weight that is none', change(['192.0.2.1'], { source: 'Node/a', weight: 'closed' })],
    ['a long source', change(['192.0.2.1'], { source: long, weight: 'occupied' })],
    ['a source of two lines', change(['192.0.2.1'], { source: 'Node/a\nb', weight: 'occupied' })],
    ['a prefix', change(['192.0.2.0/24'])],
    ['no address', change([':::'])],
    ['an empty network', change(['192.0.2.1'], USE, '')],
    ['a member that nobody knows', { ...change(['192.0.2.1']), cluster: 'c2' }],
  ])('of uses is refused as a whole: %s', async (_what, body) => {
    const world = new V3World({ clients: SHOWING_CLIENTS });
    const good = typeof body === 'object' && 'changes' in body && Array.isArray(body.changes) ? body.changes : [];
    const mixed =
      good.length === 1 ? { ...(body as object), changes: [...change(['192.0.2.99']).changes, ...good] } : body;
    expect((await uses(world, mixed)).status).toBe(400);
    expect(await world.ledger.record('192.0.2.99')).toBeUndefined();
    expect(await world.ledger.record('192.0.2.1')).toBeUndefined();
  });

  test('of contests and look-ups is refused', async () => {
    const world = new V3World({ clients: SHOWING_CLIENTS });
    const { serviceUid: _none, ...unstored } = by('u1').claimant;
    for (const body of [{ claimant: unstored }, { address: '192.0.2.0/24' }, { zone: '' }, { state: 'bound' }]) {
      expect((await contest(world, body)).status).toBe(400);
    }
    const lookup = (body: unknown) => world.send('POST', '/v3/clusters/c1/lookup', { as: 'c1', body });
    for (const body of [{}, { places: ['192.0.2.1'] }, { places: [{ network: 'default', address: 'x' }] }]) {
      expect((await lookup(body)).status).toBe(400);
    }
    expect((await world.send('DELETE', '/v3/clusters/c1/contests', { as: 'c1' })).status).toBe(400);
  });
});

test('a server whose record keeps none of it says so', async () => {
  const ledger = new LedgerWorld();
  const world = new V3World({ ledger, clients: SHOWING_CLIENTS, keepsShown: false });
  for (const reply of [await uses(world, change(['192.0.2.1'])), await contest(world)]) {
    expect(reply).toMatchObject({ status: 404, json: { code: 'api/not-found' } });
  }
});
