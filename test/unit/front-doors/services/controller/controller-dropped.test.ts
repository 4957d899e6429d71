import { ControllerWorld } from '../../../../support/controller-world';
import { service } from '../../../../support/review-builder';

const ADDRESSES = 'ipam.vitistack.io/addresses';
const ZONE = 'ipam.vitistack.io/zone';
const FAMILY = 'ipam.vitistack.io/ip-family';
const IPS = 'metallb.io/loadBalancerIPs';
const MARK = 'ipam.vitistack.io/reservation';
const POOL = 'metallb.io/address-pool';

/** A Service that was given wishes and is bound. */
async function served(
  annotations: Record<string, string>,
  spec: Record<string, unknown> = {},
): Promise<ControllerWorld> {
  const world = new ControllerWorld({ families: [4, 6] });
  await world.create(service(annotations, { ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack', ...spec }));
  await world.compare();
  return world;
}

const drop = (world: ControllerWorld, ...keys: readonly string[]) =>
  world.update('web', ({ metadata }) => {
    metadata.annotations = Object.fromEntries(
      Object.entries(metadata.annotations ?? {}).filter(([key]) => !keys.includes(key)),
    );
  });

const set = (world: ControllerWorld, annotations: Record<string, string>, spec: Record<string, unknown> = {}) =>
  world.update('web', (object) => {
    object.metadata.annotations = { ...object.metadata.annotations, ...annotations };
    object.spec = { ...object.spec, ...spec };
  });

const WISHES = { [ZONE]: 'inet', [ADDRESSES]: '192.0.2.77', [FAMILY]: 'ipv4' };

describe('FU-100 a wish that is given up', () => {
  test.each([ADDRESSES, ZONE, FAMILY])(
    'of %s comes back as a result, without a repair, and MetalLB reads the same all the time',
    async (key) => {
      const world = await served(WISHES);
      const before = world.annotations('web');
      const { stored } = await drop(world, key);
      expect(stored?.metadata.annotations).not.toHaveProperty([key]);
      expect(stored?.metadata.annotations).toMatchObject({ [IPS]: '192.0.2.77', [POOL]: 'inet' });
      const writes = await world.writesOf(() => world.settle());
      expect(world.annotations('web')).toEqual(before);
      expect(writes.map(({ kind }) => kind)).toEqual(['annotate']);
      expect(world.announced('web')).toEqual(['192.0.2.77']);
      expect(await world.writesOf(() => world.compare())).toEqual([]);
    },
  );

  test.each<[string, boolean]>([
    ['after the controller saw it', true],
    ['before the controller saw it', false],
  ])('of an address lets the zone alone move the Service, %s', async (_when, isSeen) => {
    const world = await served(WISHES);
    await drop(world, ADDRESSES);
    if (isSeen) await world.settle();
    const { denied } = await set(world, { [ZONE]: 'hnet-private' });
    await world.settle();
    expect(denied).toBeUndefined();
    expect(world.annotations('web')).toMatchObject({ [ADDRESSES]: '10.0.0.0', [POOL]: 'hnet-private' });
    expect(world.announced('web')).toEqual(['10.0.0.0']);
  });

  test('of an address stays given up when something else changes before the controller saw it', async () => {
    const world = await served(WISHES);
    await drop(world, ADDRESSES);
    await set(world, { 'ipam.vitistack.io/retention-period-days': '3' });
    await world.settle();
    expect((await set(world, { [ZONE]: 'hnet-private' })).denied).toBeUndefined();
  });

  test('of a family lets the policy alone ask for both', async () => {
    const world = await served({ [ZONE]: 'inet', [FAMILY]: 'ipv4' });
    await drop(world, FAMILY);
    await world.settle();
    const { denied } = await set(world, {}, { ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv4', 'IPv6'] });
    await world.settle();
    expect(denied).toBeUndefined();
    expect(world.annotations('web')).toMatchObject({ [FAMILY]: 'dual', [IPS]: '192.0.2.0,2001:db8::' });
  });

  test('of a zone lets the pool key of MetalLB alone move the Service', async () => {
    const world = await served({ [ZONE]: 'inet' });
    await drop(world, ZONE);
    await world.settle();
    const { denied } = await set(world, { [POOL]: 'hnet-private' });
    await world.settle();
    expect(denied).toBeUndefined();
    expect(world.annotations('web')).toMatchObject({ [ZONE]: 'hnet-private', [IPS]: '10.0.0.0' });
  });

  test.each<[string, Record<string, string>, readonly string[]]>([
    ['of an address', { [ZONE]: 'inet', [IPS]: '192.0.2.77' }, [IPS]],
    ['of a pool', { [POOL]: 'inet' }, [POOL]],
    ['of both', { [POOL]: 'inet', [IPS]: '192.0.2.77' }, [POOL, IPS]],
  ])(
    '%s by a key of MetalLB is put back as a result, so the zone alone moves the Service',
    async (_what, wishes, keys) => {
      const world = await served(wishes);
      const before = world.annotations('web');
      const { stored } = await drop(world, ...keys);
      expect(stored?.metadata.annotations).toEqual({ ...before, [MARK]: `given-up:${keys.join(',')}` });
      const writes = await world.writesOf(() => world.settle());
      expect(writes.map(({ kind }) => kind)).toEqual(['annotate']);
      expect(world.annotations('web')).toEqual(before);

      expect((await set(world, { [ZONE]: 'hnet-private' })).denied).toBeUndefined();
      await world.settle();
      expect(world.announced('web')).toEqual(['10.0.0.0']);
    },
  );

  test.each<[string, Record<string, string>, readonly string[]]>([
    ['an address', { [ZONE]: 'inet', [IPS]: '192.0.2.77' }, [IPS]],
    ['a pool', { [POOL]: 'inet' }, [POOL]],
  ])('of %s stays a wish where a later webhook refuses the UPDATE', async (_what, wishes, keys) => {
    const world = await served(wishes);
    const oldObject = world.services.object('web');
    const object = structuredClone(oldObject);
    object.metadata.annotations = Object.fromEntries(
      Object.entries(oldObject.metadata.annotations ?? {}).filter(([key]) => !keys.includes(key)),
    );
    const recorded = () => world.door.store.list({ by: 'uid', uid: oldObject.metadata.uid ?? '' });
    const before = await recorded();
    const { response } = await world.door.mutate({ operation: 'UPDATE', object, oldObject });
    expect(response.allowed).toBe(true);
    expect(before).toHaveLength(1);
    expect(await recorded()).toEqual(before);
    const { denied } = await set(world, { [ZONE]: 'hnet-private' });
    expect(denied).toBeDefined();
    await world.compare();
    expect(world.announced('web')).toEqual([wishes[IPS] ?? '192.0.2.0']);
  });

  test('of an address by a key of MetalLB counts at once, also before the controller saw it', async () => {
    const world = await served({ [ZONE]: 'inet', [IPS]: '192.0.2.77' });
    await drop(world, IPS);
    expect((await set(world, { [ZONE]: 'hnet-private' })).denied).toBeUndefined();
    await world.settle();
    expect(world.announced('web')).toEqual(['10.0.0.0']);
    expect(world.annotations('web')).not.toHaveProperty([MARK]);
  });

  test('is no mark that a user writes', async () => {
    const world = await served({ [ZONE]: 'inet', [IPS]: '192.0.2.77' });
    const { stored } = await set(world, { [MARK]: `given-up:${IPS}` });
    expect(stored?.metadata.annotations).not.toHaveProperty([MARK]);
    expect((await set(world, { [ZONE]: 'hnet-private' })).denied).toBeDefined();
  });

  test('of spec.loadBalancerIP leaves the key that we write in its place as a result', async () => {
    const world = await served({ [ZONE]: 'inet' }, { loadBalancerIP: '192.0.2.77' });
    await set(world, {}, { loadBalancerIP: undefined });
    expect(world.annotations('web')).toMatchObject({ [IPS]: '192.0.2.77' });

    expect((await set(world, { [ZONE]: 'hnet-private' })).denied).toBeUndefined();
    await world.settle();
    expect(world.announced('web')).toEqual(['10.0.0.0']);
  });

  test('comes back as the wish that it was where a PUT lost every key of ours', async () => {
    const world = await served(WISHES);
    const before = world.annotations('web');
    const { stored } = await world.update('web', ({ metadata }) => (metadata.annotations = {}));
    expect(stored?.metadata.annotations).toEqual(before);
  });
});
