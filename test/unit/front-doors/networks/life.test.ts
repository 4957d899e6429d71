import { NEPHIO, NETWORKS_FINALIZER } from '../../../../operator/contract/nephio';
import { metadataOf } from '../../../../operator/contract/loose-json';
import { conditionOf, statusIn } from '../../../../operator/contract/stored-status';
import { NetworksWorld, selecting } from '../../../support/networks-world';

let world: NetworksWorld;

beforeEach(async () => {
  world = new NetworksWorld();
  await world.open();
});

afterEach(() => world.close());

/** The fixture with everything of it ready. */
async function f2(): Promise<void> {
  world.f2();
  await world.ready('prefix', 'agg0');
  await world.ready('prefix', 'net1-p1');
}

const messageOf = (kind: 'instance' | 'prefix' | 'allocation', name: string, type: string) =>
  String(world.condition(kind, name, type)?.['message']);

test('NET-T1 a prefix waits for its instance, and is served once it is there', async () => {
  world.prefix('agg0', '10.0.0.0/8', { kind: 'aggregate' });
  expect(await world.refused('prefix', 'agg0', 'InstanceNotFound')).toContain('vpc-1');
  expect(world.condition('prefix', 'agg0')).toMatchObject({ status: 'False', reason: 'Failed' });
  expect(world.condition('prefix', 'agg0', 'Synced')).toMatchObject({ status: 'True', reason: 'ReconcileSuccess' });
  world.instance();
  await world.ready('prefix', 'agg0', '10.0.0.0/8');
});

test('NET-T2 a prefix does not find an instance of another namespace', async () => {
  await world.open();
  world.instance();
  await world.ready('instance', 'vpc-1');
  const path = world.path('prefix', 'agg0', 'other');
  world.server.put(path, {
    metadata: { namespace: 'other', name: 'agg0', generation: 1 },
    spec: { kind: 'aggregate', prefix: '10.0.0.0/8', networkInstance: 'vpc-1' },
  });
  const condition = () => conditionOf(statusIn(world.server.get(path) ?? {}), 'Accepted');
  await world.until('it is refused', () => condition()?.['status'] === 'False');
  expect(condition()).toMatchObject({ reason: 'InstanceNotFound' });
  expect(condition()?.['message']).toContain('vpc-1');
  expect(world.record()).toEqual([]);
});

test('NET-T29 a prefix that nothing uses moves with its spec', async () => {
  await f2();
  world.change('prefix', 'net1-p1', { spec: { prefix: '10.0.9.1/24' } });
  await world.ready('prefix', 'net1-p1', '10.0.9.1/24');
  expect(world.record()).toEqual(['10.0.0.0/8=agg0', '10.0.9.0/24=vpc-1', '10.0.9.1=net1-p1']);
});

test('NET-T30 a prefix in use stays where it is, and says by what', async () => {
  await f2();
  world.allocation('alloc1');
  await world.ready('allocation', 'alloc1', '10.0.1.2/32');
  world.change('prefix', 'net1-p1', { spec: { prefix: '10.0.9.1/24' } });
  const told = await world.refused('prefix', 'net1-p1', 'PrefixInUse');
  expect(told).toContain('alloc1');
  expect(told).toContain('10.0.1.1/24 is kept');
  expect(world.shown('net1-p1', 'prefix')).toBe('10.0.1.1/24');
  await world.remove('allocation', 'alloc1');
  await world.ready('prefix', 'net1-p1', '10.0.9.1/24');
});

test('NET-T31 a label of a prefix reaches what waits for it', async () => {
  await f2();
  world.allocation('eu', { selector: selecting('net1', { region: 'a' }) });
  await world.refused('allocation', 'eu', 'NoCandidate');
  world.change('prefix', 'net1-p1', { metadata: { labels: { [NEPHIO.gateway]: 'true', region: 'a' } } });
  expect(await world.ready('allocation', 'eu', '10.0.1.2/32')).toHaveProperty('prefix');
});

test('NET-T53 an allocation of a network that is not there is served once it is', async () => {
  await f2();
  world.allocation('a', { selector: selecting('net9') });
  await world.refused('allocation', 'a', 'NoCandidate');
  world.prefix('net9-p1', '10.0.9.1/24', { network: 'net9' });
  expect(await world.ready('allocation', 'a', '10.0.9.2/32')).toHaveProperty('prefix');
});

