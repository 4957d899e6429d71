import { EGRESS_FINALIZER, OLD_EGRESS_FINALIZER } from '../../../../operator/contract/egress';
import { metadataOf } from '../../../../operator/contract/loose-json';
import { egressSpec } from '../../../support/egress-kind-samples';
import { EgressWorld } from '../../../support/egress-world';

const NET = { CIDR: '10.0.0.0/29', labelValue: 'a' };

let world: EgressWorld;
beforeEach(() => {
  world = new EgressWorld();
});
afterEach(() => world.close());

const finalizers = (name: string): unknown => metadataOf(world.storedIpam(name))['finalizers'];
const gone = (name: string) =>
  world.until(`${name} is gone`, () => metadataOf(world.storedIpam(name))['name'] === undefined);

test('EG-1 the finalizer of the older operator is taken off, and ours put on', async () => {
  world.ipam('bm', egressSpec(NET), { finalizers: [OLD_EGRESS_FINALIZER, 'example.com/other'] });
  await world.open();

  await world.until('the old one is off', () => {
    return JSON.stringify(finalizers('bm')) === JSON.stringify(['example.com/other', EGRESS_FINALIZER]);
  });

  expect(finalizers('bm')).toEqual(['example.com/other', EGRESS_FINALIZER]);
});

test('EG-case-25 with an EgressIPAM its namespaces lose their lists, and keep the opt-in', async () => {
  for (const name of ['a', 'b']) world.namespace(name, 'bm');
  world.ipam('bm', egressSpec(NET));
  await world.open();
  await world.has('b', '10.0.0.2');

  await world.removeIpam('bm');

  await gone('bm');
  expect([world.list('a'), world.list('b'), world.record()]).toEqual([undefined, undefined, []]);
  expect(Object.values(world.annotations('a'))).toContain('bm');
});

test('EG-case-26 one whose spec became invalid can be deleted', async () => {
  world.namespace('a', 'bm');
  world.ipam('bm', egressSpec(NET));
  await world.open();
  await world.has('a', '10.0.0.1');
  world.respec('bm', { CIDR: '10.0.0.5/29', labelValue: 'a' });
  await world.status('bm', 'is invalid', () => world.condition('bm', 'Ready')[1] === 'InvalidEgressIPAM');
  expect([world.list('a'), world.record()]).toEqual(['10.0.0.1', ['10.0.0.1=a']]);

  await world.removeIpam('bm');

  await gone('bm');
  expect(world.record()).toEqual([]);
});

test('EG-case-27 with the policy Retain lists and claims stay', async () => {
  world.namespace('a', 'bm');
  world.ipam('bm', { ...egressSpec(NET), deletionPolicy: 'Retain' });
  await world.open();
  await world.has('a', '10.0.0.1');

  await world.removeIpam('bm');

  await gone('bm');
  expect([world.list('a'), world.record()]).toEqual(['10.0.0.1', ['10.0.0.1=a']]);
});

test('EG-case-28 one with the old finalizer alone that is being deleted goes', async () => {
  world.ipam('bm', egressSpec(NET), { finalizers: [OLD_EGRESS_FINALIZER], deletionTimestamp: '2026-01-02T00:00:00Z' });
  await world.open();

  await gone('bm');

  expect(world.record()).toEqual([]);
});

const times = (): readonly unknown[] =>
  ['ReconcileSuccess', 'ReconcileError'].map((type) => world.changedAt('bm', type));

test('EG-case-66 an error and then a success flip both old conditions', async () => {
  world.ipam('bm', egressSpec({ CIDR: '10.0.0.5/29', labelValue: 'a' }));
  await world.open();
  await world.status('bm', 'failed', () => world.condition('bm', 'ReconcileError')[0] === 'True');
  expect(world.condition('bm', 'ReconcileSuccess')).toEqual(['False', 'LastReconcileCycleSucceded']);
  const failedAt = times();
  // a second failure is no transition
  world.clock.advance(60_000);
  world.respec('bm', { CIDR: '10.0.0.6/29', labelValue: 'a' });
  await world.status('bm', 'failed again', ({ observedGeneration }) => observedGeneration === 2);
  expect(times()).toEqual(failedAt);

  world.clock.advance(60_000);
  world.respec('bm', NET);

  await world.status('bm', 'succeeded', () => world.condition('bm', 'ReconcileSuccess')[0] === 'True');
  expect(world.condition('bm', 'ReconcileError')).toEqual(['False', 'LastReconcileCycleFailed']);
  const succeededAt = times();
  expect(succeededAt.filter((time, index) => time === failedAt[index])).toEqual([]);
  world.clock.advance(60_000);
  world.namespace('a', 'bm');
  await world.status('bm', 'counts one', ({ allocated }) => allocated === '1');
  expect(times()).toEqual(succeededAt);
});

test('EG-2 the status counts addresses and tells that no dataplane is driven', async () => {
  world.namespace('a', 'bm');
  world.ipam('bm', egressSpec(NET));
  await world.open();

  const status = await world.status('bm', 'is counted', ({ allocated }) => allocated === '1');

  expect(status).toMatchObject({
    observedGeneration: 1,
    total: '8',
    allocated: '1',
    free: '5',
    pools: ['10.0.0.0/29'],
    cidrs: [{ cidr: '10.0.0.0/29', total: '8', used: '1', free: '5', reserved: '2', quarantined: '0' }],
    namespaces: { assigned: 1, pending: 0, invalid: 0 },
  });
  expect(world.condition('bm', 'DataplaneAvailable')).toEqual(['False', 'NoDriver']);
});

test('EG-27 of two EgressIPAMs whose CIDRs overlap each counts what it gave', async () => {
  world.ipam('bm', { ...egressSpec(NET), allowOverlap: true });
  world.ipam('twin', { ...egressSpec(NET), allowOverlap: true });
  world.namespace('a', 'bm');
  for (const name of ['b', 'c']) world.namespace(name, 'twin');
  await world.open();
  await world.has('c', '10.0.0.3');

  const counts = { total: '8', free: '3', quarantined: '0' };
  const bm = await world.status('bm', 'counts one', ({ allocated, free }) => allocated === '1' && free === '3');
  expect(bm['cidrs']).toEqual([{ ...counts, cidr: '10.0.0.0/29', used: '1', reserved: '4' }]);
  const twin = await world.status('twin', 'counts two', ({ allocated, free }) => allocated === '2' && free === '3');
  expect(twin['cidrs']).toEqual([{ ...counts, cidr: '10.0.0.0/29', used: '2', reserved: '3' }]);
  const gauge = world.meter.of('egressip_pool_addresses').filter(({ labels }) => labels['state'] === 'used');
  const last = new Map(gauge.map(({ labels, value }) => [labels['egressipam'], value]));
  expect([last.get('bm'), last.get('twin')]).toEqual([1, 2]);
});
