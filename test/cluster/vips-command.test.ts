import type { IpamOperatorProps } from '../../constructs';
import { eventually } from './support/eventually';
import { applyInstallation } from './support/installation';
import { IpamCommand } from './support/ipam-command';
import { startOperator } from './support/operator-process';
import { useControlPlane } from './support/use-control-plane';
import { VipScene } from './support/vip-scene';

const PROPS: Partial<IpamOperatorProps> = {
  services: { enabled: false },
  vips: { enabled: true, orphanGraceSeconds: 3_600 },
};

const command = new IpamCommand();
const ipam = command.run.bind(command);
const plane = useControlPlane({
  prepare: async (control) => {
    await applyInstallation(control, PROPS);
    await scene.open();
    await scene.oldIp('192.0.2.6', 'shop/gone', 'web');
    await startOperator(control, { args: { 'admin-socket': command.socket }, awaitWebhooks: false });
  },
});
const scene = new VipScene(plane, 'shop');

const WEB = {
  segments: ['192.0.2.0/29', '198.51.100.0/31'],
  excludedIPs: ['192.0.2.0-192.0.2.3', '192.0.2.5'],
  quarantineSeconds: 600,
};

test('ipam tree and doctor say that there is no group yet', async () => {
  await eventually(async () => (await ipam('tree')).code === 0);
  const { out } = await ipam('tree');
  expect(out).toBe('IPs of no IPGroup\n└─ 192.0.2.6 shop/gone (of IPGroup web, which is not stored)\n');
});

test('a command that needs the record of zones says that there is none', async () => {
  for (const argv of [
    ['zones'],
    ['services'],
    ['show', '192.0.2.4'],
    ['backup', '-'],
    ['evict', 'shop/web', '--yes'],
  ]) {
    const { code, out, err } = await ipam(...argv);
    expect([argv, code === 0, out]).toEqual([argv, false, '']);
    expect(err).toContain('this operator keeps no record of zones');
  }
});

test('ipam tree shows groups, segments, addresses and holders', async () => {
  await scene.group('web', WEB);
  await scene.groupReady('web');
  await scene.group('bad', { segment: '192.0.2.0/30' });
  await scene.create('first');
  await scene.shows('first', '192.0.2.4');
  await scene.create('former', { spec: { loadBalancerIP: '192.0.2.7' } });
  await scene.shows('former', '192.0.2.7');
  await scene.remove('former');
  await scene.ipWhen('192.0.2.7', ({ spec }) => spec?.['state'] === 'quarantined');
  await scene.create('second', { annotations: { 'paas.org/ipgroup': 'web', 'paas.org/sharing-key': 'one' } });
  await scene.shows('second', '198.51.100.0');
  const { out } = await ipam('tree', 'web');
  expect(out.replaceAll(/\d{4}-\d\d-\d\dT\S+/gu, 'TIME')).toBe(
    [
      'IPGroup default/web (1 of 5 free, 1 quarantined, 5 excluded)',
      '├─ 192.0.2.0/29',
      '│  ├─ 192.0.2.4 shop/first',
      '│  ├─ 192.0.2.6 shop/gone',
      '│  └─ 192.0.2.7 quarantined for shop/former until TIME',
      '└─ 198.51.100.0/31',
      '   └─ 198.51.100.0 shop/second',
      '',
    ].join('\n'),
  );
  const { code, err } = await ipam('tree', 'none');
  expect([code, err]).toEqual([3, expect.stringContaining('no zone and no IPGroup is named "none"')]);
  expect(await command.json('tree')).toMatchObject([
    { group: expect.stringMatching(/bad|web/u) as string },
    { group: expect.stringMatching(/bad|web/u) as string },
  ]);
});

test.each([
  ['192.0.2.4', /^Service shop\/first holds 192\.0\.2\.4 of IPGroup web since \d{4}-/u],
  ['192.0.2.6', /^Service shop\/gone holds 192\.0\.2\.6[^\n]+\nno Service shop\/gone is stored; [^\n]+ after 3600 s/u],
  ['192.0.2.7', /^192\.0\.2\.7 of IPGroup web was released, and is kept for Service shop\/former until \d{4}-/u],
  ['192.0.2.5', /^192\.0\.2\.5 lies in IPGroup web, and cannot be taken\nit is excluded/u],
  ['198.51.100.1', /^198\.51\.100\.1 is free in IPGroup web/u],
  ['203.0.113.1', /^203\.0\.113\.1 lies in no IPGroup/u],
])('ipam explain tells of %s', async (address, says) => {
  const { code, out } = await ipam('explain', address);
  expect([code, out]).toEqual([0, expect.stringMatching(says)]);
});

