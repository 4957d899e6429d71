import { IpamOperator } from '../../infra';
import { IPAM } from '../../operator/contract/group';
import { startCertManager, startMetalLb } from '../cluster/support/neighbours';
import { startOperator, type RunningOperator } from '../cluster/support/operator-process';
import { PulumiEngine, withoutKubelet, type EngineStack } from './support/pulumi-engine';
import { ServiceScene } from '../cluster/support/service-scene';
import { ingressOf } from '../cluster/support/services';
import { useControlPlane } from '../cluster/support/use-control-plane';

const POOL = '/apis/metallb.io/v1beta1/namespaces/metallb-system/ipaddresspools/inet';
const ADVERTISEMENT = '/apis/metallb.io/v1beta1/namespaces/metallb-system/l2advertisements/inet';

let engine: PulumiEngine;
let operator: RunningOperator;
const plane = useControlPlane({
  programs: ['metallb-controller', 'cert-manager', 'pulumi', 'pulumi-resource-kubernetes'],
  prepare: async (control) => {
    await Promise.all([startMetalLb(control), startCertManager(control)]);
    engine = new PulumiEngine(control);
    await (await platform('83.118.168.0/28', '83.118.168.16/28')).up();
    operator = await startOperator(control);
    await scene.open(control);
  },
});
const scene = new ServiceScene({ plane, operator: () => operator, namespace: 'shop' });

const platform = (...prefixes: string[]): Promise<EngineStack> =>
  engine.stack(
    'platform',
    withoutKubelet(() => {
      new IpamOperator('ipam', { zones: [{ name: 'inet', prefixes }] });
      return Promise.resolve({});
    }),
  );

test('FU-103 a preview refuses a zone without a prefix that is in use, and a destroy withdraws nothing', async () => {
  const wish = { [IPAM.zone]: 'inet', [IPAM.addresses]: '83.118.168.20' };
  await scene.create('web', { annotations: wish });
  await scene.shows('web', '83.118.168.20');
  const smaller = await platform('83.118.168.0/28');

  await expect(smaller.preview()).rejects.toThrow(/83\.118\.168\.20 of Service shop\/web/u);
  await expect(smaller.up()).rejects.toThrow(/83\.118\.168\.20 of Service shop\/web/u);
  expect(ingressOf(await scene.get('web'))).toEqual(['83.118.168.20']);

  await operator.stop();
  await (await platform('83.118.168.0/28', '83.118.168.16/28')).destroy();
  const answers = [await plane().client.attempt('GET', POOL), await plane().client.attempt('GET', ADVERTISEMENT)];
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(ingressOf(await scene.get('web'))).toEqual(['83.118.168.20']);
}, 300_000);
