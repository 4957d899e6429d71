import { addressOf, type Address } from '../../operator/addressing/address';
import type { ZonePools } from '../../operator/front-doors/services/wanted/door-parts';
import { DoorWorld, type WorldProps } from '../support/door-world';
import { service } from '../support/review-builder';
import { settled } from '../support/settled';

const ZONE = 'ipam.vitistack.io/zone';
const ADDRESSES = 'ipam.vitistack.io/addresses';
const POOL = 'metallb.io/address-pool';
const LB_IPS = 'metallb.io/loadBalancerIPs';

/** Pools that hold what a test lets them hold. */
class TestPools implements ZonePools {
  /** Requests, in order. */
  readonly asked: string[] = [];
  readonly #waiting: { readonly address: string; readonly end: (published: boolean) => void }[] = [];

  published(zone: string, address: Address): Promise<boolean> {
    this.asked.push(`${zone} ${address.toString()}`);
    return new Promise((end) => this.#waiting.push({ address: address.toString(), end }));
  }

  changed(): void {
    // the record tells of changes itself
  }

  answer(published: boolean): void {
    for (const { end } of this.#waiting.splice(0)) end(published);
  }
}

async function served(props: WorldProps = {}): Promise<{ world: DoorWorld; pools: TestPools }> {
  const pools = new TestPools();
  const world = new DoorWorld({ ...props, pools: { pools } });
  await world.create(service());
  await world.bind('web');
  expect(pools.asked).toEqual([]); // a new Service has nothing to lose
  return { world, pools };
}

/** Asks for another address, as a user does: the old ones are emptied with the zone. */
const move = (world: DoorWorld) =>
  world.update('web', ({ metadata }) => {
    metadata.annotations = { ...metadata.annotations, [ZONE]: 'inet', [ADDRESSES]: '' };
  });

describe('the mutating webhook beside pools of claims', () => {
  test('writes new keys for MetalLB only when the pool holds the new address', async () => {
    const { world, pools } = await served();
    let done = false;
    const moving = move(world).finally(() => (done = true));
    await settled();
    expect(done).toBe(false);
    pools.answer(true);
    const { stored } = await moving;

    expect(pools.asked).toEqual(['inet 192.0.2.0']);
    expect(stored?.metadata.annotations).toMatchObject({ [POOL]: 'inet', [LB_IPS]: '192.0.2.0' });
  });

  test('refuses by policy deny when the address is not published in time, naming pool and address', async () => {
    const { world, pools } = await served();
    const moving = move(world);
    await settled();
    pools.answer(false);
    const { denied } = await moving;

    expect(denied).toMatchObject({ code: 503, reason: 'PoolUnpublished' });
    expect(denied?.message).toContain('address "192.0.2.0" is reserved, but MetalLB pool "inet" does not hold it yet');
    expect(world.stored('web').metadata.annotations).toMatchObject({ [POOL]: 'hnet-private', [LB_IPS]: '10.0.0.0' });
  });

  test('names what it waits for when its deadline ends first, and gives the same address to the next try', async () => {
    const { world, pools } = await served();
    const moving = move(world);
    await settled();
    world.clock.advance(8000);
    const { denied } = await moving;
    const again = move(world);
    await settled();
    pools.answer(true);

    expect(denied?.reason).toBe('PoolUnpublished');
    expect((await again).stored?.metadata.annotations).toMatchObject({ [LB_IPS]: '192.0.2.0' });
  });

  test('admits by policy admit with the old keys, so that the address still works, and keeps the wish', async () => {
    const { world, pools } = await served({ settings: { whenUnavailable: 'admit' } });
    const moving = move(world);
    await settled();
    pools.answer(false);
    const { stored } = await moving;

    expect(stored?.metadata.annotations).toMatchObject({
      [POOL]: 'hnet-private',
      [LB_IPS]: '10.0.0.0',
      [ZONE]: 'inet',
    });
  });

  test('waits for every new address of a Service that becomes dual', async () => {
    const pools = new TestPools();
    const world = new DoorWorld({ families: [4, 6], pools: { pools } });
    await world.create(service({ [ZONE]: 'inet' }));
    await world.bind('web');
    const changing = world.update('web', ({ spec }) => (spec['ipFamilyPolicy'] = 'PreferDualStack'));
    for (let i = 0; i < 2; i += 1) {
      await settled();
      pools.answer(true);
    }
    await changing;

    expect(pools.asked).toEqual(['inet 192.0.2.0', 'inet 2001:db8::']);
  });

  test.each<[string, (world: DoorWorld) => Promise<unknown>]>([
    ['touches no address', (world) => world.update('web', ({ metadata }) => (metadata['labels'] = { x: 'y' }))],
    ['lost its keys, which are put back', (world) => world.put('web', {})],
    [
      'changes an option',
      (world) =>
        world.update('web', ({ metadata }) => {
          metadata.annotations = { ...metadata.annotations, 'ipam.vitistack.io/retention-period-days': '3' };
        }),
    ],
  ])('waits for nothing when an UPDATE %s', async (_what, change) => {
    const { world, pools } = await served();
    await change(world);

    expect(pools.asked).toEqual([]);
    expect(world.stored('web').metadata.annotations).toMatchObject({ [LB_IPS]: addressOf('10.0.0.0').toString() });
  });

  test('DUAL-01 refuses PreferDualStack where the pool itself has the family that the cluster lacks, naming the pool', async () => {
    const poolFamilies = (zone: string) => (zone === 'hnet-private' ? ([4, 6] as const) : undefined);
    const world = new DoorWorld({ families: [4], pools: { poolFamilies } });
    const { denied } = await world.create(service(undefined, { ipFamilyPolicy: 'PreferDualStack' }));

    expect(denied?.message).toContain('pool "hnet-private" (zone "hnet-private") has IPv6 addresses');
    expect(await world.held()).toBe(0);
  });

  test('serves PreferDualStack where the zone has two families but its pool has one', async () => {
    const world = new DoorWorld({
      families: [4],
      settings: { poolFamilies: [4, 6] },
      pools: { poolFamilies: () => [4] },
    });
    const { stored } = await world.create(service({ [ZONE]: 'inet' }, { ipFamilyPolicy: 'PreferDualStack' }));

    expect(stored?.metadata.annotations).toMatchObject({ [LB_IPS]: '192.0.2.0' });
  });
});
