import { IPAM, METALLB } from '../../operator/contract/group';
import { ControllerWorld } from '../support/controller-world';
import { service } from '../support/review-builder';

const NAME = 'mine';

const put = (world: ControllerWorld, text: string, name = NAME): void => {
  world.door.cluster.putSecret('a', name, { type: 'Opaque', data: { secret: text } });
};

/** A world where Service `web` is bound under a Secret of its own, which somebody edited since. */
async function edited(annotations: Record<string, string> = {}): Promise<ControllerWorld> {
  const world = new ControllerWorld({ families: [4, 6] });
  put(world, 'the-first-secret');
  put(world, 'another-secret', 'other');
  await world.create(service({ [IPAM.zone]: 'inet', [IPAM.secret]: NAME, ...annotations }));
  await world.compare();
  put(world, 'the-second-secret');
  return world;
}

const set = (world: ControllerWorld, values: Record<string, string>): ReturnType<ControllerWorld['update']> =>
  world.update('web', ({ metadata }) => {
    metadata.annotations = { ...metadata.annotations, ...values };
  });

async function proofOf(world: ControllerWorld): Promise<string | undefined> {
  const [record] = await world.door.store.list({ by: 'pool', network: 'default', pool: 'inet' });
  return record?.secret?.hash;
}

describe('UPDATE of a Service whose Secret was edited (W-15)', () => {
  test.each<[string, (world: ControllerWorld) => ReturnType<ControllerWorld['update']>]>([
    ['of an option', (world) => set(world, { [IPAM.retentionPeriodDays]: '3' })],
    ['that lets it share', (world) => set(world, { [IPAM.allowLocalSharedIp]: 'k' })],
    ['that names another Secret', (world) => set(world, { [IPAM.secret]: 'other' })],
    [
      'that asks for both families',
      (world) => world.update('web', ({ spec }) => (spec['ipFamilyPolicy'] = 'PreferDualStack')),
    ],
    ['that repeats its address as a wish', (world) => set(world, { [METALLB.addresses]: '192.0.2.0' })],
    ['without any annotation', (world) => world.update('web', ({ metadata }) => (metadata.annotations = {}))],
  ])('%s is admitted, keeps the address, and rotates when it is bound', async (_what, change) => {
    const world = await edited();
    const before = await proofOf(world);
    expect((await change(world)).denied).toBeUndefined();
    expect(await proofOf(world)).toBe(before);
    await world.compare();

    expect(await world.bound()).toContain('web=192.0.2.0');
    expect(world.announced('web')).toContain('192.0.2.0');
    expect(world.condition('web')?.status).toBe('True');
    expect(await proofOf(world)).not.toBe(before);
  });

  test('that moves it is admitted, and the former address comes back', async () => {
    const world = await edited();
    expect((await set(world, { [IPAM.addresses]: '192.0.2.9' })).denied).toBeUndefined();
    await world.settle();
    await world.pass(2_000);
    expect(await world.bound()).toEqual(['web=192.0.2.9']);
  });

  test('of the terms of sharing is admitted beside others on the address, whose proof stays; a new name is refused', async () => {
    const shared = { [IPAM.allowLocalSharedIp]: 'k' };
    const world = new ControllerWorld({ families: [4, 6] });
    put(world, 'the-first-secret');
    put(world, 'another-secret', 'other');
    const annotations = { [IPAM.zone]: 'inet', [IPAM.secret]: NAME, ...shared };
    await world.create(service(annotations));
    const beside = { ...annotations, [IPAM.addresses]: '192.0.2.0' };
    await world.create(service(beside, { ports: [{ port: 443 }] }, { name: 'beside' }));
    await world.compare();
    const before = await proofOf(world);
    put(world, 'the-second-secret');
    const ports = (port: number) => world.update('web', ({ spec }) => (spec['ports'] = [{ port }]));

    expect((await ports(8080)).denied).toBeUndefined();
    await world.settle();
    expect(await world.bound()).toEqual(expect.arrayContaining(['web=192.0.2.0', 'beside=192.0.2.0']));
    expect(await proofOf(world)).toBe(before);
    expect((await ports(443)).denied?.message).toContain('443');
    expect((await set(world, { [IPAM.secret]: 'other' })).denied?.message).toContain('"a/beside"');
  });

  test('of a rival with the new content proves nothing before the owner was bound with it', async () => {
    const world = await edited({ [IPAM.allowLocalSharedIp]: 'k' });
    const rival = { [IPAM.zone]: 'inet', [IPAM.secret]: NAME, [IPAM.allowLocalSharedIp]: 'k' };
    const join = { ...rival, [IPAM.addresses]: '192.0.2.0' };
    expect((await world.create(service(join, { ports: [{ port: 443 }] }, { name: 'rival' }))).denied).toBeDefined();
    await world.compare();
    expect((await world.create(service(join, { ports: [{ port: 443 }] }, { name: 'rival' }))).denied).toBeUndefined();
  });
});
