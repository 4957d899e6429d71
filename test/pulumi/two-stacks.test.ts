import { IpamOperator } from '../../infra';
import type { EngineStack } from './support/pulumi-engine';
import { useBareEngine } from './support/use-bare-engine';

const { plane, stackOf } = useBareEngine();

const ZONES = [{ name: 'inet', prefixes: ['83.118.168.0/28'] }];
const OBJECTS = [
  '/apis/rbac.authorization.k8s.io/v1/clusterroles/ipam-installation',
  '/apis/rbac.authorization.k8s.io/v1/clusterroles/ipam-services-role',
  '/apis/apps/v1/namespaces/ipam-system/deployments/ipam-controller-manager',
  '/api/v1/namespaces/ipam-system',
  '/apis/metallb.io/v1beta1/namespaces/metallb-system/ipaddresspools/inet',
];

const installed = (stack: string): Promise<EngineStack> =>
  stackOf(stack, () => {
    new IpamOperator('ipam', { zones: ZONES, dataProtection: 'none' });
  });

const stored = (): Promise<readonly unknown[]> =>
  Promise.all(OBJECTS.map(async (path) => (await plane().client.request('GET', path)).metadata));

test('FU-102 a second stack on a cluster fails before it takes anything, and its destroy deletes nothing', async () => {
  await (await installed('first')).up();
  const before = await stored();
  const second = await installed('second');

  await expect(second.up()).rejects.toThrow(/conflict.*cdk8s-ipam\/stack/su);
  await second.destroy();
  expect(await stored()).toEqual(before);
  expect(await (await installed('first')).preview()).toMatchObject({ steps: [] });

  await (await installed('first')).destroy();
  await (await installed('second')).up();
  expect(await stored()).not.toEqual(before);
}, 300_000);
