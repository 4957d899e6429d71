import type { IpamOperatorProps } from '../../constructs';
import { ClaimScene, readyOf } from './support/claim-scene';
import { CutScene } from './support/cut-scene';
import { eventually } from './support/eventually';
import { applyInstallation, synthesizedYaml } from './support/installation';
import { installClusterApiKinds } from './support/neighbours';
import { grantFor, grantsIn, textOf, usesUntilNow } from './support/rights';
import { useControlPlane } from './support/use-control-plane';
import { clearVips, VipScene } from './support/vip-scene';

const USER = 'system:serviceaccount:ipam-system:ipam-controller-manager';
const PROPS: Partial<IpamOperatorProps> = {
  services: { enabled: false },
  vips: { enabled: true, orphanGraceSeconds: 3 },
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
    await vips.open();
  },
});
const vips = new VipScene(plane, 'test');
const claims = new ClaimScene(plane, 'test');
beforeEach(async () => {
  await vips.group('web', { segment: '192.0.2.0/29', excludedIPs: ['192.0.2.0'] });
  await vips.groupReady('web');
});
afterEach(async () => {
  await claims.clear();
  await clearVips(plane(), vips);
});

/** Long before a look at everything, on a busy machine too. */
const AT_ONCE_MS = 30_000;

/** Lets what is under way come to its end: nothing of it is to be seen. */
const quiet = (ms = 1_500): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const holders = async (): Promise<readonly string[]> => vips.holders();

test('gives a claim an address, by the contract of Cluster API', async () => {
  await claims.create('cp', { metadata: { labels: { 'cluster.x-k8s.io/cluster-name': 'prod' } } });
  await quiet();
  // whether its Cluster is paused cannot be told
  expect((await claims.get('cp')).metadata.finalizers).toBeUndefined();
  await claims.cluster('prod', false);
  expect(await claims.has('cp')).toBe('192.0.2.1');
  const claim = await claims.get('cp');
  expect(claim.metadata.finalizers).toEqual(['ipam.cluster.x-k8s.io/ReleaseAddress']);
  expect(claim.status?.['addressRef']).toEqual({ name: 'cp' });
  const group = await vips.groupReady('web');
  const { metadata, spec } = await claims.address('cp');
  const owner = {
    apiVersion: 'ipam.cluster.x-k8s.io/v1beta2',
    kind: 'IPAddressClaim',
    name: 'cp',
    uid: claim.metadata.uid,
  };
  const pool = { apiVersion: 'paas.org/v1', kind: 'IPGroup', name: 'web', uid: group.metadata.uid };
  expect(metadata).toMatchObject({
    finalizers: ['ipam.cluster.x-k8s.io/ProtectAddress'],
    labels: { 'cluster.x-k8s.io/cluster-name': 'prod' },
    ownerReferences: [
      { ...owner, controller: true, blockOwnerDeletion: true },
      { ...pool, controller: false, blockOwnerDeletion: true },
    ],
  });
  expect(spec).toEqual({
    address: '192.0.2.1',
    prefix: 29,
    claimRef: { name: 'cp' },
    poolRef: { apiGroup: 'paas.org', kind: 'IPGroup', name: 'web' },
  });
  const ip = await vips.ipWhen('192.0.2.1', () => true);
  expect(ip.spec?.['holders']).toMatchObject([{ kind: 'IPAddressClaim', namespace: 'test', name: 'cp' }]);
});

test('gives the address back when the claim is deleted, the IPAddress first', async () => {
  await claims.create('cp');
  await claims.has('cp');
  await claims.remove('cp');
  await vips.ipGone('192.0.2.1');
  expect(await holders()).toEqual([]);
});

test('shares a group with Services, and gives no address twice', async () => {
  await vips.create('a');
  await vips.shows('a', '192.0.2.1');
  await claims.create('cp');
  expect(await claims.has('cp')).toBe('192.0.2.2');
  await vips.create('b', { spec: { loadBalancerIP: '192.0.2.2' } });
  const waiting = await vips.waits('b', 'RequestedAddressInUse');
  expect(JSON.stringify(waiting.status)).toContain('IPAddressClaim test/cp has it');
  await vips.endGroup('web');
  await vips.groupWhen('web', ({ status }) =>
    JSON.stringify(status?.['conditions']).includes('IPAddressClaim test/cp'),
  );
  await claims.remove('cp');
  await vips.remove('a');
  await vips.groupGone('web');
});

test('moves nothing on a restart, and writes nothing', async () => {
  for (const name of ['a', 'b']) await claims.create(name);
  const before = [await claims.has('a'), await claims.has('b')];
  const objects = async () => Promise.all(['a', 'b'].flatMap((name) => [claims.get(name), claims.address(name)]));
  const stored = await objects();
  await cuts.operator.restart();
  await claims.create('c');
  await claims.has('c');
  expect(await objects()).toEqual(stored);
  expect([await claims.has('a'), await claims.has('b')]).toEqual(before);
});

