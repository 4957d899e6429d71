import type { IpamOperatorProps } from '../../constructs';
import { ClaimScene, readyOf } from './support/claim-scene';
import { CutScene } from './support/cut-scene';
import { eventually } from './support/eventually';
import { applyInstallation, synthesizedYaml } from './support/installation';
import { installClusterApiKinds } from './support/neighbours';
import { conditionOf, GATEWAY, NetworkScene } from './support/network-scene';
import { grantFor, grantsIn, textOf, usesUntilNow } from './support/rights';
import { useControlPlane } from './support/use-control-plane';

const USER = 'system:serviceaccount:ipam-system:ipam-controller-manager';
// without the VIPs door
const PROPS: Partial<IpamOperatorProps> = {
  services: { enabled: false },
  networks: { enabled: true, orphanGraceSeconds: 3 },
  clusterApi: { enabled: true },
};

let cuts: CutScene;
const plane = useControlPlane({
  audit: true,
  programs: ['cluster-api'],
  prepare: async (control) => {
    await installClusterApiKinds(control);
    await applyInstallation(control, PROPS);
    cuts = await CutScene.start(control, { awaitWebhooks: false });
    await scene.open(control);
  },
});
const scene = new NetworkScene(plane, 'test');
const claims = new ClaimScene(plane, 'test');
beforeEach(() => scene.f2());
afterEach(async () => {
  await claims.clear();
  await scene.clear();
}, 60_000);

const pool = (kind: string, name: string) => ({ apiGroup: 'ipam.nephio.org', kind, name });
const net1 = { poolRef: pool('IPPrefix', 'net1-p1') };

test('an IPPrefix gives a claim an address of its subnet, with length and gateway', async () => {
  await claims.create('cp', net1);
  expect(await claims.has('cp')).toBe('10.0.1.2');
  const { metadata, spec } = await claims.address('cp');
  expect(spec).toEqual({
    address: '10.0.1.2',
    prefix: 24,
    gateway: '10.0.1.1',
    claimRef: { name: 'cp' },
    poolRef: pool('IPPrefix', 'net1-p1'),
  });
  const { uid } = (await scene.get('prefix', 'net1-p1')).metadata;
  expect(metadata).toMatchObject({
    ownerReferences: [
      { kind: 'IPAddressClaim', name: 'cp', controller: true },
      { apiVersion: 'ipam.nephio.org/v1alpha1', kind: 'IPPrefix', name: 'net1-p1', uid, controller: false },
    ],
  });
  expect(await scene.record()).toContain('10.0.1.2=cp');
  await claims.remove('cp');
  await eventually(async () => !(await scene.record()).includes('10.0.1.2=cp'));
});

test('a NetworkInstance gives from the network that the claim names', async () => {
  await scene.prefix('lo', '10.255.0.0/30', { kind: 'loopback' });
  await scene.prefix('net6', '2001:db8:1:1::1/64', { network: 'net6', labels: GATEWAY });
  const poolRef = pool('NetworkInstance', 'vpc-1');
  await claims.create('none', { poolRef });
  expect(readyOf(await claims.waits('none', 'PoolNotReady'))?.message).toContain('ipam.vitistack.io/network-name');
  await claims.create('six', {
    poolRef,
    metadata: { annotations: { 'ipam.vitistack.io/network-name': 'net6' } },
  });
  expect(await claims.has('six')).toBe('2001:db8:1:1::2');
  expect((await claims.address('six')).spec).toMatchObject({ prefix: 64, gateway: '2001:db8:1:1::1' });
  await claims.create('lo', { poolRef: pool('IPPrefix', 'lo') });
  expect(await claims.has('lo')).toBe('10.255.0.0');
  expect((await claims.address('lo')).spec).toMatchObject({ prefix: 32 });
});

test('claims and IPAllocations draw from one table, and none is given twice', async () => {
  const names = Array.from({ length: 24 }, (_, index) => `n${String(index)}`);
  await Promise.all(names.flatMap((name) => [claims.create(name, net1), scene.allocation(name)]));
  const given: string[] = [];
  for (const name of names) {
    given.push(await claims.has(name));
    given.push(String((await scene.ready('allocation', name)).status?.['prefix']).replace('/32', ''));
  }
  expect(new Set(given).size).toBe(48);
  const onRecord = (await scene.record()).filter((each) => /=n\d+$/u.test(each));
  expect(new Set(onRecord.map((each) => each.split('=')[0]))).toEqual(new Set(given));
});

