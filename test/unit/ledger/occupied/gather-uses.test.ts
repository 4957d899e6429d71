import { valueOf } from '../../../../operator/errors/ipam-error';
import { at, binding, holderOf, ownerOf, releasing, taken } from '../../../support/claim-requests';
import { apiServer, GatheringWorld, node, service } from '../../../support/gathering-world';
import { ask, granted, testHasher } from '../../../support/ledger-world';
import { ownRecord } from '../../../support/own-record';
import { LocalAddressBook } from '../../../../operator/ledger/local-address-book';

let world: GatheringWorld;
beforeEach(() => {
  world = new GatheringWorld();
});
afterEach(() => world.end());

function listOwners(): NonNullable<GatheringWorld['owners']> {
  const { store, zones, clock } = world;
  const book = new LocalAddressBook({ record: ownRecord(store), zones, hasher: testHasher, clock });
  return (cluster) => book.owners(cluster);
}

describe('FU-02: what a cluster shows without a claim', () => {
  test('is on record with its source: Nodes, the API server, ingress of Services', async () => {
    world.nodes.put(node('worker-1', '10.0.0.1', 'fd00::1'));
    world.apiServer.put(apiServer('10.0.0.2'));
    world.services.put(service('old', { ingress: ['10.0.0.3', '10.9.9.9'] }));
    world.start();
    await world.pass();
    expect(await world.recorded()).toEqual([
      '10.0.0.1 Node/worker-1 occupied',
      '10.0.0.2 kubernetes API server occupied',
      '10.0.0.3 Service/a/old occupied',
      // a zone may get its prefix tomorrow
      '10.9.9.9 Service/a/old occupied',
      'fd00::1 Node/worker-1 occupied',
    ]);
    expect(world.complete).toEqual(['default']);
    expect([...(await world.uses.completeSince('c1')).keys()]).toEqual(['default']);
  });

  test('is written once: an unchanged cluster causes no write, and neither does the next leader', async () => {
    world.nodes.put(node('worker-1', '10.0.0.1'));
    world.start();
    await world.pass();
    world.nodes.put(node('worker-1', '10.0.0.1'));
    await world.pass(700_000);
    expect(world.written).toHaveLength(1);
    await world.end();
    world.start();
    await world.pass();
    expect(world.written).toHaveLength(1);
  });

  test('follows each change within a moment, and what went while nobody led', async () => {
    world.nodes.put(node('worker-1', '10.0.0.1'));
    world.start();
    await world.pass();
    world.nodes.put(node('worker-1', '10.0.0.5'));
    world.nodes.put(node('worker-2', '10.0.0.1'));
    await world.pass(300);
    expect(await world.recorded()).toEqual(['10.0.0.1 Node/worker-2 occupied', '10.0.0.5 Node/worker-1 occupied']);
    await world.end();
    world.nodes.remove('', 'worker-2');
    world.start();
    await world.pass();
    expect(await world.recorded()).toEqual(['10.0.0.5 Node/worker-1 occupied']);
  });

  test('does not count for a class that nobody announces here', async () => {
    world.services.put(service('forged', { ingress: ['10.0.0.1'], loadBalancerClass: 'example.com/none' }));
    world.services.put(service('other', { ingress: ['10.0.0.2'], loadBalancerClass: 'example.com/lb' }));
    world.services.put(service('left', { ingress: ['10.0.0.3'], type: 'ClusterIP' }));
    world.start(['example.com/lb']);
    await world.pass();
    expect(await world.recorded()).toEqual(['10.0.0.2 Service/a/other occupied']);
  });

  test('does not report served addresses as foreign while the record does not tell of claims', async () => {
    const owner = ownerOf('web', { uid: 'uid of web' });
    await taken(world.store, 'web', { address: '10.0.0.3', holder: holderOf('web', { owner }) });
    world.services.put(service('web', { ingress: ['10.0.0.3'] }));
    world.services.put(service('old', { ingress: ['10.0.0.4'] }));
    world.nodes.put(node('worker-1', '10.0.0.1'));
    world.tellsNoClaims = true;
    world.start();
    await world.pass(10_000);
    expect(world.written.map(({ address }) => address.toString())).toEqual(['10.0.0.1']);
    // the process goes on, and the record is not told that nothing is missing
    expect(world.complete).toEqual(['default']);
    expect(await world.uses.completeSince('c1')).toEqual(new Map());
    expect(world.logger.lines.filter(({ level }) => level === 'warn')).toEqual([]);
    world.tellsNoClaims = false;
    await world.pass(61_000);
    expect(await world.recorded()).toEqual(['10.0.0.1 Node/worker-1 occupied', '10.0.0.4 Service/a/old occupied']);
    expect([...(await world.uses.completeSince('c1')).keys()]).toEqual(['default']);
    // what is on record stays there while it is not told
    world.tellsNoClaims = true;
    world.services.put(service('old', { ingress: ['10.0.0.4', '10.0.0.5'] }));
    await world.pass(1_000);
    expect(await world.recorded()).toContain('10.0.0.4 Service/a/old occupied');
  });

  test('a Service with a claim of its own occupies nothing, before and after the claim', async () => {
    const owner = ownerOf('web', { uid: 'uid of web' });
    const record = await taken(world.store, 'web', { address: '10.0.0.3', holder: holderOf('web', { owner }) });
    world.services.put(service('web', { ingress: ['10.0.0.3'] }));
    world.start();
    await world.pass();
    expect(await world.recorded()).toEqual([]);
    // it left the address, which MetalLB has not taken off it yet
    await world.store.release(releasing(record, { quarantineMs: 60_000 }));
    await world.pass();
    expect(await world.recorded()).toEqual([]);
    await world.pass(56_000);
    expect(await world.recorded()).toEqual(['10.0.0.3 Service/a/web occupied']);
    world.services.put(service('web', {}));
    await world.pass();
    expect(await world.store.get(at('10.0.0.3'))).toBeUndefined();
  });

  test('FU-07 a comparison of everything asks for no address that its Service has by the list of claims', async () => {
    for (const name of ['web', 'mail']) {
      const owner = ownerOf(name, { uid: `uid of ${name}` });
      await taken(world.store, name, { holder: holderOf(name, { owner }) });
    }
    world.owners = listOwners();
    world.services.put(service('web', { ingress: ['10.0.0.0'] }));
    world.services.put(service('mail', { ingress: ['10.0.0.0', '10.0.0.1', '10.0.0.2'] }));
    world.start();
    await world.pass();
    expect(world.asked).toEqual(['10.0.0.0', '10.0.0.2']);
    expect(await world.recorded()).toEqual(['10.0.0.0 Service/a/mail occupied', '10.0.0.2 Service/a/mail occupied']);
  });

  test('FU-07 a claim that ends while the list of claims is made is asked for', async () => {
    const owner = ownerOf('web', { uid: 'uid of web' });
    const record = await taken(world.store, 'web', { address: '10.0.0.3', holder: holderOf('web', { owner }) });
    const list = listOwners();
    world.owners = async (cluster) => {
      const owners = await list(cluster);
      await world.store.release(releasing(record));
      return owners;
    };
    world.services.put(service('web', { ingress: ['10.0.0.3'] }));
    world.start();
    await world.pass();
    expect(await world.recorded()).toEqual(['10.0.0.3 Service/a/web occupied']);
  });

  test('a Service that gets its claim later leaves the record of what is in use', async () => {
    world.services.put(service('web', { ingress: ['10.0.0.3'] }));
    world.start();
    await world.pass();
    expect(await world.recorded()).toEqual(['10.0.0.3 Service/a/web occupied']);
    await taken(world.store, 'web', { address: '10.0.0.3' });
    await world.pass();
    expect(await world.recorded()).toEqual([]);
    expect((await world.store.get(at('10.0.0.3')))?.state).toBe('held');
  });

  test('a contested address is the one of the Service that shows it', async () => {
    const record = await taken(world.store, 'first', { address: '10.0.0.3' });
    const owner = ownerOf('loud', { uid: 'uid of loud' });
    valueOf(await world.store.bind(binding(record, { owner, state: 'contested' })));
    world.services.put(service('loud', { ingress: ['10.0.0.3'] }));
    world.start();
    await world.pass();
    expect([await world.recorded(), world.met]).toEqual([[], []]);
  });

  test('tells of claims that it meets', async () => {
    await taken(world.store, 'web', { address: '10.0.0.3' });
    world.start();
    await world.pass();
    world.nodes.put(node('worker-1', '10.0.0.3'));
    await world.pass();
    expect(world.met).toMatchObject([{ holder: { name: 'web' }, use: { cluster: 'c1', source: 'Node/worker-1' } }]);
    expect(world.meter.of('claims_met').at(-1)?.value).toBe(1);
  });

  test('counts what is on record, without what the record did not take', async () => {
    world.room = 1;
    world.nodes.put(node('worker-1', '10.0.0.1', '10.0.0.2', '10.0.0.3'));
    world.start();
    await world.pass();
    const occupied = () =>
      world.meter.of('occupied_addresses').findLast(({ labels }) => labels['weight'] === 'occupied')?.value;
    expect([occupied(), (await world.recorded()).length]).toEqual([1, 1]);
    world.room = 2;
    await world.pass(601_000);
    expect([occupied(), (await world.recorded()).length]).toEqual([3, 3]);
  });

  test('names no object of another cluster that shows the address of a claim', async () => {
    await taken(world.store, 'web', { address: '10.0.0.3' });
    const use = { source: 'Service/secret-project/db', weight: 'occupied' } as const;
    const { network, address } = at('10.0.0.3');
    await world.uses.write({ cluster: 'c2', network, address, use });
    world.start();
    await world.pass();
    expect(world.met).toMatchObject([{ use: { cluster: 'c2', source: 'an object' } }]);
  });

  test('is tried again after a fault of the store, and complete only then', async () => {
    world.failures = 1;
    world.nodes.put(node('worker-1', '10.0.0.1'));
    world.start();
    await world.pass();
    expect(world.complete).toEqual([]);
    await world.pass(6_000);
    expect([await world.recorded(), world.complete]).toEqual([['10.0.0.1 Node/worker-1 occupied'], ['default']]);
  });
});

