import { DoorWorld } from '../support/door-world';
import { service } from '../support/review-builder';

const ZONE = 'ipam.vitistack.io/zone';
const ADDRESSES = 'ipam.vitistack.io/addresses';
const FAMILY = 'ipam.vitistack.io/ip-family';
const SECRET = 'ipam.vitistack.io/secret';
const RETENTION = 'ipam.vitistack.io/retention-period-days';
const SHARING = 'ipam.vitistack.io/allow-local-shared-ip';
const LB_IPS = 'metallb.io/loadBalancerIPs';
const POOL = 'metallb.io/address-pool';

/** A world with Service `web` stored and bound in zone `inet`. */
async function stored(
  annotations: Record<string, string> = {},
  spec: Record<string, unknown> = {},
): Promise<DoorWorld> {
  const world = new DoorWorld({ families: [4, 6] });
  world.cluster.putSecret('a', 'mine', { type: 'Opaque', data: { secret: 'my-own-secret' } });
  world.cluster.putSecret('a', 'other', { type: 'Opaque', data: { secret: 'another-secret' } });
  const { denied } = await world.create(service({ [ZONE]: 'inet', ...annotations }, spec));
  if (denied !== undefined) throw new TypeError(denied.message);
  await world.bind('web');
  world.calls.length = 0;
  return world;
}

const set = (world: DoorWorld, annotations: Record<string, string>): ReturnType<DoorWorld['update']> =>
  world.update('web', ({ metadata }) => {
    metadata.annotations = { ...metadata.annotations, ...annotations };
  });
const drop = (world: DoorWorld, ...keys: string[]): ReturnType<DoorWorld['update']> =>
  world.update('web', ({ metadata }) => {
    const kept = Object.entries(metadata.annotations ?? {}).filter(([key]) => !keys.includes(key));
    metadata.annotations = Object.fromEntries(kept);
  });

