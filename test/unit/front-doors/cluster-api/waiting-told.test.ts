import Fastify from 'fastify';
import { registerClusterApiPages } from '../../../../operator/front-doors/cluster-api';
import { ClusterApiWorld } from '../../../support/cluster-api-world';

let world: ClusterApiWorld;

beforeEach(async () => {
  world = new ClusterApiWorld();
  world.namespace('test');
  world.group('g', { segment: '192.0.2.1/32' });
  const [has, waits] = [world.claim('has'), world.claim('waits', { createdAt: '2026-01-02T00:00:00Z' })];
  world.claim('rests', { createdAt: '2025-01-01T00:00:00Z', annotations: { 'cluster.x-k8s.io/paused': '' } });
  await world.open();
  await world.controller.compare();
  await world.claims.compare();
  for (const each of [has, waits]) await world.claims.reconcile(each);
});

afterEach(() => world.close());

/** Newest count of each reason, once it is so. */
async function counted(expected: Readonly<Record<string, number>>): Promise<Readonly<Record<string, number>>> {
  const all = (): Readonly<Record<string, number>> => {
    const counts: Record<string, number> = {};
    for (const { labels, value } of world.meter.of('cluster_api_claims_waiting'))
      counts[String(labels['reason'])] = value;
    return counts;
  };
  while (JSON.stringify(all()) !== JSON.stringify(expected)) await new Promise((resolve) => setTimeout(resolve, 5));
  return all();
}

test('claims that wait are counted by reason, until they do not', async () => {
  expect(await counted({ PoolExhausted: 1 })).toEqual({ PoolExhausted: 1 });
  world.removeClaim('waits');
  expect(await counted({ PoolExhausted: 0 })).toEqual({ PoolExhausted: 0 });
});

test('claims that wait are named to an administrator, those that were never looked at too', async () => {
  await counted({ PoolExhausted: 1 });
  const app = Fastify();
  registerClusterApiPages(app, world.parts);
  const answer = await app.inject('/cluster-api/findings');
  expect(answer.json()).toMatchObject({
    well: '3 IPAddressClaims of our pools are ready',
    findings: expect.arrayContaining([
      expect.objectContaining({ verdict: 'watch', check: 'IPAddressClaim test/rests' }),
      {
        verdict: 'bad',
        check: 'IPAddressClaim test/waits',
        finding: expect.stringMatching(/^waits since \S+ \(PoolExhausted\): /u) as string,
      },
    ]) as unknown,
  });
  await app.close();
});
