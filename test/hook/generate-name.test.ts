import { DoorWorld, patchedObject, ZONES } from '../support/door-world';
import { service, type ServiceJson } from '../support/review-builder';

const POOL = 'metallb.io/address-pool';
const LB_IPS = 'metallb.io/loadBalancerIPs';
const RESERVATION = 'ipam.vitistack.io/reservation';
const GATEWAY = { name: undefined, generateName: 'gw-' };

describe('CREATE without a name', () => {
  test('DUAL-03 gives two Services of generateName on an IPv6-only cluster one IPv6 address each', async () => {
    const world = new DoorWorld({ families: [6], zones: { ...ZONES, services: { defaultZone: 'inet' } } });
    const gateway = { name: undefined, generateName: 'gw-' };
    const [one, two] = await Promise.all([
      world.create(service(undefined, {}, gateway)),
      world.create(service(undefined, {}, gateway)),
    ]);
    await world.bind(one.stored?.metadata.name ?? '');
    await world.bind(two.stored?.metadata.name ?? '');

    const addresses = [one, two].map(({ stored }) => stored?.metadata.annotations?.[LB_IPS]);
    expect(addresses.toSorted()).toEqual(['2001:db8::', '2001:db8::1']);
    expect(await world.held()).toBe(2);
    const records = await world.store.list({ by: 'pool', network: 'default', pool: 'inet' });
    expect(records.flatMap(({ holders }) => holders).map(({ owner }) => owner.name)).not.toContain('');
  });

  test('uses the id that it wrote when it is called again for an object that nobody has stored', async () => {
    const world = new DoorWorld();
    const object = service({}, {}, GATEWAY);
    const first = patchedObject(object, await world.mutate({ object }));
    const again = patchedObject(first, await world.mutate({ object: first }));

    expect(again).toEqual(first);
    expect(await world.held()).toBe(1);
  });

  test('gives a copy that carries only the id an address and an id of its own', async () => {
    const world = new DoorWorld();
    const id = (await storedGateway(world)).annotations[RESERVATION] ?? '';
    const copy = (await world.create(service({ [RESERVATION]: id }, {}, GATEWAY))).stored;

    expect(copy?.metadata.annotations?.[LB_IPS]).toBe('10.0.0.1');
    expect(copy?.metadata.annotations?.[RESERVATION]).not.toBe(id);
  });

  test('lets a copy of a stored object wait once the original is bound', async () => {
    const world = new DoorWorld();
    const { name, annotations } = await storedGateway(world);
    await world.bind(name);
    const { stored } = await world.create(service(annotations, {}, GATEWAY));

    expect(stored?.metadata.annotations?.[POOL]).toBe('ipam-waiting');
    expect(await world.held()).toBe(1);
  });

  test('lets a late copy wait even while the original is not bound yet', async () => {
    const world = new DoorWorld();
    const { annotations } = await storedGateway(world);
    world.clock.advance(30_001);
    const { stored } = await world.create(service(annotations, {}, GATEWAY));

    expect(stored?.metadata.annotations?.[POOL]).toBe('ipam-waiting');
    expect(await world.held()).toBe(1);
  });

  test('lets only the first of two objects with one id have the address, and writes nothing at validation', async () => {
    const world = new DoorWorld();
    const object = service({}, {}, GATEWAY);
    const patched = patchedObject(object, await world.mutate({ object }));
    const [one, two] = ['gw-one', 'gw-two'].map((name) => ({ ...patched, metadata: { ...patched.metadata, name } }));
    const writes = world.store.writes;
    expect((await world.validate({ object: one })).response.allowed).toBe(true);
    expect(world.store.writes).toBe(writes);
    world.force(one!);
    await world.bind('gw-one');
    const refused = (await world.validate({ object: two })).response;

    expect(refused).toMatchObject({ allowed: false, status: { reason: 'ReservationMissing' } });
    expect((await world.validate({ object: one })).response.allowed).toBe(true);
  });

  test('gives parallel Services that bring one invented id an address each', async () => {
    const world = new DoorWorld();
    const invented = `${world.clock.nowMs().toString(36)}-${'a'.repeat(32)}`;
    const made = await Promise.all(
      [1, 2, 3].map(() => world.create(service({ [RESERVATION]: invented }, {}, GATEWAY))),
    );
    const annotations = made.map(({ stored }) => stored?.metadata.annotations);

    expect(annotations.map((each) => each?.[LB_IPS]).toSorted()).toEqual(['10.0.0.0', '10.0.0.1', '10.0.0.2']);
    expect(annotations.map((each) => each?.[RESERVATION])).not.toContain(invented);
  });

  test.each(['before', 'after'])(
    'lets no ClusterIP Service take over by copied annotations %s a bind',
    async (when) => {
      const world = new DoorWorld();
      const { name, annotations } = await storedGateway(world);
      if (when === 'after') await world.bind(name);
      world.force(service({ ...annotations }, { type: 'ClusterIP' }, { name: 'copy', uid: 'uid-copy' }));

      const { stored } = await world.update('copy', becomeLoadBalancer);
      expect(stored?.metadata.annotations?.[POOL]).toBe('ipam-waiting');
      expect(await world.held()).toBe(1);
    },
  );

  test.each(['before', 'after'])(
    'gives a ClusterIP Service with a copied id its own address %s a bind',
    async (when) => {
      const world = new DoorWorld();
      const { name, annotations } = await storedGateway(world);
      if (when === 'after') await world.bind(name);
      const id = { [RESERVATION]: annotations[RESERVATION] ?? '' };
      world.force(service(id, { type: 'ClusterIP' }, { name: 'copy', uid: 'uid-copy' }));
      const own = (await world.update('copy', becomeLoadBalancer)).stored?.metadata.annotations;

      expect(own).toMatchObject({ [LB_IPS]: '10.0.0.1' });
      expect(own).not.toHaveProperty([RESERVATION]);
    },
  );

  test('keeps the address of the original through a PUT after its copies were refused', async () => {
    const world = new DoorWorld();
    const { name, annotations } = await storedGateway(world);
    await world.bind(name);
    await world.create(service(annotations, {}, GATEWAY));
    const after = (await world.put(name, {})).stored;

    expect(after?.metadata.annotations?.[LB_IPS]).toBe('10.0.0.0');
    expect(await world.held()).toBe(1);
  });

  test('takes a reservation id off a Service that has a name', async () => {
    const { stored } = await new DoorWorld().create(service({ 'ipam.vitistack.io/reservation': 'somebody' }));

    expect(stored?.metadata.annotations).not.toHaveProperty(['ipam.vitistack.io/reservation']);
  });
});

async function storedGateway(world: DoorWorld): Promise<{ name: string; annotations: Record<string, string> }> {
  const { stored } = await world.create(service({}, {}, GATEWAY));
  return { name: stored?.metadata.name ?? '', annotations: stored?.metadata.annotations ?? {} };
}

function becomeLoadBalancer(object: ServiceJson): void {
  object.spec.type = 'LoadBalancer';
}
