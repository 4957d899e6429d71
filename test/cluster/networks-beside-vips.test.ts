import { NETWORK_ANNOTATIONS } from '../../operator/contract/nephio';
import { applyInstallation } from './support/installation';
import { conditionOf, NetworkScene } from './support/network-scene';
import { startOperator } from './support/operator-process';
import { useControlPlane } from './support/use-control-plane';
import { VipScene } from './support/vip-scene';

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
  await vips.shows('a', '10.0.1.0');
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
