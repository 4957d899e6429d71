import type { Family } from '../../operator/addressing/address';
import { DoorWorld } from '../support/door-world';
import { patchOf, service } from '../support/review-builder';

const INET = { 'ipam.vitistack.io/zone': 'inet' };
const FAMILY = 'ipam.vitistack.io/ip-family';
const ADDRESSES = 'ipam.vitistack.io/addresses';
const LB_IPS = 'metallb.io/loadBalancerIPs';

const IPV4_ONLY: readonly Family[] = [4];
const BOTH: readonly Family[] = [4, 6];

describe('families of a Service', () => {
  test('dual gets both addresses, IPv6 first, and the policy where it was empty', async () => {
    const world = new DoorWorld({ families: [4, 6] });
    const answer = await world.mutate({ object: service({ ...INET, [FAMILY]: 'dual' }) });

    expect(patchOf(answer)).toContainEqual({ op: 'add', path: '/spec/ipFamilyPolicy', value: 'RequireDualStack' });
    const { stored } = await world.create(service({ ...INET, [FAMILY]: 'dual' }));
    expect(stored?.metadata.annotations).toMatchObject({
      [LB_IPS]: '2001:db8::,192.0.2.0',
      [ADDRESSES]: '2001:db8::,192.0.2.0',
    });
  });

  test('dual is one call of the record, and one by one where an address is named or a family has nothing left', async () => {
    const zones = { version: 1 as const, zones: [{ name: 'inet', prefixes: ['192.0.2.0/24', '2001:db8::/128'] }] };
    const world = new DoorWorld({ families: [4, 6], zones });
    const callsFor = async (name: string, change: Record<string, string> = {}) => {
      world.calls.length = 0;
      await world.mutate({ object: service({ ...INET, [FAMILY]: 'dual', ...change }, {}, { name }) });
      return world.calls.filter((verb) => verb.startsWith('reserve'));
    };

    expect(await callsFor('named', { [ADDRESSES]: '192.0.2.9,2001:db8::' })).toEqual(['reserve', 'reserve']);
    expect(await callsFor('late')).toEqual(['reserveBoth', 'reserve']);
    expect(await world.held()).toBe(2);
    const roomy = new DoorWorld({ families: [4, 6] });
    await roomy.mutate({ object: service({ ...INET, [FAMILY]: 'dual' }) });
    expect(roomy.calls).toEqual(['reserveBoth']);
    expect(await roomy.held()).toBe(2);
  });

  test('DUAL-02 PreferDualStack [IPv6, IPv4] gets IPv6 then IPv4, and keeps its policy', async () => {
    const world = new DoorWorld({ families: [4, 6] });
    const spec = { ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv6', 'IPv4'] };
    const { stored } = await world.create(service(INET, spec));

    expect(stored?.metadata.annotations).toMatchObject({ [LB_IPS]: '2001:db8::,192.0.2.0', [FAMILY]: 'dual' });
    expect(stored?.spec).toMatchObject({ ipFamilyPolicy: 'PreferDualStack' });
  });

  test('DUAL-02 SingleStack [IPv6] gets one IPv6 address, also a wished one', async () => {
    const world = new DoorWorld({ families: [4, 6] });
    const spec = { ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv6'] };
    const one = await world.create(service(INET, spec));
    const wished = await world.create(service({ ...INET, [ADDRESSES]: '2001:db8::50' }, spec, { name: 'b' }));

    expect(one.stored?.metadata.annotations?.[LB_IPS]).toBe('2001:db8::');
    expect(wished.stored?.metadata.annotations?.[LB_IPS]).toBe('2001:db8::50');
  });

  test('DUAL-02 RequireDualStack in a zone without IPv6 holds nothing and says why', async () => {
    const world = new DoorWorld({ families: [4, 6] });
    const { denied } = await world.create(service({}, { ipFamilyPolicy: 'RequireDualStack' }));

    expect(denied?.message).toContain('zone "hnet-private" has IPv4 prefixes only, but the Service needs IPv6');
    expect(await world.held()).toBe(0);
  });

  test('DUAL-02 RequireDualStack gives the first address back when the second family is used up', async () => {
    const zones = { version: 1 as const, zones: [{ name: 'inet', prefixes: ['192.0.2.0/24', '2001:db8::/128'] }] };
    const world = new DoorWorld({ families: [6, 4], zones });
    await world.create(service(INET));
    const dual = { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] };
    const { denied } = await world.create(service(INET, dual, { name: 'b' }));

    expect(denied).toMatchObject({ code: 503, reason: 'PoolExhausted' });
    expect(await world.held()).toBe(1);
  });

  test('DUAL-02 RequireDualStack takes its families from different prefixes', async () => {
    const zones = {
      version: 1 as const,
      zones: [{ name: 'inet', prefixes: ['192.0.2.0/32', '198.51.100.0/24', '2001:db8::/64'] }],
    };
    const world = new DoorWorld({ families: [4, 6], zones });
    await world.create(service(INET));
    const { stored } = await world.create(service(INET, { ipFamilyPolicy: 'RequireDualStack' }, { name: 'b' }));

    expect(stored?.metadata.annotations?.[LB_IPS]).toBe('2001:db8::,198.51.100.0');
  });

  test('DUAL-01 PreferDualStack on an IPv4-only cluster gets one IPv4 address, and later calls change nothing', async () => {
    const world = new DoorWorld({ families: [4] });
    const { stored } = await world.create(service(INET, { ipFamilyPolicy: 'PreferDualStack' }));
    await world.bind('web');
    const writes = world.store.writes;
    const later = await world.update('web', ({ metadata }) => (metadata['labels'] = { x: 'y' }));

    expect(stored?.metadata.annotations).toMatchObject({ [LB_IPS]: '192.0.2.0', [FAMILY]: 'ipv4' });
    expect(later.stored?.metadata.annotations).toEqual(stored?.metadata.annotations);
    expect(await world.held()).toBe(1);
    expect(world.store.writes).toBe(writes);
  });

  test('DUAL-01 PreferDualStack on an IPv4-only cluster is refused where the pool has IPv6 all the same', async () => {
    const world = new DoorWorld({ families: [4], settings: { poolFamilies: [4, 6] } });
    const { denied } = await world.create(service(INET, { ipFamilyPolicy: 'PreferDualStack' }));

    expect(denied?.message).toContain(
      'pool "inet" (zone "inet") has IPv6 addresses, which this cluster has no Services for',
    );
    expect(await world.held()).toBe(0);
  });

  test.each([
    {
      what: 'dual on a single-stack cluster',
      families: IPV4_ONLY,
      annotations: { [FAMILY]: 'dual' },
      text: 'asks for two families but this cluster has IPv4 Services only',
    },
    {
      what: 'RequireDualStack on a single-stack cluster',
      families: IPV4_ONLY,
      spec: { ipFamilyPolicy: 'RequireDualStack' },
      text: 'spec.ipFamilyPolicy asks for two families',
    },
    {
      what: 'ipv6 without spec.ipFamilies on an IPv4-first cluster',
      annotations: { [FAMILY]: 'ipv6' },
      text: 'set spec.ipFamilies: [IPv6] too',
    },
    {
      what: 'ipv4 beside spec.ipFamilies [IPv6]',
      annotations: { [FAMILY]: 'ipv4' },
      spec: { ipFamilies: ['IPv6'] },
      text: 'make both say the same',
    },
    {
      what: 'dual beside SingleStack',
      annotations: { [FAMILY]: 'dual' },
      spec: { ipFamilyPolicy: 'SingleStack' },
      text: 'is SingleStack but',
    },
    {
      what: 'ipv4 beside PreferDualStack',
      annotations: { [FAMILY]: 'ipv4' },
      spec: { ipFamilyPolicy: 'PreferDualStack' },
      text: 'but spec.ipFamilyPolicy is PreferDualStack',
    },
    {
      what: 'an IPv6 wish of an IPv4 Service (W-18)',
      annotations: { [ADDRESSES]: '2001:db8::5' },
      text: 'asks for 2001:db8::5 (IPv6) but has IPv4 only',
    },
    {
      what: 'spec.loadBalancerIP of a dual Service',
      annotations: { [FAMILY]: 'dual' },
      spec: { loadBalancerIP: '192.0.2.5' },
      text: 'spec.loadBalancerIP names one address',
    },
  ])('W-01 refuses $what before anything is reserved', async ({ families = BOTH, annotations, spec, text }) => {
    const world = new DoorWorld({ families });
    const { denied } = await world.create(service({ ...INET, ...annotations }, spec));

    expect(denied?.message).toContain(text);
    expect(world.calls).not.toContain('reserve');
    expect(world.store.writes).toBe(0);
  });

  test('completes a MetalLB key that names one address of a dual Service', async () => {
    const world = new DoorWorld({ families: [4, 6] });
    const { stored } = await world.create(
      service({ ...INET, [FAMILY]: 'dual', [LB_IPS]: '2001:DB8::9', [ADDRESSES]: '2001:DB8::9' }),
    );

    expect(stored?.metadata.annotations).toMatchObject({
      [LB_IPS]: '2001:db8::9,192.0.2.0',
      [ADDRESSES]: '2001:DB8::9',
    });
  });
});

describe('families of a stored Service', () => {
  const stored = async (spec: Record<string, unknown>, annotations = {}): Promise<DoorWorld> => {
    const world = new DoorWorld({ families: [4, 6] });
    await world.create(service({ ...INET, ...annotations }, spec));
    await world.bind('web');
    return world;
  };

  test('takes a change of the policy as the wish for two families and keeps the first address', async () => {
    const world = await stored({});
    const result = await world.update('web', ({ spec }) => (spec['ipFamilyPolicy'] = 'PreferDualStack'));

    expect(result.stored?.metadata.annotations).toMatchObject({ [LB_IPS]: '192.0.2.0,2001:db8::', [FAMILY]: 'dual' });
  });

  test.each([
    { policy: 'PreferDualStack', before: 'SingleStack', wish: 'ipv4' },
    { policy: 'RequireDualStack', before: 'SingleStack', wish: 'ipv4' },
    { policy: 'SingleStack', before: 'RequireDualStack', wish: 'dual' },
  ])('FU-11 gives $policy beside a written "$wish" the same answer each time', async ({ policy, before, wish }) => {
    const world = await stored({ ipFamilyPolicy: before }, { [FAMILY]: wish });
    for (let i = 0; i < 2; i++) {
      const { denied } = await world.update('web', ({ spec }) => (spec['ipFamilyPolicy'] = policy));

      expect(denied?.message).toContain(FAMILY);
    }
  });

  test.each([
    { family: 'IPv4', prefix: '192.0.2.0/24', address: '192.0.2.0' },
    { family: 'IPv6', prefix: '2001:db8::/64', address: '2001:db8::' },
  ])(
    'FU-11 names fields beside which PreferDualStack becomes $family, the one family of its zone',
    async ({ family, prefix, address }) => {
      const zones = { version: 1 as const, zones: [{ name: 'inet', prefixes: [prefix] }] };
      const world = new DoorWorld({ families: [4, 6], zones });
      const spec = { ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv4', 'IPv6'] };
      const { denied } = await world.create(service(INET, spec));
      const cured = { ipFamilyPolicy: 'SingleStack', ipFamilies: [family] };
      const { stored: made } = await world.create(service(INET, cured));

      expect(denied?.message).toContain(`set spec.ipFamilyPolicy: SingleStack and spec.ipFamilies: [${family}]`);
      expect(made?.metadata.annotations).toMatchObject({ [LB_IPS]: address });
    },
  );

  test('FU-11 asks for a new Service where the family of the zone is not the first one that is stored', async () => {
    const zones = {
      version: 1 as const,
      zones: [
        { name: 'inet', prefixes: ['192.0.2.0/24', '2001:db8::/64'] },
        { name: 'six', prefixes: ['2001:db8:6::/64'] },
        { name: 'four', prefixes: ['198.51.100.0/24'] },
      ],
    };
    const world = new DoorWorld({ families: [4, 6], zones });
    await world.create(service(INET, { ipFamilyPolicy: 'PreferDualStack', ipFamilies: ['IPv4', 'IPv6'] }));
    await world.bind('web');
    const move = (zone: string, spec = {}) =>
      world.update('web', (stored) => {
        stored.metadata.annotations = { ...stored.metadata.annotations, 'ipam.vitistack.io/zone': zone };
        Object.assign(stored.spec, spec);
      });

    const message = (await move('six')).denied?.message;
    expect(message).toContain('IPv4 comes first in this Service, which cannot change while it is stored');
    expect(message).toContain(
      'make a new Service with spec.ipFamilyPolicy: SingleStack and spec.ipFamilies: [IPv6], or name a zone with IPv4 prefixes',
    );
    expect((await move('four')).denied?.message).toContain(
      'set spec.ipFamilyPolicy: SingleStack and spec.ipFamilies: [IPv4]',
    );
    const { stored: moved } = await move('four', { ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4'] });
    expect(moved?.metadata.annotations).toMatchObject({ [LB_IPS]: '198.51.100.0' });
  });

  test('FU-11 names no single family to a Service whose annotation asks for both', async () => {
    const zones = { version: 1 as const, zones: [{ name: 'inet', prefixes: ['192.0.2.0/24'] }] };
    const world = new DoorWorld({ families: [4, 6], zones });
    const wanted = service({ ...INET, [FAMILY]: 'dual' }, { ipFamilyPolicy: 'PreferDualStack' });
    const { denied } = await world.create(wanted);

    expect(denied?.message).toContain('but the Service needs IPv6');
    expect(denied?.message).not.toContain('SingleStack');
  });

  test('takes a change to SingleStack as the wish for the primary family alone', async () => {
    const world = await stored({ ipFamilyPolicy: 'RequireDualStack' });
    const result = await world.update('web', ({ spec }) => (spec['ipFamilyPolicy'] = 'SingleStack'));

    expect(result.stored?.metadata.annotations).toMatchObject({ [LB_IPS]: '192.0.2.0', [FAMILY]: 'ipv4' });
  });

  test.each([
    {
      what: 'dual without a change of the policy',
      wish: 'dual',
      text: 'needs spec.ipFamilyPolicy PreferDualStack or RequireDualStack',
    },
    {
      what: 'one family with two stored',
      spec: { ipFamilyPolicy: 'RequireDualStack' },
      wish: 'ipv4',
      text: 'is stored with two families',
    },
    { what: 'another primary family', wish: 'ipv6', text: 'primary family IPv4, which cannot change' },
  ])('refuses $what', async ({ spec = {}, wish, text }) => {
    const world = await stored(spec);
    const { denied } = await world.update('web', ({ metadata }) => {
      metadata.annotations = { ...metadata.annotations, [FAMILY]: wish };
    });

    expect(denied?.message).toContain(text);
  });

  test.each(['deny', 'admit'] as const)(
    'W-07 keeps its address when the second one is not to be had (%s)',
    async (policy) => {
      const zones = { version: 1 as const, zones: [{ name: 'inet', prefixes: ['192.0.2.0/24', '2001:db8::/128'] }] };
      const world = new DoorWorld({ families: BOTH, zones, settings: { whenUnavailable: policy } });
      await world.create(service(INET, { ipFamilies: ['IPv6'] }, { name: 'other' }));
      await world.create(service(INET));
      const { denied } = await world.update('web', ({ spec }) => (spec['ipFamilyPolicy'] = 'RequireDualStack'));

      expect(denied?.reason).toBe('PoolExhausted');
      expect(world.calls).not.toContain('undo');
      expect(await world.held()).toBe(2);
    },
  );

  test('refuses another primary family in the spec', async () => {
    const world = await stored({});
    const { denied } = await world.update('web', ({ spec }) => (spec['ipFamilies'] = ['IPv6']));

    expect(denied?.message).toContain('cannot change from IPv4 to IPv6');
  });
});