test('serves the oldest waiting claim at once when an address is free', async () => {
  await vips.group('one', { segment: '198.51.100.7/32' });
  await vips.groupReady('one');
  const poolRef = { name: 'one' };
  await claims.create('first', { poolRef });
  await claims.has('first');
  await claims.create('second', { poolRef });
  await claims.waits('second', 'PoolExhausted');
  await quiet(1_100); // times of objects are in seconds
  await claims.create('third', { poolRef });
  const third = await claims.waits('third', 'PoolExhausted');
  expect([third.status?.['addressRef'], readyOf(third)?.message]).toEqual([
    undefined,
    'no IPv4 address is free in IPGroup one',
  ]);
  await claims.remove('first');
  const from = performance.now();
  expect(await claims.has('second')).toBe('198.51.100.7');
  expect(performance.now() - from).toBeLessThan(AT_ONCE_MS);
  await quiet();
  expect(readyOf(await claims.get('third'))?.reason).toBe('PoolExhausted');
  await vips.changeGroup('one', { segment: '198.51.100.6/31' });
  expect(await claims.has('third')).toBe('198.51.100.6');
});

test('waits for a group that does not exist, and leaves claims of other providers alone', async () => {
  await claims.create('early', { poolRef: { name: 'late' } });
  expect(readyOf(await claims.waits('early', 'PoolNotReady'))?.message).toBe('IPGroup late does not exist');
  await claims.create('other', { poolRef: { apiGroup: 'ipam.example.com', kind: 'IPGroup' } });
  await claims.create('kind', { poolRef: { kind: 'InClusterIPPool' } });
  await vips.group('late', { segment: '203.0.113.0/30' });
  expect(await claims.has('early')).toBe('203.0.113.0');
  for (const name of ['other', 'kind']) {
    const { metadata, status } = await claims.get(name);
    expect([metadata.finalizers, status]).toEqual([undefined, undefined]);
  }
});

test('serves only the namespaces of the group', async () => {
  await vips.group('closed', { segment: '203.0.113.8/30', namespaces: { matchLabels: { team: 'infra' } } });
  await vips.groupReady('closed');
  await claims.create('cp', { poolRef: { name: 'closed' } });
  const waiting = await claims.waits('cp', 'PoolNotReady');
  expect(readyOf(waiting)?.message).toContain('does not serve the namespace test (spec.namespaces)');
  await plane().client.request(
    'PATCH',
    '/api/v1/namespaces/test',
    { metadata: { labels: { team: 'infra' } } },
    'merge',
  );
  expect(await claims.has('cp')).toBe('203.0.113.8');
});

test('does nothing about what is paused, and goes on after that', async () => {
  await claims.cluster('paused', true);
  await claims.create('held', { spec: { clusterName: 'paused' } });
  const key = 'cluster.x-k8s.io/paused';
  await claims.create('noted', { metadata: { annotations: { [key]: '' } } });
  await quiet();
  for (const name of ['held', 'noted']) expect((await claims.get(name)).status).toBeUndefined();
  await claims.cluster('paused', false);
  expect(await claims.has('held')).toBe('192.0.2.1');
  await plane().client.request('PATCH', claims.path('noted'), { metadata: { annotations: { [key]: null } } }, 'merge');
  expect(await claims.has('noted')).toBe('192.0.2.2');
  await claims.cluster('paused', true);
  await claims.end('held');
  await quiet();
  expect(await holders()).toEqual(['192.0.2.1=test/held', '192.0.2.2=test/noted']);
  await claims.cluster('paused', false);
  await claims.gone('held');
  await vips.ipGone('192.0.2.1');
});

test('keeps the address of a living claim, whatever is deleted', async () => {
  await claims.create('cp');
  await claims.has('cp');
  const path = claims.addressPath('cp');
  await plane().client.request('DELETE', path);
  expect((await claims.address('cp')).metadata.deletionTimestamp).toBeDefined();
  await plane().client.request('PATCH', path, { metadata: { finalizers: [] } }, 'merge');
  await eventually(async () => (await plane().client.attempt('GET', path)).status === 200);
  expect(await claims.has('cp')).toBe('192.0.2.1');
  await vips.breakGlass('delete', 'ips.paas.org', '192.0.2.1');
  await vips.ipWhen('192.0.2.1', ({ spec }) => spec?.['owner']?.['name'] === 'cp');
});

