import { VIRTUAL_IP_STATES as STATES } from '../../operator/contract/kinds/virtual-ip';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from './support/eventually';
import { IpamCommand } from './support/ipam-command';
import { tokenFor } from './support/installation';
import { ADDRESS, CLONE, useMigration } from './support/use-migration';
import { reasonOf } from './support/virtual-ip-scene';

const scene = useMigration();
const { plane, vips, old } = scene;
const expectMigrated = (wished?: string): Promise<void> => scene.expectMigrated(wished);

test('R7 VIP-T53 VIP-T55 migrates by the states of the older operator, and the VirtualIP can be deleted afterwards', async () => {
  await old.served('v', { service: 's', address: ADDRESS });
  const states = await old.follow('v', STATES.migrated);
  expect((await old.order('v')).status).toBe(200);
  expect(await states()).toEqual([
    ...[STATES.valid, STATES.preparing, STATES.reassociating, STATES.cleaningUp],
    ...[STATES.converting, STATES.assigning, STATES.migrated],
  ]);
  await expectMigrated();
  const before = await vips.get('s');
  await old.remove('v');
  await old.gone('v');
  expect((await vips.get('s')).spec).toEqual(before.spec);
  expect(await vips.holders()).toEqual([`${ADDRESS}=test/s`]);
});

test('VIP-T54 keeps the wish of the VirtualIP as the wish of the Service', async () => {
  await old.served('v', { service: 's', address: ADDRESS, wished: ADDRESS });
  await old.order('v');
  await expectMigrated(ADDRESS);
});

test('VIP-T64 makes IPGroups of the GroupSegmentMappings that are stored, as the page on migration has it', async () => {
  const specs = ['1.1.6.0/29', '1.1.7.5/29', '1.1.8.0/29'].map((segment, at) => ({
    segment,
    excludedIPs: at === 0 ? [] : ['1.1.8.0'],
  }));
  const mappings = specs.map((spec, at) => ({
    apiVersion: 'paas.org/v1',
    kind: 'GroupSegmentMapping',
    metadata: { name: `keepalived-${String(at)}` },
    spec: { ...spec, keepalivedGroup: 'k' },
  }));
  const file = join(plane().folder, 'mappings.json');
  writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: mappings }));
  // leaves its own annotation with the old kind in it
  await plane().kubectl('apply', '-f', file);
  writeFileSync(file, await plane().kubectl('get', 'groupsegmentmappings', '-o', 'json'));
  const { code, out } = await new IpamCommand().run('import-groups', file);
  expect([code, out]).toEqual([0, expect.not.stringContaining('GroupSegmentMapping')]);
  writeFileSync(file, out);
  await plane().kubectl('create', '-f', file);
  for (const [at, spec] of specs.entries()) {
    const { metadata, spec: stored } = await vips.groupReady(`keepalived-${String(at)}`);
    expect([stored, metadata.annotations]).toEqual([spec, undefined]);
  }
  await plane().kubectl('delete', 'groupsegmentmappings', '--all');
});

