import type { ZonesDocument } from '../../../../../operator/contract/zones';
import { ControllerWorld } from '../../../../support/controller-world';
import { ZONES } from '../../../../support/door-world';
import { service } from '../../../../support/review-builder';
import { wrapped } from '../../../../support/wrapped-book';

const ADDRESSES = 'ipam.vitistack.io/addresses';
const POOL = 'metallb.io/address-pool';

/** Runs something once, just before a webhook asks the record by one verb. */
class Between {
  readonly wrapBook: ReturnType<typeof wrapped>;
  #run: (() => Promise<unknown>) | undefined;

  constructor(verb: 'check' | 'reserve') {
    this.wrapBook = wrapped((book) => ({
      [verb]: async (request: never) => {
        const run = this.#run;
        this.#run = undefined;
        await run?.();
        return book[verb](request);
      },
    }));
  }

  once(run: () => Promise<unknown>): void {
    this.#run = run;
  }
}

const steer = (world: ControllerWorld, annotations: Record<string, string>) =>
  world.update('web', ({ metadata }) => {
    metadata.annotations = { ...metadata.annotations, ...annotations };
  });

/** A Service that was moved from one zone to another; MetalLB has not seen that yet. */
async function moved(between: Between, zones: ZonesDocument = ZONES): Promise<ControllerWorld> {
  const world = new ControllerWorld({ wrapBook: between.wrapBook, zones });
  await world.create(service({ [POOL]: 'inet' }));
  await world.compare();
  world.announces = false;
  await steer(world, { [POOL]: 'hnet-private' });
  await world.settle();
  return world;
}

/** MetalLB announces the new address, so that the controller releases the former one. */
async function announceNew(world: ControllerWorld): Promise<void> {
  world.announces = true;
  await world.compare();
}

async function sweep({ door: { clock, book, cluster } }: ControllerWorld): Promise<void> {
  const live = [{ apiVersion: 'v1', kind: 'Service', objects: () => Promise.resolve([]) }];
  await book.sweep({ clusterUid: await cluster.clusterUid(), startedMs: clock.nowMs(), live });
}

describe('FU-10 a Service that goes back while its former address is released', () => {
  test('is admitted, and has that address again', async () => {
    const between = new Between('check');
    const world = await moved(between);
    expect(await world.bound()).toEqual(['web=10.0.0.0', 'web=192.0.2.0']);
    between.once(() => announceNew(world));
    const { denied } = await steer(world, { [POOL]: 'inet' });
    expect(denied).toBeUndefined();
    await world.settle();
    expect(world.announced('web')).toEqual(['192.0.2.0']);
    expect(world.annotations('web')).toMatchObject({ [ADDRESSES]: '192.0.2.0', [POOL]: 'inet' });
    expect(await world.bound()).toEqual(['web=192.0.2.0']);
  });

  test('may go away again at once, and nothing is kept for it', async () => {
    const between = new Between('check');
    const world = await moved(between);
    between.once(() => announceNew(world));
    await steer(world, { [POOL]: 'inet' });
    await world.settle();
    expect((await steer(world, { [POOL]: 'hnet-private' })).denied).toBeUndefined();
    await world.settle();
    expect(await world.bound()).toEqual([`web=${world.announced('web').join()}`]);
    expect(await world.owners()).toHaveLength(1);
  });

  test('keeps what it still shows where it is refused in the end, also without a quarantine', async () => {
    const between = new Between('check');
    const zones = { ...ZONES, zones: ZONES.zones.map((zone) => ({ ...zone, quarantineSeconds: 0 })) };
    const world = await moved(between, zones);
    between.once(() => Promise.reject(new TypeError('the record cannot be asked')));
    expect((await steer(world, { [POOL]: 'inet' })).denied).toBeDefined();
    world.door.clock.advance(301_000);
    await sweep(world);
    expect(world.announced('web')).toEqual(['192.0.2.0']);
    expect(await world.bound()).toEqual(['web=10.0.0.0', 'web=192.0.2.0']);
  });

  test('leaves nothing behind where it is refused in the end', async () => {
    const between = new Between('check');
    const world = await moved(between);
    between.once(async () => {
      await announceNew(world);
      throw new TypeError('the record cannot be asked');
    });
    expect((await steer(world, { [POOL]: 'inet' })).denied).toBeDefined();
    await world.settle();
    expect(world.announced('web')).toEqual(['10.0.0.0']);
    expect(await world.bound()).toEqual(['web=10.0.0.0']);
    world.door.clock.advance(301_000);
    await sweep(world);
    expect(await world.owners()).toHaveLength(1);
  });

  test('gets another address where another Service took the former one meanwhile', async () => {
    const between = new Between('reserve');
    const zones = { ...ZONES, zones: ZONES.zones.map((zone) => ({ ...zone, quarantineSeconds: 0 })) };
    const world = await moved(between, zones);
    between.once(async () => {
      await announceNew(world);
      const other = service({ [ADDRESSES]: '192.0.2.0' });
      await world.create({ ...other, metadata: { ...other.metadata, name: 'other' } });
      await world.settle();
    });
    expect((await steer(world, { [POOL]: 'inet' })).denied).toBeUndefined();
    await world.settle();
    expect(world.announced('other')).toEqual(['192.0.2.0']);
    expect(world.announced('web')).toEqual(['192.0.2.1']);
  });
});
