import { FakeNetBox } from '../../../support/fake-netbox';
import { heldIn, ip, netBoxTake, startWorld, type NetBoxWorld } from '../../../support/netbox-world';
import { shows, usesOf } from '../../../support/occupied-suite';
import type { Address } from '../../../../operator/addressing/address';

const PREFIXES = '/api/ipam/prefixes/';

describe('Outbox', () => {
  let netbox: FakeNetBox;
  let world: NetBoxWorld;
  const deletes = (): number => netbox.calls.filter(({ method }) => method === 'DELETE').length;
  const row = (address: Address) => world.rows.get('default', address);

  beforeEach(async () => {
    netbox = await FakeNetBox.start();
    netbox.records.container('inet', '10.0.0.0/29');
    world = await startWorld(netbox);
  });
  afterEach(async () => {
    await world.close();
    await netbox.stop();
  });

  test('keeps the prefix during the quarantine, and deletes it at its end', async () => {
    const address = await world.taken();
    await world.release(address, 300_000);
    world.clock.advance(299_000);
    await world.outbox.work();
    expect(netbox.records.hosts()).toEqual(['10.0.0.0/32']);
    world.clock.advance(2_000);
    await world.outbox.work();
    expect([netbox.records.hosts(), await row(address)]).toEqual([[], undefined]);
  });

  test('leaves a returned address alone', async () => {
    const address = await world.taken();
    await world.release(address);
    await world.taken({ name: 'next', address });
    await world.settle();
    expect([netbox.records.hosts(), deletes()]).toEqual([['10.0.0.0/32'], 0]);
  });

  test('FU-02 removes the prefix of a released address that a cluster still shows', async () => {
    const address = await world.taken();
    await world.settle();
    await usesOf(world.store).write(shows(address.toString()));
    await world.release(address, 300_000);
    expect(await world.store.get({ network: 'default', address })).toMatchObject({ state: 'foreign' });
    await world.settle();
    expect([netbox.records.hosts(), await row(address)]).toEqual([[], undefined]);
  });

  test('FU-02 enters no prefix for an address that is in use without a claim', async () => {
    await usesOf(world.store).write(shows('10.0.0.5'));
    const place = { network: 'default', address: ip('10.0.0.5') };
    await world.rows.begin({ ...place, zone: 'inet', mark: 'ipam-0a1b2c3d-x', nextAtMs: world.clock.nowMs() });
    await world.settle();
    expect([netbox.records.hosts(), await row(place.address)]).toEqual([[], undefined]);
    expect(netbox.calls.filter(({ method }) => method === 'POST')).toEqual([]);
  });

  test('does not touch an address that a take is working on', async () => {
    await world.store.take(netBoxTake(world.zones, { name: 'seed', key: 'another', address: ip('10.0.0.5') }));
    const nextAtMs = world.clock.nowMs() + 60_000;
    const mark = 'ipam-0a1b2c3d-x';
    await world.rows.begin({ network: 'default', address: ip('10.0.0.5'), zone: 'inet', mark, nextAtMs });
    await world.outbox.work();
    expect(netbox.records.hosts()).not.toContain('10.0.0.5/32');
    world.clock.advance(60_000);
    await world.outbox.work();
    expect(netbox.records.hosts()).toContain('10.0.0.5/32');
    expect(await row(ip('10.0.0.5'))).toMatchObject({ state: 'confirmed', mark: 'ipam-0a1b2c3d-x' });
  });

  test('DEL-04 counts a prefix that is gone already as deleted', async () => {
    const address = await world.taken();
    netbox.records.prefixes.delete((await row(address))?.externalId ?? 0);
    await world.release(address);
    await world.outbox.work();
    expect(await row(address)).toBeUndefined();
    const second = await world.taken();
    netbox.fail({ status: 404, body: '{"detail":"Not found."}', after: true }, ({ method }) => method === 'DELETE');
    await world.release(second);
    await world.outbox.work();
    expect(await row(second)).toBeUndefined();
  });

  test.each([
    ['403', { status: 403, body: '{"detail":"No permission"}' }],
    ['500', { status: 500, body: '' }],
    ['a reset', { reset: 'before' as const }],
  ])('DEL-04 keeps a row and tries again after %s', async (_name, answer) => {
    const address = await world.taken();
    await world.release(address);
    netbox.fail(answer, ({ method }) => method === 'DELETE', 2);
    await world.outbox.work();
    const kept = await row(address);
    expect(kept).toMatchObject({ state: 'leaving', attempts: 1, fault: expect.stringContaining('NetBox') as string });
    expect(kept?.nextAtMs).toBeGreaterThan(world.clock.nowMs());
    expect(world.logger.lines.at(-1)?.message).toContain('tried again later');
    await world.settle();
    expect([netbox.records.hosts(), await row(address)]).toEqual([[], undefined]);
  });

  test('FU-54 does not take 404 for removed where the prefix is still shown, and names the right', async () => {
    const address = await world.taken();
    const id = (await row(address))?.externalId ?? 0;
    netbox.records.unwritable.add(id);
    await world.release(address);
    await world.outbox.work();
    expect(netbox.records.hosts()).toEqual(['10.0.0.0/32']);
    const problem = `NetBox shows prefix ${id}, but does not let the token delete it`;
    expect((await row(address))?.fault).toContain(problem);
    await world.sweep.sweep();
    expect(await world.differences()).toMatchObject([{ kind: 'orphan', address: '10.0.0.0', next: 'remove' }]);
    netbox.records.unwritable.clear();
    await world.settle();
    expect([netbox.records.hosts(), await row(address)]).toEqual([[], undefined]);
  });

  test('FU-57 does releases before what waits to be made', async () => {
    const address = await world.taken();
    for (let last = 1; last <= 40; last++) {
      const place = { network: 'default', address: ip(`10.1.0.${last}`) };
      await world.rows.begin({ ...place, zone: 'inet', mark: `ipam-0a1b2c3d-${last}`, nextAtMs: world.clock.nowMs() });
    }
    world.clock.advance(1_000);
    await world.release(address);
    await world.outbox.work();
    expect([netbox.records.hosts(), await row(address)]).toEqual([[], undefined]);
  });

  test('DEL-04 leaves a record alone that has another owner now, and names it', async () => {
    const address = await world.taken();
    const id = (await row(address))?.externalId ?? 0;
    const record = netbox.records.prefixes.get(id);
    if (record === undefined) throw new RangeError('no record');
    netbox.records.change(record, { custom_fields: { k8s_uuid: '64f0cc' } });
    await world.release(address);
    await world.settle();
    expect([netbox.records.hosts(), await row(address), deletes()]).toEqual([['10.0.0.0/32'], undefined, 0]);
    const line = world.logger.lines.find(({ message }) => message.includes('another owner'));
    expect(line?.fields['problem']).toBe(`NetBox prefix ${id} (10.0.0.0/32) has the k8s_uuid "64f0cc" now`);
  });

  test('pauses longer after each failure, up to ten minutes', async () => {
    // a reading of the zones that is under way when the time is moved on would fail
    await world.zones.close();
    const address = await world.taken();
    await world.release(address);
    const pauses: number[] = [];
    for (let tries = 0; tries < 12; tries++) {
      netbox.fail({ status: 500 }, ({ method }) => method === 'DELETE', 2);
      await world.outbox.work();
      const next = (await row(address))?.nextAtMs ?? 0;
      pauses.push((next - world.clock.nowMs()) / 1000);
      world.clock.advance(next - world.clock.nowMs());
      netbox.faults = [];
    }
    expect(pauses).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600, 600]);
    expect(world.logger.lines.filter(({ message }) => message.includes('tried again later'))).toHaveLength(1);
  });

  test('EXT-04 waits at least as long as a 429 says', async () => {
    const address = await world.taken();
    await world.release(address);
    netbox.fail({ status: 429, headers: { 'retry-after': '20' } }, ({ query }) => query.has('prefix'));
    await world.outbox.work();
    expect(((await row(address))?.nextAtMs ?? 0) - world.clock.nowMs()).toBe(20_000);
  });

  test('removes both prefixes that lost answers made where NetBox allows duplicates', async () => {
    const vrf = netbox.records.vrfs.get(7);
    if (vrf !== undefined) vrf.enforceUnique = false;
    const address = await world.taken();
    const mark = (await row(address))?.mark ?? '';
    netbox.records.put('10.0.0.0/32', { custom_fields: { k8s_uuid: mark, k8s_zone: 'inet' } });
    await world.release(address);
    await world.settle();
    expect(netbox.records.hosts()).toEqual([]);
  });

  test('goes on by itself while it leads, and ends when told', async () => {
    const stop = world.outbox.start();
    const address = await world.taken();
    await world.release(address);
    const gone = new Promise<void>((resolve) => {
      netbox.faults.push(({ method }) => {
        if (method === 'DELETE') resolve();
        return undefined;
      });
    });
    const tick = async (): Promise<void> => {
      for (let turns = 0; turns < 500 && deletes() === 0; turns++) {
        await new Promise((resolve) => setImmediate(resolve));
        world.clock.advance(1_000);
      }
    };
    await Promise.all([gone, tick()]);
    await stop();
    expect(await heldIn(world.store)).toEqual([]);
    expect(await row(address)).toBeUndefined();
  });
});

