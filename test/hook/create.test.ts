import { DoorWorld } from '../support/door-world';
import { service } from '../support/review-builder';

const ZONE = 'ipam.vitistack.io/zone';
const ADDRESSES = 'ipam.vitistack.io/addresses';
const FAMILY = 'ipam.vitistack.io/ip-family';
const SECRET = 'ipam.vitistack.io/secret';
const LB_IPS = 'metallb.io/loadBalancerIPs';
const POOL = 'metallb.io/address-pool';

describe('CREATE of a Service', () => {
  test('gives an address of the default zone and writes defaults and MetalLB keys', async () => {
    const { stored } = await new DoorWorld().create(service());

    expect(stored?.metadata.annotations).toEqual({
      [ADDRESSES]: '10.0.0.0',
      [FAMILY]: 'ipv4',
      [ZONE]: 'hnet-private',
      [SECRET]: 'default',
      'ipam.vitistack.io/retention-period-days': '0',
      'ipam.vitistack.io/deny-external-cleanup': 'false',
      [POOL]: 'hnet-private',
      [LB_IPS]: '10.0.0.0',
    });
  });

  test('writes no sharing key unless the user set one', async () => {
    const { stored } = await new DoorWorld().create(service({ 'ipam.vitistack.io/allow-local-shared-ip': 'k' }));

    expect(stored?.metadata.annotations).toMatchObject({ 'metallb.io/allow-shared-ip': 'k' });
  });

  test('takes the zone from the pool key of MetalLB', async () => {
    const { stored } = await new DoorWorld().create(service({ [POOL]: 'inet' }));

    expect(stored?.metadata.annotations).toMatchObject({ [ZONE]: 'inet', [LB_IPS]: '192.0.2.0', [POOL]: 'inet' });
  });

  test('refuses a zone that does not exist and names those that do', async () => {
    const { denied } = await new DoorWorld().create(service({ [ZONE]: 'moon' }));

    expect(denied).toMatchObject({ code: 400, reason: 'UnknownZone' });
    expect(denied?.message).toContain(
      `metadata.annotations[${ZONE}]: no zone is named "moon"; the zones are "hnet-private", "inet"`,
    );
  });

  test('REQ-01 denies an address outside of the named zone', async () => {
    const { denied } = await new DoorWorld().create(service({ [ZONE]: 'inet', [ADDRESSES]: '10.0.0.9' }));

    expect(denied?.message).toContain(
      'address "10.0.0.9" lies outside of zone "inet", which has 192.0.2.0/24, 2001:db8::/120',
    );
  });

  test('REQ-01 denies contradictions in one message that lists every source with its value', async () => {
    const world = new DoorWorld();
    const { denied } = await world.create(
      service(
        { [ZONE]: 'inet', [LB_IPS]: '192.0.2.10', 'metallb.universe.tf/loadBalancerIPs': '192.0.2.11' },
        { loadBalancerIP: '192.0.2.12' },
      ),
    );

    expect(denied?.reason).toBe('WishesContradict');
    expect(denied?.message).toContain(`metadata.annotations[${LB_IPS}] is "192.0.2.10"`);
    expect(denied?.message).toContain('metadata.annotations[metallb.universe.tf/loadBalancerIPs] is "192.0.2.11"');
    expect(denied?.message).toContain('spec.loadBalancerIP is "192.0.2.12"');
    expect(await world.held()).toBe(0);
  });

  const OLDER = 'metallb.universe.tf/loadBalancerIPs';
  test.each([LB_IPS, OLDER])(
    'FU-10 denies %s beside an equal spec.loadBalancerIP, which MetalLB would refuse for ever',
    async (key) => {
      const world = new DoorWorld();
      const pair = service({ [ZONE]: 'inet', [key]: '192.0.2.10' }, { loadBalancerIP: '192.0.2.10' });
      const { denied } = await world.create(pair);
      expect(denied?.reason).toBe('WishesContradict');
      expect(denied?.message).toContain(`metadata.annotations[${key}] and spec.loadBalancerIP stand beside each other`);
      expect(await world.held()).toBe(0);
      const one = await world.create(service({ [ZONE]: 'inet' }, { loadBalancerIP: '192.0.2.10' }));
      expect(one.denied).toBeUndefined();
      const { denied: later } = await world.update('web', ({ metadata }) => {
        metadata.annotations = { ...metadata.annotations, [key]: '192.0.2.10' };
      });
      expect(later?.message).toContain('take one of them out');
    },
  );

  test('FU-10 takes its own key away where a Service names its address in the spec', async () => {
    const world = new DoorWorld();
    await world.create(service({ [ZONE]: 'inet' }));
    const { denied, stored } = await world.update('web', ({ spec }) => {
      spec['loadBalancerIP'] = '192.0.2.0';
    });
    expect(denied).toBeUndefined();
    expect(stored?.metadata.annotations).not.toHaveProperty([LB_IPS]);
  });

  test.each(['192.0.2.7,', '192.0.2.7/32', ' '])(
    'writes an address as MetalLB reads it where its key has "%s", which it cannot read',
    async (text) => {
      const { stored } = await new DoorWorld().create(service({ [ZONE]: 'inet', [LB_IPS]: text }));
      expect(stored?.metadata.annotations?.[LB_IPS]).toBe(text === ' ' ? '192.0.2.0' : '192.0.2.7');
    },
  );

  test('leaves the text of a key that MetalLB can read', async () => {
    const { stored } = await new DoorWorld().create(service({ [ZONE]: 'inet', [LB_IPS]: ' 192.0.2.7 ' }));
    expect(stored?.metadata.annotations?.[LB_IPS]).toBe(' 192.0.2.7 ');
  });

  test('tells every problem of the annotations at once', async () => {
    const { denied } = await new DoorWorld().create(
      service({ [ADDRESSES]: '["10.0.0.1"]', [FAMILY]: 'IPv4', 'ipam.vitistack.io/retention-period-days': '45' }),
    );

    expect(denied?.message).toMatch(/JSON list.*"IPv4" is not allowed.*"45" is not allowed.*0 to 30/u);
  });

  test.each(['abc', '45', '-1', '1.5', ''])('W-17 refuses retention %p although an address is given', async (text) => {
    const { denied } = await new DoorWorld().create(
      service({ [ADDRESSES]: '10.0.0.9', 'ipam.vitistack.io/retention-period-days': text }),
    );

    expect(denied?.message).toContain('a whole number of days from 0 to 30');
  });

  test('W-17 refuses a cleanup flag outside of the set', async () => {
    const { denied } = await new DoorWorld().create(service({ 'ipam.vitistack.io/deny-external-cleanup': 'yes' }));

    expect(denied?.message).toContain('"yes" is not allowed; allowed is "true" or "false"');
  });

  test('W-30 refuses an IPv4-mapped address with a clear text', async () => {
    const { denied } = await new DoorWorld().create(service({ [ADDRESSES]: '::ffff:10.0.0.1' }));

    expect(denied?.message).toContain('"::ffff:10.0.0.1" is no address that a Service can have (IPv4-mapped)');
  });

  test('W-30 takes a host length, blanks and a comma at the end', async () => {
    const { stored } = await new DoorWorld().create(service({ [ADDRESSES]: ' 10.0.0.9/32 ,' }));

    expect(stored?.metadata.annotations).toMatchObject({ [ADDRESSES]: ' 10.0.0.9/32 ,', [LB_IPS]: '10.0.0.9' });
  });

  test('W-31 leaves a cluster IP, a policy and a leftover status alone', async () => {
    const world = new DoorWorld({ families: [4, 6] });
    const answer = await world.mutate({
      object: {
        ...service({ [ZONE]: 'inet' }, { clusterIP: '10.96.0.9', ipFamilyPolicy: 'PreferDualStack' }),
        status: { loadBalancer: { ingress: [{ ip: '192.0.2.7' }] } },
      },
    });

    expect(answer.response.allowed).toBe(true);
    const patch = Buffer.from(answer.response.patch ?? '', 'base64').toString();
    expect(patch).not.toMatch(/clusterIP|"\/spec|status/u);
  });

  test('leaves a ClusterIP Service with a leftover ingress as it is (W-12)', async () => {
    const world = new DoorWorld();
    const answer = await world.mutate({
      object: { ...service({}, { type: 'ClusterIP' }), status: { loadBalancer: { ingress: [{ ip: '10.0.0.7' }] } } },
    });

    expect(answer.response).toEqual({ uid: answer.response.uid, allowed: true });
    expect(world.calls).toEqual([]);
  });

  test('GO-02 leaves a declared value byte for byte and writes canonical text beside it', async () => {
    const world = new DoorWorld({ families: [6] });
    const { stored } = await world.create(service({ [ZONE]: 'inet', [LB_IPS]: '2001:DB8::A' }));

    expect(stored?.metadata.annotations).toMatchObject({ [LB_IPS]: '2001:DB8::A', [ADDRESSES]: '2001:db8::a' });
  });

  test('GO-02 writes no MetalLB address key beside spec.loadBalancerIP, and nothing into the spec', async () => {
    const world = new DoorWorld();
    const { stored } = await world.create(service({ [ZONE]: 'inet' }, { loadBalancerIP: '192.0.2.10' }));

    expect(stored?.spec['loadBalancerIP']).toBe('192.0.2.10');
    expect(stored?.metadata.annotations).toMatchObject({ [ADDRESSES]: '192.0.2.10', [POOL]: 'inet' });
    expect(stored?.metadata.annotations).not.toHaveProperty([LB_IPS]);
  });

  test('denies an address that another Service holds and names the holder', async () => {
    const world = new DoorWorld();
    await world.create(service({ [ADDRESSES]: '10.0.0.9' }));
    const { denied } = await world.create(service({ [ADDRESSES]: '10.0.0.9' }, {}, { name: 'api', namespace: 'b' }));

    expect(denied).toMatchObject({ code: 403, reason: 'AddressHeld' });
    expect(denied?.message).toContain('a/web');
  });
});

describe('CREATE and the namespaces of a zone', () => {
  const zones = {
    version: 1 as const,
    zones: [{ name: 'b-only', prefixes: ['10.0.10.24/29'], namespaces: { matchLabels: { tenant: 'b' } } }],
  };

  test('REQ-05 denies a tenant the zone of another one, by name and by address', async () => {
    const world = new DoorWorld({ zones });
    const { denied } = await world.create(service({ [ZONE]: 'b-only', [ADDRESSES]: '10.0.10.26' }));

    expect(denied).toMatchObject({ code: 403, reason: 'ZoneForbidden' });
    expect(denied?.message).toContain('zone "b-only" is not open to namespace "a"');
    expect(await world.held()).toBe(0);
  });

  test('REQ-05 keeps the holder when the selector shrinks', async () => {
    const world = new DoorWorld({ zones });
    world.cluster.putNamespace('a', { tenant: 'b' });
    await world.create(service({ [ZONE]: 'b-only' }));
    await world.bind('web');
    world.cluster.putNamespace('a', {});

    const { stored } = await world.put('web', { [ZONE]: 'b-only', team: 'x' });

    expect(stored?.metadata.annotations).toMatchObject({ [LB_IPS]: '10.0.10.24', team: 'x' });
  });

  test('refuses a Service that names no zone where there is no default', async () => {
    const { denied } = await new DoorWorld({ zones }).create(service({ [FAMILY]: 'ipv4' }));

    expect(denied?.message).toContain('is missing and there is no default zone; name one of "b-only"');
  });
});

describe('CREATE and secrets', () => {
  test('makes the default secret once, with 32 random characters', async () => {
    const world = new DoorWorld();
    await world.create(service());
    const first = await world.cluster.secret('ipam-system', 'default');
    await world.create(service({}, {}, { name: 'api' }));

    expect(first).toMatchObject({ type: 'Opaque' });
    expect(first?.data['secret']).toMatch(/^[A-Za-z0-9]{32}$/u);
    expect(await world.cluster.secret('ipam-system', 'default')).toBe(first);
    expect((await new DoorWorld().create(service())).stored).toBeDefined();
  });

  test.each([
    ['is missing', undefined, 'there is no Secret "mine" in namespace "a"'],
    ['has another type', { type: 'kubernetes.io/tls', data: { secret: '12345678' } }, 'is of type "kubernetes.io/tls"'],
    ['lacks the key', { type: 'Opaque', data: { other: '12345678' } }, 'has no key "secret"'],
    [
      'is too short',
      { type: 'Opaque', data: { secret: '1234567' } },
      'the secret has 7 characters; 8 to 64 are allowed',
    ],
    ['is too long', { type: 'Opaque', data: { secret: 'x'.repeat(65) } }, 'the secret has 65 characters'],
  ])('refuses a custom Secret that %s', async (_what, secret, text) => {
    const world = new DoorWorld();
    if (secret !== undefined) world.cluster.putSecret('a', 'mine', secret);
    const { denied } = await world.create(service({ [SECRET]: 'mine' }));

    // Pulumi shows a preview to its end after 403 alone, and the Secret may be made by the same program
    expect(denied?.code).toBe(secret === undefined ? 403 : 422);
    expect(denied?.message).toContain(text);
    expect(await world.held()).toBe(0);
  });

  test('takes a custom Secret, and never tells it', async () => {
    const world = new DoorWorld();
    world.cluster.putSecret('a', 'mine', { type: 'Opaque', data: { secret: 'correct horse battery' } });
    const { stored } = await world.create(service({ [SECRET]: 'mine' }));

    expect(stored?.metadata.annotations).toMatchObject({ [SECRET]: 'mine', [LB_IPS]: '10.0.0.0' });
    expect(world.logger.text + JSON.stringify([world.meter.samples, stored])).not.toContain('correct horse');
  });

  test('W-20 lets nobody join an address of another namespace by the default secret', async () => {
    const world = new DoorWorld();
    const key = { 'ipam.vitistack.io/allow-local-shared-ip': 'k' };
    await world.create(service({ ...key, [ADDRESSES]: '10.0.0.9' }));
    const { denied } = await world.create(
      service(
        { ...key, [ADDRESSES]: '10.0.0.9' },
        { ports: [{ port: 443, protocol: 'TCP' }] },
        { name: 'x', namespace: 'b' },
      ),
    );

    expect(denied?.reason).toBe('AddressHeld');
  });

  test('lets two Services of a namespace share one address under one key', async () => {
    const world = new DoorWorld();
    const key = { 'ipam.vitistack.io/allow-local-shared-ip': 'dns', [ADDRESSES]: '10.0.0.53' };
    await world.create(service(key, { ports: [{ port: 53, protocol: 'UDP' }] }));
    const { stored } = await world.create(
      service(key, { ports: [{ port: 53, protocol: 'TCP' }] }, { name: 'dns-tcp' }),
    );
    const third = await world.create(service(key, { ports: [{ port: 53, protocol: 'TCP' }] }, { name: 'third' }));

    expect(stored?.metadata.annotations).toMatchObject({ [LB_IPS]: '10.0.0.53', 'metallb.io/allow-shared-ip': 'dns' });
    expect(third.stored?.metadata.annotations).toMatchObject({ [POOL]: 'ipam-waiting', [ADDRESSES]: '10.0.0.53' });
    expect(third.warnings).toEqual([expect.stringContaining('both use port 53/TCP')]);
  });
});