describe('UPDATE of a stored LoadBalancer (specs/services.md 2.2)', () => {
  test('of unrelated fields asks nobody, although its Secret is gone (W-15)', async () => {
    const world = await stored({ [SECRET]: 'mine' });
    jest.spyOn(world.cluster, 'secret').mockResolvedValue(undefined);
    const { stored: now } = await world.update('web', ({ metadata }) => (metadata['labels'] = { team: 'x' }));

    expect(now?.metadata['labels']).toEqual({ team: 'x' });
    expect(world.calls).toEqual([]);
  });

  test.each([
    ['deletes the addresses key', (world: DoorWorld) => drop(world, ADDRESSES)],
    ['empties the addresses key', (world: DoorWorld) => set(world, { [ADDRESSES]: '' })],
    ['deletes the MetalLB keys', (world: DoorWorld) => drop(world, LB_IPS, POOL)],
  ])('that %s gets the same address back and reserves nothing', async (_what, change) => {
    const world = await stored();
    const before = world.stored('web').metadata.annotations;
    const writes = world.store.writes;
    const { stored: now } = await change(world);

    expect(now?.metadata.annotations).toEqual(before);
    expect(world.store.writes).toBe(writes);
  });

  test('W-14 by a PUT without our annotations stays in its zone, under its secret, at its address', async () => {
    const world = await stored({ [SECRET]: 'mine', [RETENTION]: '7', [SHARING]: 'k', [ADDRESSES]: '192.0.2.77' });
    const before = world.stored('web').metadata.annotations;
    const { stored: now } = await world.put('web', { team: 'x' });

    expect(now?.metadata.annotations).toEqual({ ...before, team: 'x' });
    expect(await world.held()).toBe(1);
  });

  test('GO-01 by a tool that strips our keys thirty times keeps one address without a write of the store', async () => {
    const world = await stored();
    const before = world.stored('web').metadata.annotations;
    const writes = world.store.writes;
    for (let minute = 0; minute < 30; minute += 1) {
      world.clock.advance(60_000);
      // minutes 10 to 15: the webhook is down, so the object is stored without our keys
      if (minute >= 10 && minute < 15) {
        const object = world.stored('web');
        world.force({ ...object, metadata: { ...object.metadata, annotations: { [ZONE]: 'inet' } } });
        continue;
      }
      // after the gap the controller has put them back
      if (minute === 15) {
        const object = world.stored('web');
        world.force({ ...object, metadata: { ...object.metadata, annotations: before ?? {} } });
      }
      const { stored: now } = await world.put('web', { [ZONE]: 'inet' });
      expect(now?.metadata.annotations).toEqual(before);
    }

    expect(await world.held()).toBe(1);
    expect(world.store.writes).toBe(writes);
  });

  test('that takes one option out on purpose gets the default for it', async () => {
    const world = await stored({ [RETENTION]: '7' });
    const { stored: now } = await drop(world, RETENTION);

    expect(now?.metadata.annotations).toMatchObject({ [RETENTION]: '0', [ZONE]: 'inet' });
  });

  test('leaves a key that does not exist alone while it stays, and refuses it once it is touched', async () => {
    const world = await stored();
    const key = 'ipam.vitistack.io/zonee';
    const object = world.stored('web');
    world.force({
      ...object,
      metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, [key]: 'x' } },
    });

    expect((await set(world, { [RETENTION]: '7' })).denied).toBeUndefined();
    const touched = await set(world, { [key]: 'y' });
    expect(touched.denied?.message).toContain(
      `metadata.annotations[${key}]: there is no such key; did you mean ${ZONE}?`,
    );
    expect((await drop(world, key)).denied).toBeUndefined();
  });

  test('of the zone with an address that its user asks for is denied, and nothing was reserved', async () => {
    const world = await stored({ [ADDRESSES]: '192.0.2.0' });
    const { denied } = await set(world, { [ZONE]: 'hnet-private' });

    expect(denied).toMatchObject({ code: 422, reason: 'Immutable' });
    expect(denied?.message).toContain('the zone cannot change to "hnet-private" while');
    expect(denied?.message).toContain('keeps 192.0.2.0 of zone "inet"; take');
    expect(world.calls).not.toContain('reserve');
  });

  test.each([
    ['as we wrote them (FU-100)', (world: DoorWorld) => set(world, { [ZONE]: 'hnet-private' })],
    ['emptied', (world: DoorWorld) => set(world, { [ZONE]: 'hnet-private', [ADDRESSES]: '' })],
    ['stripped', (world: DoorWorld) => world.put('web', { [ZONE]: 'hnet-private' })],
    [
      'set to one of the new zone',
      (world: DoorWorld) => set(world, { [ZONE]: 'hnet-private', [ADDRESSES]: '10.0.0.0' }),
    ],
  ])('of the zone with addresses %s moves, and the old address stays until it is released', async (_what, change) => {
    const world = await stored();
    const { stored: now } = await change(world);

    expect(now?.metadata.annotations).toMatchObject({
      [ZONE]: 'hnet-private',
      [POOL]: 'hnet-private',
      [ADDRESSES]: '10.0.0.0',
      [LB_IPS]: '10.0.0.0',
    });
    expect(await world.held()).toBe(2);
    expect(world.calls).not.toContain('releaseByUid');
  });

  test('of the secret keeps the address and rotates it', async () => {
    const world = await stored({ [SECRET]: 'mine' });
    const { stored: now } = await set(world, { [SECRET]: 'other' });
    const back = await set(world, { [SECRET]: 'mine' });

    expect(now?.metadata.annotations).toMatchObject({ [SECRET]: 'other', [LB_IPS]: '192.0.2.0' });
    expect(back.stored?.metadata.annotations).toMatchObject({ [SECRET]: 'mine', [LB_IPS]: '192.0.2.0' });
    expect(await world.held()).toBe(1);
  });

  test('of the secret with addresses emptied keeps the address as well: it stays until its owner gives it up', async () => {
    const world = await stored({ [SECRET]: 'mine' });
    const { stored: now } = await set(world, { [SECRET]: 'other', [ADDRESSES]: '' });

    expect(now?.metadata.annotations).toMatchObject({ [SECRET]: 'other', [LB_IPS]: '192.0.2.0' });
  });

  test('of the secret of a shared address is denied and names who shares it', async () => {
    const world = await stored({ [SECRET]: 'mine', [SHARING]: 'k' });
    const other = { [ZONE]: 'inet', [SECRET]: 'mine', [SHARING]: 'k', [ADDRESSES]: '192.0.2.0' };
    await world.create(service(other, { ports: [{ port: 443, protocol: 'TCP' }] }, { name: 'api' }));
    const { denied } = await set(world, { [SECRET]: 'other' });

    expect(denied).toMatchObject({ code: 403, reason: 'SecretShared' });
    expect(denied?.message).toContain('a/api');
  });

  test('of secret and addresses joins an address that the new secret owns', async () => {
    const world = await stored({ [SHARING]: 'k' });
    const other = { [ZONE]: 'inet', [SECRET]: 'other', [SHARING]: 'k', [ADDRESSES]: '192.0.2.50' };
    await world.create(service(other, { ports: [{ port: 443, protocol: 'TCP' }] }, { name: 'api' }));
    const { stored: now } = await set(world, { [SECRET]: 'other', [ADDRESSES]: '192.0.2.50' });

    expect(now?.metadata.annotations).toMatchObject({ [ADDRESSES]: '192.0.2.50', [LB_IPS]: '192.0.2.50' });
    expect(await world.held()).toBe(2);
  });

  test('of the family to dual with the policy adds the second address; without it is denied', async () => {
    const world = await stored();
    const alone = await set(world, { [FAMILY]: 'dual' });
    const both = await world.update('web', ({ metadata, spec }) => {
      metadata.annotations = { ...metadata.annotations, [FAMILY]: 'dual' };
      spec['ipFamilyPolicy'] = 'RequireDualStack';
    });

    expect(alone.denied?.reason).toBe('FamilyConflict');
    expect(both.stored?.metadata.annotations).toMatchObject({ [FAMILY]: 'dual', [LB_IPS]: '192.0.2.0,2001:db8::' });
  });

  test('W-18 of the family from dual to ipv4 is denied while two families are stored', async () => {
    const world = await stored({ [FAMILY]: 'dual' });
    const { denied } = await set(world, { [FAMILY]: 'ipv4' });

    expect(denied?.message).toContain(
      'is stored with two families (IPv4 and IPv6); set spec.ipFamilyPolicy: SingleStack',
    );
  });

  test('of the family from dual to ipv4 with policy and list gets one address', async () => {
    const world = await stored({ [FAMILY]: 'dual' });
    const { stored: now } = await world.update('web', ({ metadata, spec }) => {
      metadata.annotations = { ...metadata.annotations, [FAMILY]: 'ipv4', [ADDRESSES]: '192.0.2.0' };
      spec['ipFamilyPolicy'] = 'SingleStack';
    });

    expect(now?.metadata.annotations).toMatchObject({ [FAMILY]: 'ipv4', [LB_IPS]: '192.0.2.0' });
  });

  test('of the family from ipv4 to ipv6 is denied', async () => {
    const { denied } = await set(await stored(), { [FAMILY]: 'ipv6' });

    expect(denied?.reason).toBe('Immutable');
  });

  test('SVC-06 of the address by another literal reserves it first and keeps the old one', async () => {
    const world = await stored({ [ADDRESSES]: '192.0.2.3' });
    const { stored: now } = await set(world, { [ADDRESSES]: '192.0.2.7' });

    expect(now?.metadata.annotations).toMatchObject({ [ADDRESSES]: '192.0.2.7', [LB_IPS]: '192.0.2.7' });
    expect(await world.held()).toBe(2);
    const later = await world.put('web', { [ZONE]: 'inet' });
    expect(later.stored?.metadata.annotations).toMatchObject({ [LB_IPS]: '192.0.2.7' });
  });

  test('SVC-06 FU-12 of the address to that of a neighbour waits beside what the Service has, and names the neighbour', async () => {
    const world = await stored({ [ADDRESSES]: '192.0.2.3' });
    await world.create(service({ [ZONE]: 'inet', [ADDRESSES]: '192.0.2.2' }, {}, { name: 's2' }));
    const { stored: now, warnings } = await set(world, { [ADDRESSES]: '192.0.2.2' });

    expect(warnings).toEqual([expect.stringContaining('"a/s2"')]);
    expect(now?.metadata.annotations).toMatchObject({
      [ADDRESSES]: '192.0.2.2',
      [LB_IPS]: '192.0.2.3',
      [POOL]: 'inet',
    });
  });

  test('by a user who edits the MetalLB key moves to the wished address, and our key follows', async () => {
    const world = await stored();
    const { stored: now } = await set(world, { [LB_IPS]: '192.0.2.9' });

    expect(now?.metadata.annotations).toMatchObject({ [LB_IPS]: '192.0.2.9', [ADDRESSES]: '192.0.2.9' });
  });

  test('of retention and cleanup flag is checked and kept (W-16, W-17)', async () => {
    const world = await stored();
    const good = await set(world, { [RETENTION]: '30' });
    const bad = await set(world, { [RETENTION]: '31' });

    expect(good.stored?.metadata.annotations).toMatchObject({ [RETENTION]: '30', [LB_IPS]: '192.0.2.0' });
    expect(bad.denied?.message).toContain('"31" is not allowed');
  });

  test('of the sharing key updates the key of MetalLB; emptied, it is taken away', async () => {
    const world = await stored({ [SHARING]: 'k' });
    const other = await set(world, { [SHARING]: 'j' });
    const off = await set(world, { [SHARING]: '' });

    expect(other.stored?.metadata.annotations).toMatchObject({ 'metallb.io/allow-shared-ip': 'j' });
    expect(off.stored?.metadata.annotations).not.toHaveProperty(['metallb.io/allow-shared-ip']);
  });

  test('of externalTrafficPolicy of a shared address is checked against the others (REQ-03)', async () => {
    const world = await stored({ [SHARING]: 'k' });
    const other = { [ZONE]: 'inet', [SHARING]: 'k', [ADDRESSES]: '192.0.2.0' };
    await world.create(service(other, { ports: [{ port: 443, protocol: 'TCP' }] }, { name: 'api' }));
    const shared = await world.update('web', ({ spec }) => (spec['externalTrafficPolicy'] = 'Local'));
    const alone = await (await stored()).update('web', ({ spec }) => (spec['externalTrafficPolicy'] = 'Local'));

    expect(shared.denied?.reason).toBe('SharingRefused');
    expect(alone.stored).toBeDefined();
  });

  test('ADDR-02 of other fields passes although the stored text is bad', async () => {
    const world = new DoorWorld();
    world.force(service({ [ADDRESSES]: '010.0.0.1' }));
    const { stored: now } = await world.update('web', ({ metadata }) => (metadata['labels'] = { team: 'x' }));
    const touched = await set(world, { [ADDRESSES]: '010.0.0.2' });

    expect(now?.metadata['labels']).toEqual({ team: 'x' });
    expect(touched.denied?.message).toContain('leading zero');
  });

  test('keeps an address from a namesake that is going: it is reserved for the object that is there', async () => {
    const world = await stored();
    const former = world.stored('web').metadata.uid ?? '';
    // recreated while the webhook was down, before the controller saw the end of the first one
    world.force(service({ [ZONE]: 'inet' }, {}, { uid: 'second' }));
    const { stored: now } = await world.update('web', ({ metadata }) => (metadata['labels'] = { x: 'y' }));
    await world.book.releaseByUid({ serviceUid: former });

    expect(now?.metadata.annotations?.[LB_IPS]).toBe('192.0.2.0');
    expect(await world.held()).toBe(1);
  });

  test('of a bare PUT without UID, families and status finds its identity in the stored object', async () => {
    const world = await stored({ [FAMILY]: 'dual' });
    const oldObject = world.stored('web');
    const answer = await world.mutate({ operation: 'UPDATE', object: service({ [ZONE]: 'inet' }), oldObject });

    expect(answer.response.allowed).toBe(true);
    expect(await world.held()).toBe(2);
    expect(Buffer.from(answer.response.patch ?? '', 'base64').toString()).toContain('2001:db8::,192.0.2.0');
  });
});

