import type { KubeObject } from './support/cluster-client';
import { deleteKept } from './support/delete-kept';
import { applyInstallation } from './support/installation';
import { eventually } from './support/eventually';
import { followIngress } from './support/follow-ingress';
import { startOperator, type RunningOperator } from './support/operator-process';
import { ingressOf } from './support/services';
import { useControlPlane } from './support/use-control-plane';
import { clearVips, VipScene, vipCondition } from './support/vip-scene';
import { orSoak } from './support/soak';

const PROPS = { services: { enabled: false }, vips: { enabled: true, orphanGraceSeconds: 2 } } as const;
const WITHIN_A_MINUTE = 60_000;
/** Longer than a test follows Services. */
const FOLLOW_MS = orSoak(300_000, 900_000);

let operator: RunningOperator;
const plane = useControlPlane({
  prepare: async (control) => {
    await applyInstallation(control, PROPS);
    operator = await startOperator(control, { awaitWebhooks: false });
    await Promise.all([scene, other, third].map((each) => each.open(control)));
  },
});
const scene = new VipScene(plane, 'a');
const other = new VipScene(plane, 'b');
const third = new VipScene(plane, 'c');
afterEach(async () => {
  for (const each of [other, third, scene]) await clearServices(each);
  await clearVips(plane(), scene);
}, WITHIN_A_MINUTE);

async function clearServices(of: VipScene): Promise<void> {
  const { items = [] } = (await plane().client.request('GET', of.path())) as unknown as { items?: KubeObject[] };
  await Promise.all(items.map(({ metadata }) => of.remove(metadata.name)));
}

const quiet = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const wishing = (loadBalancerIP: string) => ({ spec: { loadBalancerIP } });
const naming = (group: string) => ({ annotations: { 'paas.org/ipgroup': group } });

async function group(name: string, spec: Readonly<Record<string, unknown>>): Promise<void> {
  await scene.group(name, spec);
  await scene.groupReady(name);
}

async function endNamespace(name: string): Promise<void> {
  const path = `/api/v1/namespaces/${name}`;
  await plane().client.request('DELETE', path);
  await untilGone(path);
}

const untilGone = (path: string) => plane().client.watchUntil(path, (all) => all.length === 0, WITHIN_A_MINUTE);

test('SVC-04 does not fight another writer of the status, and keeps the address for its Service', async () => {
  await group('g', { segment: '192.0.2.0/28', excludedIPs: ['192.0.2.0'] });
  await scene.create('a');
  await scene.shows('a', '192.0.2.1');
  const versions = new Set<string>();
  const foreign = { loadBalancer: { ingress: [{ ip: '198.51.100.9' }] } };
  // writes whenever the status is not as it wants it, as such a controller does
  const end = performance.now() + 4_000;
  while (performance.now() < end) {
    const stored = await scene.get('a');
    versions.add(stored.metadata.resourceVersion);
    if (ingressOf(stored).join() !== '198.51.100.9') await scene.patchStatus('a', foreign);
  }
  await scene.event('a', 'Conflict');
  expect(versions.size).toBeLessThanOrEqual(4);
  expect(await scene.holders()).toEqual(['192.0.2.1=a/a']);
  await scene.patchStatus('a', { loadBalancer: null });
  await scene.shows('a', '192.0.2.1');
});

test('SVC-06 moves no address for others, nor over a restart, and makes the new one before it breaks the old one', async () => {
  await group('g', { segment: '192.0.2.0/28', excludedIPs: ['192.0.2.0'] });
  const watch = followIngress(plane());
  for (const [name, address] of [
    ['s1', '192.0.2.1'],
    ['s2', '192.0.2.2'],
    ['s3', '192.0.2.3'],
  ] as const) {
    await scene.create(name);
    await scene.shows(name, address);
  }
  await scene.remove('s1');
  await operator.restart();
  await quiet(1_500);
  expect(await scene.holders()).toEqual(['192.0.2.2=a/s2', '192.0.2.3=a/s3']);
  await scene.patch('s3', wishing('192.0.2.7'));
  await scene.shows('s3', '192.0.2.7');
  await scene.ipGone('192.0.2.3');
  await scene.patch('s3', wishing('192.0.2.2'));
  expect(vipCondition(await scene.waits('s3', 'RequestedAddressInUse'))?.message).toContain('a/s2');
  expect((await watch.statesOf('a', 's3')).filter((each) => each !== '')).toEqual(['192.0.2.3', '192.0.2.7']);
  expect((await watch.statesOf('a', 's2')).filter((each) => each !== '')).toEqual(['192.0.2.2']);
});

