import { ControllerWorld, withIngress } from '../../../../support/controller-world';
import { ZONES } from '../../../../support/door-world';
import { service } from '../../../../support/review-builder';

const IPS = 'metallb.io/loadBalancerIPs';
const POOL = 'metallb.io/address-pool';
const ADDRESSES = 'ipam.vitistack.io/addresses';
const ZONE = 'ipam.vitistack.io/zone';
const SECRET = 'ipam.vitistack.io/secret';

const named = (name: string, annotations: Record<string, string> = {}, spec: Record<string, unknown> = {}) =>
  service(annotations, spec, { name });

const tiny = { ...ZONES, zones: [{ name: 'hnet-private', prefixes: ['10.0.0.0/31'] }] };

async function served(name = 'web', annotations: Record<string, string> = {}): Promise<ControllerWorld> {
  const world = new ControllerWorld();
  await world.create(named(name, annotations));
  await world.compare();
  return world;
}

describe('reconcile of an admitted Service', () => {
  test('FU-81 binds its reservation by one write of a condition, and tells of it in an Event', async () => {
    const world = new ControllerWorld();
    await world.create(service());
    const writes = await world.writesOf(() => world.compare());
    expect(await world.bound()).toEqual(['web=10.0.0.0']);
    expect(writes.map(({ kind }) => kind)).toEqual(['condition', 'event']);
    expect(writes[1]?.what).toMatchObject({ type: 'Normal', reason: 'Bound' });
    expect(world.condition('web')).toMatchObject({
      status: 'True',
      reason: 'Bound',
      message: '"10.0.0.0" of zone "hnet-private" is bound to this Service',
    });
    expect(world.announced('web')).toEqual(['10.0.0.0']);
  });

  test('writes nothing more, to nobody, while nothing changes', async () => {
    const world = await served();
    const { writes } = world.door.store;
    expect(await world.writesOf(() => world.compare())).toEqual([]);
    world.restart();
    expect(await world.writesOf(() => world.compare())).toEqual([]);
    expect(world.door.store.writes).toBe(writes);
  });

  test('asks the record for nothing while the object and its claims are as before', async () => {
    const world = await served();
    const before = world.door.calls.length;
    await world.compare();
    expect(world.door.calls.slice(before)).toEqual(['owners']);
  });

  test('DUAL-03 binds Services without a name by their reservation and takes the id away', async () => {
    const world = new ControllerWorld({ families: [6], zones: { ...ZONES, services: { defaultZone: 'inet' } } });
    const unnamed = () => service({}, {}, { name: undefined, generateName: 'gw-' });
    await Promise.all([world.create(unnamed()), world.create(unnamed())]);
    await world.compare();
    const names = world.services.list().map((raw) => (raw['metadata'] as { name: string }).name);
    expect([...(await world.bound())].sort()).toEqual(
      names.map((name) => `${name}=${world.announced(name).join()}`).sort(),
    );
    expect(new Set(names.flatMap((name) => world.announced(name))).size).toBe(2);
    for (const name of names) expect(world.annotations(name)).not.toHaveProperty(['ipam.vitistack.io/reservation']);
  });

  test('pushes changed options to the record and makes a rotation durable', async () => {
    const world = new ControllerWorld();
    world.door.cluster.putSecret('a', 'mine', { type: 'Opaque', data: { secret: 'my-own-secret' } });
    await world.create(service());
    await world.compare();
    const before = world.door.store.writes;
    await world.update('web', ({ metadata }) => {
      metadata.annotations = {
        ...metadata.annotations,
        [SECRET]: 'mine',
        'ipam.vitistack.io/retention-period-days': '7',
      };
    });
    expect(world.door.store.writes).toBe(before);
    await world.settle();
    expect(world.door.store.writes).toBe(before + 1);
    const [record] = await world.door.store.list({ by: 'pool', network: 'default', pool: 'hnet-private' });
    expect(record?.secret?.scope).toBe('shared');
    expect(record?.holders[0]?.options?.retentionPeriodDays).toBe(7);
  });

  test('W-15 follows a Secret that was edited, and loses nothing with one that is gone', async () => {
    const world = new ControllerWorld();
    const { cluster } = world.door;
    cluster.putSecret('a', 'mine', { type: 'Opaque', data: { secret: 'first-secret' } });
    await world.create(service({ [SECRET]: 'mine' }));
    await world.compare();
    cluster.putSecret('a', 'mine', { type: 'Opaque', data: { secret: 'second-secret' } });
    const before = world.door.store.writes;
    await world.compare();
    expect(world.door.store.writes).toBe(before + 1);
    jest.spyOn(cluster, 'secret').mockResolvedValue(undefined);
    expect(await world.writesOf(() => world.compare())).toEqual([]);
    expect(await world.bound()).toEqual(['web=10.0.0.0']);
    world.services.remove('web');
    await world.settle();
    expect(await world.bound()).toEqual([]);
    expect(JSON.stringify([world.services.writes, world.door.logger.lines])).not.toMatch(/(first|second)-secret/u);
  });
});

