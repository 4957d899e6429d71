import { ControllerWorld, withIngress } from '../../../../support/controller-world';
import { ZONES } from '../../../../support/door-world';
import { service } from '../../../../support/review-builder';

const ADDRESSES = 'ipam.vitistack.io/addresses';
const ZONE = 'ipam.vitistack.io/zone';
const SERVED = 'metallb.io/ip-allocated-from-pool';
const POOL = 'hnet-private';
const SINCE = '2026-01-01T00:00:00Z';
const BOUND = `"10.0.0.0" of zone "${POOL}" is bound to this Service`;

/** A world in which MetalLB has the pool of the zone, and announces nothing by itself. */
function silent(): ControllerWorld {
  const world = new ControllerWorld({ looksAtPools: true });
  world.announces = false;
  world.metallb.edit(POOL, { addresses: ['10.0.0.0/24'] });
  world.metallb.handle(POOL);
  return world;
}

async function bound(world: ControllerWorld): Promise<ControllerWorld> {
  await world.create(service());
  await world.compare();
  return world;
}

const show = (world: ControllerWorld, ...addresses: string[]): Promise<void> => {
  world.services.put(withIngress(world.services.object('web'), addresses));
  return world.settle();
};

const unannounced = (world: ControllerWorld) =>
  Object.fromEntries(
    world.door.meter.of('services_unannounced').map(({ labels, value }) => [labels['reason'] ?? '', value]),
  );

describe('the condition of a Service whose address is bound', () => {
  test('FU-14 is not there before the status shows the address, and is written once', async () => {
    const world = silent();
    const writes = await world.writesOf(async () => {
      await bound(world);
      await world.pass(2_500);
      expect(world.condition('web')).toBeUndefined();
      await show(world, '10.0.0.0');
      await world.pass(60_000, 5_000);
    });
    expect(await world.bound()).toEqual(['web=10.0.0.0']);
    expect(world.condition('web')).toMatchObject({ status: 'True', reason: 'Bound', message: BOUND });
    expect(writes.map(({ kind }) => kind)).toEqual(['condition', 'event']);
  });

  test('FU-14 is Unknown after 3 s without announcement, names the address, and tells of a fault after 10 s', async () => {
    const world = silent();
    const early = await world.writesOf(async () => {
      await bound(world);
      await world.pass(3_500);
    });
    expect(early.map(({ kind }) => kind)).toEqual(['condition']);
    expect(world.condition('web')).toMatchObject({ status: 'Unknown', reason: 'Announcing' });
    expect(world.condition('web')?.message).toContain(BOUND);
    expect(unannounced(world)).toEqual({ Announcing: 1 });
    const late = await world.writesOf(() => world.pass(600_000, 1_000));
    expect(late.map(({ kind }) => kind)).toEqual(['condition', 'event']);
    expect(world.condition('web')).toMatchObject({ status: 'Unknown', reason: 'NoAnnouncer' });
    expect(world.condition('web')?.message).toContain(`${BOUND}; status.loadBalancer does not show "10.0.0.0"`);
    expect(world.condition('web')?.message).toContain("nor an Event about this Service from MetalLB's controller");
    expect(unannounced(world)).toEqual({ Announcing: 0, NoAnnouncer: 1 });
    world.restart();
    const again = async (): Promise<void> => {
      await world.compare();
      await world.pass(20_000, 1_000);
    };
    expect(await world.writesOf(again)).toEqual([]);
    const shown = await world.writesOf(() => show(world, '10.0.0.0'));
    expect(shown.map(({ kind, what }) => [kind, (what as { reason: string }).reason])).toEqual([
      ['condition', 'Bound'],
      ['event', 'Bound'],
    ]);
    expect(unannounced(world)).toEqual({ Announcing: 0, NoAnnouncer: 0 });
    expect(world.waiting()).toBe(0);
  });

  test('FU-14 stays True for 10 s without the address, and becomes Unknown then', async () => {
    const world = await bound(silent());
    await show(world, '10.0.0.0');
    const flicker = await world.writesOf(async () => {
      await show(world);
      await world.pass(9_000);
      await show(world, '10.0.0.0');
      await world.pass(60_000, 5_000);
      await show(world);
      await world.pass(9_500);
    });
    expect(flicker).toEqual([]);
    await world.pass(1_000);
    expect(world.condition('web')).toMatchObject({ status: 'Unknown', reason: 'NotAnnounced' });
    expect(await world.bound()).toEqual(['web=10.0.0.0']);
  });

  test('FU-14 quotes the newest Event of MetalLB where no fact explains why nothing shows', async () => {
    const world = silent();
    const message = 'Failed to allocate IP for "a/web": pool not compatible\u001b[2J';
    world.events.set('metallb-controller AllocationFailed', { message, time: '2026-01-01T00:00:05Z' });
    await bound(world);
    await world.pass(3_500);
    expect(world.condition('web')?.message).not.toContain('pool not compatible');
    await world.pass(8_000);
    expect(world.condition('web')?.message).toContain(
      `MetalLB's Event of 2026-01-01T00:00:05Z says "Failed to allocate IP for \\"a/web\\": pool not compatible\\u001b[2J"`,
    );
  });

  test('FU-14 is True only when both families show', async () => {
    const world = new ControllerWorld({ families: [4, 6] });
    world.announces = false;
    await world.create(service({ [ZONE]: 'inet', 'ipam.vitistack.io/ip-family': 'dual' }));
    await world.compare();
    await show(world, '192.0.2.0');
    await world.pass(11_000);
    expect(world.condition('web')).toMatchObject({ status: 'Unknown', reason: 'NotAnnounced' });
    expect(world.condition('web')?.message).toContain('status.loadBalancer does not show "2001:db8::"');
    await show(world, '192.0.2.0', '2001:db8::');
    expect(world.condition('web')?.status).toBe('True');
  });
});

