import { addressOf } from '../../../../../operator/addressing/address';
import { IpamError, valueOf } from '../../../../../operator/errors/ipam-error';
import { binding, holderOf, leaseOf, ownerOf, releasing } from '../../../../support/claim-requests';
import { ZonePoolsWorld } from '../../../../support/zone-pools-world';

async function leading(): Promise<ZonePoolsWorld> {
  const world = new ZonePoolsWorld();
  world.zonePools.lead();
  await world.settled();
  return world;
}

const away = (): never => {
  throw new IpamError('cluster/unavailable', 'the API server is away');
};

describe('the pools of zones, written by the leader', () => {
  test('publishes the first address at once', async () => {
    const world = new ZonePoolsWorld();
    world.zonePools.lead();
    await world.settled();
    await world.pass(500);
    await world.take('web');
    await world.settled();

    expect(world.objects.addresses('z')).toEqual(['10.0.0.0/32']);
  });

  test('folds 200 claims into one write each half second', async () => {
    const world = await leading();
    await world.pass(500);
    for (let i = 0; i < 200; i += 1) {
      await world.take(`web-${String(i)}`);
      if (i % 50 === 49) await world.pass(100);
    }
    await world.pass(500);

    expect(world.objects.addresses('z')).toEqual(['10.0.0.0/25', '10.0.0.128/26', '10.0.0.192/29']);
    expect(world.objects.writes).toEqual(['apply z', 'apply z']);
  });

  test('comes to rest: nothing is listed or written while nothing changes', async () => {
    const world = await leading();
    await world.take('web');
    await world.pass(10_000);
    const before = [world.objects.lists, world.clock.waiting];
    await world.pass(3_600_000);

    expect([world.objects.lists, world.clock.waiting]).toEqual(before);
    expect(world.clock.waiting).toBe(0);
  });

  test('holds reserved and bound addresses of this cluster, and no others', async () => {
    const world = await leading();
    const elsewhere = ownerOf('far', { cluster: 'c2' });
    await world.take('bound', { address: '10.0.0.1' });
    await world.take('reserved', { address: '10.0.0.3', holder: leaseOf('reserved', 1000) });
    await world.take('far', { address: '10.0.0.5', holder: holderOf('far', { owner: elsewhere }) });
    await world.take('left', { address: '10.0.0.7', holder: leaseOf('left', 1, { state: 'retained' }) });
    await world.pass(1000);

    expect(world.objects.addresses('z')).toEqual(['10.0.0.1/32', '10.0.0.3/32']);
  });

  test('takes an address out when it is released, and the pool with the last one', async () => {
    const world = await leading();
    const first = await world.take('first');
    const second = await world.take('second');
    await world.pass(1000);
    await world.release(first);
    await world.pass(1000);
    expect(world.objects.addresses('z')).toEqual(['10.0.0.1/32']);
    await world.release(second);
    await world.pass(1000);

    expect(world.objects.addresses('z')).toBeUndefined();
    expect(world.objects.writes.at(-1)).toBe('delete z');
  });

  test('keeps an address that a Service still shows until it shows it no more', async () => {
    const world = await leading();
    const record = await world.take('web');
    await world.pass(1000);
    world.feed.set('web', ['10.0.0.0']);
    await world.release(record);
    await world.pass(1000);
    expect(world.objects.addresses('z')).toEqual(['10.0.0.0/32']);
    world.feed.set('web', undefined);
    await world.pass(1000);

    expect(world.objects.addresses('z')).toBeUndefined();
  });

  test('W-34 lets go of an address that two Services shared once both gave it up', async () => {
    const world = await leading();
    const alone = await world.take('web', { address: '10.0.0.9' });
    const shared = valueOf(await world.store.bind(binding(alone, holderOf('other'))));
    await world.pass(1000);
    const left = valueOf(await world.store.release(releasing(shared)));
    await world.pass(1000);
    expect(world.objects.addresses('z')).toEqual(['10.0.0.9/32']);
    await world.release(left ?? shared);
    await world.pass(1000);

    expect(world.objects.addresses('z')).toBeUndefined();
  });

  test('puts an edited pool right, and one that was deleted', async () => {
    const world = await leading();
    await world.take('web');
    await world.pass(1000);
    world.objects.edit('z', { addresses: ['10.0.0.0/24'] });
    await world.pass(1000);
    expect(world.objects.addresses('z')).toEqual(['10.0.0.0/32']);
    world.objects.remove('z');
    await world.pass(1000);

    expect(world.objects.addresses('z')).toEqual(['10.0.0.0/32']);
  });

  test('W-35 leaves a pool of an administrator alone, says so once, and goes on when it is gone', async () => {
    const world = new ZonePoolsWorld();
    world.objects.edit('z', { addresses: ['10.0.0.0/24'] }, { manager: 'argocd' });
    world.zonePools.lead();
    await world.take('web');
    await world.pass(60_000);
    await world.take('more');
    await world.pass(60_000);
    const said = world.logger.lines.filter(({ fields }) => fields['code'] === 'pool/owned');

    expect(world.objects.writes).toEqual([]);
    expect(said).toHaveLength(1);
    expect(said[0]?.fields['problem']).toContain('MetalLB pool "z" belongs to "argocd"');
    expect(world.meter.of('refusals_total')).toEqual([
      expect.objectContaining({ labels: { reason: 'PoolOwned' }, value: 1 }),
    ]);

    world.objects.remove('z');
    await world.pass(1000);
    expect(world.objects.addresses('z')).toEqual(['10.0.0.0/31']);
  });

  test('publishes the neighbours of an address that another pool holds, and that one when the other pool let it go', async () => {
    const world = await leading();
    world.objects.edit('lab', { addresses: ['10.0.0.1/32'] });
    for (const name of ['a', 'b', 'c']) await world.take(name);
    await world.pass(1000);
    expect(world.objects.addresses('z')).toEqual(['10.0.0.0/32', '10.0.0.2/32']);
    expect(world.logger.text).toContain('10.0.0.1 of zone \\"z\\" is in MetalLB pool \\"lab\\" too');
    world.objects.remove('lab');
    await world.pass(1000);

    expect(world.objects.addresses('z')).toEqual(['10.0.0.0/31', '10.0.0.2/32']);
  });

  test('never drops what is published because of a pool that came later', async () => {
    const world = await leading();
    await world.take('web');
    await world.pass(1000);
    world.objects.edit('lab', { addresses: ['10.0.0.0/24'] });
    await world.take('more');
    await world.pass(60_000);

    expect(world.objects.addresses('z')).toEqual(['10.0.0.0/32']);
    expect(world.objects.writes).toEqual(['apply z']);
  });

  test('takes over the pool of the original without moving what Services use', async () => {
    const world = new ZonePoolsWorld();
    world.objects.edit('z', { addresses: ['10.0.0.4/32', '10.0.0.6/32', '10.0.0.8/32'] }, { manager: 'manager' });
    world.feed.set('adopted', ['10.0.0.4']);
    world.feed.set('not adopted', ['10.0.0.6']);
    await world.take('adopted', { address: '10.0.0.4' });
    world.zonePools.lead();
    await world.pass(1000);

    expect(world.objects.addresses('z')).toEqual(['10.0.0.4/32', '10.0.0.6/32']);
  });

  test('keeps the pool of a zone that was taken out of the document until its last claim is gone', async () => {
    const world = new ZonePoolsWorld();
    const record = await world.take('web');
    await world.zonePools.lead()();
    world.becomeZones({ name: 'y', prefixes: ['10.9.0.0/24'] });
    world.zonePools.lead();
    await world.pass(1000);
    expect(world.objects.addresses('z')).toEqual(['10.0.0.0/32']);
    await world.release(record);
    await world.pass(1000);

    expect(world.objects.addresses('z')).toBeUndefined();
  });

  test('deletes the pool of a former zone that nobody holds an address of', async () => {
    const world = await leading();
    const record = await world.take('web');
    await world.pass(1000);
    await world.zonePools.lead()();
    await world.release(record);
    world.becomeZones({ name: 'y', prefixes: ['10.9.0.0/24'] });
    world.zonePools.lead();
    await world.pass(1000);

    expect(world.objects.addresses('z')).toBeUndefined();
  });

  test('tries again after a failure, with growing pauses', async () => {
    const world = await leading();
    world.objects.beforeWrite = away;
    await world.pass(500);
    await world.take('web');
    await world.settled();
    await world.pass(1000);
    expect(world.logger.lines.filter(({ message }) => message.startsWith('pool not written'))).toHaveLength(2);
    world.objects.beforeWrite = () => undefined;
    await world.pass(1999);
    expect(world.objects.writes).toEqual([]);
    await world.pass(1);

    expect(world.objects.writes).toEqual(['apply z']);
  });

  test('writes nothing any more when it does not lead', async () => {
    const world = new ZonePoolsWorld();
    await world.take('early');
    await world.pass(1000);
    expect(world.objects.writes).toEqual([]);
    const stop = world.zonePools.lead();
    await world.pass(1000);
    await stop();
    await world.take('late');
    await world.pass(60_000);

    expect(world.objects.addresses('z')).toEqual(['10.0.0.0/32']);
    expect(world.objects.writes).toEqual(['apply z']);
  });

  test('ends only when the write under way is done', async () => {
    const world = new ZonePoolsWorld();
    let go = (): void => undefined;
    world.objects.beforeWrite = () => new Promise((resolve) => (go = resolve));
    await world.take('web');
    const stop = world.zonePools.lead();
    await world.settled();
    let ended = false;
    const ending = stop().then(() => (ended = true));
    await world.settled();
    expect(ended).toBe(false);
    go();
    await ending;

    expect(world.objects.writes).toEqual(['apply z']);
  });
});

