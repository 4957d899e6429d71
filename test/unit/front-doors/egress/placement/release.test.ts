import { EGRESS_FORCE } from '../../../../../operator/contract/egress';
import { metadataOf } from '../../../../../operator/contract/loose-json';
import { egressSpec } from '../../../../support/egress-kind-samples';
import { MemoryDataplane } from '../../../../support/memory-dataplane';
import { CIDR_A, CIDR_B, PlacementWorld } from '../../../../support/placement-world';

let world: PlacementWorld;
beforeEach(() => {
  world = new PlacementWorld();
});
afterEach(async () => {
  await world.close();
  expect(world.dataplane.faults).toEqual([]);
});

const BM = '/apis/redhatcop.redhat.io/v1alpha1/egressipams/bm';

test('EGR-01 EG-case-20 EG-15 W-15 an opt-out is cleaned from namespaces, then from nodes, then off the record', async () => {
  await world.servesTwo();
  const before = world.dataplane.writes.length;
  const free = world.dataplane.hold('node/n1');

  world.annotate('a', { egressIpam: undefined });

  await world.sends('a', undefined);
  await world.has('a', undefined);
  expect(world.record()).toEqual(['10.0.0.1=a', '10.0.0.2=b']);
  free();
  await world.recorded('10.0.0.2=b');
  expect(world.dataplane.writes.slice(before)).toEqual(['namespace/a -', 'node/n1 [] in 1']);
});

test('what a dataplane that does not answer may still have is given to no other namespace', async () => {
  await world.servesTwo();
  world.dataplane.away('namespace/a');
  world.annotate('a', { egressIpam: undefined });
  await world.has('a', undefined);
  world.namespace('c', 'bm', '10.0.0.1');
  await world.told('c', 'AddressInUse');
  expect(world.record()).toEqual(['10.0.0.1=a', '10.0.0.2=b']);

  world.dataplane.away('namespace/a', false);

  await world.sends('c', '10.0.0.1@n1');
});

test('CONC-01 what a dataplane that does not answer may have from an earlier process is given to no other namespace', async () => {
  const end = await world.servesTwo();
  await end();
  world.annotate('a', { egressIpam: undefined });
  world.dataplane.away('namespace/a');
  const before = world.dataplane.writes.length;

  await world.open();
  await world.until('the write failed twice', () => world.logger.text.split('"object":"namespace/a"').length > 2);
  // long enough for a look at what may be given back
  world.namespace('c', 'bm');
  await world.until('c is served', () => world.sent('c') !== undefined);

  expect(world.record()).toEqual(['10.0.0.1=a', '10.0.0.2=b', '10.0.0.3=c']);
  expect(world.placed()).toContain('10.0.0.1@n1');
  expect(world.dataplane.writes.slice(before).some((text) => text.startsWith('namespace/a'))).toBe(false);
  world.dataplane.away('namespace/a', false);
  await world.recorded('10.0.0.2=b', '10.0.0.3=c');
});

test('what a namespace had that goes with its object, before addresses in use are known, comes off the record', async () => {
  const end = await world.servesTwo();
  await end();
  world.unreadable = 'Nodes cannot be listed';
  // each is written anew in the next term
  const { dataplane } = world;
  dataplane.namespaces.clear();
  await world.open();
  await world.sends('a', '10.0.0.1@n1');
  await world.sends('b', '10.0.0.2@n2');

  world.removeNamespace('a');
  dataplane.namespaces.delete('a');
  dataplane.tell({ of: 'namespace', name: 'a' });
  // work on the one that is told later shows that the other was looked at
  dataplane.namespaces.delete('b');
  dataplane.tell({ of: 'namespace', name: 'b' });
  await world.sends('b', '10.0.0.2@n2');
  expect(world.record()).toEqual(['10.0.0.1=a', '10.0.0.2=b']);

  world.unreadable = undefined;
  // any namespace begins the comparison anew
  world.annotate('b', { list: undefined });
  await world.recorded('10.0.0.2=b');
});

test('EG-case-22 a changed opt-in changes the dataplane object once', async () => {
  await world.servesTwo();
  world.node('n3', { labels: { egressGateway: 'b' } });
  world.ipam('other', egressSpec(CIDR_B));
  const before = world.dataplane.writes.length;

  world.annotate('a', { egressIpam: 'other' });

  await world.sends('a', '10.1.0.1@n3');
  await world.recorded('10.0.0.2=b', '10.1.0.1=a');
  const writes = world.dataplane.writes.slice(before).filter((text) => text.startsWith('namespace/a'));
  expect(writes).toEqual(['namespace/a 10.1.0.1@n3']);
});