describe('reconcile of a Service that admission missed', () => {
  test('serves it', async () => {
    const world = new ControllerWorld();
    world.force(service({ [ZONE]: 'inet' }));
    await world.compare();
    expect(await world.bound()).toEqual(['web=192.0.2.0']);
    expect(world.annotations('web')).toMatchObject({ [POOL]: 'inet', [IPS]: '192.0.2.0', [ADDRESSES]: '192.0.2.0' });
    expect(world.condition('web')?.status).toBe('True');
  });

  test('leaves other types, other classes and excluded namespaces alone', async () => {
    const world = new ControllerWorld();
    world.force(named('plain', {}, { type: 'ClusterIP' }));
    world.force(named('theirs', {}, { loadBalancerClass: 'other.example/lb' }));
    world.force(service({}, {}, { name: 'dns', namespace: 'kube-system' }));
    expect(await world.writesOf(() => world.compare())).toEqual([]);
    expect(world.door.calls).toEqual(['onFreed', 'owners']);
  });

  test('lets a wrong wish wait beside a pool that does not exist, naming field, value and what is there', async () => {
    const world = new ControllerWorld();
    world.force(service({ [ZONE]: 'nowhere' }));
    await world.compare();
    expect(world.annotations('web')[POOL]).toBe('ipam-waiting');
    expect(world.condition('web')).toMatchObject({ status: 'False', reason: 'UnknownZone' });
    expect(world.condition('web')?.message).toContain(`metadata.annotations[${ZONE}]`);
    expect(world.condition('web')?.message).toContain('"nowhere"');
    expect(world.waiting()).toBe(1);
    expect(await world.writesOf(() => world.pass(600_000, 5_000))).toEqual([]);
  });

  test('serves those who wait for a zone as soon as there is one', async () => {
    const world = new ControllerWorld();
    world.force(service({ [ZONE]: 'new' }));
    await world.compare();
    world.door.becomeZones({ ...ZONES, zones: [...ZONES.zones, { name: 'new', prefixes: ['198.51.100.0/24'] }] });
    await world.settle();
    expect(await world.bound()).toEqual(['web=198.51.100.0']);
    expect(world.annotations('web')[POOL]).toBe('new');
    expect(world.condition('web')?.status).toBe('True');
    expect(world.services.writes.filter(({ kind }) => kind === 'event')).toHaveLength(2);
    expect(world.waiting()).toBe(0);
  });

  test('wakes one waiter for each freed address, the oldest first, when its quarantine ends', async () => {
    const world = new ControllerWorld({ zones: tiny });
    for (const name of ['s1', 's2', 's3', 's4']) {
      world.force(named(name));
      await world.compare();
    }
    expect(await world.bound()).toEqual(['s1=10.0.0.0', 's2=10.0.0.1']);
    expect(world.condition('s3')).toMatchObject({ status: 'False', reason: 'PoolExhausted' });
    world.services.remove('s2');
    await world.settle();
    await world.pass(299_000, 1_000);
    expect(await world.bound()).toEqual(['s1=10.0.0.0']);
    await world.pass(2_000, 1_000);
    expect(await world.bound()).toEqual(['s1=10.0.0.0', 's3=10.0.0.1']);
    expect(world.announced('s3')).toEqual(['10.0.0.1']);
    expect(world.waiting()).toBe(1);
  });

  test('keeps the working address of a Service whose keys name the address of another one', async () => {
    const world = await served('first');
    await world.create(named('second'));
    await world.compare();
    world.services.change('second', ({ metadata }) => {
      metadata['annotations'] = { ...world.annotations('second'), [ADDRESSES]: '10.0.0.0', [IPS]: '10.0.0.0' };
    });
    await world.settle();
    expect(world.condition('second')).toMatchObject({ status: 'False', reason: 'AddressInUse' });
    expect(world.annotations('second')).toMatchObject({ [ADDRESSES]: '10.0.0.0', [IPS]: '10.0.0.1' });
    expect(world.announced('second')).toEqual(['10.0.0.1']);
    expect(await world.bound()).toEqual(['first=10.0.0.0', 'second=10.0.0.1']);
    expect(await world.writesOf(() => world.compare())).toEqual([]);
  });

  test('names who holds a wished address, and gives it once that one is gone', async () => {
    const world = await served('first');
    world.force(named('second', { [ADDRESSES]: '10.0.0.0' }));
    await world.settle();
    expect(world.condition('second')).toMatchObject({ status: 'False', reason: 'AddressInUse' });
    expect(world.condition('second')?.message).toContain('"a/first"');
    world.services.remove('first');
    await world.settle();
    // of one namespace and secret, so no quarantine stands between them
    expect(world.condition('second')?.reason).toBe('Bound');
    expect(await world.bound()).toEqual(['second=10.0.0.0']);
  });

  test('REQ-05 refuses the zone of another tenant as admission does', async () => {
    const world = new ControllerWorld({
      zones: {
        ...ZONES,
        zones: [
          ...ZONES.zones,
          { name: 'b-only', prefixes: ['10.0.10.24/29'], namespaces: { matchLabels: { t: 'b' } } },
        ],
      },
    });
    world.force(service({ [ZONE]: 'b-only', [ADDRESSES]: '10.0.10.26' }));
    await world.compare();
    expect(world.condition('web')).toMatchObject({ status: 'False', reason: 'ZoneForbidden' });
    expect(await world.bound()).toEqual([]);
  });
});