test('REQ-05 gives nothing of the group of another tenant, whether by its name or by its address', async () => {
  await group('tenant-b', {
    segment: '192.0.2.0/28',
    namespaces: { matchLabels: { 'kubernetes.io/metadata.name': 'b' } },
  });
  await scene.create('by-name', naming('tenant-b'));
  await scene.create('by-address', wishing('192.0.2.5'));
  for (const name of ['by-name', 'by-address'])
    expect(vipCondition(await scene.waits(name, 'NoMatchingGroup'))?.message).toContain('the namespace a');
  await other.create('b', wishing('192.0.2.5'));
  await other.shows('b', '192.0.2.5');
  await scene.changeGroup('tenant-b', { namespaces: { matchLabels: { 'kubernetes.io/metadata.name': 'c' } } });
  await quiet(1_500);
  expect(ingressOf(await other.get('b'))).toEqual(['192.0.2.5']);
});

test('POOL-01 moves no Service when a group is widened', async () => {
  await group('g', { segment: '192.0.2.8/29' });
  await scene.create('a');
  await scene.shows('a', '192.0.2.8');
  const watch = followIngress(plane());
  await scene.changeGroup('g', { segment: '192.0.2.0/24' });
  await scene.groupWhen('g', ({ status }) => status?.['total'] === '256');
  await scene.create('b');
  await scene.shows('b', '192.0.2.0');
  expect(await watch.statesOf('a', 'a')).toEqual(['192.0.2.8']);
});

test('POOL-09 is calm while fifty Services wait for one address', async () => {
  await group('g', { segment: '192.0.2.1/32' });
  const names = Array.from({ length: 50 }, (_, index) => `s${String(index)}`);
  const versions = new Map<string, Set<string>>();
  const note = ({ metadata: { name, resourceVersion } }: KubeObject) =>
    versions.set(name, (versions.get(name) ?? new Set()).add(resourceVersion));
  let isOver = false;
  const followed = plane().client.watchUntil(
    scene.path(),
    (all) => {
      for (const each of all) note(each);
      return isOver;
    },
    FOLLOW_MS,
  );
  await Promise.all(names.map((name) => scene.create(name)));
  await Promise.all(names.map((name) => scene.when(name, (each) => vipCondition(each) !== undefined)));
  await quiet(orSoak(10_000, 600_000));
  isOver = true;
  await scene.create('last');
  await followed;
  const waiting = names.filter((name) => (versions.get(name)?.size ?? 0) > 2);
  // made, and told once: nothing was written again
  expect(waiting).toEqual([]);
});

test('VIP-03 never borrows from another group, gives no address to two namespaces, and of two families both or none', async () => {
  await group('dmz', { segment: '198.51.100.0/24' });
  await group('lan', { segment: '192.0.2.0/31', explicitOnly: true });
  const scenes = [scene, other, third];
  for (const each of scenes) await each.create('web', naming('lan'));
  const settled = await Promise.all(
    scenes.map((each) => each.when('web', (object) => vipCondition(object) !== undefined)),
  );
  const shown = settled.flatMap(ingressOf);
  expect(shown.toSorted()).toEqual(['192.0.2.0', '192.0.2.1']);
  expect(settled.map((each) => vipCondition(each)?.reason).toSorted()).toEqual([
    ...['Allocated', 'Allocated', 'NoFreeAddress'],
  ]);
  await group('two', { segment: '203.0.113.1/32', segments: ['2001:db8::/64'], explicitOnly: true });
  await scene.create('full', { ...naming('two'), spec: { ipFamilies: ['IPv4'] } });
  await scene.shows('full', '203.0.113.1');
  await other.create('both', { ...naming('two'), spec: { ipFamilyPolicy: 'RequireDualStack' } });
  await other.waits('both', 'NoFreeAddress');
  await scene.ipGone('2001-0db8-0000-0000-0000-0000-0000-0000');
  await scene.remove('full');
  const both = await other.when('both', (each) => ingressOf(each).length === 2);
  expect(ingressOf(both).toSorted()).toEqual(['2001:db8::', '203.0.113.1']);
});

