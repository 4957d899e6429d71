import { NEPHIO, NETWORK_ANNOTATIONS } from '../../operator/contract/nephio';
import { applyInstallation } from './support/installation';
import { conditionOf, NetworkScene } from './support/network-scene';
import { startOperator } from './support/operator-process';
import { useControlPlane } from './support/use-control-plane';
import { vipCondition, VipScene } from './support/vip-scene';

const plane = useControlPlane({
  prepare: async (control) => {
    const doors = { services: { enabled: false }, vips: { enabled: true }, networks: { enabled: true } };
    await applyInstallation(control, doors);
    await startOperator(control, { awaitWebhooks: false });
    await scene.open(control);
  },
});
const scene = new NetworkScene(plane, 'test');
const vips = new VipScene(plane, 'test');

test('an IPPrefix gives nothing of an IPGroup of its network, and names it while it is there', async () => {
  await vips.group('web', { segment: '10.0.1.0/25' });
  await vips.groupReady('web');
  await scene.instance();
  await scene.patch('instance', 'vpc-1', { metadata: { annotations: { [NETWORK_ANNOTATIONS.network]: 'default' } } });
  await scene.prefix('net1-p1', '10.0.1.0/24', { network: 'net1' });
  const named = await scene.when('prefix', 'net1-p1', (each) => conditionOf(each, 'OverlapsOtherDoor') !== undefined);
  expect(conditionOf(named, 'OverlapsOtherDoor')?.message).toContain('IPGroup web');
  await vips.create('a');
  // the address that the IPPrefix declares has an owner
  await vips.shows('a', '10.0.1.1');
  await scene.allocation('first');
  await scene.ready('allocation', 'first', '10.0.1.128/32');
  await scene.allocation('wish', { prefix: '10.0.1.9/24' });
  expect(await scene.refused('allocation', 'wish', 'AddressHeld')).toContain('IPGroup web has it');
  await vips.remove('a');
  await vips.endGroup('web');
  await vips.groupGone('web');
  await scene.ready('allocation', 'wish', '10.0.1.9/24');
  const alone = await scene.when('prefix', 'net1-p1', (each) => conditionOf(each, 'OverlapsOtherDoor') === undefined);
  expect(conditionOf(alone)?.status).toBe('True');
});

test('an IPGroup over what IPAllocations have gives none of it, and gives it once they let it go', async () => {
  await scene.prefix('net2-p1', '10.0.2.0/24', { network: 'net2' });
  await scene.prefix('pool1', '10.0.3.0/24', { kind: 'pool' });
  await scene.ready('prefix', 'net2-p1');
  await scene.ready('prefix', 'pool1');
  await scene.allocation('address', { selector: scene.selecting('net2') });
  await scene.ready('allocation', 'address', '10.0.2.1/32');
  const ofPool = { matchLabels: { [NEPHIO.networkInstance]: 'vpc-1' } };
  await scene.allocation('block', { kind: 'pool', selector: ofPool, prefixLength: 31 });
  await scene.ready('allocation', 'block', '10.0.3.0/31');

  await vips.group('over', { segments: ['10.0.2.0/31', '10.0.3.0/30'], network: 'default' });
  await vips.groupReady('over');
  const counted = await vips.groupWhen('over', ({ status }) => status?.['foreign'] === '4');
  expect(counted.status).toMatchObject({ total: '6', free: '2', foreign: '4' });
  const inOver = { 'paas.org/ipgroup': 'over' };
  for (const [name, address] of Object.entries({ one: '10.0.3.2', two: '10.0.3.3' })) {
    await vips.create(name, { annotations: inOver });
    await vips.shows(name, address);
  }
  await vips.create('wish', { annotations: { 'paas.org/addresses': '10.0.2.1' } });
  const waiting = await vips.when('wish', (each) => vipCondition(each)?.status === 'False');
  expect(vipCondition(waiting)?.message).toContain('IPAllocation/test/address');
  await vips.create('any', { annotations: inOver });
  await vips.when('any', (each) => vipCondition(each)?.status === 'False');

  await scene.remove('allocation', 'address');
  await vips.shows('wish', '10.0.2.1');
  await scene.remove('allocation', 'block');
  await vips.shows('any', '10.0.3.0');
});