test('FU-02: what is shown of a prefix counts as soon as that becomes a zone, and what is shown no more goes with the next comparison', async () => {
  world.nodes.put(node('worker-1', '10.9.0.1'));
  // by a leader of before
  const stale = { cluster: 'c1', ...at('10.9.0.2'), use: { source: 'Node/gone', weight: 'occupied' } } as const;
  await world.end();
  world = new GatheringWorld([{ name: 'z', prefixes: ['10.0.0.0/24'] }]);
  world.nodes.put(node('worker-1', '10.9.0.1'));
  world.start();
  await world.pass();
  await world.uses.write(stale);
  const taken = async (address: string) => {
    const book = new LocalAddressBook({
      record: ownRecord(world.store),
      zones: world.zones,
      hasher: testHasher,
      clock: world.clock,
    });
    return (await book.reserve(ask('a/web', { at: address, zone: 'new' }))).ok;
  };
  world.zones.become([
    { name: 'z', prefixes: ['10.0.0.0/24'] },
    { name: 'new', prefixes: ['10.9.0.0/24'] },
  ]);
  expect([await taken('10.9.0.1'), await taken('10.9.0.2')]).toEqual([false, false]);
  await world.pass();
  expect(await world.recorded()).toEqual(['10.9.0.1 Node/worker-1 occupied']);
  expect([await taken('10.9.0.1'), await taken('10.9.0.2')]).toEqual([false, true]);
});

