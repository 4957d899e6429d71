import { join } from 'node:path';
import { eventually } from './support/eventually';
import { applyInstallation } from './support/installation';
import { startOperator } from './support/operator-process';
import { ingressOf } from './support/services';
import { useControlPlane } from './support/use-control-plane';
import { clearVips, VipScene, vipCondition } from './support/vip-scene';

// Each has a store of its own, so that both lead: nothing but the names of the objects keeps them apart.
const plane = useControlPlane({
  prepare: async (control) => {
    // with a zone, so that its claims have a store of their own
    const zones = [{ name: 'lan', prefixes: ['10.80.0.0/24'] }];
    await applyInstallation(control, { zones, services: { enabled: false }, vips: { enabled: true } });
    const start = (name: string) => {
      const store = { store: 'memory', 'sqlite-file': undefined };
      const key = { 'hash-key-secret-name': undefined, 'hash-key-file': join(control.folder, `${name}-key`) };
      return startOperator(control, { name, awaitWebhooks: false, args: { ...store, ...key } });
    };
    await Promise.all([start('one'), start('two')]);
    await scene.open();
  },
});
const scene = new VipScene(plane, 'test');
afterEach(() => clearVips(plane(), scene));

test('VIP-T44 two leaders at once give no address twice, and every Service comes to rest with one', async () => {
  await scene.group('many', { segment: '10.45.0.0/26' });
  await scene.groupReady('many');
  const names = Array.from({ length: 64 }, (_, index) => `n${String(index)}`);
  await Promise.all(names.map((name) => scene.create(name)));
  for (const name of names) await scene.when(name, (each) => vipCondition(each)?.status === 'True');
  await eventually(async () => (await scene.ips()).length === 64);
  const shown = await Promise.all(names.map(async (name) => ingressOf(await scene.get(name)).join()));
  expect(new Set(shown).size).toBe(64);
  const onRecord = (await scene.holders()).map((each) => each.split('=')[1]);
  expect(onRecord.toSorted()).toEqual(names.map((name) => `test/${name}`).toSorted());
});

test('VIP-T28 VIP-T25 two leaders at once change and release an address once', async () => {
  await scene.group('g', { segment: '1.1.1.0/29' });
  await scene.create('a');
  await scene.address('a');
  await scene.patch('a', { spec: { loadBalancerIP: '1.1.1.5' } });
  await scene.shows('a', '1.1.1.5');
  // what both took at first is given back by one of them
  await eventually(async () => (await scene.holders()).join() === '1.1.1.5=test/a');
  expect(ingressOf(await scene.get('a'))).toEqual(['1.1.1.5']);
  await scene.remove('a');
  await scene.ipGone('1.1.1.5');
});