describe('NetBoxSweep', () => {
  let netbox: FakeNetBox;
  let world: NetBoxWorld;
  const row = (address: Address) => world.rows.get('default', address);
  const kinds = async () => (await world.differences()).map(({ kind, address }) => `${kind} ${address}`);

  beforeEach(async () => {
    netbox = await FakeNetBox.start();
    netbox.records.container('inet', '10.0.0.0/29');
    world = await startWorld(netbox);
  });
  afterEach(async () => {
    await world.close();
    await netbox.stop();
  });

  test('finds no difference where there is none, and calls nothing that writes', async () => {
    await world.taken();
    const before = netbox.calls.length;
    expect(await world.sweep.sweep()).toBe(true);
    expect(await kinds()).toEqual([]);
    expect(netbox.calls.slice(before).every(({ method }) => method === 'GET')).toBe(true);
  });

  test('makes the prefixes of claims that came without it', async () => {
    const request = { name: 'old' };
    await world.taken(request);
    const [row] = await world.rows.ofZone('inet');
    if (row !== undefined) await world.rows.end(row);
    netbox.records.prefixes.delete(row?.externalId ?? 0);
    await world.sweep.sweep();
    await world.settle();
    expect(netbox.records.hosts()).toEqual(['10.0.0.0/32']);
    expect(await world.rows.ofZone('inet')).toMatchObject([{ state: 'confirmed' }]);
  });

  test('reports a prefix that somebody deleted in NetBox, and makes it again', async () => {
    const address = await world.taken();
    netbox.records.prefixes.delete((await world.rows.get('default', address))?.externalId ?? 0);
    await world.sweep.sweep();
    expect(await kinds()).toEqual(['missing 10.0.0.0']);
    expect(world.meter.of('netbox_differences').filter(({ value }) => value > 0)).toEqual([
      { name: 'netbox_differences', labels: { kind: 'missing' }, value: 1 },
    ]);
    await world.settle();
    expect(netbox.records.hosts()).toEqual(['10.0.0.0/32']);
  });

  test('reports an orphan first, and removes it by a later comparison after the grace time', async () => {
    const custom_fields = { k8s_uuid: 'ipam-0a1b2c3d-lost', k8s_zone: 'inet' };
    netbox.records.put('10.0.0.6/32', { custom_fields });
    await world.sweep.sweep();
    expect(netbox.records.hosts()).toEqual(['10.0.0.6/32']);
    const id = [...netbox.records.prefixes.values()].find(({ prefix }) => prefix === '10.0.0.6/32')?.id ?? 0;
    const nowMs = world.clock.nowMs();
    expect(await world.differences()).toEqual([
      {
        kind: 'orphan',
        network: 'default',
        zone: 'inet',
        address: '10.0.0.6',
        holders: [],
        outside: `NetBox has prefix ${id} (10.0.0.6/32) with k8s_uuid "ipam-0a1b2c3d-lost"`,
        sinceMs: nowMs,
        next: 'remove',
        nextAtMs: nowMs + 600_000,
      },
    ]);
    expect(world.logger.lines.at(-1)?.message).toContain('has no claim; a later comparison removes it');
    world.clock.advance(599_000);
    await world.sweep.sweep();
    expect(netbox.records.hosts()).toEqual(['10.0.0.6/32']);
    world.clock.advance(1_000);
    await world.sweep.sweep();
    expect([await kinds(), netbox.records.hosts()]).toEqual([[], []]);
  });

  test('never touches what carries no mark of this installation', async () => {
    netbox.records.put('10.0.0.5/32', { custom_fields: { k8s_uuid: 'ipam-ffffffff-theirs', k8s_zone: 'inet' } });
    netbox.records.put('10.0.0.6/32', { custom_fields: { k8s_uuid: '64f0aabbccddeeff00112233', k8s_zone: 'inet' } });
    netbox.records.put('10.0.0.7/32');
    await world.sweep.sweep();
    world.clock.advance(3_600_000);
    await world.sweep.sweep();
    expect([await kinds(), netbox.records.hosts().length]).toEqual([[], 3]);
  });

  test('does not take a prefix for an orphan that a take is making', async () => {
    let sweeping: Promise<unknown> = Promise.resolve();
    netbox.faults.unshift((call) => {
      if (call.method === 'POST') sweeping = world.sweep.sweep();
      return undefined;
    });
    await world.taken();
    await sweeping;
    expect((await kinds()).filter((text) => text.startsWith('orphan'))).toEqual([]);
  });

  test('reports a claim whose address NetBox has for somebody else, and leaves both alone', async () => {
    const taken = await world.taken();
    const row = await world.rows.get('default', taken);
    netbox.records.prefixes.delete(row?.externalId ?? 0);
    const theirs = netbox.records.put('10.0.0.0/32', { custom_fields: { k8s_uuid: '64f0' } });
    await world.sweep.sweep();
    await world.outbox.work();
    await world.sweep.sweep();
    const nowMs = world.clock.nowMs();
    expect(await world.differences()).toEqual([
      {
        kind: 'foreign',
        network: 'default',
        zone: 'inet',
        address: '10.0.0.0',
        outside: 'NetBox has prefix 10.0.0.0/32 with k8s_uuid "64f0"',
        holders: [{ clusterUid: 'cluster-uid', namespace: 'default', service: 'web', state: 'reserved' }],
        sinceMs: nowMs,
        next: 'create',
        nextAtMs: nowMs,
      },
    ]);
    expect([netbox.records.prefixes.get(theirs.id), await heldIn(world.store)]).toEqual([theirs, ['10.0.0.0']]);
  });

  test('makes our prefix at the next comparison after the other owner gave the address up', async () => {
    const taken = await world.taken();
    netbox.records.prefixes.delete((await row(taken))?.externalId ?? 0);
    const theirs = netbox.records.put('10.0.0.0/32', { custom_fields: { k8s_uuid: '64f0' } });
    await world.sweep.sweep();
    await world.outbox.work();
    const sinceMs = world.clock.nowMs();
    netbox.records.prefixes.delete(theirs.id);
    world.clock.advance(10_000);
    await world.outbox.work();
    expect(netbox.records.hosts()).toEqual([]);
    await world.sweep.sweep();
    expect(await world.differences()).toMatchObject([{ kind: 'foreign', sinceMs, nextAtMs: sinceMs + 10_000 }]);
    await world.outbox.work();
    expect(await row(taken)).toMatchObject({ state: 'confirmed', differsSinceMs: 0, foreign: false, fault: '' });
    await world.sweep.sweep();
    expect([await kinds(), netbox.records.hosts()]).toEqual([[], ['10.0.0.0/32']]);
  });

  test('tells what kept a prefix from being removed, and when that is tried again', async () => {
    const address = await world.taken();
    await world.release(address);
    netbox.fail({ status: 403, body: '{"detail":"No permission"}' }, ({ method }) => method === 'DELETE');
    await world.outbox.work();
    const sinceMs = world.clock.nowMs();
    await world.sweep.sweep();
    expect(await world.differences()).toEqual([
      {
        kind: 'orphan',
        network: 'default',
        zone: 'inet',
        address: '10.0.0.0',
        holders: [],
        sinceMs,
        outside: 'NetBox does not let the token do that: it answered 403: "No permission"',
        next: 'remove',
        nextAtMs: sinceMs + 2_000,
      },
    ]);
    await world.settle();
    await world.sweep.sweep();
    expect([await kinds(), netbox.records.hosts()]).toEqual([[], []]);
  });

  test('does not miss the prefix of an address in quarantine', async () => {
    const address = await world.taken();
    await world.release(address, 300_000);
    netbox.records.prefixes.delete((await row(address))?.externalId ?? 0);
    await world.sweep.sweep();
    expect(await kinds()).toEqual([]);
  });

  test('stops to tell of differences when another process leads', async () => {
    netbox.records.put('10.0.0.6/32', { custom_fields: { k8s_uuid: 'ipam-0a1b2c3d-lost', k8s_zone: 'inet' } });
    const stop = world.sweep.start();
    world.clock.advance(1);
    await stop();
    const told = world.meter.of('netbox_differences').filter(({ labels }) => labels['kind'] === 'orphan');
    expect([(await kinds()).length, told.at(-1)?.value]).toEqual([1, 0]);
  });

  test('says that it could not compare a zone, and forgets no orphan for that', async () => {
    netbox.records.put('10.0.0.6/32', { custom_fields: { k8s_uuid: 'ipam-0a1b2c3d-lost', k8s_zone: 'inet' } });
    await world.sweep.sweep();
    netbox.fail({ status: 500 }, ({ query }) => query.has('mask_length'), 2);
    expect(await world.sweep.sweep()).toBe(false);
    expect(await kinds()).toEqual(['orphan 10.0.0.6']);
    world.clock.advance(600_000);
    expect(await world.sweep.sweep()).toBe(true);
    expect([netbox.records.hosts(), netbox.seen().includes(`DELETE ${PREFIXES}`)]).toEqual([[], false]);
  });
});
