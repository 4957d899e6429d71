import * as kubernetes from '@pulumi/kubernetes';
import { AddressPlan, IpAllocation, type IpAllocationArgs } from '../../infra';
import { applyInstallation } from '../cluster/support/installation';
import { startOperator } from '../cluster/support/operator-process';
import { useControlPlane } from '../cluster/support/use-control-plane';
import { PulumiEngine, type EngineStack } from './support/pulumi-engine';

let engine: PulumiEngine;
const plane = useControlPlane({
  programs: ['pulumi', 'pulumi-resource-kubernetes'],
  prepare: async (control) => {
    await applyInstallation(control, { services: { enabled: false }, networks: { enabled: true } });
    await startOperator(control, { awaitWebhooks: false });
    engine = new PulumiEngine(control);
  },
});

const inNetwork = (name: string): IpAllocationArgs['spec'] => ({
  kind: 'network',
  selector: { matchLabels: { 'nephio.org/network-instance': 'vpc-1', 'nephio.org/network-name': name } },
});

/** A plan, an allocation of it, and a record of its address. */
const upf = (args: Partial<IpAllocationArgs> = {}): Promise<EngineStack> =>
  engine.stack('upf', () => {
    const plan = new AddressPlan('plan', {
      instance: 'vpc-1',
      namespace: 'default',
      prefixes: [{ prefix: '10.0.0.0/8', children: [{ prefix: '10.0.1.0/24', network: 'net1', gateway: '10.0.1.1' }] }],
    });
    const { prefix, gateway, parentPrefix } = new IpAllocation(
      'n3',
      { namespace: 'default', spec: inNetwork('net1'), timeoutSeconds: 60, ...args },
      { dependsOn: plan },
    );
    const record = new kubernetes.core.v1.ConfigMap('record', {
      metadata: { name: 'router', namespace: 'default' },
      data: { address: prefix, gateway },
    });
    return Promise.resolve({ prefix, gateway, parentPrefix, record: record.data });
  });

test('IpAllocation is created, kept and deleted on the real engine, and its Outputs are what its status shows', async () => {
  const preview = await (await upf()).preview();
  expect(preview.steps.filter(({ op }) => op === 'create').map(({ type }) => type)).toEqual(
    expect.arrayContaining(
      ['NetworkInstance', 'IPPrefix', 'IPAllocation'].map((kind) => `kubernetes:ipam.nephio.org/v1alpha1:${kind}`),
    ),
  );
  const { outputs } = await (await upf()).up();
  expect(Object.fromEntries(Object.entries(outputs).map(([name, { value }]) => [name, value as unknown]))).toEqual({
    prefix: '10.0.1.2/32',
    gateway: '10.0.1.1',
    parentPrefix: '10.0.1.0/24',
    record: { address: '10.0.1.2/32', gateway: '10.0.1.1' },
  });
  expect((await (await upf()).preview()).steps).toEqual([]);
  await (await upf()).destroy();
  await plane().client.watchUntilEmpty('/apis/ipam.vitistack.io/v1alpha1/addressclaims');
}, 300_000);

test('IpAllocation that no prefix can serve fails with what the operator says of it', async () => {
  const stack = await upf({ spec: inNetwork('net9'), timeoutSeconds: 10 });
  await expect(stack.up()).rejects.toThrow(/Ready|matches no prefix/u);
  await (await upf({ spec: inNetwork('net9'), waitForReady: false })).destroy();
}, 300_000);
