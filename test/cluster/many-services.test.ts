import { IPAM, METALLB } from '../../operator/contract/group';
import type { KubeObject } from './support/cluster-client';
import { conditionOf, ingressOf, isReady, unhurried } from './support/services';
import { orSoak } from './support/soak';
import { useInstallation } from './support/use-installation';

const COUNT = orSoak(200, 254);
const ZONE = 'many';
const POOL = `/apis/metallb.io/v1beta1/namespaces/metallb-system/ipaddresspools/${ZONE}`;
/** At most one write of a pool in this time, so many over all plus the first and the last. */
const POOL_PAUSE_S = 0.5;

const {
  plane,
  operator,
  scene: sceneIn,
} = useInstallation({
  props: {
    zones: [{ name: ZONE, prefixes: ['10.93.0.0/24', 'fd00:93::/112'], quarantineSeconds: 1 }],
    zonePools: 'claims',
    whenUnavailable: 'admit',
    services: { defaultZone: ZONE },
  },
  audit: true,
  prepare: () => scene.open(),
});
const scene = sceneIn('a');
const names = Array.from({ length: COUNT }, (_, i) => `web-${String(i)}`);

const tally = (writes: readonly string[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>();
  for (const write of writes) counts.set(write, (counts.get(write) ?? 0) + 1);
  return counts;
};

async function timed<V>(work: () => Promise<V>): Promise<{ readonly value: V; readonly seconds: number }> {
  const start = performance.now();
  const value = await work();
  return { value, seconds: (performance.now() - start) / 1000 };
}

describe(`${String(COUNT)} Services of one zone at once`, () => {
  let served: readonly KubeObject[] = [];

  test('CONC-02 have an address each, at a bounded number of writes', async () => {
    // MetalLB took more than three seconds for these, and they say so
    const late = new Set<string>();
    const { value, seconds } = await timed(async () => {
      const all = (each: readonly KubeObject[]): boolean => {
        for (const service of each) if (conditionOf(service)?.reason === 'Announcing') late.add(service.metadata.name);
        return each.length === COUNT && each.every(isReady);
      };
      // from before the first one: some are told to be late before the last one is created
      const ready = plane().client.watchUntil(scene.path(), all, 110_000);
      const created = Promise.all(names.map((name) => unhurried(() => scene.create(name))));
      await Promise.all([created, ready]);
      return ready;
    });
    served = value;
    expect(new Set(served.flatMap(ingressOf)).size).toBe(COUNT);
    for (const each of served) {
      expect(ingressOf(each).join()).toBe(each.metadata.annotations?.[METALLB.addresses]);
      expect(each.metadata.annotations).toMatchObject({ [IPAM.zone]: ZONE, [METALLB.pool]: ZONE });
    }
    expect(await scene.held(ZONE)).toBe(COUNT);
    const writes = tally(await scene.writes());
    process.stderr.write(`${String(COUNT)} Services in ${seconds.toFixed(1)} s: ${JSON.stringify([...writes])}\n`);
    // the keys come with admission, so what is left to write is the condition
    expect(writes.get('patch services/status') ?? 0).toBeLessThanOrEqual(COUNT * 1.1 + late.size);
    const ofPool = [...writes].filter(([write]) => write.endsWith(' ipaddresspools'));
    const most = Math.ceil(seconds / POOL_PAUSE_S) + 2;
    expect(ofPool.reduce((sum, [, count]) => sum + count, 0)).toBeLessThanOrEqual(most);
    // each Service is told its address once
    expect(writes.get('create events') ?? 0).toBeLessThanOrEqual(COUNT + late.size);
  });

  test('are written no more when the operator starts again', async () => {
    const before = (await scene.writes()).length;
    await operator().restart();
    const label = { metadata: { labels: { looked: 'true' } } };
    await scene.patch('web-0', label);
    await scene.create('later');
    await scene.ready('later');
    const ofOthers = (await scene.writes()).slice(before).filter((write) => write === 'patch services/status');
    expect(ofOthers.length).toBeLessThanOrEqual(2); // of `later`
    for (const each of served) expect(ingressOf(await scene.get(each.metadata.name))).toEqual(ingressOf(each));
    await scene.remove('later');
    await scene.holds(ZONE, COUNT);
  });

  test('are all bound: when they go at once, nothing is left, and the pool goes with the last', async () => {
    const before = (await scene.writes()).length;
    const { seconds } = await timed(async () => {
      await Promise.all(names.map((name) => plane().client.request('DELETE', scene.path(name))));
      await scene.holds(ZONE, 0); // what is reserved and not bound would stay for its lease of 300 s
      await plane().client.watchUntil(POOL, (all) => all.length === 0);
    });
    const writes = tally((await scene.writes()).slice(before));
    expect(writes.get('patch services/status') ?? 0).toBe(0);
    expect([...writes.values()].reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(
      Math.ceil(seconds / POOL_PAUSE_S) + 2,
    );
  });
});
