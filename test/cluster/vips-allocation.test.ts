import { applyInstallation } from './support/installation';
import { startOperator, type RunningOperator } from './support/operator-process';
import { ingressOf } from './support/services';
import { useControlPlane } from './support/use-control-plane';
import { VipScene, vipCondition } from './support/vip-scene';

// The Services door is closed, so neither MetalLB nor cert-manager is there.
let operator: RunningOperator;
const plane = useControlPlane({
  prepare: async (control) => {
    await applyInstallation(control, { services: { enabled: false }, vips: { enabled: true } });
    operator = await startOperator(control, { awaitWebhooks: false });
    await scene.open();
  },
});
const scene = new VipScene(plane, 'test');

const P1 = { segment: '1.1.1.0/29', excludedIPs: ['1.1.1.0', '1.1.1.2', '1.1.1.7'] };

/** Takes everything away that a test made. */
async function clear(): Promise<void> {
  const { client } = plane();
  for (const path of [scene.path(), '/apis/paas.org/v1/ipgroups']) {
    const { items = [] } = (await client.request('GET', path)) as unknown as {
      items?: readonly { readonly metadata: { readonly name: string } }[];
    };
    for (const { metadata } of items) await client.request('DELETE', `${path}/${metadata.name}`);
    await client.watchUntil(path, (all) => all.length === 0);
  }
  expect(await scene.ips()).toEqual([]);
}

afterEach(clear, 60_000);

test('VIP-T01 VIP-T02 VIP-T03 VIP-T04 VIP-T05 gives the lowest free addresses, and the freed one to the one that waits', async () => {
  await scene.group('ipgroup-1', P1);
  await scene.create('a');
  await scene.shows('a', '1.1.1.1');
  const [ip] = await scene.ips();
  expect(ip?.metadata).toMatchObject({
    name: '1.1.1.1',
    labels: { ipgroup: 'ipgroup-1' },
    annotations: { 'virtualips.paas.il/owner': 'test/a' },
  });
  expect((await scene.get('a')).metadata.finalizers ?? []).not.toContain('ips.paas.org/finalizer');
  for (const [name, address] of [
    ['b', '1.1.1.3'],
    ['c', '1.1.1.4'],
    ['d', '1.1.1.5'],
    ['e', '1.1.1.6'],
  ] as const) {
    await scene.create(name);
    await scene.shows(name, address);
  }
  await scene.create('f');
  expect(ingressOf(await scene.waits('f', 'NoFreeAddress'))).toEqual([]);
  await scene.groupWhen('ipgroup-1', ({ status }) => status?.['total'] === '5' && status['free'] === '0');
  const from = performance.now();
  await scene.remove('c');
  await scene.shows('f', '1.1.1.4');
  expect(performance.now() - from).toBeLessThan(5_000);
  expect(operator.running()).toBe(true);
  expect(vipCondition(await scene.get('f'))?.reason).toBe('Allocated');
});