test('ipam explain tells of an address that a Node has', async () => {
  const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'worker' } };
  await plane().client.apply([node]);
  const status = { addresses: [{ type: 'InternalIP', address: '198.51.100.1' }] };
  await plane().client.request('PATCH', '/api/v1/nodes/worker/status', { status }, 'merge');
  await eventually(async () => (await ipam('explain', '198.51.100.1')).out.includes('Node/worker shows 198.51.100.1'));
  expect((await ipam('explain', '198.51.100.1')).out).toMatch(
    /^198\.51\.100\.1 lies in IPGroup web, and cannot be taken\n/u,
  );
  expect((await ipam('tree', 'web')).out).toContain(
    '(0 of 5 free, 1 quarantined, 1 in use without a claim, 5 excluded)',
  );
});

test('ipam explain tells what a Service has, and what each group can do for one that waits', async () => {
  expect((await ipam('explain', 'shop/first')).out).toMatch(
    /^Service shop\/first holds 192\.0\.2\.4 of IPGroup web since [^\n]+\nit is served since [^\n]+ \(Allocated\)/u,
  );
  await scene.create('waiter');
  await scene.waits('waiter', 'NoFreeAddress');
  const { out } = await ipam('explain', 'shop/waiter');
  expect(out).toMatch(/^it waits since [^\n]+ \(NoFreeAddress\): no IPv4 address is free in IPGroup web/u);
  expect(out).toContain('IPGroup web serves it and has no free IPv4 address');
  expect(out).toContain('IPGroup bad serves it and has no IPv4 addresses');
  await scene.create('lost', { annotations: { 'paas.org/ipgroup': 'none' } });
  await scene.waits('lost', 'NoMatchingGroup');
  expect((await ipam('explain', 'shop/lost')).out).toContain('IPGroup web is not the one that the Service names');
  expect(await ipam('explain', 'shop/nothing')).toMatchObject({ code: 3, out: '' });
  await scene.create('foreign', { spec: { loadBalancerClass: 'other/lb' } });
  expect((await ipam('explain', 'shop/foreign')).code).toBe(3);
});

test('ipam history tells holders and Events, and that there is no more', async () => {
  await scene.remove('second');
  await scene.ipWhen('198.51.100.0', ({ spec }) => spec?.['state'] === 'quarantined');
  await scene.create('second', { spec: { loadBalancerIP: '198.51.100.0' } });
  await scene.shows('second', '198.51.100.0');
  await scene.create('wisher', { spec: { loadBalancerIP: '198.51.100.0' } });
  await scene.waits('wisher', 'RequestedAddressInUse');
  await eventually(async () => (await ipam('history', '198.51.100.0')).out.includes('event RequestedAddressInUse'));
  const { out, err } = await ipam('history', '198.51.100.0');
  expect(out).toMatch(/^FROM +UNTIL +STATE +IPGROUP +SERVICE +CLUSTER\n\S+ +held +web +shop\/second\n/u);
  expect(out).toContain('shop/wisher');
  expect(err).toContain('an IP or an AddressClaim keeps its present holders only');
  expect((await ipam('history', '198.51.100.1')).out).not.toContain('wisher');
});

test('ipam doctor names groups, Services and IPs that need a look', async () => {
  await scene.groupWhen('bad', (group) => scene.readyOf(group)?.status === 'False');
  const { code, out } = await ipam('doctor');
  expect(code).toBe(2);
  const rows = out.split('\n').map((line) => line.trim().replaceAll(/ {2,}/gu, ' | '));
  expect(rows).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^bad \| IPGroup bad \| is not ready: Conflict/u),
      'bad | IPGroup web | is full: none of 5 addresses is free',
      expect.stringMatching(/^bad \| Service shop\/waiter \| waits since .* \(NoFreeAddress\)/u),
      'watch | IP 192.0.2.6 | is on record for Service shop/gone, which is not stored',
      expect.stringMatching(/^ok \| vips/u),
    ]),
  );
  expect(out).not.toMatch(/zones|clusters/u);
});