describe('changes of the type', () => {
  test('ClusterIP to LoadBalancer runs as a CREATE', async () => {
    const world = new DoorWorld();
    world.force(service({}, { type: 'ClusterIP' }));
    const { stored: now } = await world.update('web', ({ spec }) => (spec.type = 'LoadBalancer'));

    expect(now?.metadata.annotations).toMatchObject({ [LB_IPS]: '10.0.0.0', [ZONE]: 'hnet-private' });
  });

  test("W-11 ClusterIP to LoadBalancer with somebody's address in its annotations is denied", async () => {
    const world = new DoorWorld();
    const victim = (await world.create(service({ [ADDRESSES]: '10.0.0.9' }))).stored;
    await world.bind('web');
    world.force(service(victim?.metadata.annotations, { type: 'ClusterIP' }, { name: 'thief', namespace: 'b' }));
    const { denied } = await world.update('thief', ({ spec }) => (spec.type = 'LoadBalancer'));

    expect(denied?.reason).toBe('AddressHeld');
    expect(denied?.message).toContain('a/web');
  });

  test('W-12 LoadBalancer to ClusterIP passes untouched; the type is never rewritten', async () => {
    const world = await stored();
    const { stored: now } = await world.update('web', (object) => {
      object.spec.type = 'ClusterIP';
      object['status'] = { loadBalancer: { ingress: [{ ip: '192.0.2.0' }] } };
    });

    expect(now?.spec.type).toBe('ClusterIP');
    expect(world.calls).toEqual([]);
  });

  test('SVC-01 a flip and back trusts no old value and never holds two addresses', async () => {
    const world = new DoorWorld();
    await world.create(service({ team: 'x' }));
    await world.bind('web');
    const { uid } = world.stored('web').metadata;
    await world.update('web', ({ spec }) => (spec.type = 'ClusterIP'));
    // what the controller does when it sees the stored object
    await world.book.releaseByUid({ serviceUid: uid ?? '' });
    const object = world.stored('web');
    world.force({ ...object, metadata: { ...object.metadata, annotations: { team: 'x' } } });
    world.calls.length = 0;
    const { stored: now } = await world.update('web', ({ spec }) => (spec.type = 'LoadBalancer'));

    expect(now?.metadata.annotations).toMatchObject({ team: 'x', [LB_IPS]: '10.0.0.0' });
    expect(world.calls).toContain('reserve');
    expect(await world.held()).toBe(1);
  });

  test('SVC-01 a flip back waits until what it held is released, and counts on nothing that is about to go', async () => {
    const world = new DoorWorld();
    await world.create(service());
    await world.bind('web');
    const { uid } = world.stored('web').metadata;
    await world.update('web', ({ spec }) => (spec.type = 'ClusterIP'));
    world.calls.length = 0;
    const back = world.update('web', ({ spec }) => (spec.type = 'LoadBalancer'));
    await world.clock.pass(20);
    expect(world.calls).not.toContain('reserve');
    await world.book.releaseByUid({ serviceUid: uid ?? '' });
    void world.clock.pass(20); // not needed where the release came before the second look

    expect((await back).stored?.metadata.annotations).toMatchObject({ [LB_IPS]: '10.0.0.0' });
    expect(world.calls).toContain('reserve');
    expect(await world.held()).toBe(1);
  });
});
