import { DoorWorld, ZONES } from '../support/door-world';
import { service, type ServiceJson } from '../support/review-builder';

const ZONE = 'ipam.vitistack.io/zone';
const OPT_OUT = 'ipam.vitistack.io/opt-out';
const LB_IPS = 'metallb.io/loadBalancerIPs';
const POOL = 'metallb.io/address-pool';
const { zones } = ZONES;
const OLD_IPS = 'metallb.universe.tf/loadBalancerIPs';
const OLD_POOL = 'metallb.universe.tf/address-pool';
const IP = { [LB_IPS]: '192.0.2.7' };
const HELD = { [POOL]: 'inet', ...IP };
const WAITING = { [POOL]: 'ipam-waiting' };
const dying = { deletionTimestamp: '2026-11-27T00:00:00Z', finalizers: ['x'] };

describe('a dying Service', () => {
  test.each<[string, ServiceJson, ServiceJson]>([
    [
      'becomes a LoadBalancer',
      service({ [ZONE]: 'inet' }, {}, dying),
      service({ [ZONE]: 'inet' }, { type: 'ClusterIP' }, dying),
    ],
    ['names an address', service({ [LB_IPS]: '192.0.2.7' }, {}, dying), service({}, {}, dying)],
    ['names an address in its spec', service({}, { loadBalancerIP: '192.0.2.7' }, dying), service({}, {}, dying)],
    ['names another pool', service({ [POOL]: 'inet' }, {}, dying), service({ [POOL]: 'x' }, {}, dying)],
    [
      'loses the pool that it waits beside',
      service({ [LB_IPS]: '192.0.2.7' }, {}, dying),
      service({ [LB_IPS]: '192.0.2.7', [POOL]: 'x' }, {}, dying),
    ],
    ['gives up its address, not its pool', service({ [POOL]: 'inet' }, {}, dying), service(HELD, {}, dying)],
    ['empties its address, not its pool', service({ ...HELD, [LB_IPS]: '' }, {}, dying), service(HELD, {}, dying)],
    [
      'gives up its address by the older key, not its pool',
      service({ [OLD_POOL]: 'inet' }, {}, dying),
      service({ [OLD_POOL]: 'inet', [OLD_IPS]: '192.0.2.7' }, {}, dying),
    ],
    [
      'gives up the address of its spec, not its pool',
      service({ [POOL]: 'inet' }, {}, dying),
      service({ [POOL]: 'inet' }, { loadBalancerIP: '192.0.2.7' }, dying),
    ],
    [
      'uncovers another address',
      service({ [OLD_IPS]: '192.0.2.8' }, {}, dying),
      service({ [LB_IPS]: '192.0.2.7', [OLD_IPS]: '192.0.2.8' }, {}, dying),
    ],
    [
      'uncovers an address that an empty key hid',
      service({ [OLD_IPS]: '192.0.2.8' }, {}, dying),
      service({ [LB_IPS]: '', [OLD_IPS]: '192.0.2.8' }, {}, dying),
    ],
    [
      'uncovers a pool that an empty key hid',
      service({ [OLD_POOL]: 'inet' }, {}, dying),
      service({ [POOL]: '', [OLD_POOL]: 'inet' }, {}, dying),
    ],
    [
      'uncovers a pool behind the one that it waits in',
      service({ [OLD_POOL]: 'inet' }, {}, dying),
      service({ ...WAITING, [OLD_POOL]: 'inet' }, {}, dying),
    ],
    [
      'shares',
      service({ [ZONE]: 'inet', 'metallb.io/allow-shared-ip': 'k' }, {}, dying),
      service({ [ZONE]: 'inet' }, {}, dying),
    ],
  ])('FU-01 is refused when it %s', async (_what, object, oldObject) => {
    for (const document of [ZONES, { version: 1 as const, zones }]) {
      const world = new DoorWorld({ zones: document });
      const mutated = await world.mutate({ operation: 'UPDATE', object, oldObject });
      const validated = await world.validate({ operation: 'UPDATE', object, oldObject });

      expect(mutated.response.status).toMatchObject({ code: 422, reason: 'BeingDeleted' });
      expect(validated.response.status).toMatchObject({ code: 422, reason: 'BeingDeleted' });
      expect(world.calls).toEqual([]);
    }
  });

  test.each<[string, ServiceJson]>([
    ['loses keys of ours', service({}, {}, dying)],
    ['changes its ports', service({ [ZONE]: 'inet' }, { ports: [{ port: 1 }] }, dying)],
    ['is sent without what the server restores', service({ [ZONE]: 'inet' }, { ipFamilies: undefined }, dying)],
  ])('FU-01 passes when it %s', async (_what, object) => {
    const world = new DoorWorld();
    const oldObject = service({ [ZONE]: 'inet' }, { ipFamilies: ['IPv4'] }, dying);

    expect((await world.mutate({ operation: 'UPDATE', object, oldObject })).response.allowed).toBe(true);
    expect((await world.validate({ operation: 'UPDATE', object, oldObject })).response.allowed).toBe(true);
  });
});

