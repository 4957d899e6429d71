import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CliOperator } from '../support/cli-operator';
import { followIngress, type IngressWatch } from './support/follow-ingress';
import { applyInstallation } from './support/installation';
import { startMetalLb } from './support/neighbours';
import { startOperator } from './support/operator-process';
import type { OwnProcess } from './support/own-process';
import { ingressOf } from './support/services';
import { useControlPlane } from './support/use-control-plane';
import { VipScene, vipCondition, type WantedVip } from './support/vip-scene';

const POOL = 'metallb.io/address-pool';
const ADDRESSES = 'metallb.io/loadBalancerIPs';
const SHARING = 'metallb.io/allow-shared-ip';

const pool = (name: string, spec: object) => ({
  apiVersion: 'metallb.io/v1beta1',
  kind: 'IPAddressPool',
  metadata: { name, namespace: 'metallb-system' },
  spec,
});
const POOLS = [
  pool('web', { addresses: ['192.0.2.0/28', '192.0.2.100-192.0.2.119'], avoidBuggyIPs: true }),
  pool('named', { addresses: ['198.51.100.0/24'], autoAssign: false }),
  pool('team', {
    addresses: ['203.0.113.0/24'],
    serviceAllocation: { priority: 10, namespaces: ['team'] },
  }),
];
const asking = (annotations: Readonly<Record<string, string>>, port = 80): WantedVip => ({
  annotations,
  spec: { loadBalancerClass: undefined, ports: [{ port }] },
});
/** Services as MetalLB serves them, by the spelling of today and by the older one. */
const WANTED: Readonly<Record<string, WantedVip>> = {
  one: asking({}),
  two: asking({}),
  three: asking({ 'metallb.universe.tf/loadBalancerIPs': '192.0.2.111' }),
  four: asking({ 'metallb.universe.tf/address-pool': 'named' }),
  five: asking({ [ADDRESSES]: '198.51.100.77' }),
  dns: asking({ [SHARING]: 'dns', [ADDRESSES]: '192.0.2.5' }, 53),
  web: asking({ [SHARING]: 'dns', [ADDRESSES]: '192.0.2.5' }, 80),
  host: asking({ [SHARING]: 'pair', [ADDRESSES]: '192.0.2.6' }, 80),
};

/** One that shares the address of another namespace. */
const GUEST = asking({ [SHARING]: 'pair', [ADDRESSES]: '192.0.2.6' }, 9000);

let metallb: OwnProcess;
let watch: IngressWatch;
const plane = useControlPlane({
  programs: ['metallb-controller'],
  prepare: async (control) => {
    metallb = await startMetalLb(control);
    await Promise.all([scene.open(control), team.open(control)]);
  },
});
const scene = new VipScene(plane, 'test');
const team = new VipScene(plane, 'team');
const cli = new CliOperator('version: 1\nzones: []\n');
afterAll(() => cli.dispose());

/** Every ingress as it is stored, with all of its fields. */
async function stored() {
  const names = Object.keys(WANTED);
  const services = await Promise.all([
    ...names.map((name) => scene.get(name)),
    ...['app', 'guest'].map((name) => team.get(name)),
  ]);
  return services.map(({ metadata, status }) => [metadata.name, status?.['loadBalancer']]);
}