test('VIP-T56 VIP-T57 VIP-T58 refuses what would break a migration', async () => {
  await old.served('v', { service: 's', address: ADDRESS, state: 'Exposing service' });
  const early = await old.order('v');
  expect([early.status, early.body.message]).toEqual([403, expect.stringContaining('only a VirtualIP in state Valid')]);
  await plane().client.request('PATCH', `${old.path('v')}/status`, { status: { state: 'Valid' } }, 'merge');
  await endGroup();
  await old.order('v');
  await old.inState('v', STATES.error);
  const refusals = await Promise.all([
    old.order('v', null),
    old.order('v', 'dry-run'),
    old.change('v', { spec: { service: 'other' } }),
    old.change('v', { spec: { ip: '1.1.1.4' } }),
  ]);
  expect(refusals.map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  const made = { apiVersion: 'paas.org/v1', kind: 'VirtualIP', metadata: { name: 'new' }, spec: { service: 's' } };
  const refused = await plane().client.attempt('POST', old.path(), made);
  expect([refused.status, refused.body.message]).toEqual([
    403,
    expect.stringContaining('Service of type LoadBalancer'),
  ]);
  const annotations = { 'virtualips.paas.org/migrate': '', 'virtualips.paas.org/migrated': 'true' };
  const restored = { ...made, metadata: { name: 'restored', annotations } };
  expect((await plane().client.attempt('POST', old.path(), restored)).status).toBe(201);
  await old.inState('restored', STATES.migrated);
});

async function endGroup(): Promise<void> {
  await vips.endGroup('ipgroup-1');
  await vips.groupGone('ipgroup-1');
}

test('R26 VIP-T59 waits with an error for an IPGroup, serves meanwhile, and goes on where it stopped', async () => {
  await endGroup();
  await old.served('v', { service: 's', address: ADDRESS });
  await old.order('v');
  const { status } = await old.stops('v', 'NoIPGroup');
  expect([status?.['state'], status?.['message']]).toEqual(['Error', expect.stringContaining('in no IPGroup')]);
  expect((await scene.specOf(CLONE))['externalIPs']).toEqual([ADDRESS]);
  expect(await vips.holders()).toEqual([`${ADDRESS}=test/v`]);
  await scene.begin();
  await expectMigrated();
});

test('VIP-T60 takes a copy that is gone already as done', async () => {
  await old.served('v', { service: 's', address: ADDRESS });
  await vips.remove(CLONE);
  await old.order('v');
  await expectMigrated();
});

test('VIP-T61 changes nothing while the Service is a load balancer already, and goes on after that', async () => {
  await old.served('v', { service: 's', address: ADDRESS });
  await vips.patch('s', { spec: { type: 'LoadBalancer' } });
  await vips.shows('s', '1.1.1.1');
  await old.order('v');
  const { status, metadata } = await old.stops('v', 'ServiceIsLoadBalancer');
  expect([status?.['state'], metadata.finalizers?.length]).toEqual([STATES.preparing, 2]);
  expect(await vips.holders()).toEqual(['1.1.1.1=test/s', `${ADDRESS}=test/v`]);
  expect((await scene.specOf(CLONE))['externalIPs']).toEqual([ADDRESS]);
  await vips.patch('s', { spec: { type: 'ClusterIP' } });
  await expectMigrated();
});

test('R26 VIP-T62 refuses the second VirtualIP of a Service before anything is changed', async () => {
  await old.served('v', { service: 's', address: ADDRESS });
  await old.served('w', { service: 's', address: '1.1.1.4' });
  await plane().kubectl('annotate', 'virtualips.paas.org', 'v', 'w', '-n', 'test', 'virtualips.paas.org/migrate=');
  const second = await old.stops('w', 'ServiceShared');
  expect([second.status?.['state'], second.status?.['message']]).toEqual([
    'Error',
    expect.stringContaining('VirtualIP test/v exposes Service test/s too'),
  ]);
  await old.inState('v', STATES.migrated);
  expect(await vips.holders()).toEqual([`${ADDRESS}=test/s`, '1.1.1.4=test/w']);
  expect((await scene.specOf('w-keepalived-clone'))['externalIPs']).toEqual(['1.1.1.4']);
  await old.order('w', 'rollback');
  await old.when(
    'w',
    ({ status, metadata }) =>
      status?.['state'] === 'Valid' && metadata.annotations?.['virtualips.paas.org/migrate'] === undefined,
  );
  await old.remove('w');
  await old.gone('w');
  await vips.ipGone('1.1.1.4');
  expect(await vips.holders()).toEqual([`${ADDRESS}=test/s`]);
});

test('VIP-T63 ends a migration before the deletion that came in the middle of it', async () => {
  await old.served('v', { service: 's', address: ADDRESS });
  const cut = scene.afterHandOver(() => old.remove('v'));
  await old.order('v');
  await cut;
  await old.gone('v');
  await vips.shows('s', ADDRESS);
  expect(await vips.holders()).toEqual([`${ADDRESS}=test/s`]);
  expect(await scene.labelsOf(ADDRESS)).toEqual({ ipgroup: 'ipgroup-1' });
  await eventually(async () => !(await scene.isStored(vips.path(CLONE))));
});

test('VIP-T63 gives everything back when a VirtualIP is deleted that no migration was ordered for', async () => {
  await old.served('v', { service: 's', address: ADDRESS });
  await old.remove('v');
  await old.gone('v');
  await vips.ipGone(ADDRESS);
  expect([await scene.isStored(vips.path(CLONE)), (await scene.specOf('s'))['type']]).toEqual([false, 'ClusterIP']);
});

test('R26 looks without a change at all that a label chooses, and takes a migration back', async () => {
  await old.served('v', { service: 's', address: ADDRESS });
  await old.served('w', { service: 'other', address: '1.1.1.4' });
  await old.change('v', { metadata: { labels: { team: 'a' } } });
  const annotate = (value: string, ...more: string[]) =>
    plane().kubectl(
      'annotate',
      'virtualips.paas.org',
      '-A',
      '-l',
      'team=a',
      `virtualips.paas.org/migrate=${value}`,
      ...more,
    );
  await annotate('dry-run');
  const { status } = await old.stops('v', 'DryRun');
  expect([status?.['state'], status?.['message']]).toEqual([
    'Valid',
    'dry run: Service test/s would become one of type LoadBalancer with 1.1.1.3 of IPGroup ipgroup-1 after Service test/v-keepalived-clone is deleted, with a pause of seconds between',
  ]);
  expect([reasonOf(await old.get('w')), await vips.holders()]).toEqual([
    undefined,
    ['1.1.1.3=test/v', '1.1.1.4=test/w'],
  ]);
  await endGroup();
  await annotate('', '--overwrite');
  await old.inState('v', STATES.error);
  await annotate('rollback', '--overwrite');
  const back = await old.when(
    'v',
    ({ metadata }) => metadata.annotations?.['virtualips.paas.org/migrate'] === undefined,
  );
  expect([back.status?.['state'], reasonOf(back), back.metadata.finalizers?.length]).toEqual([
    'Valid',
    'RolledBack',
    2,
  ]);
});

test('W27 W30 rolls a migration back after the record was handed over, and not after the copy is gone', async () => {
  await old.served('v', { service: 's', address: ADDRESS });
  const cut = scene.afterHandOver(async () => {
    expect((await old.order('v', 'rollback')).status).toBe(200);
  });
  await old.order('v');
  await cut;
  await old.when('v', ({ metadata }) => metadata.annotations?.['virtualips.paas.org/migrate'] === undefined);
  expect(await vips.holders()).toEqual([`${ADDRESS}=test/v`]);
  expect(await scene.labelsOf(ADDRESS)).toEqual({ gsm: 'keepalived-1' });
  expect([(await scene.specOf('s'))['type'], (await scene.specOf(CLONE))['externalIPs']]).toEqual([
    'ClusterIP',
    [ADDRESS],
  ]);
  await old.order('v');
  await expectMigrated();
  expect((await old.order('v', 'rollback')).body.message).toContain('too late');
});

test('W27 mends what the older operator called migrated although it was not', async () => {
  await scene.cuts.operator.kill('SIGKILL');
  const annotations = { 'virtualips.paas.org/migrate': '' };
  await old.served('v', { service: 's', address: ADDRESS, state: 'Migrated', annotations });
  await scene.cuts.operator.restart();
  await expectMigrated();
});

test('VIP-T42 puts the address of a VirtualIP on record before anything is given, and goes on with a migration of the older operator', async () => {
  await scene.cuts.operator.kill('SIGKILL');
  await old.served('v', { service: 's', address: '1.1.1.1' });
  await vips.breakGlass('delete', 'ips.paas.org', '1.1.1.1');
  await old.served('w', {
    service: 'other',
    address: ADDRESS,
    state: STATES.cleaningUp,
    annotations: { 'virtualips.paas.org/migrate': '' },
  });
  await vips.breakGlass('label', 'ips.paas.org', ADDRESS, 'gsm-', 'ipgroup=ipgroup-1');
  await vips.breakGlass('annotate', 'ips.paas.org', ADDRESS, '--overwrite', 'virtualips.paas.il/owner=test/other');
  await vips.create('new', { spec: { loadBalancerClass: undefined } });
  await scene.cuts.operator.restart();
  await old.inState('w', STATES.migrated);
  await vips.shows('other', ADDRESS);
  await vips.shows('new', '1.1.1.4');
  expect(await vips.holders()).toEqual(['1.1.1.1=test/v', '1.1.1.3=test/other', '1.1.1.4=test/new']);
});

test('W28 waits with an error where the Service is gone, and ends with it', async () => {
  await old.served('v', { service: 's', address: ADDRESS });
  await vips.remove('s');
  await old.order('v');
  await old.stops('v', 'ServiceNotFound');
  expect((await scene.specOf(CLONE))['externalIPs']).toEqual([ADDRESS]);
  await old.service('s');
  await expectMigrated();
});

test('W27 finds out before any change that the cluster refuses the new type', async () => {
  const quota = {
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'none' },
    spec: { hard: { 'services.loadbalancers': '0' } },
  };
  const quotas = '/api/v1/namespaces/test/resourcequotas';
  await plane().client.request('POST', quotas, quota);
  await plane().client.objectWhen(`${quotas}/none`, ({ status }) => status?.['used'] !== undefined);
  await old.served('v', { service: 's', address: ADDRESS });
  await old.order('v');
  const { status } = await old.stops('v', 'ServiceUnfit');
  expect(status?.['message']).toContain('exceeded quota');
  expect((await scene.specOf(CLONE))['externalIPs']).toEqual([ADDRESS]);
  await plane().client.request('DELETE', `${quotas}/none`);
  await vips.patch('s', { metadata: { labels: { touched: 'yes' } } });
  await expectMigrated();
});