test('FU-02: a record without a place for it is no record of an empty cluster, and is asked again with each comparison', async () => {
  world.keepsUses = false;
  world.nodes.put(node('worker-1', '10.0.0.1'));
  world.start();
  await world.pass();
  expect(world.written).toEqual([]);
  // what is given out does not wait for it
  expect(world.complete).toEqual(['default']);
  expect([world.meter.of('occupied_addresses'), world.meter.of('claims_met')]).toEqual([[], []]);
  world.nodes.put(node('worker-2', '10.0.0.2'));
  await world.pass();
  world.keepsUses = true;
  await world.pass(600_000);
  expect(await world.recorded()).toEqual(['10.0.0.1 Node/worker-1 occupied', '10.0.0.2 Node/worker-2 occupied']);
  world.keepsUses = false;
  await world.pass(600_000);
  expect(world.met).toEqual([]);
  expect(await world.recorded()).toHaveLength(2);
});

test('FU-04: an address whose Services have no row of their own on record is in use by them, and given to no Service when the rows go', async () => {
  const contests = (name: string) => ({ owner: ownerOf(name, { uid: `uid of ${name}` }), state: 'contested' }) as const;
  let record = await taken(world.store, 'loud0', { address: '10.0.0.7', holder: contests('loud0') });
  for (let i = 1; i < 16; i++) record = valueOf(await world.store.bind(binding(record, contests(`loud${i}`))));
  for (let i = 0; i < 17; i++) world.services.put(service(`loud${i}`, { ingress: ['10.0.0.7'] }));
  world.start();
  await world.pass();
  expect(await world.recorded()).toEqual(['10.0.0.7 Service/a/loud16 occupied']);
  for (const { id } of record.holders) {
    const { version } = (await world.store.get(at('10.0.0.7')))!;
    await world.store.release({ ...at('10.0.0.7'), version, holderId: id });
  }
  expect(await world.store.get(at('10.0.0.7'))).toMatchObject({ state: 'foreign' });
  const book = new LocalAddressBook({
    record: ownRecord(world.store),
    zones: world.zones,
    hasher: testHasher,
    clock: world.clock,
  });
  expect(await book.reserve(ask('a/other', { at: '10.0.0.7' }))).toMatchObject({
    refusal: { code: 'address/held', value: '10.0.0.7' },
  });
});