test('NET-T72 an allocation that asks for another network has it before it gives the old one back', async () => {
  await f2();
  world.prefix('net2-p1', '10.0.5.1/24', { network: 'net2', labels: { [NEPHIO.gateway]: 'true' } });
  world.allocation('a');
  await world.ready('allocation', 'a', '10.0.1.2/32');
  await world.ready('prefix', 'net2-p1');
  world.change('allocation', 'a', { spec: { selector: selecting('net2') } });
  expect(await world.ready('allocation', 'a', '10.0.5.2/32')).toMatchObject({ gateway: '10.0.5.1' });
  await world.until('10.0.1.2 is free', () => !world.record().some((each) => each.startsWith('10.0.1.2=')));
});

test('NET-T88 NET-T89 a prefix and an allocation of one name keep apart, and long names are served', async () => {
  await f2();
  world.prefix('x', '10.0.1.10/24', { network: 'net1' });
  await world.ready('prefix', 'x');
  world.allocation('x');
  await world.ready('allocation', 'x', '10.0.1.11/32');
  await world.remove('allocation', 'x');
  await world.gone('allocation', 'x');
  expect(world.record()).toContain('10.0.1.10=x');
  expect(world.record().some((each) => each.startsWith('10.0.1.11='))).toBe(false);
  const long = 'a'.repeat(70);
  world.allocation(long);
  await world.ready('allocation', long);
});

test('NET-T90 NET-T91 a prefix that goes takes its own entries, and the last one the subnet', async () => {
  await f2();
  world.prefix('net1-p10', '10.0.1.10/24', { network: 'net1' });
  await world.ready('prefix', 'net1-p10');
  await world.remove('prefix', 'net1-p10');
  await world.gone('prefix', 'net1-p10');
  expect(world.record()).toEqual(['10.0.0.0/8=agg0', '10.0.1.0/24=vpc-1', '10.0.1.1=net1-p1']);
  await world.remove('prefix', 'net1-p1');
  await world.gone('prefix', 'net1-p1');
  expect(world.record()).toEqual(['10.0.0.0/8=agg0']);
});

test('NET-T92 NET-T93 POOL-03 the end of a prefix waits for those that use it', async () => {
  await f2();
  world.allocation('alloc1');
  await world.ready('allocation', 'alloc1');
  await world.remove('prefix', 'net1-p1');
  await world.remove('prefix', 'agg0');
  await world.until('net1-p1 is held', () => world.condition('prefix', 'net1-p1', 'InUse')?.['status'] === 'True');
  expect(messageOf('prefix', 'net1-p1', 'InUse')).toContain('alloc1');
  await world.until('agg0 is held', () => world.condition('prefix', 'agg0', 'InUse') !== undefined);
  world.allocation('late');
  await world.until('late is refused', () => world.condition('allocation', 'late')?.['status'] === 'False');
  await world.remove('allocation', 'late');
  await world.remove('allocation', 'alloc1');
  await world.gone('prefix', 'net1-p1');
  await world.gone('prefix', 'agg0');
  expect(world.record()).toEqual([]);
});

test('NET-T94 a pool that was allocated waits for the pool inside of it', async () => {
  await f2();
  world.allocation('outer', { kind: 'pool', prefixLength: 16, selector: selecting() }, { labels: { site: '1' } });
  await world.ready('allocation', 'outer', '10.1.0.0/16');
  world.allocation('inner', { kind: 'pool', prefixLength: 24, selector: selecting(undefined, { site: '1' }) });
  expect(await world.ready('allocation', 'inner', '10.1.0.0/24')).toHaveProperty('prefix');
  await world.remove('allocation', 'outer');
  await world.until('outer is held', () => world.condition('allocation', 'outer', 'InUse') !== undefined);
  await world.remove('allocation', 'inner');
  await world.gone('allocation', 'outer');
});

test('NET-T95 the end of an instance waits for all that is in it, and nothing new is given', async () => {
  await f2();
  world.allocation('alloc1');
  await world.ready('allocation', 'alloc1');
  await world.remove('instance', 'vpc-1');
  await world.until('it is held', () =>
    messageOf('instance', 'vpc-1', 'InUse').includes('IPAllocation default/alloc1'),
  );
  world.allocation('late');
  await world.refused('allocation', 'late', 'InstanceTerminating');
  expect(world.condition('allocation', 'alloc1')?.['status']).toBe('True');
  for (const name of ['late', 'alloc1']) await world.remove('allocation', name);
  for (const name of ['net1-p1', 'agg0']) await world.remove('prefix', name);
  await world.gone('instance', 'vpc-1');
  expect(world.record()).toEqual([]);
});