test('R26 gives the address back of a VirtualIP that was taken away with its finalizers', async () => {
  await old.served('v', { service: 's', address: ADDRESS });
  await scene.cuts.operator.kill('SIGKILL');
  await old.clear();
  await plane().client.attempt('DELETE', vips.path(CLONE));
  await scene.cuts.operator.restart();
  await vips.ipGone(ADDRESS);
  expect((await scene.specOf('s'))['type']).toBe('ClusterIP');
});

test('the operator may make no other change of Services, and delete no other ones', async () => {
  await old.served('v', { service: 's', address: ADDRESS });
  const operator = plane().client.as(await tokenFor(plane(), 'ipam-system', 'ipam-controller-manager'));
  const { spec, ...rest } = await vips.get('s');
  const put = (more: object) =>
    operator.attempt('PUT', vips.path('s'), { ...rest, spec: { ...(spec as object), ...more } });
  const refused = await Promise.all([
    operator.attempt('DELETE', vips.path('s')),
    put({ selector: { app: 'other' } }),
    put({ type: 'LoadBalancer', externalIPs: ['9.9.9.9'] }),
    put({ type: 'LoadBalancer', selector: { app: 'other' } }),
  ]);
  expect(refused.map(({ status, body }) => [status, body.message?.includes('the operator writes')])).toEqual(
    refused.map(() => [403, true]),
  );
  expect((await operator.attempt('DELETE', `${vips.path(CLONE)}?dryRun=All`)).status).toBe(200);
});
