import { join } from 'node:path';
import { ClaimScene, readyOf } from './support/claim-scene';
import { eventually } from './support/eventually';
import { applyInstallation } from './support/installation';
import { installClusterApiKinds } from './support/neighbours';
import { startOperator } from './support/operator-process';
import { useControlPlane } from './support/use-control-plane';
import { VipScene } from './support/vip-scene';

// Each has a store of its own, so that both lead: nothing but the names of the objects keeps them apart.
const plane = useControlPlane({
  programs: ['cluster-api'],
  prepare: async (control) => {
    // as an older Cluster API serves them
    await installClusterApiKinds(control, 'v1beta1');
    const zones = [{ name: 'lan', prefixes: ['10.80.0.0/24'] }];
    const doors = { services: { enabled: false }, vips: { enabled: true }, clusterApi: { enabled: true } };
    await applyInstallation(control, { zones, ...doors });
    const start = (name: string) => {
      const store = { store: 'memory', 'sqlite-file': undefined };
      const key = { 'hash-key-secret-name': undefined, 'hash-key-file': join(control.folder, `${name}-key`) };
      return startOperator(control, { name, awaitWebhooks: false, args: { ...store, ...key } });
    };
    await Promise.all([start('one'), start('two')]);
    await vips.open();
  },
});
const vips = new VipScene(plane, 'test');
const claims = new ClaimScene(plane, 'test', 'v1beta1');

test('two leaders at once give each claim of v1beta1 one address, and none twice', async () => {
  await vips.group('web', { segment: '10.45.0.0/27' });
  await vips.groupReady('web');
  const names = Array.from({ length: 32 }, (_, index) => `n${String(index)}`);
  await Promise.all(names.map((name) => claims.create(name)));
  const given = new Set<string>();
  for (const name of names) given.add(await claims.has(name));
  expect(given.size).toBe(32);
  // what both took at first is given back by one of them
  await eventually(async () => (await vips.ips()).length === 32);
  const onRecord = (await vips.holders()).map((each) => each.split('=')[1]);
  expect(onRecord.toSorted()).toEqual(names.map((name) => `test/${name}`).toSorted());
  const { status } = await claims.get('n0');
  expect([status?.['addressRef'], readyOf(await claims.get('n0'))?.reason]).toEqual([{ name: 'n0' }, 'Ready']);
  await Promise.all(names.map((name) => claims.end(name)));
  for (const name of names) await claims.gone(name);
  await eventually(async () => (await vips.ips()).length === 0);
});