test('NET-T55 NET-T57 what cannot be served says why, and can be deleted', async () => {
  await f2();
  world.allocation('a', { selector: { matchLabels: { [NEPHIO.networkName]: 'net1' } } });
  world.create('allocation', 'b', { spec: { kind: 'network' } });
  await world.refused('allocation', 'a', 'InstanceMissing');
  await world.until('b is refused', () => world.condition('allocation', 'b')?.['status'] === 'False');
  for (const name of ['a', 'b']) await world.remove('allocation', name);
  for (const name of ['a', 'b']) await world.gone('allocation', name);
  expect(world.logger.lines.filter(({ level }) => level === 'error')).toEqual([]);
});

test('NET-T37 POOL-08 a freed address goes to the one that waits longest', async () => {
  await f2();
  world.prefix('s', '10.0.3.1/30', { network: 's', labels: { [NEPHIO.gateway]: 'true' } });
  await world.ready('prefix', 's');
  for (const name of ['a', 'b', 'c']) {
    world.allocation(name, { selector: selecting('s') });
    await world.until(`${name} is told`, () => world.condition('allocation', name) !== undefined);
  }
  await world.ready('allocation', 'a', '10.0.3.2/32');
  await world.refused('allocation', 'b', 'PoolExhausted');
  await world.remove('allocation', 'a');
  await world.ready('allocation', 'b', '10.0.3.2/32');
  expect(world.shown('c')).toBe('');
  expect(world.events.filter(({ name }) => name === 'b').map(({ reason }) => reason)).toEqual([
    'PoolExhausted',
    'Accepted',
  ]);
});

test('POOL-09 waiters cost one status each, and one wake for each freed address', async () => {
  await f2();
  world.prefix('s', '10.0.3.1/30', { network: 's', labels: { [NEPHIO.gateway]: 'true' } });
  await world.ready('prefix', 's');
  world.allocation('holder', { selector: selecting('s') });
  await world.ready('allocation', 'holder');
  const names = Array.from({ length: 50 }, (_, index) => `w${String(index).padStart(2, '0')}`);
  for (const name of names) world.allocation(name, { selector: selecting('s') });
  for (const name of names) await world.refused('allocation', name, 'PoolExhausted');
  const writes = () => world.server.calls('PATCH').filter((path) => path.includes('/ipallocations/w')).length;
  expect(writes()).toBeLessThanOrEqual(100);
  const before = writes();
  await world.remove('allocation', 'holder');
  await world.ready('allocation', 'w00', '10.0.3.2/32');
  expect(writes() - before).toBeLessThanOrEqual(3);
});

test('NET-T35 an allocation that is looked at again costs no write', async () => {
  await f2();
  world.allocation('a');
  await world.ready('allocation', 'a', '10.0.1.2/32');
  const { resourceVersion } = metadataOf(world.stored('allocation', 'a'));
  for (let round = 0; round < 10; round++)
    world.change('allocation', 'a', { metadata: { generation: 1, annotations: { n: String(round) } } });
  world.allocation('b');
  await world.ready('allocation', 'b', '10.0.1.3/32');
  const { resourceVersion: after } = metadataOf(world.stored('allocation', 'a'));
  const own = world.server.calls('PATCH').filter((path) => path.endsWith('/ipallocations/a/status'));
  expect(own).toHaveLength(1);
  expect(after).not.toBe(resourceVersion);
});

test('DR-02 a finalizer and a status that were taken off come back', async () => {
  await f2();
  world.allocation('a');
  await world.ready('allocation', 'a', '10.0.1.2/32');
  const object = world.stored('allocation', 'a');
  const { finalizers, ...metadata } = metadataOf(object);
  expect(finalizers).toEqual([NETWORKS_FINALIZER]);
  world.server.put(world.path('allocation', 'a'), { ...object, metadata, status: {} });
  await world.ready('allocation', 'a', '10.0.1.2/32');
  expect(metadataOf(world.stored('allocation', 'a'))['finalizers']).toEqual([NETWORKS_FINALIZER]);
});

test('NET-E7 a gateway that comes later is shown by what was given before', async () => {
  world.instance();
  world.prefix('net1-p9', '10.0.1.9/24', { network: 'net1' });
  world.allocation('a');
  expect(await world.ready('allocation', 'a')).not.toHaveProperty('gateway');
  world.prefix('gateway', '10.0.1.254/24', { network: 'net1', labels: { [NEPHIO.gateway]: 'true' } });
  await world.until('it is shown', () => statusIn(world.stored('allocation', 'a'))['gateway'] === '10.0.1.254');
});

test('a prefix counts its addresses, each once', async () => {
  await f2();
  world.allocation('a');
  await world.ready('allocation', 'a');
  await world.until('it counts', () => statusIn(world.stored('prefix', 'net1-p1'))['used'] === '2');
  expect(statusIn(world.stored('prefix', 'net1-p1'))).toMatchObject({
    total: '254',
    used: '2',
    free: '252',
    excluded: '0',
  });
});

