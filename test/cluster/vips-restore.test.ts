import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clientOf, makeAdministrator } from './support/administrator';
import type { ClusterClient, KubeObject, Manifest } from './support/cluster-client';
import { eventually } from './support/eventually';
import { followIngress } from './support/follow-ingress';
import { applyInstallation } from './support/installation';
import { startOperator } from './support/operator-process';
import { useControlPlane } from './support/use-control-plane';
import { VipScene } from './support/vip-scene';

const IPS = '/apis/paas.org/v1/ips';
const GROUPS = '/apis/paas.org/v1/ipgroups';
const INSTALLATION = { services: { enabled: false }, vips: { enabled: true, orphanGraceSeconds: 60 } };
/** A backup tool. */
const TOOL = { namespace: 'velero', name: 'server' };
const NAMES = ['a', 'b', 'c', 'd', 'e', 'f'];

const plane = useControlPlane({
  prepare: async (control) => {
    await applyInstallation(control, INSTALLATION);
    await makeAdministrator(control, TOOL);
    await startOperator(control, { awaitWebhooks: false });
    await scene.open(control);
  },
});
const scene = new VipScene(plane, 'test');

/** An object without what a backup tool leaves out. */
function saved({ apiVersion, kind, metadata, spec }: KubeObject): Manifest {
  const { name, namespace, labels, annotations, finalizers } = metadata;
  const { clusterIP: _ip, clusterIPs: _ips, ...rest } = (spec ?? {}) as Readonly<Record<string, unknown>>;
  const kept = {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(finalizers === undefined ? {} : { finalizers }),
  };
  return { apiVersion, kind, metadata: kept, spec: rest };
}

async function backUp(path: string, head: { readonly apiVersion: string; readonly kind: string }) {
  const { items = [] } = await plane().client.request('GET', path);
  return items.map((each) => saved({ ...each, ...head }));
}

async function loseEverything(): Promise<void> {
  const { client } = plane();
  for (const name of NAMES) await client.request('DELETE', scene.path(name));
  await client.watchUntilEmpty(IPS);
  await scene.endGroup('web');
  await scene.groupGone('web');
}

/** The Services as they are in manifests, without an address in them; in another order than they were made. */
async function restoreServices(services: readonly Manifest[]): Promise<void> {
  for (const service of [...services].reverse()) await plane().client.request('POST', scene.path(), service);
}

test('R8 R23 a backup tool restores IPs as a member of the break-glass group, and every Service gets its address again', async () => {
  await scene.group('web', { segment: '1.1.1.0/28', excludedIPs: ['1.1.1.0'] });
  await scene.groupReady('web');
  for (const name of NAMES) await scene.create(name);
  const before: Record<string, string> = {};
  for (const name of NAMES) before[name] = await scene.address(name);
  const [groups, ips, services] = await Promise.all([
    backUp(GROUPS, { apiVersion: 'paas.org/v1', kind: 'IPGroup' }),
    backUp(IPS, { apiVersion: 'paas.org/v1', kind: 'IP' }),
    backUp(scene.path(), { apiVersion: 'v1', kind: 'Service' }),
  ]);
  expect([groups.length, ips.length, services.length]).toEqual([1, 6, 6]);
  await loseEverything();

  const backupTool = await clientOf(plane(), TOOL);
  for (const group of groups) await backupTool.request('POST', GROUPS, group);
  const refused = await backupTool.attempt('POST', IPS, ips[0]);
  expect([refused.status, refused.body.message?.includes('ipam-break-glass')]).toEqual([403, true]);
  // as docs/vips.md has it: for the time of the restore the group is that of the tool's ServiceAccounts
  await applyInstallation(plane(), { ...INSTALLATION, crds: { breakGlassGroup: 'system:serviceaccounts:velero' } });
  for (const ip of ips) await putOnceLet(backupTool, ip);
  await restoreServices(services);
  for (const name of NAMES) await scene.shows(name, before[name] ?? '');
  expect(await scene.holders()).toEqual(NAMES.map((name) => `${before[name] ?? ''}=test/${name}`).sort());
  // each is named by the UID of the new Service
  for (const name of NAMES) {
    const { metadata } = await scene.get(name);
    await scene.ipWhen(before[name] ?? '', ({ spec }) => spec?.['owner']?.['uid'] === metadata.uid);
  }
  await applyInstallation(plane(), INSTALLATION);
  await eventually(async () => (await backupTool.attempt('POST', `${IPS}?dryRun=All`, ips[0])).status === 403);
  await scene.create('new');
  await scene.shows('new', '1.1.1.7');
});

// The API server takes a moment to know a changed policy.
async function putOnceLet(by: ClusterClient, ip: Manifest): Promise<void> {
  await eventually(async () => {
    const { status } = await by.attempt('POST', IPS, ip);
    if (status !== 201 && status !== 403) throw new RangeError(`IP ${ip.metadata.name}: ${String(status)}`);
    return status === 201;
  });
}

test('R8 R11 an IP that comes late moves no address that is in use, and what it claims beside it goes back', async () => {
  const metadata = {
    name: '1.1.1.10',
    labels: { ipgroup: 'web' },
    annotations: { 'virtualips.paas.il/owner': 'test/new' },
  };
  const file = join(plane().folder, 'late.json');
  writeFileSync(file, JSON.stringify({ apiVersion: 'paas.org/v1', kind: 'IP', metadata }));
  const followed = followIngress(plane());
  // from Git, applied once by an administrator who impersonates the group
  await scene.breakGlass('apply', '--server-side', '-f', file);
  await scene.patch('new', { metadata: { labels: { looked: 'yes' } } });
  await scene.ipGone('1.1.1.10');
  await scene.shows('new', '1.1.1.7');
  expect(await followed.emptied()).toEqual([]);
});