test('a cluster of MetalLB is taken over, and no address moves or goes for an instant', async () => {
  await plane().client.apply(POOLS);
  await Promise.all(Object.entries(WANTED).map(([name, wanted]) => scene.create(name, wanted)));
  await team.create('app', asking({}));
  const served = [...Object.keys(WANTED).map((name) => scene.address(name)), team.address('app')];
  expect((await Promise.all(served)).every((address) => address !== '')).toBe(true);
  // which MetalLB allows to every namespace; it is the last holder, by the second
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  await team.create('guest', GUEST);
  await team.address('guest');
  const before = await stored();
  watch = followIngress(plane());

  await metallb.stop();
  // which MetalLB does not see any more: it stands there before this door reads it
  await scene.patch('two', { metadata: { annotations: { [POOL]: 'named' } } });
  const objects = await plane().kubectl('get', 'ipaddresspools.metallb.io,services', '-A', '-o', 'json');
  const { code, out, err } = await cli.run(['import', '--from', 'metallb', '-'], objects);
  expect([code, err.split('\n', 3)]).toEqual([
    5,
    [
      'ipam: made 3 IPGroups, and 8 IPs of what Services show',
      expect.stringContaining(`metadata.annotations[${POOL}] asks for IPGroup "named": it keeps what it shows`),
      expect.stringContaining('192.0.2.6: team/guest keeps it, and its condition will be False'),
    ],
  ]);
  const file = join(plane().folder, 'import.yaml');
  writeFileSync(file, out);
  await applyInstallation(plane(), {
    services: { enabled: false },
    vips: { enabled: true, classless: true, besideMetalLbClass: true, foreignAnnotations: ['metallb'] },
  });
  await scene.breakGlass('apply', '--server-side', '-f', file);

  await startOperator(plane(), { awaitWebhooks: false });
  await Promise.all(Object.keys(WANTED).map((name) => scene.waits(name, 'Allocated')));
  await team.waits('app', 'Allocated');
  await team.waits('guest', 'Conflict');
  expect(vipCondition(await scene.get('two'))?.message).toContain(
    `; metadata.annotations[${POOL}] names IPGroup "named", and moves no Service that has an address`,
  );
  expect(await stored()).toEqual(before);
  expect(await watch.emptied()).toEqual([]);
  for (const name of ['web', 'named', 'team']) await scene.groupReady(name);
});

test('Services go on asking by the keys of MetalLB, and wait where the IPGroup of a pool is missing', async () => {
  await scene.create('new', asking({ [POOL]: 'named' }));
  await scene.shows('new', '198.51.100.1');
  await scene.create('third', asking({ [SHARING]: 'dns', [ADDRESSES]: '192.0.2.5' }, 443));
  await scene.shows('third', '192.0.2.5');
  await team.create('other', asking({ [SHARING]: 'dns', [ADDRESSES]: '192.0.2.5' }, 8443));
  expect(vipCondition(await team.waits('other', 'RequestedAddressInUse'))?.message).toContain('another namespace');
  await scene.create('later', asking({ [POOL]: 'later' }));
  expect(vipCondition(await scene.waits('later', 'NoMatchingGroup'))?.message).toBe(
    `IPGroup "later", which metadata.annotations[${POOL}] names, does not exist`,
  );
  await scene.group('later', { segment: '10.77.0.0/24' });
  await scene.shows('later', '10.77.0.0');
});

test('a key of MetalLB moves no Service, ours does, the new address before the old one goes', async () => {
  const wish = { 'metallb.universe.tf/loadBalancerIPs': '192.0.2.112' };
  await scene.patch('three', { metadata: { annotations: wish } });
  const told = 'asks for 192.0.2.112, and moves no Service';
  await scene.when('three', (object) => vipCondition(object)?.message.includes(told) === true);
  await scene.shows('three', '192.0.2.111');
  await scene.patch('three', { metadata: { annotations: { 'paas.org/addresses': '192.0.2.112' } } });
  await scene.shows('three', '192.0.2.112');
  expect(await watch.statesOf('test', 'three')).toEqual(['192.0.2.111', '192.0.2.112']);
  await scene.ipGone('192.0.2.111');
  await scene.patch('one', {
    metadata: { annotations: { [ADDRESSES]: '192.0.2.9', 'paas.org/addresses': '192.0.2.8' } },
  });
  const { message } = vipCondition(await scene.waits('one', 'RequestedAddressInvalid')) ?? { message: '' };
  for (const field of [ADDRESSES, 'paas.org/addresses']) expect(message).toContain(`metadata.annotations[${field}]`);
  expect(ingressOf(await scene.get('one'))).toHaveLength(1);
  expect(await watch.statesOf('test', 'one')).toHaveLength(1);
});