test('gives back what a claim had that was taken away past its finalizer', async () => {
  await claims.create('cp');
  await claims.has('cp');
  await claims.end('cp');
  await plane().client.attempt('PATCH', claims.path('cp'), { metadata: { finalizers: [] } }, 'merge');
  await claims.gone('cp');
  await vips.ipGone('192.0.2.1');
  expect(await holders()).toEqual([]);
});

test('puts the addresses of IPAddresses on record that came from elsewhere, before it gives any', async () => {
  await claims.create('moved');
  await claims.create('next');
  await claims.has('moved');
  await claims.has('next');
  const [moved, next] = [await claims.has('moved'), await claims.has('next')];
  await cuts.operator.kill();
  await vips.breakGlass('delete', 'ips.paas.org', '--all');
  await vips.create('service');
  await cuts.operator.restart();
  await vips.shows('service', '192.0.2.3');
  expect([await claims.has('moved'), await claims.has('next')]).toEqual([moved, next]);
  expect(await holders()).toEqual([
    `192.0.2.1=test/${moved === '192.0.2.1' ? 'moved' : 'next'}`,
    `192.0.2.2=test/${moved === '192.0.2.2' ? 'moved' : 'next'}`,
    '192.0.2.3=test/service',
  ]);
});

test('gives back after a time what is on record for a claim that is not stored', async () => {
  await claims.create('cp');
  await claims.has('cp');
  await cuts.operator.kill();
  await claims.end('cp');
  for (const path of [claims.addressPath('cp'), claims.path('cp')])
    await plane().client.request('PATCH', path, { metadata: { finalizers: [] } }, 'merge');
  await cuts.operator.restart();
  await quiet();
  expect(await holders()).toEqual(['192.0.2.1=test/cp']);
  await vips.ipGone('192.0.2.1');
});

test('waits where an IPAddress of the name is none of the claim', async () => {
  const metadata = { name: 'cp', namespace: 'test' };
  const pool = { apiGroup: 'ipam.example.com', kind: 'Other', name: 'web' };
  await plane().client.request('POST', claims.addressPath(), {
    apiVersion: 'ipam.cluster.x-k8s.io/v1beta2',
    kind: 'IPAddress',
    metadata,
    spec: { address: '192.0.2.1', prefix: 24, claimRef: { name: 'cp' }, poolRef: pool },
  });
  await claims.create('cp');
  expect(readyOf(await claims.waits('cp', 'AllocationFailed'))?.message).toContain('exists already');
  await plane().client.request('DELETE', claims.addressPath('cp'));
  expect(await claims.has('cp')).toBe('192.0.2.1');
});

describe('killed at each of its writes', () => {
  test.each(['before', 'after'] as const)(
    '%s it, it serves and releases all the same',
    async (side) => {
      await vips.group('wide', { segment: '203.0.113.128/25' });
      await vips.groupReady('wide');
      const name = (verb: string, write: number): string => `${verb}-${side}-${String(write)}`;
      const held = async (claim: string): Promise<number> =>
        (await holders()).filter((each) => each.endsWith(`=test/${claim}`)).length;
      const isServed = async (claim: string): Promise<boolean> =>
        readyOf(await claims.get(claim))?.status === 'True' && (await held(claim)) === 1;
      const served = await cuts.walk('api', side, (write) => {
        const claim = name('c', write);
        return Promise.resolve({
          send: async () => {
            await claims.create(claim, { poolRef: { name: 'wide' } });
            return true;
          },
          isDone: () => isServed(claim),
        });
      });
      const released = await cuts.walk('api', side, async (write) => {
        const claim = name('d', write);
        await claims.create(claim, { poolRef: { name: 'wide' } });
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
      const all = (await holders()).map((each) => each.split('=')[1]);
      expect(new Set(all).size).toBe(all.length);
    },
    400_000,
  );
});

test('has all of the rights that it needs, and few more', async () => {
  const grants = grantsIn(synthesizedYaml(plane().folder, PROPS).objects);
  const uses = await usesUntilNow(plane(), USER);
  expect(uses.filter(({ status }) => status === 401 || status === 403).map(textOf)).toEqual([]);
  const asked = uses.filter(({ resource }) => !resource.startsWith('/'));
  expect(asked.filter((use) => grantFor(use, grants) === undefined).map(textOf)).toEqual([]);
  const used = new Set(uses.map((use) => grantFor(use, grants)).map((grant) => grant && textOf(grant)));
  const unused = grants.map(textOf).filter((text) => !used.has(text) && text.includes('cluster.x-k8s.io'));
  // update of IPAddresses puts owners back; the admission of owner references is asked only where it is on
  expect(unused).toEqual([
    'update ipaddresses.ipam.cluster.x-k8s.io',
    'update ipaddressclaims/finalizers.ipam.cluster.x-k8s.io',
  ]);
});
