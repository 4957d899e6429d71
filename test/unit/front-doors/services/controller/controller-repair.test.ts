import { ControllerWorld, withIngress } from '../../../../support/controller-world';
import { ZONES } from '../../../../support/door-world';
import { service } from '../../../../support/review-builder';
import { wrapped } from '../../../../support/wrapped-book';

const IPS = 'metallb.io/loadBalancerIPs';
const POOL = 'metallb.io/address-pool';
const ADDRESSES = 'ipam.vitistack.io/addresses';
const ZONE = 'ipam.vitistack.io/zone';
const SECRET = 'ipam.vitistack.io/secret';

const named = (name: string, annotations: Record<string, string> = {}, spec: Record<string, unknown> = {}) =>
  service(annotations, spec, { name });

const showing = (world: ControllerWorld, address: string) => withIngress(world.services.object('web'), [address]);

async function served(name = 'web', annotations: Record<string, string> = {}): Promise<ControllerWorld> {
  const world = new ControllerWorld();
  await world.create(named(name, annotations));
  await world.compare();
  return world;
}

describe('repair', () => {
  const strip = (world: ControllerWorld): void => {
    world.services.change('web', ({ metadata }) => {
      metadata.annotations = { team: 'x' };
    });
  };

  test('GO-01 puts stripped keys back from the record, at the same address', async () => {
    const world = await served('web', { [ZONE]: 'inet' });
    const before = world.annotations('web');
    strip(world);
    await world.settle();
    expect(world.annotations('web')).toEqual({ ...before, team: 'x' });
    expect(await world.bound()).toEqual(['web=192.0.2.0']);
  });

  test('puts back what somebody wrote over, and leaves the wish of a user alone', async () => {
    const world = await served();
    world.services.change('web', ({ metadata }) => {
      metadata.annotations = { ...metadata.annotations, [POOL]: 'other', [IPS]: '10.0.0.99' };
    });
    await world.settle();
    expect(world.annotations('web')).toMatchObject({ [POOL]: 'hnet-private', [IPS]: '10.0.0.0' });
  });

  test('costs ever less where somebody strips each second, and is told once', async () => {
    const world = await served();
    world.announces = false;
    const writes = await world.writesOf(async () => {
      for (let second = 0; second < 120; second += 1) {
        strip(world);
        await world.pass(1_000);
      }
    });
    const repairs = writes.filter(({ kind }) => kind === 'annotate').length;
    expect(repairs).toBeGreaterThan(3);
    expect(repairs).toBeLessThan(10);
    expect(writes.filter(({ kind }) => kind === 'event')).toHaveLength(1);
    expect(await world.bound()).toEqual(['web=10.0.0.0']);
    await world.pass(61_000);
    expect(world.annotations('web')[IPS]).toBe('10.0.0.0');
  });

  test('never takes the default secret in place of one whose name was stripped while nobody looked', async () => {
    const world = new ControllerWorld();
    world.door.cluster.putSecret('a', 'mine', { type: 'Opaque', data: { secret: 'my-own-secret' } });
    await world.create(service({ [SECRET]: 'mine' }));
    await world.compare();
    strip(world);
    world.restart();
    await world.compare();
    expect(world.annotations('web')).toMatchObject({ [IPS]: '10.0.0.0', [POOL]: 'hnet-private' });
    expect(world.annotations('web')).not.toHaveProperty([SECRET]);
    const record = await world.door.store.list({ by: 'pool', network: 'default', pool: 'hnet-private' });
    expect(record.map(({ secret }) => secret?.scope)).toEqual(['shared']);
  });

  test('FU-91 gives the load balancer ten seconds after a change of the keys before it names a foreign address', async () => {
    const world = new ControllerWorld();
    world.announces = false;
    await world.create(named('web'));
    world.services.put(showing(world, '198.51.100.9'));
    await world.compare();
    const reasonAfter = async (ms: number) => {
      await world.pass(ms);
      return world.condition('web')?.reason;
    };
    expect([await reasonAfter(5_000), await reasonAfter(4_000)]).not.toContain('ForeignAddress');
    expect(await reasonAfter(4_000)).toBe('ForeignAddress');
  });

  test('SVC-04 names a foreign address once, at most one write a minute, and keeps the claim', async () => {
    const world = await served();
    await world.pass(20_000);
    world.announces = false;
    const fight = async (): Promise<void> => {
      for (let second = 0; second < 120; second += 1) {
        const shown = second % 2 === 0 ? '198.51.100.9' : '10.0.0.0';
        world.services.put(withIngress(world.services.object('web'), [shown]));
        await world.pass(1_000);
      }
    };
    const writes = await world.writesOf(fight);
    expect(writes.filter(({ kind }) => kind === 'condition').length).toBeLessThanOrEqual(3);
    expect(writes[0]?.what).toMatchObject({ status: 'Unknown', reason: 'ForeignAddress' });
    expect(JSON.stringify(writes[0]?.what)).toContain('198.51.100.9');
    expect(await world.bound()).toEqual(['web=10.0.0.0']);
  });
});

