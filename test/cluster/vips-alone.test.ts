import type { IpamOperatorProps } from '../../constructs';
import { VIP_CLASS } from '../../operator/contract/paas';
import { eventually } from './support/eventually';
import { applyInstallation, synthesizedYaml } from './support/installation';
import { IpamCommand } from './support/ipam-command';
import { startOperator } from './support/operator-process';
import { Replicas } from './support/replicas';
import { grantFor, grantsIn, textOf, usesUntilNow } from './support/rights';
import { ingressOf } from './support/services';
import { useControlPlane } from './support/use-control-plane';
import { VipScene, vipCondition } from './support/vip-scene';

const USER = 'system:serviceaccount:ipam-system:ipam-controller-manager';
const PROPS: Partial<IpamOperatorProps> = { services: { enabled: false }, vips: { enabled: true } };

const plane = useControlPlane({
  audit: true,
  prepare: async (control) => {
    await applyInstallation(control, PROPS);
    await scene.open();
    await replicas().start(2);
  },
});
const scene = new VipScene(plane, 'test');
let made: Replicas | undefined;
const replicas = (): Replicas => (made ??= new Replicas(plane()));

test('is installed without volume, database, zones, certificates and webhooks', async () => {
  const kinds = synthesizedYaml(plane().folder, PROPS).objects.map(({ kind }) => kind);
  for (const kind of ['PersistentVolumeClaim', 'Certificate', 'Issuer', 'IPAddressPool', 'ConfigMap'])
    expect(kinds).not.toContain(kind);
  expect(kinds.filter((kind) => kind.endsWith('WebhookConfiguration'))).toEqual([]);
  const secrets = await plane().client.request('GET', '/api/v1/namespaces/ipam-system/secrets');
  expect(secrets['items']).toEqual([]);
});

test('VIP-T01 VIP-T04 VIP-T05 VIP-T47 serves Services with two Pods, of which one leads', async () => {
  await replicas().leader();
  await scene.group('one', { segment: '192.0.2.7/32' });
  await scene.create('first');
  await scene.shows('first', '192.0.2.7');
  await scene.create('second');
  await scene.waits('second', 'NoFreeAddress');
  // its second Event counts up the first
  await scene.patch('second', { spec: { type: 'ClusterIP', loadBalancerClass: null } });
  await scene.when('second', (each) => vipCondition(each) === undefined);
  await scene.patch('second', { spec: { type: 'LoadBalancer', loadBalancerClass: VIP_CLASS } });
  await scene.waits('second', 'NoFreeAddress');
  await scene.remove('first');
  await scene.shows('second', '192.0.2.7');
  await scene.endGroup('one');
  await scene.groupWhen('one', ({ status }) => JSON.stringify(status?.['conditions']).includes('test/second'));
  await scene.remove('second');
  await scene.groupGone('one');
  expect(await scene.holders()).toEqual([]);
});

test('VIP-T38 goes on when the leader is lost, and gives no address a second time', async () => {
  await scene.group('web', { segment: '192.0.2.16/28' });
  await scene.create('a');
  const before = await scene.address('a');
  await replicas().lose(await replicas().leader());
  await scene.create('b');
  await scene.when('b', (each) => ingressOf(each).length > 0);
  expect(ingressOf(await scene.get('a'))).toEqual([before]);
  expect(await scene.holders()).toEqual(['192.0.2.16=test/a', '192.0.2.17=test/b']);
  const shared = { annotations: { 'paas.org/sharing-key': 'one' } };
  await scene.create('c', shared);
  await scene.shows('c', '192.0.2.18');
  await scene.create('d', { ...shared, spec: { ports: [{ port: 81 }] } });
  await scene.shows('d', '192.0.2.18');
});

test('tells the past of an address with its rights', async () => {
  const command = new IpamCommand();
  const args = { 'admin-socket': command.socket };
  const operator = await startOperator(plane(), { name: 'told', args, awaitWebhooks: false });
  const told = async (): Promise<string> => (await command.run('history', '192.0.2.16')).out;
  await eventually(async () => (await told()) !== '');
  expect(await told()).toContain('test/a');
  await operator.stop();
});

test('has all of the rights that it needs, and few more', async () => {
  const grants = grantsIn(synthesizedYaml(plane().folder, PROPS).objects);
  const uses = await usesUntilNow(plane(), USER);
  expect(uses.filter(({ status }) => status === 401 || status === 403).map(textOf)).toEqual([]);
  // everybody may ask which kinds there are
  const asked = uses.filter(({ resource }) => !resource.startsWith('/'));
  expect(asked.filter((use) => grantFor(use, grants) === undefined).map(textOf)).toEqual([]);
  const used = new Set(uses.map((use) => grantFor(use, grants)).map((grant) => grant && textOf(grant)));
  const unused = grants.map(textOf).filter((text) => !used.has(text));
  expect(unused).toEqual([]);
});