describe('reconcile after the zones changed', () => {
  test.each<[string, string, object]>([
    ['REQ-05 closed to its namespace', 'ZoneForbidden', { namespaces: { matchLabels: { t: 'b' } } }],
    ['without its prefix', 'OutsideZone', { prefixes: ['10.9.0.0/24'] }],
    ['that never gives its address', 'Excluded', { excluded: ['10.0.0.0'] }],
    ['under another name', 'UnknownZone', { name: 'renamed' }],
  ])('a Service of a zone %s keeps its address, and is told so once', async (_what, reason, change) => {
    const world = await served();
    const [first = { name: '', prefixes: [] }, ...others] = ZONES.zones;
    world.door.becomeZones({ ...ZONES, services: {}, zones: [{ ...first, ...change }, ...others] });
    const writes = await world.writesOf(() => world.settle());
    expect(writes.map(({ kind }) => kind)).toEqual(['condition', 'event']);
    expect(world.condition('web')).toMatchObject({ status: 'True', reason });
    expect(world.announced('web')).toEqual(['10.0.0.0']);
    world.restart();
    expect(await world.writesOf(() => world.compare())).toEqual([]);
    expect(await world.bound()).toEqual(['web=10.0.0.0']);

    world.door.becomeZones(ZONES);
    await world.settle();
    expect(world.condition('web')?.reason).toBe('Bound');
  });
});