describe('compare', () => {
  test('adopts what an installation of the original has, before anything new is given out', async () => {
    const world = new ControllerWorld();
    const original = (name: string, address: string, more: Record<string, string> = {}) =>
      withIngress(
        named(name, {
          [ADDRESSES]: address,
          [IPS]: address,
          [POOL]: 'hnet-private',
          [ZONE]: 'hnet-private',
          [SECRET]: 'default',
          'ipam.vitistack.io/ip-family': 'ipv4',
          'ipam.vitistack.io/deny-external-cleanup': 'false',
          'metallb.io/allow-shared-ip': `key-${name}`,
          'ipam.vitistack.io/allow-local-shared-ip': `key-${name}`,
          'ipam.vitistack.io/retention-period-days': '0',
          ...more,
        }),
        [address],
      );
    world.force(named('fresh'));
    world.force(original('s0', '10.0.0.0'));
    world.force(original('s1', '10.0.0.1', { 'ipam.vitistack.io/retention-period-days': 'abc' }));
    const stripped = withIngress(named('stripped'), ['10.0.0.2']);
    world.force(stripped);
    const before = world.annotations('s0');
    expect(world.controller.adopted()).toBe(false);
    await world.compare();
    expect(world.controller.adopted()).toBe(true);
    expect(await world.bound()).toEqual(['s0=10.0.0.0', 's1=10.0.0.1', 'stripped=10.0.0.2', 'fresh=10.0.0.3']);
    expect(world.annotations('s0')).toEqual(before);
    expect(world.announced('stripped')).toEqual(['10.0.0.2']);
  });

  test('adopts after the store was lost, also from a zone that drains or is closed by now', async () => {
    const world = new ControllerWorld();
    await world.create(service({ [ZONE]: 'inet' }));
    await world.compare();
    const lost = new ControllerWorld({
      zones: {
        ...ZONES,
        zones: [{ name: 'inet', prefixes: ['192.0.2.0/24'], draining: true, namespaces: { matchLabels: { t: 'b' } } }],
        services: {},
      },
    });
    lost.services.put(world.services.object('web'));
    await lost.compare();
    expect(await lost.bound()).toEqual(['web=192.0.2.0']);
    expect(lost.condition('web')?.status).toBe('True');
  });

  test('adopts an address of another zone than the named one for the zone that has it, so that nobody else gets it', async () => {
    const world = new ControllerWorld();
    const misplaced = named('web', { [ADDRESSES]: '192.0.2.0', [IPS]: '192.0.2.0', [ZONE]: 'hnet-private' });
    world.force(withIngress(misplaced, ['192.0.2.0']));
    await world.compare();
    await world.create(named('next', { [ZONE]: 'inet' }));
    await world.compare();
    expect(await world.bound()).toEqual(expect.arrayContaining(['web=192.0.2.0', 'next=192.0.2.1']));
  });

  test('adopts without the Secret too, and lets the Service prove its address once the Secret is back', async () => {
    const world = new ControllerWorld();
    world.force(
      withIngress(
        named('web', { [ADDRESSES]: '10.0.0.5', [IPS]: '10.0.0.5', [POOL]: 'hnet-private', [SECRET]: 'mine' }),
        ['10.0.0.5'],
      ),
    );
    await world.compare();
    expect(await world.bound()).toEqual(['web=10.0.0.5']);
    world.door.cluster.putSecret('a', 'mine', { type: 'Opaque', data: { secret: 'my-own-secret' } });
    await world.compare();
    await world.create(named('twin', { [ADDRESSES]: '10.0.0.5', [SECRET]: 'other' }));
    const record = await world.door.store.list({ by: 'pool', network: 'default', pool: 'hnet-private' });
    expect(record.map(({ secret }) => secret?.scope)).toEqual(['shared']);
  });

  test('WH-11 adopts nothing for a Service that was deleted after it was listed', async () => {
    const world = new ControllerWorld();
    world.force(withIngress(named('web', { [ADDRESSES]: '10.0.0.5', [IPS]: '10.0.0.5' }), ['10.0.0.5']));
    world.services.follows = false;
    world.services.remove('web');
    await world.secondController().compare();
    expect(await world.bound()).toEqual([]);
  });

  test.each([
    ['moved', ['bound'], (world: ControllerWorld) => world.services.put(showing(world, '10.0.0.0'))],
    [
      'was deleted',
      [],
      (world: ControllerWorld) => {
        world.services.remove('web');
      },
    ],
  ] as const)('WH-11 contests nothing for a Service that %s after it was listed', async (_, states, change) => {
    const world = await served();
    world.services.put(showing(world, '10.0.0.9'));
    world.services.follows = false;
    change(world);
    await world.secondController().compare();
    const owners = await world.door.book.owners(await world.door.cluster.clusterUid());
    expect(owners.map(({ state }) => state)).toEqual(states);
  });

  test('finds a claim that somebody else ended', async () => {
    const world = await served();
    const uid = world.services.object('web').metadata.uid ?? '';
    await world.door.book.releaseByUid({ serviceUid: uid });
    await world.settle();
    expect(await world.bound()).toEqual(['web=10.0.0.0']);
  });

  test('is left undone when the record cannot be read', async () => {
    const world = new ControllerWorld({
      wrapBook: wrapped(() => ({ owners: () => Promise.reject(new Error('away')) })),
    });
    await expect(world.controller.compare()).rejects.toThrow('away');
    expect(world.controller.adopted()).toBe(false);
  });
});

