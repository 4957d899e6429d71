import { applyInstallation } from './support/installation';
import { IpamCommand } from './support/ipam-command';
import { startCertManager, startMetalLb } from './support/neighbours';
import { startOperator, type RunningOperator } from './support/operator-process';
import { ServiceScene } from './support/service-scene';
import { conditionOf, ingressOf } from './support/services';
import { useControlPlane } from './support/use-control-plane';
import { VipScene, vipCondition } from './support/vip-scene';

let operator: RunningOperator;
const command = new IpamCommand();
const ipam = async (...argv: string[]): Promise<string> => (await command.run(...argv)).out;
const plane = useControlPlane({
  programs: ['metallb-controller', 'cert-manager'],
  prepare: async (control) => {
    await Promise.all([startMetalLb(control), startCertManager(control)]);
    await applyInstallation(control, {
      zones: [{ name: 'zone', prefixes: ['10.80.0.0/24'] }],
      vips: { enabled: true },
    });
    operator = await startOperator(control, { args: { 'admin-socket': command.socket } });
    await vips.open();
  },
});
const vips = new VipScene(plane, 'a');
const services = new ServiceScene({ plane, operator: () => operator, namespace: 'a' });
const inZone = { annotations: { 'ipam.vitistack.io/zone': 'zone' } };

test('serves Services of both doors side by side, and gives no address of a zone from a group', async () => {
  await vips.group('group', { segment: '10.80.0.0/23' });
  const group = await vips.groupWhen('group', ({ status }) => status?.['total'] === '256');
  expect(group.status?.['conditions']).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        type: 'OverlapsOtherDoor',
        status: 'True',
        message: expect.stringContaining('zone "zone"') as unknown,
      }),
    ]),
  );
  await vips.create('vip');
  await vips.shows('vip', '10.80.1.0');
  await services.create('zoned', inZone);
  const zoned = await services.shows('zoned', '10.80.0.0');
  expect(vipCondition(zoned)).toBeUndefined();
  await vips.create('wished', { spec: { loadBalancerIP: '10.80.0.7' } });
  await vips.waits('wished', 'RequestedAddressInUse');
  const vip = await vips.get('vip');
  expect([ingressOf(vip), conditionOf(vip)]).toEqual([['10.80.1.0'], undefined]);
  expect(await vips.holders()).toEqual(['10.80.1.0=a/vip']);
});

test('tells of both doors in the Pod', async () => {
  const tree = await ipam('tree');
  expect(tree).toMatch(
    /^default\/zone \(ipv4 \d+ of \d+ free\)\n└─ 10\.80\.0\.0\/24\n {3}└─ 10\.80\.0\.0 a\/zoned \(bound\)\n/u,
  );
  expect(tree).toContain('IPGroup default/group (255 of 256 free)\n└─ 10.80.0.0/23\n   └─ 10.80.1.0 a/vip\n');
  expect(await ipam('tree', 'zone')).not.toContain('IPGroup');
  expect(await ipam('explain', '10.80.1.0')).toMatch(/^Service a\/vip holds 10\.80\.1\.0 of IPGroup group since /u);
  const zoned = await ipam('explain', '10.80.0.0');
  expect(zoned).toContain('"a/zoned"');
  expect(zoned).toContain('it belongs to another front door');
  expect(await ipam('explain', 'a/zoned')).not.toContain('IPGroup');
  expect(await ipam('explain', 'a/wished')).toContain('(RequestedAddressInUse)');
  expect(await ipam('history', '10.80.1.0')).toMatch(/held +group +a\/vip/u);
  expect(await ipam('doctor')).toMatch(/bad +Service a\/wished +waits since .*RequestedAddressInUse/u);
});

test('keeps what both doors gave over a restart, and neither touches the Services of the other', async () => {
  const names = ['vip', 'zoned'];
  const before = await Promise.all(names.map((name) => vips.get(name)));
  await operator.restart();
  await vips.create('next');
  await vips.shows('next', '10.80.1.1');
  await services.create('last', inZone);
  await services.ready('last');
  expect(await Promise.all(names.map((name) => vips.get(name)))).toEqual(before);
});

test('moves a Service from one door to the other as its type and class change', async () => {
  await vips.patch('vip', { spec: { type: 'ClusterIP', loadBalancerClass: null } });
  await vips.ipGone('10.80.1.0');
  await vips.patch('vip', { metadata: inZone, spec: { type: 'LoadBalancer' } });
  const moved = await services.ready('vip');
  expect([ingressOf(moved)[0]?.startsWith('10.80.0.'), vipCondition(moved)]).toEqual([true, undefined]);
});
