import { ADDRESS_CLAIM } from '../../../../operator/contract/kinds/address-claim';
import { mapOf, metadataOf, type JsonMap } from '../../../../operator/contract/loose-json';
import { statusIn } from '../../../../operator/contract/stored-status';
import { NetworksWorld, type WorldKind } from '../../../support/networks-world';

let world: NetworksWorld;

beforeEach(() => {
  world = new NetworksWorld();
});

afterEach(() => world.close());

const { group, version, plural } = ADDRESS_CLAIM;
const CLAIMS = `/apis/${group}/${version}/${plural}`;

const removeClaim = (claim: JsonMap): void => {
  world.server.remove(`${CLAIMS}/${String(metadataOf(claim)['name'])}`);
};

/** Takes away the claim of an object, as by hand. */
function removeClaimOf(name: string): void {
  const claim = world.server.all(CLAIMS).find(({ spec }) => mapOf(mapOf(spec)['holder'])['name'] === name);
  removeClaim(claim ?? {});
}

/** Takes away an object without the operator, and stores it later under another UID, with its status. */
function taken(kind: WorldKind, name: string): () => void {
  const { uid: _uid, resourceVersion: _version, ...metadata } = metadataOf(world.stored(kind, name));
  const object = { ...world.stored(kind, name), metadata };
  world.server.remove(world.path(kind, name));
  return () => {
    world.server.put(world.path(kind, name), object);
  };
}

async function served(...names: readonly string[]): Promise<() => Promise<void>> {
  world.f2();
  const close = await world.open();
  await world.ready('prefix', 'net1-p1');
  for (const name of names) {
    world.allocation(name);
    await world.ready('allocation', name);
  }
  return close;
}

test('DR-02 what is restored without claims while the operator runs moves no address, the instance last', async () => {
  const close = await served('a1', 'a2', 'a3');
  await world.remove('allocation', 'a1');
  await world.gone('allocation', 'a1');
  const record = world.record();
  await close();
  const restores = [
    ...['a3', 'a2'].map((name) => taken('allocation', name)),
    ...['net1-p1', 'agg0'].map((name) => taken('prefix', name)),
    taken('instance', 'vpc-1'),
  ];
  for (const claim of world.server.all(CLAIMS)) removeClaim(claim);
  await world.open();
  for (const restore of restores.slice(0, -1)) restore();
  for (const name of ['a2', 'a3']) await world.refused('allocation', name, 'InstanceNotFound');
  expect(world.shown('a2')).toBe('10.0.1.3/32');
  expect(world.condition('allocation', 'a2')?.['status']).toBe('False');
  world.allocation('young');
  await world.refused('allocation', 'young', 'InstanceNotFound');
  restores.at(-1)?.();
  await world.ready('allocation', 'a2', '10.0.1.3/32');
  await world.ready('allocation', 'a3', '10.0.1.4/32');
  await world.ready('allocation', 'young', '10.0.1.2/32');
  expect(world.record()).toEqual([...record.slice(0, 3), '10.0.1.2=young', ...record.slice(3)]);
});

test('NET-E8 an address whose claim is deleted by hand goes back to its allocation, and to no other one', async () => {
  await served('a1');
  const record = world.record();
  removeClaimOf('a1');
  world.allocation('b1');
  await world.ready('allocation', 'b1', '10.0.1.3/32');
  await world.ready('allocation', 'a1', '10.0.1.2/32');
  expect(world.record()).toEqual([...record, '10.0.1.3=b1']);
});

test('NET-E8 a subnet or a host whose claim is deleted by hand comes back', async () => {
  await served('a1');
  const record = world.record();
  removeClaimOf('vpc-1');
  await world.until('the subnet is back', () => world.record().join() === record.join());
  removeClaimOf('net1-p1');
  await world.until('the host is back', () => world.record().join() === record.join());
  expect(await world.ready('allocation', 'a1', '10.0.1.2/32')).toHaveProperty('prefix');
});

