import { DoorWorld, ZONES } from '../support/door-world';
import { service } from '../support/review-builder';

const ZONE = 'ipam.vitistack.io/zone';
const ADDRESSES = 'ipam.vitistack.io/addresses';
const LB_IPS = 'metallb.io/loadBalancerIPs';

describe('a refused CREATE', () => {
  test.each([ZONES, { ...ZONES, services: {} }])(
    'denies a misspelt wish, with or without default zone (%#)',
    async (zones) => {
      const world = new DoorWorld({ zones });
      const { denied } = await world.create(service({ 'ipam.vitistack.io/zonee': 'inet' }));

      expect(denied).toMatchObject({ code: 422, reason: 'InvalidWish' });
      expect(denied?.message).toContain(
        `metadata.annotations[ipam.vitistack.io/zonee]: there is no such key; did you mean ${ZONE}?`,
      );
      expect(world.calls).toEqual([]);
    },
  );

  test.each<{ what: string; annotations: Record<string, string>; spec?: Record<string, unknown>; start: string }>([
    {
      what: 'an address of MetalLB',
      annotations: { [ZONE]: 'inet', [LB_IPS]: '10.9.9.9' },
      start: `metadata.annotations[${LB_IPS}]: address "10.9.9.9" lies outside of`,
    },
    {
      what: 'an address of the spec',
      annotations: { [ZONE]: 'inet' },
      spec: { loadBalancerIP: '10.9.9.9' },
      start: 'spec.loadBalancerIP: address "10.9.9.9" lies outside of',
    },
    {
      what: 'an address of a family that the Service lacks',
      annotations: { [ZONE]: 'inet', [ADDRESSES]: '2001:db8::9' },
      start: `metadata.annotations[${ADDRESSES}]: the Service asks for 2001:db8::9`,
    },
  ])('names the field of $what', async ({ annotations, spec = {}, start }) => {
    const { denied } = await new DoorWorld().create(service(annotations, spec));

    expect(denied?.message).toContain(start);
  });

  test('names the field of a held address and of a full zone', async () => {
    const tiny = { name: 'tiny', prefixes: ['198.51.100.8/32'] };
    const world = new DoorWorld({ zones: { ...ZONES, zones: [...ZONES.zones, tiny] } });
    await world.create(service({ [ZONE]: 'tiny' }));
    const other = (annotations: Record<string, string>) => {
      const object = service({ [ZONE]: 'tiny', ...annotations });
      return world.create({ ...object, metadata: { ...object.metadata, name: 'other' } });
    };
    const held = await other({ [LB_IPS]: '198.51.100.8' });
    const full = await other({});

    expect(held.warnings?.[0]).toMatch(
      /^.*metadata\.annotations\[metallb\.io\/loadBalancerIPs\]: address .* reserved for/u,
    );
    expect(full.denied?.message).toContain(`metadata.annotations[${ZONE}]: zone "tiny" has no free IPv4 address`);
  });

  test.each(['z'.repeat(20_000), 'in\net\0'.repeat(2_000)])('cuts and escapes what it quotes (%#)', async (zone) => {
    const { denied } = await new DoorWorld().create(service({ [ZONE]: zone }));

    expect(denied?.message.length).toBeLessThan(300);
    expect(denied?.message).toMatch(/^[ -~…]*$/u);
  });
});