describe('a dying Service with an address and a pool', () => {
  const kept = service(HELD, {}, dying);

  test.each<[string, ServiceJson, ServiceJson]>([
    ['gives up both', service({}, {}, dying), kept],
    [
      'gives up its address beside a pool that an empty key hides',
      service({ [POOL]: '', [OLD_POOL]: 'inet' }, {}, dying),
      service({ [POOL]: '', [OLD_POOL]: 'inet', ...IP }, {}, dying),
    ],
    ['loses its last finalizer with the address', service({ [POOL]: 'inet' }, {}, { ...dying, finalizers: [] }), kept],
    ['gives up the address that it waits for', service(WAITING, {}, dying), service({ ...WAITING, ...IP }, {}, dying)],
    [
      'gives up the address of its spec beside the same key',
      kept,
      service(HELD, { loadBalancerIP: '192.0.2.7' }, dying),
    ],
    [
      'has no address that it could lose',
      service({ [POOL]: 'inet', a: 'b' }, {}, dying),
      service({ [POOL]: 'inet' }, {}, dying),
    ],
  ])('FU-01 passes when it %s', async (_what, object, oldObject) => {
    const world = new DoorWorld();

    expect((await world.mutate({ operation: 'UPDATE', object, oldObject })).response.allowed).toBe(true);
    expect((await world.validate({ operation: 'UPDATE', object, oldObject })).response.allowed).toBe(true);
  });
});

describe('a stored Service that another load balancer serves', () => {
  const status = { loadBalancer: { ingress: [{ ip: '198.51.100.4' }] } };
  const stored = (annotations = {}): ServiceJson => ({
    ...service(annotations, {
      ipFamilies: ['IPv4'],
      clusterIPs: ['10.96.0.9'],
      ports: [{ port: 80, nodePort: 30_001 }],
    }),
    status,
  });

  test.each<[string, ServiceJson]>([
    ['a label', { ...stored(), metadata: { ...stored().metadata, labels: { a: 'b' } } }],
    ['an annotation of others', stored({ 'example.com/a': 'b' })],
    ['nothing, by a PUT without what the server fills in', service({}, { ports: [{ port: 80 }] })],
  ])('FU-67 is left alone beside a new default zone while an UPDATE changes %s', async (_what, object) => {
    const world = new DoorWorld();
    const { response } = await world.mutate({ operation: 'UPDATE', object, oldObject: stored() });

    expect(response).toEqual({ uid: response.uid, allowed: true });
    expect((await world.validate({ operation: 'UPDATE', object, oldObject: stored() })).response.allowed).toBe(true);
    expect(world.calls).toEqual([]);
  });

  test.each<[string, ServiceJson]>([
    ['its spec', { ...stored(), spec: { ...stored().spec, ports: [{ port: 81 }] } }],
    ['a key of ours', stored({ [ZONE]: 'inet' })],
  ])('FU-67 is ours once an UPDATE changes %s', async (_what, object) => {
    const world = new DoorWorld();
    const { response } = await world.mutate({ operation: 'UPDATE', object, oldObject: stored() });

    expect(response.patch).toBeDefined();
  });

  test('FU-67 is ours whatever changes where our condition says that we served it', async () => {
    const conditions = [{ type: 'ipam.vitistack.io/AddressReady', status: 'True' }];
    const oldObject = { ...stored(), status: { ...status, conditions } };
    const world = new DoorWorld();
    const { response } = await world.mutate({
      operation: 'UPDATE',
      object: { ...oldObject, metadata: { ...oldObject.metadata, labels: { a: 'b' } } },
      oldObject,
    });

    expect(response.patch).toBeDefined();
  });
});

describe('an opt-out', () => {
  test('FU-68 keeps a Service beside a default zone for a pool of the administrator', async () => {
    const world = new DoorWorld();
    const { stored } = await world.create(service({ [OPT_OUT]: 'true', [POOL]: 'admin' }));

    expect(Object.keys(stored?.metadata.annotations ?? {})).toEqual([OPT_OUT, POOL]);
    expect(world.store.writes).toBe(0);
  });

  test.each<[string, Record<string, string>, Record<string, unknown>]>([
    ['zone', { [ZONE]: 'inet' }, {}],
    ['pool', { [POOL]: 'inet' }, {}],
    ['address', { [LB_IPS]: '192.0.2.7' }, {}],
    ['address in the spec', {}, { loadBalancerIP: '192.0.2.7' }],
  ])('FU-68 is refused beside a %s', async (_what, annotations, spec) => {
    const { denied } = await new DoorWorld().create(service({ [OPT_OUT]: 'true', ...annotations }, spec));

    expect(denied?.reason).toBe('WishesContradict');
    expect(denied?.message).toContain(OPT_OUT);
  });

  test('FU-68 is refused with another value than yes or no', async () => {
    const { denied } = await new DoorWorld().create(service({ [OPT_OUT]: 'please' }));

    expect(denied?.message).toContain(OPT_OUT);
  });

  test('FU-68 takes our keys off a served Service, and leaves its claim to the controller', async () => {
    const world = new DoorWorld();
    await world.create(service());
    const { stored } = await world.update('web', ({ metadata }) => {
      metadata.annotations = { ...metadata.annotations, [OPT_OUT]: 'true' };
    });

    expect(Object.keys(stored?.metadata.annotations ?? {})).toEqual([OPT_OUT]);
  });

  test('FU-68 on a served Service is refused beside a zone that its user named', async () => {
    const world = new DoorWorld();
    await world.create(service({ [ZONE]: 'inet' }));
    const { denied } = await world.update('web', ({ metadata }) => {
      metadata.annotations = { ...metadata.annotations, [OPT_OUT]: 'true' };
    });

    expect(denied?.reason).toBe('WishesContradict');
  });
});
