import { DoorWorld } from '../support/door-world';
import { service, type ServiceJson } from '../support/review-builder';

const ZONE = 'ipam.vitistack.io/zone';
const ADDRESSES = 'ipam.vitistack.io/addresses';
const LB_IPS = 'metallb.io/loadBalancerIPs';
const POOL = 'metallb.io/address-pool';

async function stored(annotations: Record<string, string> = {}): Promise<DoorWorld> {
  const world = new DoorWorld();
  await world.create(service({ [ZONE]: 'inet', ...annotations }));
  return world;
}

const set = (world: DoorWorld, annotations: Record<string, string>) =>
  world.update('web', ({ metadata }) => {
    metadata.annotations = { ...metadata.annotations, ...annotations };
  });

describe('a wish for the address of a neighbour', () => {
  test.each<{ by: string; annotations: Record<string, string>; spec?: Record<string, unknown> }>([
    { by: ADDRESSES, annotations: { [ADDRESSES]: '192.0.2.2' } },
    { by: LB_IPS, annotations: { [LB_IPS]: '192.0.2.2' } },
    { by: 'spec.loadBalancerIP', annotations: {}, spec: { loadBalancerIP: '192.0.2.2' } },
  ])('FU-12 of a new Service by $by is admitted, told, and parked', async ({ annotations, spec = {} }) => {
    const world = await stored({ [ADDRESSES]: '192.0.2.2' });
    const { stored: now, warnings } = await world.create(
      service({ [ZONE]: 'inet', ...annotations }, spec, { name: 'new' }),
    );

    expect(warnings).toEqual([expect.stringContaining('"a/web", a Service of this namespace, so this Service waits')]);
    expect(now?.metadata.annotations).toMatchObject({ [POOL]: 'ipam-waiting', ...annotations });
    expect(await world.held()).toBe(1);
  });

  test.each<{ by: string; change: (object: ServiceJson) => void }>([
    {
      by: LB_IPS,
      change: (object) => {
        object.metadata.annotations = { ...object.metadata.annotations, [LB_IPS]: '192.0.2.2' };
      },
    },
    {
      by: 'spec.loadBalancerIP',
      change: (object) => {
        object.spec = { ...object.spec, loadBalancerIP: '192.0.2.2' };
        object.metadata.annotations = { [ZONE]: 'inet' };
      },
    },
  ])('FU-12 by $by to the address of a neighbour is refused and names our key', async ({ change }) => {
    const world = await stored();
    await world.create(service({ [ZONE]: 'inet', [ADDRESSES]: '192.0.2.2' }, {}, { name: 's2' }));
    const { denied } = await world.update('web', change);

    expect(denied).toMatchObject({ code: 403, reason: 'AddressInUse' });
    expect(denied?.message).toContain('"a/s2"');
    expect(denied?.message).toContain(`wish it by metadata.annotations[${ADDRESSES}] alone`);
  });

  test('FU-12 of the address to that of a Service of another namespace is denied', async () => {
    const world = await stored({ [ADDRESSES]: '192.0.2.3' });
    await world.create(service({ [ZONE]: 'inet', [ADDRESSES]: '192.0.2.2' }, {}, { name: 's2', namespace: 'b' }));
    const { denied } = await set(world, { [ADDRESSES]: '192.0.2.2' });

    expect(denied).toMatchObject({ code: 403, reason: 'AddressHeld' });
    expect(denied?.message).toContain('"b/s2"');
  });
});