describe('an address that is not announced', () => {
  const facts: readonly [string, (world: ControllerWorld) => void, readonly [string, string]][] = [
    [
      'the pool is missing',
      ({ metallb }) => {
        metallb.edit('other', { addresses: ['198.51.100.0/24'] });
        metallb.handle('other');
        metallb.remove(POOL);
      },
      ['NotAnnounced', `there is no MetalLB pool "${POOL}"`],
    ],
    [
      'the zone is wider than the pool',
      ({ metallb }) => {
        metallb.edit(POOL, { addresses: ['10.0.0.128/25'] });
      },
      ['NotAnnounced', `MetalLB pool "${POOL}" does not hold "10.0.0.0"`],
    ],
    [
      'another Service shows it',
      ({ services }) => {
        const theirs = service({}, { loadBalancerClass: 'other.example/lb' }, { name: 'db', namespace: 'b' });
        services.put(withIngress({ ...theirs, metadata: { ...theirs.metadata, uid: 'db' } }, ['10.0.0.0']));
      },
      ['NotAnnounced', 'Service "b/db" shows "10.0.0.0"'],
    ],
    [
      'MetalLB serves Services of another class alone',
      ({ services }) => {
        const theirs = service(
          { [SERVED]: POOL },
          { loadBalancerClass: 'example.com/metallb' },
          { name: 'db', namespace: 'b' },
        );
        services.put(withIngress({ ...theirs, metadata: { ...theirs.metadata, uid: 'db' } }, ['10.0.0.200']));
      },
      ['NoAnnouncer', 'MetalLB gives addresses to Services of class "example.com/metallb" and to none without a class'],
    ],
    [
      'MetalLB is not installed',
      ({ metallb }) => {
        metallb.isServed = false;
        metallb.remove(POOL);
      },
      ['NoAnnouncer', 'MetalLB is not installed'],
    ],
    [
      "MetalLB's controller does not run",
      ({ metallb }) => {
        metallb.remove(POOL);
        metallb.edit(POOL, { addresses: ['10.0.0.0/24'] });
      },
      ['NoAnnouncer', "MetalLB's controller does not run"],
    ],
  ];

  test.each(facts)('FU-14 is told at once with the fact where %s', async (_what, arrange, [reason, text]) => {
    const world = silent();
    arrange(world);
    await bound(world);
    await world.pass(3_500);
    expect(world.condition('web')).toMatchObject({ status: 'Unknown', reason });
    expect(world.condition('web')?.message).toContain(BOUND);
    expect(world.condition('web')?.message).toContain(text);
    expect(world.services.writes.map(({ kind }) => kind)).toEqual(['condition', 'event']);
    expect(await world.writesOf(() => world.pass(900_000, 30_000))).toEqual([]);
  });

  test('FU-14 is judged anew when a pool changes, and without a call to the record', async () => {
    const world = silent();
    world.metallb.edit(POOL, { addresses: ['10.0.0.128/25'] });
    await bound(world);
    await world.pass(3_500);
    expect(world.condition('web')?.message).toContain('does not hold');
    const before = world.door.calls.length;
    world.metallb.edit(POOL, { addresses: ['10.0.0.0/24'] });
    expect(await world.writesOf(() => world.pass(2_500))).toEqual([]);
    await world.pass(1_000);
    expect(world.condition('web')?.message).not.toContain('does not hold');
    expect(world.door.calls.slice(before)).toEqual([]);
  });

  test('FU-14 is known when the kind of the pools went after the last of them', async () => {
    const world = silent();
    world.metallb.remove(POOL);
    await bound(world);
    await world.pass(3_500);
    expect(world.condition('web')).toMatchObject({ status: 'Unknown', reason: 'NotAnnounced' });
    world.metallb.isServed = false;
    await world.pass(301_000, 1_000);
    expect(world.condition('web')).toMatchObject({ status: 'Unknown', reason: 'NoAnnouncer' });
  });

  test('FU-14 is told as before while the pools cannot be listed', async () => {
    const world = silent();
    world.metallb.remove(POOL);
    world.metallb.edit('other', { addresses: ['198.51.100.0/24'] });
    world.metallb.handle('other');
    await bound(world);
    await world.pass(3_500);
    expect(world.condition('web')?.message).toContain('there is no MetalLB pool');
    world.metallb.beforeList = () => Promise.reject(new Error('away'));
    world.metallb.edit('other', { addresses: ['198.51.100.0/25'] });
    expect(await world.writesOf(() => world.pass(400_000, 10_000))).toEqual([]);
  });
});

