import { findings } from '../../../../operator/cli/output/findings';
import { stateText } from '../../../../operator/cli/output/service-text';
import { claimBody, V3World } from '../../../support/v3-world';

const NOW = Date.parse('2026-01-01T12:00:00Z');

async function afterItsLease(): Promise<V3World> {
  const world = new V3World();
  await world.send('PUT', '/v3/clusters/c1/claims/k', { as: 'c1', body: claimBody({ as: 'lease' }) });
  world.ledger.clock.advance(300_001);
  return world;
}

describe('a reservation of a cluster that does not report', () => {
  test('stays after its time, and is marked in the lists of services and of its address', async () => {
    const world = await afterItsLease();
    const services = await world.send('GET', '/v3/services');
    expect(services.json['entries']).toMatchObject([{ state: 'reserved', stale: true }]);
    const address = await world.send('GET', '/v3/networks/default/addresses/192.0.2.0');
    expect(address.json['holders']).toMatchObject([{ state: 'reserved', stale: true }]);
    expect([stateText({ state: 'reserved', stale: true }), stateText({ state: 'bound', stale: false })]).toEqual([
      'reserved (stale)',
      'bound',
    ]);
  });

  const service = { clusterUid: 'c1', namespaceUid: 'n', namespace: 'a', serviceName: 'web' };
  const clusterFindings = (reportedAt: string | undefined, stale: boolean) =>
    findings({
      zones: [],
      nowMs: NOW,
      reserved: [{ service, stale }],
      clusters: [{ clusterUid: 'c1', name: 'prod', claims: 2, ...(reportedAt === undefined ? {} : { reportedAt }) }],
    }).filter(({ check }) => check.startsWith('cluster'));

  test('is told by the doctor with the name of the cluster, also where that never reported', () => {
    expect(clusterFindings(undefined, true)).toEqual([
      {
        verdict: 'watch',
        check: 'cluster prod (c1)',
        finding:
          'holds 2 claims and has never reported, so 1 reservations whose time is up stay (stale); end them with delete-cluster if it is gone',
      },
    ]);
    expect(clusterFindings('2026-01-01T11:00:00Z', true)).toMatchObject([
      { verdict: 'watch', finding: expect.stringContaining('since 2026-01-01T11:00:00Z, so 1 reservations') as string },
    ]);
  });

  test.each([
    ['reports, so that the next comparison ends it', '2026-01-01T11:59:00Z', true],
    ['never reported and has nothing that ran out, as one of version 2', undefined, false],
  ])('is no trouble where the cluster %s', (_name, reportedAt, stale) => {
    expect(clusterFindings(reportedAt, stale)).toMatchObject([{ verdict: 'ok' }]);
  });
});