describe('ZonePools.published', () => {
  test('answers at once for an address that the pool holds', async () => {
    const world = await leading();
    await world.take('web');
    await world.pass(1000);

    await expect(world.zonePools.published('z', addressOf('10.0.0.0'))).resolves.toBe(true);
  });

  test('waits for the write, woken by it', async () => {
    const world = await leading();
    await world.take('web');
    const waiting = world.zonePools.published('z', addressOf('10.0.0.0'));
    await world.pass(500);

    await expect(waiting).resolves.toBe(true);
    expect(world.clock.waiting).toBe(1); // the look at our own write, in half a second
  });

  test('says no when the leader does not publish within five seconds', async () => {
    const world = new ZonePoolsWorld();
    const waiting = world.zonePools.published('z', addressOf('10.0.0.0'));
    await world.settled();
    await world.pass(5000);

    await expect(waiting).resolves.toBe(false);
  });

  test('is woken on a replica that does not lead when the leader wrote', async () => {
    const world = new ZonePoolsWorld();
    const waiting = world.zonePools.published('z', addressOf('10.0.0.0'));
    await world.settled();
    world.objects.edit('z', { addresses: ['10.0.0.0/32'] });

    await expect(waiting).resolves.toBe(true);
  });

  test('lets everybody go when it ends', async () => {
    const world = new ZonePoolsWorld();
    const waiting = world.zonePools.published('z', addressOf('10.0.0.0'));
    await world.settled();
    world.zonePools.close();

    await expect(waiting).resolves.toBe(false);
    await expect(world.zonePools.published('z', addressOf('10.0.0.0'))).resolves.toBe(false);
    expect(world.clock.waiting).toBe(0);
  });

  test('looks again when the pools could not be listed', async () => {
    const world = new ZonePoolsWorld();
    world.objects.edit('z', { addresses: ['10.0.0.0/32'] });
    await world.settled();
    world.objects.beforeList = away;
    world.objects.edit('z', { addresses: ['10.0.0.0/31'] });
    await world.settled();
    world.objects.beforeList = () => undefined;

    await expect(world.zonePools.published('z', addressOf('10.0.0.1'))).resolves.toBe(true);
  });
});

describe('PoolView.families', () => {
  test('tells which families a pool holds, and of no pool nothing', async () => {
    const { zonePools, objects } = new ZonePoolsWorld();
    objects.edit('z', { addresses: ['2001:db8::/64', '10.0.0.0/24'] });
    objects.edit('six', { addresses: ['2001:db8:1::/64'] });
    await zonePools.view.ready();

    expect(['z', 'six', 'none'].map((name) => zonePools.view.families(name))).toEqual([[4, 6], [6], undefined]);
  });
});
