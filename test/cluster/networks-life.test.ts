import { eventually } from './support/eventually';
import { conditionOf, GATEWAY, NetworkScene, shownIn } from './support/network-scene';
import { useNetworks } from './support/use-networks';

const { plane, scene } = useNetworks();
afterEach(() => scene.clear(), 60_000);

const inUse = (kind: 'instance' | 'prefix' | 'allocation', name: string, by: string) =>
  scene.when(kind, name, (each) => conditionOf(each, 'InUse')?.message.includes(by) === true);

test('NET-T29 NET-T30 a prefix moves with its spec unless something uses it', async () => {
  await scene.f2();
  await scene.patch('prefix', 'net1-p1', { spec: { prefix: '10.0.9.1/24' } });
  await scene.ready('prefix', 'net1-p1', '10.0.9.1/24');
  expect(await scene.record()).toEqual(['10.0.0.0/8=agg0', '10.0.9.0/24=vpc-1', '10.0.9.1=net1-p1']);
  await scene.allocation('alloc1');
  await scene.ready('allocation', 'alloc1', '10.0.9.2/32');
  await scene.patch('prefix', 'net1-p1', { spec: { prefix: '10.0.1.1/24' } });
  expect(await scene.refused('prefix', 'net1-p1', 'PrefixInUse')).toContain('alloc1');
  expect(shownIn(await scene.get('prefix', 'net1-p1'))).toBe('10.0.9.1/24');
  await scene.remove('allocation', 'alloc1');
  await scene.ready('prefix', 'net1-p1', '10.0.1.1/24');
});

test('NET-T53 an allocation is served once its network is there', async () => {
  await scene.f2();
  await scene.allocation('a', { selector: scene.selecting('net9') });
  await scene.refused('allocation', 'a', 'NoCandidate');
  await scene.prefix('net9-p1', '10.0.9.1/24', { network: 'net9' });
  expect(shownIn(await scene.ready('allocation', 'a'))).toBe('10.0.9.2/32');
});

test('NET-T72 an allocation changes its network, and gives the old address back', async () => {
  await scene.f2();
  await scene.prefix('net2-p1', '10.0.5.1/24', { network: 'net2', labels: GATEWAY });
  await scene.ready('prefix', 'net2-p1');
  await scene.allocation('a');
  await scene.ready('allocation', 'a', '10.0.1.2/32');
  await scene.patch('allocation', 'a', { spec: { selector: scene.selecting('net2') } });
  expect((await scene.ready('allocation', 'a', '10.0.5.2/32')).status).toMatchObject({ gateway: '10.0.5.1' });
  // the new one is told before the old one is given back
  await eventually(async () => !(await scene.record()).some((each) => each.startsWith('10.0.1.2=')));
  await scene.allocation('next');
  await scene.ready('allocation', 'next', '10.0.1.2/32');
});

test('NET-T88 NET-T89 NET-T90 NET-T91 objects keep apart by kind, and take their own entries with them', async () => {
  await scene.f2();
  await scene.prefix('x', '10.0.1.10/24', { network: 'net1' });
  await scene.ready('prefix', 'x');
  await scene.allocation('x');
  await scene.ready('allocation', 'x', '10.0.1.11/32');
  const long = 'a'.repeat(70);
  await scene.allocation(long);
  await scene.ready('allocation', long);
  for (const name of ['x', long]) {
    await scene.remove('allocation', name);
    await scene.gone('allocation', name);
  }
  expect(await scene.record()).toEqual(['10.0.0.0/8=agg0', '10.0.1.0/24=vpc-1', '10.0.1.10=x', '10.0.1.1=net1-p1']);
  for (const name of ['x', 'net1-p1']) {
    await scene.remove('prefix', name);
    await scene.gone('prefix', name);
  }
  expect(await scene.record()).toEqual(['10.0.0.0/8=agg0']);
});

