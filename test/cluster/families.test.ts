import type { IpamOperatorProps } from '../../constructs';
import { IPAM, METALLB } from '../../operator/contract/group';
import type { Families } from './support/attached-cluster';
import type { Wanted } from './support/service-scene';
import { conditionOf, ingressOf, isReady } from './support/services';
import { useInstallation } from './support/use-installation';

const ZONE = 'inet';
/** More than one test takes from; each has a zone of its own. */
const ZONES = 24;
const zoneOf = (i: number): string => `${ZONE}-${String(i)}`;

/** A cluster of some families with a few zones of both. */
function useScene(families: Families, props: Partial<IpamOperatorProps> = {}) {
  let used = 0;
  const zones: NonNullable<IpamOperatorProps['zones']> = Array.from({ length: ZONES }, (_, i) => ({
    name: zoneOf(i),
    quarantineSeconds: 1,
    prefixes: [`10.92.${String(i)}.0/24`, `fd00:92:${(i + 1).toString(16)}::/112`],
  }));
  const {
    plane,
    operator,
    scene: sceneIn,
  } = useInstallation({
    props: { zones, ...props },
    families,
    prepare: async (control) => {
      await control.client.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a' } }]);
    },
  });
  const scene = sceneIn('a');
  return { plane, scene, restart: () => operator().restart(), nextZone: () => zoneOf(used++) };
}

const v4 = /^10\.92\.\d+\.0$/u;
const v6 = /^fd00:92:[0-9a-f]+::$/u;

/** A Service by its spec and annotations; addresses by what they look like, or the text of a refusal. */
type Row = readonly [title: string, wanted: Wanted, outcome: readonly RegExp[] | RegExp];

const given = (rows: readonly Row[]) =>
  rows.filter((row): row is readonly [string, Wanted, readonly RegExp[]] => Array.isArray(row[2]));
const refused = (rows: readonly Row[]) =>
  rows.filter((row): row is readonly [string, Wanted, RegExp] => row[2] instanceof RegExp);
const family = (value: string): Wanted => ({ annotations: { [IPAM.ipFamily]: value } });

interface Cluster {
  readonly named: string;
  readonly families: Families;
  readonly props: Partial<IpamOperatorProps>;
  readonly rows: readonly Row[];
}

