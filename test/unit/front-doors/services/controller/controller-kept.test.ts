import { ControllerWorld } from '../../../../support/controller-world';
import { service } from '../../../../support/review-builder';

const ZONE = 'ipam.vitistack.io/zone';

const zones = (prefixes: readonly string[], tenant?: string) => ({
  version: 1 as const,
  zones: [{ name: 'z', prefixes, ...(tenant === undefined ? {} : { namespaces: { matchLabels: { tenant } } }) }],
});

async function served(tenant?: string): Promise<ControllerWorld> {
  const world = new ControllerWorld({ zones: zones(['10.0.0.0/24'], tenant) });
  world.door.cluster.putNamespace('a', { tenant: 'red' });
  for (const name of ['one', 'two']) await world.create(service({ [ZONE]: 'z' }, {}, { name }));
  await world.compare();
  return world;
}

/** The gauge as it stands now, by zone and reason. */
const kept = (world: ControllerWorld, name: 'services_kept' | 'services_waiting' = 'services_kept') =>
  Object.fromEntries(
    world.door.meter.of(name).map(({ labels, value }) => [Object.values(labels).join(' '), value] as const),
  );

describe('services_kept', () => {
  test('counts who keeps an address out of a zone that shrank or went away, by zone and reason', async () => {
    const world = await served();
    expect(kept(world)).toEqual({});
    world.door.becomeZones(zones(['10.0.0.1/32']));
    await world.settle();
    expect(kept(world)).toEqual({ 'z OutsideZone': 1 });
    expect(world.condition('one')).toMatchObject({ status: 'True', reason: 'OutsideZone' });
    world.services.remove('one');
    await world.settle();
    expect(kept(world)).toEqual({ 'z OutsideZone': 0 });
    world.door.becomeZones({ version: 1, zones: [{ name: 'other', prefixes: ['10.9.0.0/24'] }] });
    await world.settle();
    expect(kept(world)).toEqual({ 'z OutsideZone': 0, 'z UnknownZone': 1 });
    world.door.becomeZones(zones(['10.0.0.0/24']));
    await world.settle();
    expect(kept(world)).toEqual({ 'z OutsideZone': 0, 'z UnknownZone': 0 });
  });

  test('tells nobody in a process that leads no longer, and all of it again in one that does', async () => {
    const world = await served();
    world.door.becomeZones(zones(['10.0.0.1/32']));
    await world.settle();
    world.force(service({ [ZONE]: 'nowhere' }, {}, { name: 'late' }));
    await world.settle();
    expect(kept(world, 'services_waiting')).toEqual({ UnknownZone: 1 });
    world.controller.rest();
    expect(kept(world)).toEqual({ 'z OutsideZone': 0 });
    expect(kept(world, 'services_waiting')).toEqual({ UnknownZone: 0 });
    expect(world.waiting()).toBe(0);
    expect(await world.writesOf(() => world.compare())).toEqual([]);
    expect(kept(world)).toEqual({ 'z OutsideZone': 1 });
    expect(kept(world, 'services_waiting')).toEqual({ UnknownZone: 1 });
  });
});

describe('changed labels of a namespace', () => {
  test('REQ-05 are told at once to those who keep their address in a zone that is closed to them now', async () => {
    const world = await served('red');
    world.relabel({ tenant: 'red' }, { tenant: 'blue' });
    await world.settle();
    expect(world.condition('one')).toMatchObject({ status: 'True', reason: 'ZoneForbidden' });
    expect(kept(world)).toEqual({ 'z ZoneForbidden': 2 });
    expect(await world.bound()).toEqual(['one=10.0.0.0', 'two=10.0.0.1']);
    world.relabel({ tenant: 'blue' }, { tenant: 'red' });
    await world.pass(2_000);
    expect(world.condition('one')?.reason).toBe('Bound');
  });

  test('of no selector cost no look', async () => {
    const world = await served();
    const calls = world.door.calls.length;
    world.relabel({}, { team: 'x' });
    await world.settle();
    expect(world.door.calls).toHaveLength(calls);
  });

  test('serve those who wait for a zone that opens by them', async () => {
    const world = await served('red');
    world.door.cluster.putNamespace('a', {});
    world.door.clock.advance(2_000);
    world.force(service({ [ZONE]: 'z' }, {}, { name: 'late' }));
    await world.settle();
    expect(world.condition('late')).toMatchObject({ status: 'False', reason: 'ZoneForbidden' });
    world.relabel({}, { tenant: 'red' });
    await world.settle();
    expect(await world.bound()).toContain('late=10.0.0.2');
  });
});

describe('compare', () => {
  test('asks for no look at what is settled, and for one at what changed on either side', async () => {
    const world = await served();
    expect(await world.controller.compare()).toEqual([]);
    world.services.change('one', ({ metadata }) => (metadata['labels'] = { team: 'x' }));
    expect((await world.controller.compare()).map(({ name }) => name)).toEqual(['one']);
    await world.compare();
    const { uid = '' } = world.services.object('two').metadata;
    await world.door.book.releaseByUid({ serviceUid: uid });
    expect((await world.controller.compare()).map(({ name }) => name)).toEqual(['two']);
    await world.compare();
    expect(await world.bound()).toContain('two=10.0.0.1');
  });

  test('puts who is not bound yet before the others, since its reservation counts against its namespace', async () => {
    const world = await served();
    world.services.change('one', ({ metadata }) => (metadata['labels'] = { team: 'x' }));
    await world.create(service({ [ZONE]: 'z' }, {}, { name: 'late' }));
    expect((await world.controller.compare()).map(({ name }) => name)).toEqual(['late', 'one']);
  });
});