test('NET-T92 NET-T93 POOL-03 prefixes wait for those that use them', async () => {
  await scene.f2();
  await scene.allocation('alloc1');
  await scene.ready('allocation', 'alloc1');
  for (const name of ['net1-p1', 'agg0']) await scene.remove('prefix', name);
  await inUse('prefix', 'net1-p1', '1 in use: IPAllocation test/alloc1');
  expect(conditionOf(await inUse('prefix', 'agg0', 'in use'), 'InUse')?.status).toBe('True');
  await scene.remove('allocation', 'alloc1');
  for (const name of ['net1-p1', 'agg0']) await scene.gone('prefix', name);
  expect(await scene.record()).toEqual([]);
});

test('NET-T94 a pool that was allocated waits for the pool inside of it', async () => {
  await scene.f2();
  const pool = (prefixLength: number, more?: Readonly<Record<string, string>>) => ({
    kind: 'pool',
    prefixLength,
    selector: scene.selecting(undefined, more),
  });
  await scene.allocation('outer', { ...pool(16), labels: { site: '1' } });
  await scene.ready('allocation', 'outer', '10.1.0.0/16');
  await scene.allocation('inner', pool(24, { site: '1' }));
  await scene.ready('allocation', 'inner', '10.1.0.0/24');
  await scene.remove('allocation', 'outer');
  expect(conditionOf(await inUse('allocation', 'outer', 'inner'), 'InUse')?.status).toBe('True');
  await scene.remove('allocation', 'inner');
  await scene.gone('allocation', 'outer');
});

test('NET-T95 an instance waits for all that is in it, and gives nothing new', async () => {
  await scene.f2();
  await scene.allocation('alloc1');
  await scene.ready('allocation', 'alloc1');
  await scene.remove('instance', 'vpc-1');
  await inUse('instance', 'vpc-1', 'IPAllocation test/alloc1');
  await scene.allocation('late');
  expect(await scene.refused('allocation', 'late', 'InstanceTerminating')).toContain('vpc-1');
  expect(conditionOf(await scene.get('allocation', 'alloc1'))?.status).toBe('True');
  for (const name of ['late', 'alloc1']) await scene.remove('allocation', name);
  for (const name of ['net1-p1', 'agg0']) await scene.remove('prefix', name);
  await scene.gone('instance', 'vpc-1');
});

test('DEL-02 a namespace ends with everything that is in it', async () => {
  const other = new NetworkScene(plane, 'ending');
  await other.open();
  await other.f2();
  await other.allocation('a');
  await other.ready('allocation', 'a', '10.0.1.2/32');
  const { client } = plane();
  for (const kind of ['allocation', 'prefix', 'instance'] as const) await client.request('DELETE', other.path(kind));
  for (const kind of ['allocation', 'prefix', 'instance'] as const) await client.watchUntilEmpty(other.path(kind));
  expect(await other.record()).toEqual([]);
});

test('POOL-08 a freed address goes to the one that waits longest', async () => {
  await scene.instance();
  await scene.prefix('s', '10.0.3.1/30', { network: 's', labels: GATEWAY });
  await scene.ready('prefix', 's');
  await scene.allocation('a', { selector: scene.selecting('s') });
  await scene.ready('allocation', 'a', '10.0.3.2/32');
  for (const name of ['b', 'c']) {
    await scene.allocation(name, { selector: scene.selecting('s') });
    await scene.refused('allocation', name, 'PoolExhausted');
    // ages are told in whole seconds
    await new Promise((resolve) => setTimeout(resolve, 1_100));
  }
  await scene.remove('allocation', 'a');
  await scene.ready('allocation', 'b', '10.0.3.2/32');
  expect(shownIn(await scene.get('allocation', 'c'))).toBe('');
});

test('the garbage collector ends an allocation with the Service that it names as its owner', async () => {
  await scene.f2();
  const { metadata } = await scene.service('owner');
  await scene.allocation('owned', { ownerRef: { apiVersion: 'v1', kind: 'Service', name: 'owner' } });
  await scene.ready('allocation', 'owned', '10.0.1.2/32');
  expect((await scene.get('allocation', 'owned')).metadata).toMatchObject({
    ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name: 'owner', uid: metadata.uid }],
  });
  await plane().client.request('DELETE', '/api/v1/namespaces/test/services/owner');
  await scene.gone('allocation', 'owned');
  await eventually(async () => !(await scene.record()).includes('10.0.1.2=owned'));
});