describe('what reads the condition', () => {
  const stored = (name: string, told: readonly ['Unknown' | 'False', string], annotations = {}) => ({
    ...service({ [ZONE]: POOL, ...annotations }, {}, { name }),
    status: {
      conditions: [
        {
          type: 'ipam.vitistack.io/AddressReady',
          status: told[0],
          reason: 'NotAnnounced',
          lastTransitionTime: told[1],
          message: BOUND,
        },
      ],
    },
  });
  const keys = {
    [ADDRESSES]: '10.0.0.0',
    'metallb.io/loadBalancerIPs': '10.0.0.0',
    'metallb.io/address-pool': POOL,
  };

  test.each([
    ['Unknown', ['web=10.0.0.0']],
    ['False', []],
  ] as const)('FU-14 recovery after the store was lost takes %s for what it says', async (status, expected) => {
    const zones = [{ name: POOL, prefixes: ['10.0.0.0/24'], draining: true }];
    const world = new ControllerWorld({ zones: { ...ZONES, services: {}, zones } });
    world.announces = false;
    const other = {
      [ADDRESSES]: '10.0.0.9',
      'metallb.io/loadBalancerIPs': '10.0.0.9',
      'metallb.io/address-pool': POOL,
    };
    // another one is on record, so this is no take-over of a whole installation
    world.force(withIngress(stored('other', ['Unknown', SINCE], other), ['10.0.0.9']));
    await world.compare();
    world.restart();
    world.force(stored('web', [status, SINCE], keys));
    await world.compare();
    expect((await world.bound()).filter((each) => each.startsWith('web'))).toEqual(expected);
  });

  test('FU-14 only False keeps a place in the queue of waiters', async () => {
    const zones = [{ name: POOL, prefixes: ['10.0.0.0/32'], quarantineSeconds: 0 }];
    const world = new ControllerWorld({ zones: { ...ZONES, zones } });
    await world.create(service({}, {}, { name: 'holder' }));
    await world.compare();
    world.restart();
    world.force(stored('unknown', ['Unknown', '2020-01-01T00:00:00Z']));
    world.force(stored('waiting', ['False', '2025-12-01T00:00:00Z']));
    await world.compare();
    expect(world.waiting()).toBe(2);
    world.services.remove('holder');
    await world.settle();
    expect(await world.bound()).toEqual(['waiting=10.0.0.0']);
  });
});
