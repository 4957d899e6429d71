import { IpamError } from '../../operator/errors/ipam-error';
import { DoorWorld } from '../support/door-world';
import { service } from '../support/review-builder';

const ZONE = 'ipam.vitistack.io/zone';
const ADDRESSES = 'ipam.vitistack.io/addresses';
const FAMILY = 'ipam.vitistack.io/ip-family';
const WISHES = { [ZONE]: 'inet', [ADDRESSES]: '192.0.2.77', [FAMILY]: 'ipv4' };

async function stored(): Promise<DoorWorld> {
  const world = new DoorWorld({ settings: { whenUnavailable: 'admit' } });
  await world.create(service(WISHES));
  await world.bind('web');
  return world;
}

const drop = (world: DoorWorld, key: string) =>
  world.update('web', ({ metadata }) => {
    metadata.annotations = Object.fromEntries(
      Object.entries(metadata.annotations ?? {}).filter(([name]) => name !== key),
    );
  });

describe('UPDATE of a stored LoadBalancer', () => {
  test.each([ZONE, ADDRESSES, FAMILY])(
    'FU-100 that gives up its wish of %s is stored without it, with the keys of MetalLB, and writes nothing to the store',
    async (key) => {
      const world = await stored();
      const { [key]: _gone, ...others } = world.stored('web').metadata.annotations ?? {};
      const writes = world.store.writes;
      expect((await drop(world, key)).stored?.metadata.annotations).toEqual(others);
      expect(world.store.writes).toBe(writes);
    },
  );

  test('FU-100 that gives up its wish while the store is away is stored without it as well', async () => {
    const world = await stored();
    const { [ADDRESSES]: _gone, ...others } = world.stored('web').metadata.annotations ?? {};
    world.book.holdings = () => Promise.reject(new IpamError('store/unavailable', 'away'));
    const { stored: now } = await drop(world, ADDRESSES);
    expect(now?.metadata.annotations).toEqual(others);
  });
});