test('EG-case-23 an edited list swaps the address, and the former one is free once no node has it', async () => {
  await world.servesTwo();

  world.annotate('a', { list: '10.0.0.9' });

  await world.sends('a', '10.0.0.9@n1');
  await world.recorded('10.0.0.2=b', '10.0.0.9=a');
  expect(world.placed()).toEqual(['10.0.0.2@n2', '10.0.0.9@n1']);
});

test('EG-case-21 a list that was taken off comes back, and nothing of the dataplane is touched', async () => {
  await world.servesTwo();
  const before = world.dataplane.writes.length;

  world.annotate('a', { list: undefined });

  await world.has('a', '10.0.0.1');
  expect(world.dataplane.writes.slice(before)).toEqual([]);
});

test('EGR-01 EG-case-24 W-37 what was deleted while no operator ran is cleaned before it is released', async () => {
  const end = await world.servesTwo();
  await end();
  world.removeNamespace('a');
  world.removeNode('n2');

  await world.open();

  await world.recorded('10.0.0.2=b');
  await world.sends('b', '10.0.0.2@n1');
  await world.until('nothing of n2 is left', () => [...world.dataplane.nodes.keys()].join() === 'n1');
  expect(world.dataplane.namespaces.has('a')).toBe(false);
});

test('EG-case-15 EG-11 with force the address of a CIDR that was taken out leaves the dataplane first', async () => {
  world.node('n1');
  world.node('n2', { labels: { egressGateway: 'b' } });
  world.namespace('a', 'bm');
  world.bm(CIDR_A, CIDR_B);
  await world.open();
  await world.sends('a', '10.0.0.1@n1,10.1.0.1@n2');

  world.respec('bm', CIDR_A);
  await world.status('bm', 'has one CIDR', ({ pools }) => JSON.stringify(pools) === '["10.0.0.0/28"]');
  expect(world.sent('a')).toBe('10.0.0.1@n1,10.1.0.1@n2');
  const stored = world.storedIpam('bm');
  const metadata = { ...metadataOf(stored), annotations: { [EGRESS_FORCE]: 'true' } };
  world.server.put(BM, { ...stored, metadata });

  await world.sends('a', '10.0.0.1@n1');
  await world.recorded('10.0.0.1=a');
  await world.until('n2 is clean', () => !world.dataplane.nodes.has('n2'));
});

test('another dataplane takes over, and the former one is cleaned', async () => {
  await world.servesTwo();
  const other = new MemoryDataplane({ name: 'openshift-sdn' });
  world.dataplanes.set(world.dataplane, other);
  await world.status(
    'bm',
    'is not served',
    () => world.condition('bm', 'DataplaneAvailable')[1] === 'DataplaneAmbiguous',
  );
  // nothing is written before it is decided
  world.node('n1', { labels: {} });
  await world.status('bm', 'is not served', () => world.condition('bm', 'Ready')[1] === 'DataplaneAmbiguous');
  expect(world.placed()).toEqual(['10.0.0.1@n1', '10.0.0.2@n2']);
  const stored = world.storedIpam('bm');
  const spec = { ...egressSpec(CIDR_A), dataplane: 'openshift-sdn' };
  world.server.put(BM, {
    ...stored,
    spec,
    metadata: { ...metadataOf(stored), generation: 2 },
  });

  await world.clean();
  await world.until('the other one serves', () => other.namespaces.size === 2);
  expect(other.faults).toEqual([]);
  expect(world.record()).toEqual(['10.0.0.1=a', '10.0.0.2=b']);
});

test('a namespace that the older operator served keeps its traffic while its list comes on record', async () => {
  for (const name of ['n1', 'n2']) world.node(name);
  world.namespace('a', 'bm');
  world.bm();
  const end = await world.open();
  await world.sends('a', '10.0.0.1@n1');
  await end();
  // as after a restore without the record
  for (const { metadata } of world.server.all('/apis/ipam.vitistack.io/v1alpha1/addressclaims'))
    world.server.remove(`/apis/ipam.vitistack.io/v1alpha1/addressclaims/${String(metadataOf({ metadata })['name'])}`);
  world.dataplane.watchman = () => undefined;
  const before = world.dataplane.writes.length;

  await world.open();

  await world.recorded('10.0.0.1=a');
  await world.status('bm', 'is counted', ({ allocated }) => allocated === '1');
  expect(world.dataplane.writes.slice(before)).toEqual([]);
});
