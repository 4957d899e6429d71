import { DoorWorld, ZONES } from '../support/door-world';
import { service } from '../support/review-builder';

const ZONE = 'ipam.vitistack.io/zone';
const LB_IPS = 'metallb.io/loadBalancerIPs';
const { zones } = ZONES;
const classes = { settings: { loadBalancerClasses: ['ipam.example.io/lb'] } };

describe('whose Service it is', () => {
  test.each([
    { what: 'of another class', spec: { loadBalancerClass: 'other.example/lb' } },
    {
      what: 'of another class with a wish',
      spec: { loadBalancerClass: 'other.example/lb' },
      annotations: { [ZONE]: 'inet' },
    },
    { what: 'without class and wish where there is no default zone', document: { version: 1 as const, zones } },
    { what: 'of another type', spec: { type: 'NodePort' }, annotations: { [ZONE]: 'inet' } },
  ])(
    'SVC-03 leaves a Service alone that is $what: no patch and no call, ever',
    async ({ spec, annotations, document }) => {
      const world = new DoorWorld({ ...classes, ...(document === undefined ? {} : { zones: document }) });
      const object = service(annotations, spec);
      const changed = service({ ...annotations, x: 'y' }, spec);
      const answers = [
        await world.mutate({ object }),
        await world.validate({ object }),
        await world.mutate({ operation: 'UPDATE', object: changed, oldObject: object }),
        await world.validate({ operation: 'UPDATE', object: changed, oldObject: object }),
      ];

      for (const { response } of answers) expect(response).toEqual({ uid: response.uid, allowed: true });
      expect(world.calls).toEqual([]);
      expect(world.store.writes).toBe(0);
    },
  );

  test.each([
    ['kube-system', {}],
    ['shop', { excludedNamespaces: ['shop'] }],
  ])('leaves the Services of %s alone, however wide the selector of the webhooks is', async (namespace, settings) => {
    const world = new DoorWorld({ settings });
    const object = service({ [ZONE]: 'inet' }, {}, { namespace });
    const { response } = await world.mutate({ object });

    expect(response).toEqual({ uid: response.uid, allowed: true });
    expect(world.store.writes).toBe(0);
  });

  test('SVC-03 serves a Service of our class', async () => {
    const { stored } = await new DoorWorld(classes).create(service({}, { loadBalancerClass: 'ipam.example.io/lb' }));

    expect(stored?.metadata.annotations?.[LB_IPS]).toBe('10.0.0.0');
  });

  test('SVC-03 serves a Service without a class for its wish, or where there is a default zone', async () => {
    const wish = await new DoorWorld({ zones: { version: 1, zones } }).create(service({ [ZONE]: 'inet' }));
    const byDefault = await new DoorWorld().create(service());

    expect(wish.stored?.metadata.annotations?.[LB_IPS]).toBe('192.0.2.0');
    expect(byDefault.stored?.metadata.annotations?.[LB_IPS]).toBe('10.0.0.0');
  });

  test('keeps a Service whose wish a PUT stripped', async () => {
    const world = new DoorWorld({ zones: { version: 1, zones } });
    await world.create(service({ [ZONE]: 'inet' }));
    const { stored } = await world.put('web', {});

    expect(stored?.metadata.annotations?.[LB_IPS]).toBe('192.0.2.0');
  });

  test('leaves a classless Service to the VIPs door where that one takes them', async () => {
    const settings = { vips: { loadBalancerClasses: ['paas.org/vip'], classless: true } };
    const world = new DoorWorld({ zones: { version: 1, zones }, settings });
    await world.create(service());

    expect(world.calls).toEqual([]);
  });
});

describe('the validating webhook', () => {
  test('refuses a Service that became a LoadBalancer behind our back', async () => {
    const world = new DoorWorld();
    const answer = await world.validate({ object: service({}, { ipFamilies: ['IPv4'] }, { uid: 'u1' }) });

    expect(answer.response.status).toMatchObject({ code: 422, reason: 'NotOurs' });
    expect(answer.response.status?.message).toContain('metadata.annotations[metallb.io/address-pool] is missing');
  });

  test('refuses an UPDATE by which a later webhook makes a LoadBalancer', async () => {
    const world = new DoorWorld();
    const before = world.force(service({}, { type: 'ClusterIP' }));
    const object = { ...before, spec: { ...before.spec, type: 'LoadBalancer' } };
    const answer = await world.validate({ operation: 'UPDATE', object, oldObject: before });

    expect(answer.response.status?.reason).toBe('NotOurs');
  });

  test.each([
    {
      what: 'swaps the address',
      change: { [LB_IPS]: '10.0.0.99', 'ipam.vitistack.io/addresses': '10.0.0.99' },
      reason: 'ReservationMissing',
    },
    { what: 'swaps one of two places', change: { [LB_IPS]: '10.0.0.99' }, reason: 'WishesContradict' },
    {
      what: 'adds an address of another family',
      change: { [LB_IPS]: '10.0.0.0,2001:db8::1' },
      reason: 'FamilyConflict',
    },
    { what: 'empties the MetalLB key', change: { [LB_IPS]: '' }, reason: 'NotOurs' },
    { what: 'names another pool', change: { 'metallb.io/address-pool': 'inet' }, reason: 'WishesContradict' },
    { what: 'writes nonsense', change: { [LB_IPS]: '10.0.0' }, reason: 'InvalidAddress' },
  ])('refuses what a later webhook did: it $what', async ({ change, reason }) => {
    const { denied } = await new DoorWorld().create(service(), (object) => ({
      ...object,
      metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...change } },
    }));

    expect(denied?.reason).toBe(reason);
  });

  test("refuses an address that is another Service's, whatever the mutating webhook saw", async () => {
    const world = new DoorWorld();
    const { stored } = await world.create(service());
    const thief = service(stored?.metadata.annotations, { ipFamilies: ['IPv4'] }, { name: 'thief', uid: 'u2' });
    const { response } = await world.validate({ object: thief });

    expect(response.status?.reason).toBe('ReservationMissing');
    expect(response.status?.message).toContain('a/web');
  });

  test('writes nothing', async () => {
    const world = new DoorWorld();
    const { stored } = await world.create(service());
    const writes = world.store.writes;
    const { response } = await world.validate({ object: stored });

    expect(response).toEqual({ uid: response.uid, allowed: true });
    expect(world.store.writes).toBe(writes);
  });
});