describe('an interruption', () => {
  const kinds = ['annotate', 'condition'] as const;
  const runs: readonly [string, (world: ControllerWorld) => Promise<unknown>][] = [
    [
      'a first look',
      (world) => {
        world.force(named('late'));
        return Promise.resolve();
      },
    ],
    [
      'a change of the wish',
      async (world) =>
        world.update('web', ({ metadata }) => {
          metadata.annotations = { ...metadata.annotations, [ADDRESSES]: '10.0.0.7' };
        }),
    ],
    [
      'the end of the type',
      async (world) =>
        world.update('web', ({ spec }) => {
          spec.type = 'ClusterIP';
        }),
    ],
  ];

  test.each(runs)('of %s by any write is made good by the next look', async (_what, act) => {
    const whole = await served();
    await act(whole);
    await whole.settle();
    for (const kind of kinds) {
      const world = await served();
      await act(world);
      let cut = false;
      world.services.beforeWrite = (write) => {
        if (cut || write.kind !== kind) return;
        cut = true;
        throw new Error('killed');
      };
      await world.settle().catch(() => undefined);
      world.restart();
      await world.compare();
      expect(await world.bound()).toEqual(await whole.bound());
      expect(world.annotations('web')).toEqual(whole.annotations('web'));
    }
  });
});
