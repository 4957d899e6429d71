import { applyInstallation } from './support/installation';
import { startMetalLb } from './support/neighbours';
import { startOperator } from './support/operator-process';
import { ingressOf } from './support/services';
import { useControlPlane } from './support/use-control-plane';
import { VipScene, vipCondition } from './support/vip-scene';

const METALLB_CLASS = 'metallb.io/own';
const plane = useControlPlane({
  programs: ['metallb-controller'],
  prepare: async (control) => {
    await startMetalLb(control, { lbClass: METALLB_CLASS });
    await applyInstallation(control, {
      services: { enabled: false },
      vips: { enabled: true, classless: true, besideMetalLbClass: true },
    });
    await scene.open();
  },
});
const scene = new VipScene(plane, 'test');
const plain = { spec: { loadBalancerClass: undefined } };

test('is not started for Services without a class beside a MetalLB that may serve them too', async () => {
  const start = startOperator(plane(), {
    name: 'refused',
    awaitWebhooks: false,
    args: { 'vips-beside-metallb-class': 'false' },
  });
  await expect(start).rejects.toThrow('--vips-classless: this cluster has MetalLB');
});

test('R1 VIP-T01 SVC-01 serves a plain Service from the manifest of the older operator, beside a MetalLB with a class of its own', async () => {
  await startOperator(plane(), { awaitWebhooks: false });
  const metadata = { name: 'pool', namespace: 'metallb-system' };
  const pool = {
    apiVersion: 'metallb.io/v1beta1',
    kind: 'IPAddressPool',
    metadata,
    spec: { addresses: ['10.90.0.0/24'] },
  };
  await plane().client.apply([pool]);
  await scene.group('web', { segment: '192.0.2.0/24', excludedIPs: ['192.0.2.0', '192.0.2.255'] });
  await scene.create('plain', plain);
  await scene.shows('plain', '192.0.2.1');
  await scene.create('theirs', { spec: { loadBalancerClass: METALLB_CLASS } });
  const theirs = await scene.when('theirs', (each) => ingressOf(each).length > 0);
  expect([ingressOf(theirs)[0]?.startsWith('10.90.'), vipCondition(theirs)]).toEqual([true, undefined]);
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(ingressOf(await scene.get('plain'))).toEqual(['192.0.2.1']);
  expect(await scene.holders()).toEqual(['192.0.2.1=test/plain']);
  await scene.remove('plain');
  await scene.ipGone('192.0.2.1');
});