test('DEL-01 without the operator Services and namespaces go away, and the next installation frees what they had', async () => {
  await group('g', { segment: '192.0.2.0/28' });
  const team = new VipScene(plane, 'team');
  await team.open();
  for (const name of ['web', 'left']) {
    await team.create(name);
    await team.address(name);
  }
  await operator.stop();
  const deployments = '/apis/apps/v1/namespaces/ipam-system/deployments';
  await plane().client.request('DELETE', `${deployments}/ipam-controller-manager`);
  expect((await team.get('web')).metadata.finalizers ?? []).toEqual([]);
  await team.remove('web');
  await endNamespace('team');
  expect(await scene.holders()).toHaveLength(2);
  // one that is in use waits for the operator, by the finalizer that a documented step takes off
  await scene.group('gone', { segment: '10.9.0.0/24' });
  await scene.endGroup('gone');
  await scene.groupGone('gone');
  await applyInstallation(plane(), PROPS);
  await operator.restart();
  await Promise.all(['192.0.2.0', '192.0.2.1'].map((each) => scene.ipGone(each)));
});

test('DEL-02 the namespace of the operator ends, nothing waits for it, and the next installation goes on with the IPs', async () => {
  const { client } = plane();
  await group('g', { segment: '192.0.2.0/28' });
  for (const name of ['stays', 'goes']) {
    await scene.create(name);
    await scene.address(name);
  }
  const [stays] = ingressOf(await scene.get('stays'));
  await operator.stop();
  const system = '/api/v1/namespaces/ipam-system';
  await deleteKept(client, system);
  await untilGone(system);
  for (const kind of ['mutating', 'validating']) {
    const { items } = await client.request('GET', `/apis/admissionregistration.k8s.io/v1/${kind}webhookconfigurations`);
    expect([kind, items ?? []]).toEqual([kind, []]);
  }
  await scene.remove('goes');
  await scene.create('new');
  const team = new VipScene(plane, 'team');
  await team.open();
  await team.create('web');
  await endNamespace('team');
  expect(ingressOf(await scene.get('stays'))).toEqual([stays]);
  await applyInstallation(plane(), PROPS);
  operator = await startOperator(plane(), { name: 'again', awaitWebhooks: false });
  const next = await scene.address('new');
  const owners = [`${String(stays)}=a/stays`, `${next}=a/new`];
  await eventually(async () => (await scene.holders()).join() === owners.join());
  expect([ingressOf(await scene.get('stays')), next === stays]).toEqual([[stays], false]);
});

test('DEL-04 is done where an IP is gone already, and leaves one alone that names another holder', async () => {
  await group('g', { segment: '192.0.2.0/28' });
  for (const name of ['gone', 'taken']) {
    await scene.create(name);
    await scene.address(name);
  }
  const addressOf = async (name: string) => ingressOf(await scene.get(name)).join();
  const [gone, taken] = [await addressOf('gone'), await addressOf('taken')];
  await operator.stop();
  await scene.breakGlass('delete', 'ips.paas.org', gone);
  await Promise.all(['gone', 'taken'].map((name) => scene.remove(name)));
  const { metadata } = await other.create('heir');
  await other.patchStatus('heir', { loadBalancer: { ingress: [{ ip: taken }] } });
  const owner = { kind: 'Service', namespace: 'b', name: 'heir', uid: metadata.uid };
  const holder = { id: metadata.uid, since: '2026-01-01T00:00:00Z', apiVersion: 'v1', ...owner };
  const patch = JSON.stringify({ spec: { owner, holders: [holder] } });
  await scene.breakGlass('patch', 'ips.paas.org', taken, '--type=merge', '-p', patch);
  await operator.restart();
  await other.shows('heir', taken);
  await quiet(3_500);
  const left = (await scene.ips()).map((each) => [each.metadata.name, each.spec?.['owner']?.['name']]);
  expect(left).toEqual([[taken, 'heir']]);
});