const CLUSTERS: readonly Cluster[] = [
  {
    named: 'of both families',
    families: 'dual',
    props: {},
    rows: [
      ['that says nothing has one of the first family', {}, [v4]],
      ['with ip-family ipv4 has one', family('ipv4'), [v4]],
      ['of IPv6 by its spec has one', { spec: { ipFamilies: ['IPv6'] } }, [v6]],
      ['of IPv6 by spec and key has one', { ...family('ipv6'), spec: { ipFamilies: ['IPv6'] } }, [v6]],
      ['with ip-family dual has both', family('dual'), [v6, v4]],
      ['that prefers two has both', { spec: { ipFamilyPolicy: 'PreferDualStack' } }, [v6, v4]],
      [
        'that requires two, IPv6 first, has both in this order',
        { spec: { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv6', 'IPv4'] } },
        [v6, v4],
      ],
      [
        'that requires two, IPv4 first, has both in this order',
        { spec: { ipFamilyPolicy: 'RequireDualStack', ipFamilies: ['IPv4', 'IPv6'] } },
        [v4, v6],
      ],
      ['with ip-family ipv6 alone is refused, and told what to set', family('ipv6'), /spec\.ipFamilies: \[IPv6\]/u],
      [
        'with dual and SingleStack is refused',
        { ...family('dual'), spec: { ipFamilyPolicy: 'SingleStack' } },
        /SingleStack/u,
      ],
      [
        'that wishes an address of the other family is refused',
        { annotations: { [IPAM.addresses]: 'fd00:92:1::7' } },
        /fd00:92:1::7 \(IPv6\) but has IPv4 only/u,
      ],
    ],
  },
  {
    named: 'of IPv6 only',
    families: 'v6',
    props: { clusterFamilies: ['IPv6'] },
    rows: [
      ['that says nothing has one of IPv6', {}, [v6]],
      ['with ip-family ipv6 has one', family('ipv6'), [v6]],
      ['DUAL-01 that prefers two has one', { spec: { ipFamilyPolicy: 'PreferDualStack' } }, [v6]],
      ['with ip-family dual is refused', family('dual'), /ip-family/u],
      ['with ip-family ipv4 is refused', family('ipv4'), /ip-family/u],
      ['that requires two is refused', { spec: { ipFamilyPolicy: 'RequireDualStack' } }, /ipFamilyPolicy/u],
    ],
  },
  {
    named: 'of IPv4 only',
    families: 'v4',
    props: { clusterFamilies: ['IPv4'] },
    rows: [
      ['that says nothing has one of IPv4', {}, [v4]],
      ['DUAL-01 that prefers two has one', { spec: { ipFamilyPolicy: 'PreferDualStack' } }, [v4]],
      ['with ip-family dual is refused', family('dual'), /ip-family/u],
      ['with ip-family ipv6 is refused', family('ipv6'), /ip-family/u],
      ['of IPv6 by its spec is refused', { spec: { ipFamilies: ['IPv6'] } }, /ipFamilies/u],
    ],
  },
];

describe.each(CLUSTERS)('on a cluster $named a Service', ({ families, props, rows }) => {
  const { plane, scene, restart, nextZone } = useScene(families, props);
  const count = (zone: string, text: string) =>
    scene.numbers('ipam_zone_addresses').then((all) => all.get(`{zone="${zone}",family="${text}",state="held"}`) ?? 0);
  const heldOf = async (zone: string) => ({ v4: await count(zone, 'ipv4'), v6: await count(zone, 'ipv6') });

  test.each(given(rows))('%s, at admission and from MetalLB', async (_title, wanted, addresses) => {
    const zone = nextZone();
    const admitted = await scene.create(zone, { ...wanted, annotations: { [IPAM.zone]: zone, ...wanted.annotations } });
    const written = admitted.metadata.annotations?.[METALLB.addresses]?.split(',') ?? [];
    expect(written).toHaveLength(addresses.length);
    for (const [i, text] of written.entries()) expect(text).toMatch(addresses[i] ?? /never/u);
    expect(admitted.metadata.annotations?.[IPAM.addresses]).toBe(written.join(','));
    const served = await scene.shows(zone, ...written);
    expect(conditionOf(served)).toMatchObject({ status: 'True', reason: 'Bound' });
    for (const text of written) expect(conditionOf(served)?.message).toContain(`"${text}"`);
    expect(await heldOf(zone)).toEqual({ v4: Number(addresses.includes(v4)), v6: Number(addresses.includes(v6)) });
  });

  test.each(refused(rows))('%s before anything is reserved', async (_title, wanted, text) => {
    const zone = nextZone();
    const tried = scene.create(zone, { ...wanted, annotations: { [IPAM.zone]: zone, ...wanted.annotations } });
    await expect(tried).rejects.toThrow(text);
    expect(await heldOf(zone)).toEqual({ v4: 0, v6: 0 });
  });

  test('DUAL-03 without a name: two at once have two addresses and are bound by their reservations', async () => {
    const zone = nextZone();
    const metadata = { name: undefined, generateName: 'gw-', annotations: { [IPAM.zone]: zone } };
    const body = scene.manifest('', { metadata });
    const made = await Promise.all([1, 2].map(() => plane().client.request('POST', scene.path(), body)));
    const reservations = made.map(({ metadata: { annotations } }) => annotations?.[IPAM.reservation]);
    expect(new Set(reservations).size).toBe(2);
    const done = await Promise.all(
      made.map(({ metadata: { name } }) =>
        scene.when(name, (each) => isReady(each) && each.metadata.annotations?.[IPAM.reservation] === undefined),
      ),
    );
    expect(new Set(done.flatMap(ingressOf)).size).toBe(2);
    const first = families === 'v6' ? { v4: 0, v6: 2 } : { v4: 2, v6: 0 };
    expect(await heldOf(zone)).toEqual(first);
    // whatever was reserved is bound to these two: with them goes everything
    for (const {
      metadata: { name },
    } of done)
      await scene.remove(name);
    await scene.holds(zone, 0);
  });

  test('that nobody changes is written no more, over a restart', async () => {
    const zone = nextZone();
    await scene.create(zone, { annotations: { [IPAM.zone]: zone }, spec: { ipFamilyPolicy: 'PreferDualStack' } });
    await scene.ready(zone);
    await restart();
    const touched = await scene.patch(zone, { metadata: { labels: { touched: 'true' } } });
    await restart();
    const later = await scene.get(zone);
    expect(later.metadata.resourceVersion).toBe(touched.metadata.resourceVersion);
    expect(conditionOf(later)?.reason).toBe('Bound');
  });
});
