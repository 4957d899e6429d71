import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderedManifests } from '../../constructs/render/manifests';
import { objectsIn, type Manifest } from './support/cluster-client';
import { eventually } from './support/eventually';
import { IpamCommand } from './support/ipam-command';
import { GATEWAY, NetworkScene } from './support/network-scene';
import { startOperator } from './support/operator-process';
import { Replicas } from './support/replicas';
import { grantFor, grantsIn, textOf, usesUntilNow } from './support/rights';
import { useControlPlane } from './support/use-control-plane';

const USER = 'system:serviceaccount:ipam-system:ipam-controller-manager';

let objects: readonly Manifest[] = [];
const plane = useControlPlane({
  audit: true,
  prepare: async (control) => {
    const text = renderedManifests()['networks.yaml'] ?? '';
    objects = objectsIn(text);
    const file = join(control.folder, 'networks.yaml');
    writeFileSync(file, text);
    await control.kubectl('apply', '--server-side', '-f', file);
    await scene.open();
    await replicas().start(2);
  },
});
const scene = new NetworkScene(plane, 'test');
let made: Replicas | undefined;
const replicas = (): Replicas => (made ??= new Replicas(plane()));

test('is installed by one file without volume, database, zones, certificates and webhooks', async () => {
  const kinds = objects.map(({ kind }) => kind);
  for (const kind of ['PersistentVolumeClaim', 'Certificate', 'Issuer', 'IPAddressPool', 'ConfigMap'])
    expect(kinds).not.toContain(kind);
  expect(kinds.filter((kind) => kind.endsWith('WebhookConfiguration'))).toEqual([]);
  const secrets = await plane().client.request('GET', '/api/v1/namespaces/ipam-system/secrets');
  expect(secrets['items']).toEqual([]);
});

test('NET-E1 NET-E5 serves prefixes and allocations with two Pods, of which one leads', async () => {
  await replicas().leader();
  await scene.f2();
  await scene.allocation('alloc1');
  expect((await scene.ready('allocation', 'alloc1', '10.0.1.2/32')).status).toMatchObject({ gateway: '10.0.1.1' });
});

test('NET-T96 goes on when the leader is lost, and gives no address a second time', async () => {
  await replicas().lose(await replicas().leader());
  await scene.allocation('alloc2');
  await scene.ready('allocation', 'alloc2', '10.0.1.3/32');
  await scene.prefix('net2-p1', '10.0.5.1/24', { network: 'net2', labels: GATEWAY });
  await scene.ready('prefix', 'net2-p1');
  await scene.remove('prefix', 'net2-p1');
  await scene.gone('prefix', 'net2-p1');
  expect(await scene.record()).toEqual([
    ...['10.0.0.0/8=agg0', '10.0.1.0/24=vpc-1', '10.0.1.1=net1-p1'],
    ...['10.0.1.2=alloc1', '10.0.1.3=alloc2'],
  ]);
});

describe('the command in a Pod', () => {
  const command = new IpamCommand();

  beforeAll(async () => {
    await scene.allocation('lost', { selector: scene.selecting('net9') });
    await scene.refused('allocation', 'lost', 'NoCandidate');
    const args = { 'admin-socket': command.socket };
    await startOperator(plane(), { name: 'told', args, awaitWebhooks: false });
    await eventually(async () => (await command.run('explain', '10.0.1.2')).code === 0);
  }, 60_000);

  test('explains an address, and an object by its name', async () => {
    expect((await command.run('explain', '10.0.1.2')).out).toMatch(
      /^IPAllocation test\/alloc1 holds 10\.0\.1\.2 of 10\.0\.1\.0\/24 in NetworkInstance test\/vpc-1 since \d{4}-/u,
    );
    expect((await command.run('explain', '10.0.1.9')).out).toMatch(/^10\.0\.1\.9 is free in 10\.0\.1\.0\/24/u);
    expect((await command.run('explain', 'test/lost')).out).toMatch(
      /^IPAllocation test\/lost waits since .*NoCandidate/u,
    );
    expect(await command.run('explain', 'test/none')).toMatchObject({ code: 3, out: '' });
  });

  test('tells the past of an address with the rights of the door', async () => {
    const { out, err } = await command.run('history', '10.0.1.2');
    expect(out).toMatch(
      /^FROM +UNTIL +STATE +INSTANCE +OBJECT +CLUSTER\n\S+ +held +test\/vpc-1 +IPAllocation test\/alloc1/u,
    );
    expect(err).toContain('an AddressClaim keeps its present holders only');
  });

  test('finds what has to be looked at', async () => {
    const { code, out } = await command.run('doctor');
    expect(code).toBe(2);
    expect(out).toMatch(/bad +IPAllocation test\/lost +is not ready since .*NoCandidate/u);
    await scene.remove('allocation', 'lost');
    await scene.gone('allocation', 'lost');
    await eventually(async () => (await command.run('doctor')).code === 0);
    expect((await command.run('doctor')).out).toMatch(
      /ok +NetworkInstances +1 NetworkInstances, 2 IPPrefixes and 2 IPAllocations are ready, with 5 entries on record/u,
    );
  });
});

test('asks for nothing that it has no right to', async () => {
  const uses = await usesUntilNow(plane(), USER);
  expect(uses.filter(({ status }) => status === 401 || status === 403).map(textOf)).toEqual([]);
  const grants = grantsIn(objects);
  // which kinds there are is told to every account
  const asked = uses.filter(({ resource }) => !resource.startsWith('/'));
  expect(asked.filter((use) => grantFor(use, grants) === undefined).map(textOf)).toEqual([]);
});