describe('FU-02: what a namespace names in spec.externalIPs', () => {
  const addresses = (count: number, from = 0): string[] =>
    Array.from({ length: count }, (_, i) => `10.0.${Math.floor((from + i) / 256)}.${(from + i) % 256}`);
  const avoided = async (): Promise<number> => (await world.recorded()).length;

  test('is avoided, as far as a zone may give it, and weaker than everything else', async () => {
    world.services.put(service('a/web', { externalIPs: ['10.0.0.1', '192.0.2.1', '10.0.0.2'], type: 'ClusterIP' }));
    world.nodes.put(node('worker-1', '10.0.0.2'));
    world.start();
    await world.pass();
    expect(await world.recorded()).toEqual(['10.0.0.1 Service/a/web avoided', '10.0.0.2 Node/worker-1 occupied']);
  });

  test('counts up to 64 addresses; beyond that an Event and a metric name the namespace', async () => {
    world.services.put(service('a/one', { externalIPs: addresses(64) }));
    world.services.put(service('b/one', { externalIPs: addresses(3, 1000) }));
    world.start();
    await world.pass();
    expect([await avoided(), world.events]).toEqual([67, []]);
    world.services.put(service('a/two', { externalIPs: addresses(10, 300) }));
    await world.pass();
    world.services.put(service('a/three', { externalIPs: addresses(10, 400) }));
    await world.pass();
    expect(await avoided()).toBe(67);
    expect(world.events.map(([{ name, kind }, { reason }]) => `${kind} ${name} ${reason}`)).toEqual([
      'Namespace a TooManyExternalIPs',
    ]);
    expect(world.meter.of('external_ips_ignored')).toMatchObject([{ labels: { namespace: 'a' }, value: 20 }]);
    world.services.remove('a', 'one');
    await world.pass();
    expect([await avoided(), world.meter.of('external_ips_ignored')]).toEqual([23, []]);
  });

  test('costs the same whatever a namespace piles up: 10,000 addresses write 64 rows', async () => {
    world.start();
    await world.pass();
    for (let i = 0; i < 10_000; i++) world.services.put(service(`a/s${i}`, { externalIPs: addresses(1, i) }));
    await world.pass();
    expect(await avoided()).toBe(64);
    expect(world.written.length).toBe(64);
    for (let i = 0; i < 10_000; i++) world.services.remove('a', `s${i}`);
    await world.pass();
    expect(await avoided()).toBe(0);
  });
});

test('FU-02: what is in use is so in every network of the zones, and a new one is complete before it is said to be', async () => {
  world = new GatheringWorld([
    { name: 'z', prefixes: ['10.0.0.0/24'] },
    { name: 'lab', network: 'lab', prefixes: ['10.0.0.0/24'] },
  ]);
  world.nodes.put(node('worker-1', '10.0.0.1'));
  world.start();
  await world.pass();
  expect((await world.uses.list({ by: 'cluster', cluster: 'c1' })).map(({ network }) => network)).toEqual([
    'default',
    'lab',
  ]);
  expect(world.complete).toEqual(['default', 'lab']);
  await world.end();
  world.zones.become([{ name: 'z', prefixes: ['10.0.0.0/24'] }]);
  world.start();
  await world.pass();
  expect(await world.recorded()).toEqual(['10.0.0.1 Node/worker-1 occupied']);
});

test('FU-02: neither 10,000 externalIPs nor 10,000 wishes of one namespace keep others from being served', async () => {
  world.start();
  for (let i = 0; i < 10_000; i++) {
    const externalIPs = [`10.0.${Math.floor(i / 256)}.${i % 256}`];
    world.services.put(service(`evil/s${i}`, { externalIPs, type: 'ClusterIP' }));
  }
  await world.pass();
  const book = new LocalAddressBook({
    record: ownRecord(world.store),
    zones: world.zones,
    hasher: testHasher,
    clock: world.clock,
  });
  const codes = new Map<string, number>();
  for (let i = 0; i < 10_000; i++) {
    const at = `10.0.${100 + Math.floor(i / 256)}.${i % 256}`;
    const outcome = await book.reserve(ask(`evil/w${i}`, { at, zone: 'z' }));
    const code = outcome.ok ? 'granted' : outcome.refusal.code;
    codes.set(code, (codes.get(code) ?? 0) + 1);
  }
  expect(codes).toEqual(
    new Map([
      ['granted', 64],
      ['reservation/limit', 9_936],
    ]),
  );
  // addresses beyond the 64 of a namespace do not count, so they are given out in their turn
  const served = [];
  for (let i = 0; i < 100; i++) served.push(granted(await book.reserve(ask(`good-${i}/web`, { zone: 'z' }))).address);
  expect(served[0]?.toString()).toBe('10.0.0.64');
  expect(new Set(served.map(String)).size).toBe(100);
  expect((await book.reserve(ask('good/wish', { at: '10.0.20.7', zone: 'z' }))).ok).toBe(true);
});
