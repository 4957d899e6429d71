import { addressOf } from '../../../operator/addressing/address';
import { MemoryCluster } from '../../../operator/backends/memory/memory-cluster';
import type { Cluster } from '../../../operator/ports/cluster';
import { IpamError } from '../../../operator/errors/ipam-error';
import { startSweeps, sweepOnce, SWEEP_PAUSE_MS } from '../../../operator/sweeps';
import { ask, claimant, LedgerWorld } from '../../support/ledger-world';
import { RecordedLogger, RecordedMeter } from '../../support/recorded-telemetry';

const LEASE_OVER_MS = 301_000;

async function world() {
  const ledger = new LedgerWorld();
  const cluster = new MemoryCluster();
  const clusterUid = await cluster.clusterUid();
  const namespaceUid = cluster.putNamespace('a', {}).uid;
  const who = (name: string) => ({
    ...claimant(`a/${name}`),
    service: { serviceName: name, namespaceUid, clusterUid },
  });
  const logger = new RecordedLogger();
  const meter = new RecordedMeter();
  return {
    ledger,
    cluster,
    who,
    parts: { cluster, book: ledger.book, clock: ledger.clock, logger, meter },
    logger,
    meter,
  };
}

/** The cluster, but for the list of its Services. */
function listing(cluster: MemoryCluster, services: Cluster['services']): Cluster {
  return Object.assign(Object.create(cluster) as Cluster, { clusterUid: () => cluster.clusterUid(), services });
}

describe('sweepOnce', () => {
  test('WH-07 gives back a reservation whose lease is over and that no stored Service has', async () => {
    const { ledger, who, parts, meter } = await world();
    await ledger.has(ask(who('refused')));
    ledger.clock.advance(LEASE_OVER_MS);
    await sweepOnce(parts);
    expect(await ledger.tally()).toEqual({ held: 0, quarantined: 0 });
    expect(meter.of('reservations_swept_total')).toEqual([{ name: 'reservations_swept_total', labels: {}, value: 1 }]);
    expect(meter.of('sweeps_total')).toMatchObject([{ labels: { result: 'completed' } }]);
  });

  test('binds a reservation that a stored Service names', async () => {
    const { ledger, cluster, who, parts } = await world();
    const grant = await ledger.has(ask(who('web')));
    const annotations = { 'metallb.io/loadBalancerIPs': grant.address.toString() };
    cluster.putService({ namespace: 'a', name: 'web', uid: 'u1', annotations, type: 'LoadBalancer' });
    ledger.clock.advance(LEASE_OVER_MS);
    await sweepOnce(parts);
    expect((await ledger.record(grant.address.toString()))?.holders).toMatchObject([
      { state: 'bound', serviceUid: 'u1' },
    ]);
  });

  test('lists no Service while no lease of this cluster ran out', async () => {
    const { ledger, who, parts, cluster } = await world();
    const listed: number[] = [];
    const services = () => Promise.resolve([]).finally(() => listed.push(ledger.clock.nowMs()));
    const counted = { ...parts, cluster: listing(cluster, services) };
    await ledger.has(ask(who('web')));
    await ledger.has(ask(claimant('far/away', { cluster: 'c2' }), { at: '192.0.2.9' }));
    await sweepOnce(counted);
    expect(listed).toEqual([]);
    ledger.clock.advance(LEASE_OVER_MS);
    for (let i = 0; i < 2; i++) await sweepOnce(counted);
    expect(listed).toHaveLength(1);
    expect(await ledger.store.get('default', addressOf('192.0.2.9'), ledger.clock.nowMs())).toBeDefined();
  });

  test('gives nothing back while the list of Services cannot be read', async () => {
    const { ledger, who, parts, cluster, logger, meter } = await world();
    await ledger.has(ask(who('web'), { at: '192.0.2.9' }));
    ledger.clock.advance(LEASE_OVER_MS);
    const services = () => Promise.reject(new IpamError('cluster/unavailable', 'the API server is away'));
    await sweepOnce({ ...parts, cluster: listing(cluster, services) });
    expect(await ledger.store.get('default', addressOf('192.0.2.9'), ledger.clock.nowMs())).toBeDefined();
    expect(logger.lines).toMatchObject([{ level: 'warn', fields: { code: 'cluster/unavailable' } }]);
    expect(meter.of('sweeps_total')).toMatchObject([{ labels: { result: 'failed' } }]);
  });
});

describe('startSweeps', () => {
  test('sweeps after each pause until it is stopped', async () => {
    const { ledger, who, parts, logger } = await world();
    const stop = startSweeps(parts);
    await ledger.has(ask(who('refused')));
    for (let pause = 0; pause <= LEASE_OVER_MS / SWEEP_PAUSE_MS + 1; pause += 1) {
      ledger.clock.advance(SWEEP_PAUSE_MS);
      await new Promise(setImmediate); // a sweep over memory ends within one turn
    }
    await logger.heard('reservations swept');
    expect(await ledger.tally()).toEqual({ held: 0, quarantined: 0 });
    await stop();
    await ledger.has(ask(who('later')));
    ledger.clock.advance(2 * LEASE_OVER_MS);
    await new Promise(setImmediate);
    expect(await ledger.tally()).toEqual({ held: 1, quarantined: 0 });
  });
});