describe('reconcile of a changed Service', () => {
  test('SVC-06 keeps the old address until the new one is announced', async () => {
    const world = await served();
    world.announces = false;
    await world.update('web', ({ metadata }) => {
      metadata.annotations = { ...metadata.annotations, [ADDRESSES]: '10.0.0.7' };
    });
    await world.settle();
    expect(await world.bound()).toEqual(['web=10.0.0.0', 'web=10.0.0.7']);
    world.services.put(withIngress(world.services.object('web'), []));
    await world.settle();
    expect(await world.bound()).toEqual(['web=10.0.0.0', 'web=10.0.0.7']);
    world.services.put(withIngress(world.services.object('web'), ['10.0.0.7']));
    await world.settle();
    expect(await world.bound()).toEqual(['web=10.0.0.7']);
    expect(world.condition('web')?.message).toContain('"10.0.0.7"');
  });

  test('releases at once where nothing was announced', async () => {
    const world = new ControllerWorld();
    world.announces = false;
    await world.create(service());
    await world.compare();
    await world.update('web', ({ metadata }) => {
      metadata.annotations = { ...metadata.annotations, [ADDRESSES]: '10.0.0.7' };
    });
    await world.settle();
    expect(await world.bound()).toEqual(['web=10.0.0.7']);
  });

  test('keeps an address whose wish was taken back before the feed tells', async () => {
    const world = await served();
    await world.update('web', ({ metadata }) => {
      metadata.annotations = { ...metadata.annotations, [ADDRESSES]: '10.0.0.7' };
    });
    world.services.put(withIngress(world.services.object('web'), ['10.0.0.7']));
    world.services.follows = false;
    await world.update('web', ({ metadata }) => {
      metadata.annotations = { ...metadata.annotations, [ADDRESSES]: '10.0.0.0' };
    });
    world.announces = false;
    await world.settle();
    const held = await world.door.book.owners(await world.door.cluster.clusterUid());
    expect(held.map(({ address }) => address.toString())).toContain('10.0.0.0');
    world.announces = true;
    world.services.catchUp();
    await world.settle();
    expect(await world.bound()).toEqual(['web=10.0.0.0']);
  });

  test('keeps the working address while a wish that admission did not see cannot be followed', async () => {
    const world = await served('web');
    await world.create(named('other', { [ADDRESSES]: '10.0.0.9' }));
    await world.settle();
    world.services.change('web', ({ metadata }) => {
      metadata.annotations = { ...metadata.annotations, [ADDRESSES]: '10.0.0.9' };
    });
    await world.settle();
    expect(await world.bound()).toEqual(['web=10.0.0.0', 'other=10.0.0.9']);
    expect(world.annotations('web')).toMatchObject({ [IPS]: '10.0.0.0', [POOL]: 'hnet-private' });
    expect(world.condition('web')).toMatchObject({ status: 'False', reason: 'AddressInUse' });
    expect(world.condition('web')?.message).toContain('until then the Service keeps "10.0.0.0"');
  });

  test('SVC-01 releases when the type is left, removes what it wrote, and begins anew on the way back', async () => {
    const world = await served('web', { team: 'x', [ZONE]: 'inet' });
    await world.update('web', ({ spec }) => {
      spec.type = 'ClusterIP';
    });
    await world.settle();
    expect(await world.bound()).toEqual([]);
    expect(world.annotations('web')).toEqual({ team: 'x', [ZONE]: 'inet' });
    expect(world.condition('web')).toBeUndefined();
    const calls = world.door.calls.length;
    await world.update('web', ({ spec }) => {
      spec.type = 'LoadBalancer';
    });
    expect(world.door.calls.slice(calls)).toContain('reserve');
    await world.settle();
    expect(await world.bound()).toEqual(['web=192.0.2.0']);
    expect(world.announced('web')).toEqual(['192.0.2.0']);
  });

  test('keeps a wish of the user among the keys when the type is left', async () => {
    const world = await served();
    await world.update('web', ({ metadata }) => {
      metadata.annotations = { ...metadata.annotations, [ADDRESSES]: '10.0.0.7' };
    });
    await world.settle();
    world.restart();
    await world.compare();
    await world.update('web', ({ spec }) => {
      spec.type = 'ClusterIP';
    });
    await world.settle();
    expect(world.annotations('web')).toEqual({ [ADDRESSES]: '10.0.0.7' });
  });
});

describe('reconcile of an object that is gone', () => {
  test('releases once the API server says so too', async () => {
    const world = await served();
    const object = world.services.object('web');
    world.services.remove('web');
    await world.settle();
    expect(await world.bound()).toEqual([]);
    world.services.put(object);
    await world.settle();
    expect(await world.bound()).toEqual(['web=10.0.0.0']);
  });

  test('W-05 needs nothing of its namespace', async () => {
    const world = new ControllerWorld();
    world.door.cluster.putSecret('a', 'mine', { type: 'Opaque', data: { secret: 'my-own-secret' } });
    await world.create(service({ [SECRET]: 'mine' }));
    await world.compare();
    jest.spyOn(world.door.cluster, 'secret').mockResolvedValue(undefined);
    jest.spyOn(world.door.cluster, 'namespace').mockResolvedValue(undefined);
    world.services.remove('web');
    await world.settle();
    expect(await world.bound()).toEqual([]);
  });

  test('releases what vanished while nobody looked', async () => {
    const world = await served();
    world.restart();
    world.services.remove('web');
    world.restart();
    await world.compare();
    expect(await world.bound()).toEqual([]);
  });

  test('a Service made anew under the old name has the address of the old one', async () => {
    const world = await served();
    world.services.remove('web');
    await world.create(service());
    await world.settle();
    expect(await world.bound()).toEqual(['web=10.0.0.0']);
    expect(world.announced('web')).toEqual(['10.0.0.0']);
  });

  test('a dying Service keeps its address until it is gone, without a write', async () => {
    const world = await served();
    const writes = await world.writesOf(async () => {
      world.services.change('web', ({ metadata }) => {
        metadata['deletionTimestamp'] = '2026-01-01T00:00:00Z';
        metadata.annotations = {};
      });
      await world.settle();
    });
    expect(writes).toEqual([]);
    expect(await world.bound()).toEqual(['web=10.0.0.0']);
  });
});
