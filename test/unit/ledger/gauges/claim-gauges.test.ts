import { claimGauges, COUNT_PAUSE_MS } from '../../../../operator/ledger/gauges/claim-gauges';
import { ask, LedgerWorld } from '../../../support/ledger-world';
import { RecordedMeter } from '../../../support/recorded-telemetry';

function found(meter: RecordedMeter): Record<string, number> {
  return Object.fromEntries(
    meter.of('zone_claims').map(({ labels, value }) => [`${labels['zone'] ?? ''} ${labels['state'] ?? ''}`, value]),
  );
}

describe('claimGauges', () => {
  test('counts each held address of a zone by the strongest state of its holders, once a minute', async () => {
    const world = new LedgerWorld([{ name: 'z', prefixes: ['192.0.2.0/29'] }]);
    await world.owns(ask('a/web'), 'u1');
    await world.has(ask('a/db'));
    const meter = new RecordedMeter();
    const set = claimGauges({ meter, store: world.store, zones: world.zones });
    await set(world.clock.nowMs());
    expect(found(meter)).toEqual({ 'z reserved': 1, 'z bound': 1, 'z retained': 0, 'z contested': 0 });
    await world.has(ask('a/more'));
    await set(world.clock.nowMs() + COUNT_PAUSE_MS - 1);
    expect(found(meter)['z reserved']).toBe(1);
    await set(world.clock.nowMs() + COUNT_PAUSE_MS);
    expect(found(meter)['z reserved']).toBe(2);
  });

  test('has no sample of a state that the record does not count', async () => {
    const { zones } = new LedgerWorld([{ name: 'z', prefixes: ['192.0.2.0/29'] }]);
    const row = { network: 'default', pool: 'z', family: 4 as const, reserved: 1, bound: 2, outside: 0, occupied: 3 };
    const meter = new RecordedMeter();
    await claimGauges({ meter, store: { usage: () => Promise.resolve([row]) }, zones })(0);
    expect(found(meter)).toEqual({ 'z reserved': 1, 'z bound': 2 });
  });

  test('counts a cluster that stopped reporting, and none that never did and reserves nothing', async () => {
    const world = new LedgerWorld([{ name: 'z', prefixes: ['192.0.2.0/29'] }]);
    await world.owns(ask('a/web'), 'u1');
    const [cluster] = await world.store.clusters();
    const meter = new RecordedMeter();
    const nowMs = world.clock.nowMs();
    await claimGauges({ meter, store: world.store, zones: world.zones })(nowMs);
    await world.store.reportCluster({ cluster: cluster?.cluster ?? '', name: '' });
    await claimGauges({ meter, store: world.store, zones: world.zones })(nowMs + 900_000);
    await claimGauges({ meter, store: world.store, zones: world.zones })(nowMs + 900_001);
    expect(meter.of('clusters_silent').map(({ value }) => value)).toEqual([0, 0, 1]);
  });

  test('counts a cluster that never reported once a lease of it ran out', async () => {
    const world = new LedgerWorld([{ name: 'z', prefixes: ['192.0.2.0/29'] }]);
    await world.has(ask('a/web'));
    const meter = new RecordedMeter();
    const count = async (nowMs: number) => claimGauges({ meter, store: world.store, zones: world.zones })(nowMs);
    const endMs = world.clock.nowMs() + 300_000;
    await count(endMs);
    await count(endMs + 1);
    const [cluster] = await world.store.clusters();
    world.clock.advance(300_001);
    await world.store.reportCluster({ cluster: cluster?.cluster ?? '', name: '' });
    await count(endMs + 2);
    expect(meter.of('clusters_silent').map(({ value }) => value)).toEqual([0, 1, 0]);
  });
});
