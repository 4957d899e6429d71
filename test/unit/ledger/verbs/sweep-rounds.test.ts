import { MemoryCluster } from '../../../../operator/backends/memory/memory-cluster';
import type { Cluster } from '../../../../operator/ports/cluster';
import { claimGauges, COUNT_PAUSE_MS } from '../../../../operator/ledger/gauges/claim-gauges';
import { IpamError } from '../../../../operator/errors/ipam-error';
import { startSweeps, storedServices, sweepOnce, SWEEP_PAUSE_MS } from '../../../../operator/ledger/verbs/sweep-rounds';
import { ask, claimant, granted, LedgerWorld } from '../../../support/ledger-world';
import { RecordedLogger, RecordedMeter } from '../../../support/recorded-telemetry';

const LEASE_OVER_MS = 301_000;
const SILENT_TOO_LONG_MS = 901_000;

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
    parts: { cluster, kinds: kindsOf(cluster), book: ledger.book, clock: ledger.clock, logger, meter },
    logger,
    meter,
  };
}

/** The Services of a cluster alone. */
function kindsOf(cluster: Pick<Cluster, 'services'>, isComplete = false) {
  return [storedServices(cluster, () => isComplete)];
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
      { state: 'bound', owner: { uid: 'u1' } },
    ]);
  });

  test('lists no Service while no lease of this cluster ran out', async () => {
    const { ledger, who, parts } = await world();
    const listed: number[] = [];
    const services = () => Promise.resolve([]).finally(() => listed.push(ledger.clock.nowMs()));
    const counted = { ...parts, kinds: kindsOf({ services }) };
    await ledger.has(ask(who('web')));
    await ledger.has(ask(claimant('far/away', { cluster: 'c2' }), { at: '192.0.2.9' }));
    await sweepOnce(counted);
    expect(listed).toEqual([]);
    ledger.clock.advance(LEASE_OVER_MS);
    for (let i = 0; i < 2; i++) await sweepOnce(counted);
    expect(listed).toHaveLength(1);
    expect(await ledger.record('192.0.2.9')).toBeDefined();
  });

  test('gives nothing back while the list of Services cannot be read', async () => {
    const { ledger, who, parts, logger, meter } = await world();
    await ledger.has(ask(who('web'), { at: '192.0.2.9' }));
    ledger.clock.advance(LEASE_OVER_MS);
    const services = () => Promise.reject(new IpamError('cluster/unavailable', 'the API server is away'));
    await sweepOnce({ ...parts, kinds: kindsOf({ services }) });
    expect(await ledger.record('192.0.2.9')).toBeDefined();
    expect(logger.lines).toMatchObject([{ level: 'warn', fields: { code: 'cluster/unavailable' } }]);
    expect(meter.of('sweeps_total')).toMatchObject([{ labels: { result: 'failed' } }]);
  });
});

describe('a report of the cluster of the operator', () => {
  const reportsOf = async ({ ledger, cluster }: Awaited<ReturnType<typeof world>>) => {
    const clusterUid = await cluster.clusterUid();
    return granted(await ledger.registry.clusters()).find((each) => each.clusterUid === clusterUid)?.reportedAtMs;
  };

  test('is noted while every stored Service is known, without a list', async () => {
    const made = await world();
    const services = () => Promise.reject(new IpamError('cluster/unavailable', 'no list is allowed'));
    const parts = { ...made.parts, registry: made.ledger.registry };
    await made.ledger.has(ask(made.who('web')));
    await sweepOnce({ ...parts, kinds: kindsOf({ services }, false) });
    expect(await reportsOf(made)).toBeUndefined();
    await sweepOnce({ ...parts, kinds: kindsOf({ services }, true) });
    expect(await reportsOf(made)).toBe(made.ledger.clock.nowMs());
  });

  test('is noted after a list that a lease asked for, and not where that list failed', async () => {
    const made = await world();
    const parts = { ...made.parts, registry: made.ledger.registry };
    await made.ledger.has(ask(made.who('web')));
    made.ledger.clock.advance(LEASE_OVER_MS);
    const services = () => Promise.reject(new IpamError('cluster/unavailable', 'the API server is away'));
    await sweepOnce({ ...parts, kinds: kindsOf({ services }, true) });
    expect(await reportsOf(made)).toBeUndefined();
    await sweepOnce(parts);
    expect(await reportsOf(made)).toBe(made.ledger.clock.nowMs());
  });

  test('keeps the cluster of a single installation out of the silent ones', async () => {
    const made = await world();
    const { ledger, meter } = made;
    const parts = { ...made.parts, registry: ledger.registry, kinds: kindsOf(made.cluster, true) };
    const setGauges = claimGauges({ meter, store: ledger.store, zones: ledger.zones });
    const silent = () => meter.of('clusters_silent').at(-1)?.value;
    await ledger.has(ask(made.who('web')));
    await sweepOnce(parts);
    ledger.clock.advance(SILENT_TOO_LONG_MS);
    await setGauges(ledger.clock.nowMs());
    expect(silent()).toBe(1);
    await sweepOnce(parts);
    ledger.clock.advance(COUNT_PAUSE_MS);
    await setGauges(ledger.clock.nowMs());
    expect(silent()).toBe(0);
  });
});

describe('startSweeps', () => {
  test('sweeps three times in a lease that is short, so that it is not prolonged by another one', async () => {
    const { ledger, parts, meter } = await world();
    const stop = startSweeps({ ...parts, leaseSeconds: 30 });
    for (let pause = 0; pause < 3; pause += 1) {
      ledger.clock.advance(10_000);
      await new Promise(setImmediate); // a sweep over memory ends within one turn
    }
    expect(meter.of('sweeps_total')).toHaveLength(3);
    await stop();
  });

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
