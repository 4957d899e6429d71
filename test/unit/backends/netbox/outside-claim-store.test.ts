import type { Address } from '../../../../operator/addressing/address';
import { FakeNetBox } from '../../../support/fake-netbox';
import {
  heldIn,
  INSTALLATION,
  ip,
  netBoxTake,
  newGround,
  startWorld,
  withVerbs,
  type NetBoxWorld,
} from '../../../support/netbox-world';

describe('withOutside', () => {
  let netbox: FakeNetBox;
  let world: NetBoxWorld;
  const arrival = (family: number): Promise<void> =>
    new Promise((resolve) => {
      netbox.faults.push(({ method, body }) => {
        if (method === 'POST' && String(body['prefix']).includes(':') === (family === 6)) resolve();
        return undefined;
      });
    });
  const creates = (): number => netbox.seen().filter((line) => line === 'POST /api/ipam/prefixes/').length;

  beforeEach(async () => {
    netbox = await FakeNetBox.start();
    netbox.records.container('inet', '10.0.0.0/29');
    netbox.records.container('inet', '2001:db8::/120');
    world = await startWorld(netbox);
  });
  afterEach(async () => {
    await world.close();
    await netbox.stop();
  });

  test.each(['deleted', 'active'] as const)(
    'FU-51 gives no address of a container that is %s since the last reading, and reads again soon',
    async (change) => {
      const [container] = [...netbox.records.prefixes.values()];
      if (container === undefined) throw new RangeError('no container');
      if (change === 'deleted') netbox.records.prefixes.delete(container.id);
      else netbox.records.change(container, { status: change });
      const refused = await world.take();
      expect(refused).toMatchObject({ ok: false, refusal: { code: 'store/unavailable' } });
      const gone = `NetBox has no container ${container.prefix} of the zone any more`;
      expect(refused.ok ? '' : refused.refusal.message).toContain(gone);
      expect([netbox.records.hosts(), await heldIn(world.store)]).toEqual([[], []]);
    },
  );

  test('FU-57 asks for the addresses of both families at once', async () => {
    // neither is answered before both came
    const both = Promise.all([4, 6].map((family) => arrival(family)));
    netbox.faults.unshift(({ method }) => (method === 'POST' ? { waitFor: both } : undefined));
    const { secret, holder, ...request } = netBoxTake(world.zones, {});
    const [want] = request.wants;
    const wants = [want, { ...want, family: 6 as const, key: 'key-web-6' }] as const;
    const known = secret === undefined ? {} : { secret };
    const taken = await world.claims.take({ ...request, holder, ...known, wants });
    expect(taken.ok && taken.value.map(({ record }) => record.address.toString())).toEqual(['10.0.0.0', '2001:db8::']);
  });

  test('FU-52 names the right that NetBox 4.6 wants for a tag', async () => {
    netbox.records.rights.viewTags = false;
    const refused = await world.take();
    expect(refused.ok ? '' : refused.refusal.message).toContain('give the token the right "view" on extras.tag');
    netbox.records.rights.viewTags = true;
    expect((await world.taken()).toString()).toBe('10.0.0.0');
  });

  test('FU-53 goes on with the next address where another owner has a prefix that the token may not see', async () => {
    for (const prefix of ['10.0.0.0/32', '10.0.0.1/32']) netbox.records.hidden.add(netbox.records.put(prefix).id);
    expect((await world.taken()).toString()).toBe('10.0.0.2');
    const wished = await world.take({ name: 'two', address: ip('10.0.0.1') });
    expect(wished).toMatchObject({ ok: false, refusal: { code: 'address/foreign' } });
    expect(wished.ok ? '' : wished.refusal.message).toContain('which the token may not see');
  });

  test('FU-56 gives nothing out of an IP range of NetBox, whatever masks it has, and counts it as foreign', async () => {
    netbox.records.ipRange('10.0.0.0/16', '10.0.0.2/16');
    // another table, and one that only begins in the zone
    netbox.records.ipRange('10.0.0.3/32', '10.0.0.3/32', null);
    netbox.records.ipRange('10.0.0.6/24', '10.0.0.200/24');
    await world.zones.refresh();
    expect((await world.taken()).toString()).toBe('10.0.0.3');
    const wished = await world.take({ name: 'two', address: ip('10.0.0.7') });
    expect(wished).toMatchObject({ ok: false, refusal: { code: 'address/foreign' } });
    expect(wished.ok ? '' : wished.refusal.message).toContain('NetBox has the IP range 10.0.0.6-10.0.0.200');
    const space = world.zones.current().zone('inet')?.space;
    if (space === undefined) throw new RangeError('no zone');
    const [usage] = await world.claims.usage([{ network: 'default', pool: 'inet', family: 4, space }]);
    expect(usage?.foreign).toBe(5n);
  });

  test('FU-56 leaves an address with its holder when an IP range is made over it', async () => {
    const address = await world.taken();
    netbox.records.ipRange('10.0.0.0/24', '10.0.0.9/24');
    await world.zones.refresh();
    expect((await world.taken()).toString()).toBe(address.toString());
    await world.sweep.sweep();
    await world.settle();
    expect([await heldIn(world.store), netbox.records.hosts()]).toEqual([['10.0.0.0'], ['10.0.0.0/32']]);
  });

  test('FU-56 goes on without IP ranges where the token may not see them, and names the right', async () => {
    netbox.records.rights.viewRanges = false;
    expect(await world.zones.refresh()).toBe('ok');
    expect((await world.taken()).toString()).toBe('10.0.0.0');
    expect(world.logger.text).toContain('ipam.iprange');
  });

  test('makes a host prefix with the fields, tag, VRF, tenant and role of its container', async () => {
    const address = await world.taken();
    const [host] = [...netbox.records.prefixes.values()].slice(-1);
    const fields = { domain: 'na', env: 'na', purpose: 'na', infra: 'prod', k8s_zone: 'inet' };
    expect(host).toMatchObject({ prefix: `${address.toString()}/32`, status: 'active', custom_fields: fields });
    expect(host).toMatchObject({ vrf: 7, tenant: 3, role: 5, tags: [11] });
    expect(host?.custom_fields['k8s_uuid']).toMatch(new RegExp(`^${INSTALLATION}[0-9a-f-]{36}$`, 'u'));
    const row = await world.rows.get('default', address);
    expect(row).toMatchObject({ state: 'confirmed', externalId: host?.id, mark: host?.custom_fields['k8s_uuid'] });
  });

  test('leaves out what the container that contains the address does not have', async () => {
    netbox.records.container('dmz', '10.9.0.0/30', { vrf: null, tenant: null, role: null });
    netbox.records.container('dmz', '10.8.0.0/30');
    await world.zones.refresh();
    await world.taken({ zone: 'dmz', address: ip('10.9.0.1') });
    const call = netbox.calls.find(({ method }) => method === 'POST');
    expect(Object.keys(call?.body ?? {}).sort()).toEqual(['custom_fields', 'prefix', 'status', 'tags']);
  });

  test('takes an IPv6 address as /128', async () => {
    const address = await world.taken({ family: 6, address: ip('2001:db8::5') });
    expect(netbox.records.hosts()).toEqual([`${address.toString()}/128`]);
  });

  test('does not ask NetBox for a zone of the document', async () => {
    const before = netbox.calls.length;
    await world.taken({ zone: 'own' });
    expect(netbox.calls).toHaveLength(before);
  });

  test('EXT-01 writes the intention down before it calls NetBox', async () => {
    const seen: (string | undefined)[] = [];
    netbox.faults.unshift((call) => {
      if (call.method !== 'POST') return undefined;
      return {
        waitFor: world.rows
          .ofZone('inet')
          .then((rows) => seen.push(...rows.map(({ state, mark }) => `${state} ${mark}`))),
      };
    });
    await world.taken();
    const mark = [...netbox.records.prefixes.values()].at(-1)?.custom_fields['k8s_uuid'];
    expect(seen).toEqual([`pending ${String(mark)}`]);
  });

  test('tries the next address where NetBox got one for somebody else since the last reading', async () => {
    netbox.records.put('10.0.0.0/32');
    netbox.records.ipAddress('10.0.0.1/24');
    netbox.records.put('10.0.0.2/31', { status: 'reserved' });
    expect((await world.taken()).toString()).toBe('10.0.0.4');
    await world.settle();
    expect([await heldIn(world.store), (await world.rows.ofZone('inet')).length]).toEqual([['10.0.0.4'], 1]);
  });

  test('does not try what others have as of the last reading', async () => {
    netbox.records.put('10.0.0.0/30', { status: 'reserved' });
    netbox.records.ipAddress('10.0.0.4/29');
    await world.zones.refresh();
    const before = creates();
    expect((await world.taken()).toString()).toBe('10.0.0.5');
    expect(creates()).toBe(before + 1);
  });

  test('refuses a wished address that NetBox has for somebody else, and holds nothing', async () => {
    netbox.records.put('10.0.0.3/32', { custom_fields: { k8s_uuid: '64f0aa' } });
    const refused = await world.take({ address: ip('10.0.0.3') });
    expect(refused).toMatchObject({ ok: false, refusal: { code: 'address/foreign', value: '10.0.0.3' } });
    expect(JSON.stringify(refused)).toContain('has prefix 10.0.0.3/32 with k8s_uuid');
    expect(await heldIn(world.store)).toEqual([]);
  });

  test.each([
    ['10.0.0.3', 4, 32],
    ['2001:db8::3', 6, 128],
  ] as const)(
    'FU-50 asks before it makes: no second prefix of %s is made where NetBox would allow one',
    async (...of) => {
      const [text, family, length] = of;
      const vrf = netbox.records.vrfs.get(7);
      if (vrf !== undefined) vrf.enforceUnique = false;
      netbox.records.put(`${text}/${length}`, { custom_fields: { k8s_uuid: '64f0aa' } });
      const before = creates();
      expect(await world.take({ family, address: ip(text) })).toMatchObject({ refusal: { code: 'address/foreign' } });
      expect(creates()).toBe(before);
    },
  );

  test('takes over a prefix of the original IPAM-API where that is allowed, for a named address only', async () => {
    const id = '64f0aabbccddeeff00112233';
    const custom_fields = { k8s_uuid: id, k8s_zone: 'inet', domain: 'na', env: 'na', purpose: 'na', infra: 'prod' };
    const old = netbox.records.put('10.0.0.0/32', { custom_fields });
    netbox.records.put('10.0.0.1/32', { custom_fields: { ...custom_fields, k8s_uuid: 'by-hand' } });
    const adopting = await startWorld(netbox, newGround(), { adopt: true });
    expect((await adopting.taken({ name: 'any' })).toString()).toBe('10.0.0.2');
    expect(await adopting.take({ name: 'b', address: ip('10.0.0.1') })).toMatchObject({
      refusal: { code: 'address/foreign' },
    });
    await adopting.taken({ name: 'imported', address: ip('10.0.0.0') });
    const mark = (await adopting.rows.get('default', ip('10.0.0.0')))?.mark;
    expect(netbox.records.prefixes.get(old.id)?.custom_fields).toEqual({ ...custom_fields, k8s_uuid: mark });
    await adopting.close();
  });

  test('EXT-05 leaves the record of the other owner when a refused claim is cleaned up', async () => {
    const other = netbox.records.put('10.0.0.3/32', { custom_fields: { k8s_uuid: '64f0aa' } });
    await world.take({ address: ip('10.0.0.3') });
    await world.settle();
    expect(netbox.records.prefixes.get(other.id)).toBe(other);
    expect(await world.rows.ofZone('inet')).toEqual([]);
  });

  test('EXT-07 takes the same address for taken whatever mask NetBox shows it with', async () => {
    netbox.records.ipAddress('10.0.0.3/24');
    netbox.records.ipAddress('2001:DB8::5/64');
    expect(await world.take({ address: ip('10.0.0.3') })).toMatchObject({ refusal: { code: 'address/foreign' } });
    expect(await world.take({ family: 6, address: ip('2001:db8::5') })).toMatchObject({
      refusal: { code: 'address/foreign' },
    });
  });

  test('EXT-08 skips what another system reserved and reads back what it wrote', async () => {
    netbox.records.ipAddress('10.0.0.2/29');
    await world.zones.refresh();
    const three = [
      await world.taken({ name: 'a' }),
      await world.taken({ name: 'b' }),
      await world.taken({ name: 'c' }),
    ];
    await world.taken({ name: 'b' });
    expect(three.map(String)).toEqual(['10.0.0.0', '10.0.0.1', '10.0.0.3']);
    expect(netbox.records.hosts()).toEqual(['10.0.0.0/32', '10.0.0.1/32', '10.0.0.3/32']);
    const last = netbox.calls.filter(({ query }) => query.get('prefix') === '10.0.0.3/32');
    expect(last.map(({ method }) => method)).toContain('GET');
  });

  test('recognises its own prefix when the answer was lost after the commit', async () => {
    netbox.fail({ reset: 'after' }, ({ method }) => method === 'POST');
    const address = await world.taken();
    expect(netbox.records.hosts()).toEqual([`${address.toString()}/32`]);
    expect(creates()).toBe(1);
  });

  test('gives the address back and removes what NetBox made after all', async () => {
    netbox.fail({ status: 502, body: '<html>', after: true }, ({ method }) => method === 'POST');
    netbox.fail({ status: 502, body: '<html>' }, ({ query }) => query.has('prefix'), 4);
    const refused = await world.take();
    expect(refused).toMatchObject({ ok: false, refusal: { code: 'store/unavailable' } });
    expect([await heldIn(world.store), netbox.records.hosts()]).toEqual([[], ['10.0.0.0/32']]);
    world.clock.advance(10_000);
    await world.settle();
    expect([netbox.records.hosts(), await world.rows.ofZone('inet')]).toEqual([[], []]);
  });

  test('answers the second of two requests with one key with the address of the first', async () => {
    const both = await Promise.all([world.taken({ name: 'a' }), world.taken({ name: 'a' })]);
    expect(both.map(String)).toEqual(['10.0.0.0', '10.0.0.0']);
    expect(netbox.records.hosts()).toEqual(['10.0.0.0/32']);
  });

  test.each([
    ['that NetBox gave to somebody else', true],
    ['of a time before NetBox, which has it for somebody else', false],
  ])('lets a Service keep its address %s', async (_name, wasConfirmed) => {
    const address = await world.taken();
    await bind(address);
    const row = await world.rows.get('default', address);
    netbox.records.prefixes.delete(row?.externalId ?? 0);
    netbox.records.put('10.0.0.0/32', { custom_fields: { k8s_uuid: 'theirs' } });
    if (!wasConfirmed && row !== undefined) await world.rows.end(row);
    await world.sweep.sweep();
    await world.outbox.work();
    const calls = netbox.calls.length;
    expect([await world.taken(), await world.taken({ address })]).toEqual([address, address]);
    expect(netbox.calls).toHaveLength(calls);
    expect(await heldIn(world.store)).toEqual(['10.0.0.0']);
    expect(await world.rows.get('default', address)).toMatchObject({ state: 'pending', foreign: true });
  });

  test('answers a Service that has its address while NetBox is away, and nobody else', async () => {
    const address = await world.taken();
    await bind(address);
    await netbox.stop();
    expect(await world.taken()).toEqual(address);
    expect(await world.take({ name: 'other', address })).toMatchObject({ ok: false });
  });

  test('takes eight addresses at once without giving one twice', async () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const all = await Promise.all(names.map((name) => world.taken({ name })));
    expect(new Set(all.map(String)).size).toBe(8);
    expect(netbox.records.hosts()).toHaveLength(8);
    expect(await world.take({ name: 'i' })).toMatchObject({ refusal: { code: 'pool/exhausted' } });
  });

  test('returns to a quarantined address without asking NetBox', async () => {
    const address = await world.taken();
    await world.release(address, 300_000);
    const record = await world.store.get({ network: 'default', address });
    await netbox.stop();
    expect(await world.taken({ address, returningOver: record?.version ?? 0 })).toEqual(address);
    await world.settle();
    expect(await world.rows.get('default', address)).toMatchObject({ state: 'confirmed' });
  });

  test('restores the quarantine when a return cannot be confirmed', async () => {
    const address = ip('10.0.0.3');
    const untilMs = world.clock.nowMs() + 300_000;
    await world.store.take(netBoxTake(world.zones, { address }));
    await world.release(address, 300_000);
    const record = await world.store.get({ network: 'default', address });
    await netbox.stop();
    expect(await world.take({ address, returningOver: record?.version ?? 0 })).toMatchObject({ ok: false });
    expect(await world.store.get({ network: 'default', address })).toMatchObject({ quarantine: { untilMs } });
  });

  test('releases while NetBox is away, and NetBox follows', async () => {
    const address = await world.taken();
    netbox.fail({ status: 503, body: '' }, () => true, 3);
    await world.release(address);
    expect(await heldIn(world.store)).toEqual([]);
    await world.settle();
    expect(netbox.records.hosts()).toEqual([]);
  });

  test('releases although the rows cannot be read', async () => {
    const ground = newGround();
    const rows = ground.store.outsideRows();
    const broken = await startWorld(netbox, ground, {
      rows: withVerbs(rows, { get: () => Promise.reject(new RangeError('disk')) }),
    });
    const address = await broken.taken();
    await broken.release(address);
    expect(await heldIn(ground.store)).toEqual([]);
    await broken.close();
    const healed = await startWorld(netbox, ground);
    await healed.sweep.sweep();
    await healed.settle();
    expect(netbox.records.hosts()).toEqual([]);
    await healed.close();
  });

  test('does not give an address that NetBox still loses', async () => {
    const address = await world.taken();
    const row = await world.rows.get('default', address);
    await world.release(address);
    const now = await world.rows.get('default', address);
    expect(now?.revision).toBeGreaterThan(row?.revision ?? 0);
    if (now !== undefined) await world.rows.change(now, { state: 'leaving', nextAtMs: Number.MAX_SAFE_INTEGER });
    expect((await world.taken({ name: 'other' })).toString()).toBe('10.0.0.1');
    expect(await world.take({ name: 'third', address })).toMatchObject({
      refusal: { code: 'store/unavailable', retryAfterSeconds: 2 },
    });
  });

  test('takes an address of each family, and gives the first one back where the second one is refused', async () => {
    const [four] = netBoxTake(world.zones, { name: 'pair', key: 'four' }).wants;
    const [six] = netBoxTake(world.zones, { name: 'pair', key: 'six', family: 6, address: ip('2001:db8::5') }).wants;
    const request = { ...netBoxTake(world.zones, { name: 'pair' }), wants: [four, six] } as const;
    const theirs = netbox.records.put('2001:db8::5/128', { custom_fields: { k8s_uuid: 'theirs' } });
    expect(await world.claims.take(request)).toMatchObject({ refusal: { code: 'address/foreign' } });
    expect(await heldIn(world.store)).toEqual([]);
    await world.settle();
    expect(netbox.records.hosts()).toEqual(['2001:db8::5/128']);
    netbox.records.prefixes.delete(theirs.id);
    expect((await world.claims.take(request)).ok).toBe(true);
    expect(await heldIn(world.store)).toEqual(['10.0.0.0', '2001:db8::5']);
    expect(netbox.records.hosts()).toEqual(['10.0.0.0/32', '2001:db8::5/128']);
  });

  test('gives no prefixes', async () => {
    const refused = await world.claims.take(netBoxTake(world.zones, { length: 30 }));
    expect(refused).toMatchObject({ refusal: { code: 'prefix/not-a-host' } });
  });

  // as the controller does once the Service is stored
  async function bind(address: Address): Promise<void> {
    const record = await world.store.get({ network: 'default', address });
    const [holder] = record?.holders ?? [];
    if (record === undefined || holder === undefined) throw new RangeError('nobody holds it');
    const { id: holderId, sinceMs: _, expiresAtMs: _lease, ...rest } = holder;
    const { network, version } = record;
    const bound = { ...rest, owner: { ...rest.owner, uid: 'uid-of-web' }, state: 'bound' } as const;
    await world.store.bind({ network, address, version, holderId, holder: bound });
  }
});