test('POOL-01 excluded addresses are not given, and come back when the exclusion ends', async () => {
  world.instance();
  world.prefix('s', '10.0.3.1/29', {
    network: 's',
    excluded: ['10.0.3.2-10.0.3.5'],
    labels: { [NEPHIO.gateway]: 'true' },
  });
  await world.ready('prefix', 's');
  for (const name of ['a', 'b']) {
    world.allocation(name, { selector: selecting('s') });
    await world.until(`${name} is told`, () => world.condition('allocation', name) !== undefined);
  }
  await world.ready('allocation', 'a', '10.0.3.6/32');
  await world.refused('allocation', 'b', 'PoolExhausted');
  world.change('prefix', 's', { spec: { excluded: [] } });
  expect(await world.ready('allocation', 'b')).toHaveProperty('prefix');
});

test('a range gives to those that select it, and its prefix waits for them', async () => {
  await f2();
  world.prefix('dhcp', '10.0.1.0/24', { network: 'net1', range: '10.0.1.100-10.0.1.110', labels: { use: 'dhcp' } });
  await world.ready('prefix', 'dhcp');
  world.allocation('a', { selector: selecting('net1', { use: 'dhcp' }) });
  await world.ready('allocation', 'a', '10.0.1.100/32');
  await world.remove('prefix', 'dhcp');
  await world.until('it is held', () => messageOf('prefix', 'dhcp', 'InUse').includes('IPAllocation default/a'));
  await world.remove('allocation', 'a');
  await world.gone('prefix', 'dhcp');
  expect(world.record()).toEqual(['10.0.0.0/8=agg0', '10.0.1.0/24=vpc-1', '10.0.1.1=net1-p1']);
});

test('a claim that is carried out late, for an allocation that went meanwhile, ends without a grace', async () => {
  await f2();
  world.allocation('a');
  await world.ready('allocation', 'a', '10.0.1.2/32');
  const [path = ''] = world.server.allPaths('addressclaims').filter((each) => each.endsWith('.10.0.1.2'));
  const claim = world.server.get(path);
  if (claim === undefined) throw new TypeError('there is no claim of 10.0.1.2');
  await world.remove('allocation', 'a');
  await world.gone('allocation', 'a');
  await world.until('its address is free', () => world.server.get(path) === undefined);
  const { uid: _uid, resourceVersion: _version, ...metadata } = metadataOf(claim);
  world.server.put(path, { ...claim, metadata });
  await world.until('the late claim is gone', () => world.server.get(path) === undefined);
  expect(world.record()).not.toContain('10.0.1.2=a');
});

test('an entry that was made by hand blocks its space, around and inside, and counts as used', async () => {
  await f2();
  world.otherClaim('default.vpc-1', '10.0.2.0/24', { door: 'networks' });
  world.otherClaim('default.vpc-1', '10.0.1.2', { door: 'networks' });
  world.prefix('inside', '10.0.2.1/28', { network: 'net2' });
  expect(await world.refused('prefix', 'inside', 'PrefixInUse')).toContain('Namespace shop holds "10.0.2.0/24"');
  world.prefix('around', '10.0.2.1/23', { network: 'net3' });
  expect(await world.refused('prefix', 'around', 'PrefixInUse')).toContain('Namespace shop holds "10.0.2.0/24"');
  world.allocation('a');
  await world.ready('allocation', 'a', '10.0.1.3/32');
  world.allocation('wish', { prefix: '10.0.1.2/24' });
  expect(await world.refused('allocation', 'wish', 'PrefixInUse')).toContain('Namespace shop');
  const pool = { kind: 'pool', prefixLength: 24, selector: selecting() };
  for (const name of ['p1', 'p2']) world.allocation(name, pool);
  await world.ready('allocation', 'p1', '10.0.0.0/24');
  await world.ready('allocation', 'p2', '10.0.3.0/24');
  await world.until('both are counted', () => statusIn(world.stored('prefix', 'agg0'))['used'] === '1024');
  await world.until('the address is counted', () => statusIn(world.stored('prefix', 'net1-p1'))['used'] === '3');
  await world.until('the instance shows it', () =>
    JSON.stringify(statusIn(world.stored('instance', 'vpc-1'))['allocations']).includes('10.0.2.0/24'),
  );
  await world.remove('prefix', 'agg0');
  await world.until('the aggregate names who is in it', () => messageOf('prefix', 'agg0', 'InUse').includes('shop'));
});
