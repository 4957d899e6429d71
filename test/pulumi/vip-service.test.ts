import * as kubernetes from '@pulumi/kubernetes';
import { IpGroup, VipService, type VipServiceArgs } from '../../infra';
import { applyInstallation } from '../cluster/support/installation';
import { startOperator } from '../cluster/support/operator-process';
import { ingressOf } from '../cluster/support/services';
import { useControlPlane } from '../cluster/support/use-control-plane';
import { VipScene } from '../cluster/support/vip-scene';
import { PulumiEngine, type EngineStack } from './support/pulumi-engine';

let engine: PulumiEngine;
const plane = useControlPlane({
  programs: ['pulumi', 'pulumi-resource-kubernetes'],
  prepare: async (control) => {
    await applyInstallation(control, { services: { enabled: false }, vips: { enabled: true } });
    await startOperator(control, { awaitWebhooks: false });
    engine = new PulumiEngine(control);
  },
});
const scene = new VipScene(plane, 'default');

const SERVICE = 'kubernetes:core/v1:Service';

/** A group, a Service of it, and a record of its address. */
const shop = (args: Partial<VipServiceArgs>): Promise<EngineStack> =>
  engine.stack('shop', () => {
    const group = new IpGroup('web', { spec: { segment: '192.0.2.0/28', excludedIPs: ['192.0.2.0'] } });
    const service = new VipService(
      'shop',
      { group: 'web', ports: [{ port: 443 }], selector: { app: 'shop' }, timeoutSeconds: 60, ...args },
      { dependsOn: group },
    );
    const record = new kubernetes.core.v1.ConfigMap('record', {
      metadata: { name: 'dns-record', namespace: 'default' },
      data: { A: service.address },
    });
    return Promise.resolve({ address: service.address, addresses: service.addresses, record: record.data });
  });

async function up(args: Partial<VipServiceArgs>) {
  const { outputs, steps } = await (await shop(args)).up();
  const output = outputs['addresses']?.value as readonly string[];
  expect([outputs['address']?.value, outputs['record']?.value]).toEqual([output[0], { A: output.join() }]);
  const ops = steps.filter(({ type }) => type === SERVICE).map(({ op }) => op);
  return { ops, output, live: ingressOf(await scene.get('shop')) };
}

test('VipService is created, moved and deleted on the real engine, and its Output is the address that it shows', async () => {
  const preview = await (await shop({})).preview();
  expect(preview.steps.filter(({ op }) => op === 'create').map(({ type }) => type)).toEqual(
    expect.arrayContaining([SERVICE, 'kubernetes:paas.org/v1:IPGroup']),
  );
  expect(await up({})).toEqual({ ops: ['create'], output: ['192.0.2.1'], live: ['192.0.2.1'] });
  expect(await up({})).toEqual({ ops: [], output: ['192.0.2.1'], live: ['192.0.2.1'] });
  expect(await up({ addresses: ['192.0.2.9'] })).toEqual({
    ops: ['update'],
    output: ['192.0.2.9'],
    live: ['192.0.2.9'],
  });
  expect(await scene.holders()).toEqual(['192.0.2.9=default/shop']);
  await (await shop({})).destroy();
  await plane().client.watchUntilEmpty('/apis/paas.org/v1/ips');
  await scene.groupGone('web');
}, 300_000);

test('VipService that no group can serve fails with what the operator says of it', async () => {
  await scene.group('full', { segment: '198.51.100.0/32' });
  await scene.create('holder', { annotations: { 'paas.org/ipgroup': 'full' } });
  await scene.shows('holder', '198.51.100.0');
  const stack = await engine.stack('late', () => {
    new VipService('late', { group: 'full', ports: [{ port: 443 }], selector: { app: 'late' }, timeoutSeconds: 10 });
    return Promise.resolve({});
  });
  await expect(stack.up()).rejects.toThrow(/no free address|NoFreeAddress/u);
  await scene.remove('holder');
  await scene.shows('late', '198.51.100.0');
  await stack.up();
  await stack.destroy();
}, 300_000);