test('NET-T98 a table of an older operator that is restored while this one runs is taken over', async () => {
  await world.open();
  world.create('instance', 'vpc-0', {});
  await world.ready('instance', 'vpc-0');
  world.allocation('a1');
  world.allocation('a0');
  world.prefix('net1-p1', '10.0.1.1/24', { network: 'net1' });
  await world.refused('prefix', 'net1-p1', 'InstanceNotFound');
  const labels = { 'nephio.org/prefix-kind': 'network', 'nephio.org/allocation-name': 'a1' };
  world.server.put(world.path('instance', 'vpc-1'), {
    ...world.stored('instance', 'vpc-0'),
    metadata: { name: 'vpc-1', namespace: 'default' },
    status: {
      allocations: {
        '10.0.1.1/32': { ...labels, 'nephio.org/allocation-name': 'net1-p1' },
        '10.0.1.9/32': labels,
      },
    },
  });
  await world.ready('allocation', 'a1', '10.0.1.9/32');
  expect(statusIn(world.stored('instance', 'vpc-1'))).toHaveProperty('allocations');
});

test('DEL-02 claims that are lost while a prefix in use is being deleted come back with it', async () => {
  const close = await served('a1');
  const record = world.record();
  await world.remove('prefix', 'net1-p1');
  await world.until('it is held', () => world.condition('prefix', 'net1-p1', 'InUse') !== undefined);
  await close();
  for (const claim of world.server.all(CLAIMS)) removeClaim(claim);
  await world.open();
  await world.logger.heard('what objects of networks show was put on record');
  expect(world.record()).toEqual(record);
  await world.remove('allocation', 'a1');
  await world.gone('allocation', 'a1');
  await world.until('the subnet is free', () => world.record().join() === '10.0.0.0/8=agg0');
});

/** Instance vpc-1 with a table of an older operator, in which a name is left that no object has, and the prefix around it. */
async function withStaleName(): Promise<void> {
  world.instance();
  const labels = { 'nephio.org/prefix-kind': 'network', 'nephio.org/allocation-name': 'long-gone' };
  const status = { allocations: { '10.0.1.7/32': labels } };
  world.server.put(world.path('instance', 'vpc-1'), { ...world.stored('instance', 'vpc-1'), status });
  world.prefix('net1-p1', '10.0.1.1/24', { network: 'net1' });
  const prefix = world.stored('prefix', 'net1-p1');
  world.server.put(world.path('prefix', 'net1-p1'), { ...prefix, status: { prefix: '10.0.1.1/24' } });
  await world.open();
  await world.ready('prefix', 'net1-p1');
  expect(world.record()).toContain('10.0.1.7=long-gone');
  await world.remove('instance', 'vpc-1');
  await world.until('it is held', () => world.condition('instance', 'vpc-1', 'InUse') !== undefined);
}

test('NET-T98 a name that no object has holds neither a namespace that is being deleted nor what is in it', async () => {
  await withStaleName();
  expect(world.record()).toContain('10.0.1.7=long-gone');
  const path = '/api/v1/namespaces/default';
  const namespace = world.server.get(path) ?? {};
  const metadata = { ...metadataOf(namespace), deletionTimestamp: '2026-01-02T00:00:00Z' };
  world.server.put(path, { ...namespace, metadata });
  await world.until('its address is free', () => !world.record().includes('10.0.1.7=long-gone'));
  await world.remove('prefix', 'net1-p1');
  await world.gone('prefix', 'net1-p1');
  await world.gone('instance', 'vpc-1');
});

test('NET-T98 a name that no object has lets go of its instance once its claim is deleted by hand', async () => {
  await withStaleName();
  removeClaimOf('long-gone');
  await world.remove('prefix', 'net1-p1');
  await world.gone('prefix', 'net1-p1');
  await world.gone('instance', 'vpc-1');
  expect(world.record()).toEqual([]);
});