test('the oldest waiting claim has an address at once when one is free, and the pool names its users', async () => {
  await scene.prefix('link', '10.0.9.0/31', { network: 'link' });
  await scene.ready('prefix', 'link');
  const link = { poolRef: pool('IPPrefix', 'link') };
  await claims.create('first', link);
  expect(await claims.has('first')).toBe('10.0.9.1');
  await claims.create('second', link);
  expect(readyOf(await claims.waits('second', 'PoolExhausted'))?.message).toBe('no address is free in IPPrefix link');
  await claims.remove('first');
  expect(await claims.has('second')).toBe('10.0.9.1');
  await scene.remove('prefix', 'link');
  const held = await scene.when('prefix', 'link', (each) => conditionOf(each, 'InUse') !== undefined);
  expect(conditionOf(held, 'InUse')?.message).toContain('IPAddressClaim test/second');
  await claims.remove('second');
  await scene.gone('prefix', 'link');
});

test('moves nothing on a restart, also without the claims of the record', async () => {
  for (const name of ['a', 'b']) await claims.create(name, net1);
  const before = [await claims.has('a'), await claims.has('b')];
  await cuts.operator.kill();
  const asBreakGlass = ['--as=admin', '--as-group=ipam-break-glass', '--as-group=system:masters'];
  await plane().kubectl(...asBreakGlass, 'delete', 'addressclaims', '--all');
  await scene.allocation('new');
  await cuts.operator.restart();
  await scene.ready('allocation', 'new', '10.0.1.4/32');
  expect([await claims.has('a'), await claims.has('b')]).toEqual(before);
  await eventually(async () => {
    const record = await scene.record();
    return record.includes(`${before[0] ?? ''}=a`) && record.includes(`${before[1] ?? ''}=b`);
  });
});

describe('killed at each of its writes', () => {
  test.each(['before', 'after'] as const)(
    '%s it, it serves and releases all the same',
    async (side) => {
      const name = (verb: string, write: number): string => `${verb}-${side}-${String(write)}`;
      const held = async (claim: string): Promise<number> =>
        (await scene.record()).filter((each) => each.endsWith(`=${claim}`)).length;
      const isServed = async (claim: string): Promise<boolean> =>
        readyOf(await claims.get(claim))?.status === 'True' && (await held(claim)) === 1;
      const served = await cuts.walk('api', side, (write) => {
        const claim = name('c', write);
        return Promise.resolve({
          send: async () => {
            await claims.create(claim, net1);
            return true;
          },
          isDone: () => isServed(claim),
        });
      });
      const released = await cuts.walk('api', side, async (write) => {
        const claim = name('d', write);
        await claims.create(claim, net1);
        await eventually(() => isServed(claim));
        return {
          send: async () => {
            await claims.end(claim);
            return true;
          },
          isDone: async () =>
            (await plane().client.attempt('GET', claims.path(claim))).status === 404 && (await held(claim)) === 0,
        };
      });
      expect([served >= 4, released >= 3]).toEqual([true, true]);
    },
    900_000,
  );
});

test('has all of the rights that it needs, and no others on objects of Cluster API', async () => {
  const grants = grantsIn(synthesizedYaml(plane().folder, PROPS).objects);
  const uses = await usesUntilNow(plane(), USER);
  expect(uses.filter(({ status }) => status === 401 || status === 403).map(textOf)).toEqual([]);
  const asked = uses.filter(({ resource }) => !resource.startsWith('/'));
  expect(asked.filter((use) => grantFor(use, grants) === undefined).map(textOf)).toEqual([]);
  const finalizers = grants.map(textOf).filter((text) => text.includes('/finalizers'));
  expect(finalizers.toSorted()).toEqual([
    'update ipaddressclaims/finalizers.ipam.cluster.x-k8s.io',
    'update ipprefixes/finalizers.ipam.nephio.org',
    'update networkinstances/finalizers.ipam.nephio.org',
  ]);
});
