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

test('EG-case-36 EG-33 W-9 full nodes are told, and every other address is placed', async () => {
  world.dataplane.rooms.set('n1', { capacity: 3, used: 2 });
  world.node('n1');
  world.node('n2', { labels: { egressGateway: 'b' } });
  for (const name of ['a', 'b']) world.namespace(name, 'bm');
  world.bm(CIDR_A, CIDR_B);
  await world.open();

  await world.told('b', 'NodesFull');
  await world.told('bm', 'CapacityExhausted');
  // by its other address the namespace stays reachable
  await world.sends('b', '10.0.0.2@,10.1.0.2@n2');
  await world.status('bm', 'tells it', () => world.condition('bm', 'CapacityExhausted')[1] === 'NodesFull');
  await world.until('it is counted', () => world.gauge('egressip_ip_unplaced')['bm/10.0.0.0/28'] === 1);
  expect(world.gauge('egressip_ip_unplaced')['bm/10.1.0.0/28']).toBe(0);

  world.node('n3');

  await world.sends('b', '10.0.0.2@n3,10.1.0.2@n2');
  await world.status('bm', 'tells it', () => world.condition('bm', 'CapacityExhausted')[0] === 'False');
  await world.told('b', 'AddressesPlaced');
});

test('EG-case-60 with two dataplanes and no choice nothing is written to either, and addresses are given', async () => {
  const other = new MemoryDataplane({ name: 'antrea' });
  world.dataplanes.set(world.dataplane, other);
  world.node('n1');
  world.namespace('a', 'bm');
  world.bm();
  await world.open();

  await world.has('a', '10.0.0.1');
  await world.status('bm', 'tells it', ({ allocated }) => allocated === '1');
  expect([world.condition('bm', 'DataplaneAvailable'), world.condition('bm', 'Ready')]).toEqual([
    ['False', 'DataplaneAmbiguous'],
    ['False', 'DataplaneAmbiguous'],
  ]);
  expect([world.dataplane.writes, other.writes, world.marks('10.0.0.1')]).toEqual([[], [], []]);
});

test('EGR-04 given is not the same as carried, and a list that is edited meanwhile ends with the later address', async () => {
  world.namespace('a', 'bm', '10.0.0.10');
  world.bm();
  await world.open();
  await world.told('a', 'NoReadyNode');
  const status = await world.status('bm', 'has no node', () => world.condition('bm', 'Ready')[0] === 'False');
  expect([status['allocated'], world.condition('bm', 'Ready')[1]]).toEqual(['1', 'AddressesUnplaced']);
  const free = world.dataplane.hold('node/n1');
  world.node('n1');

  world.annotate('a', { list: '10.0.0.11' });
  free();

  await world.sends('a', '10.0.0.11@n1');
  await world.recorded('10.0.0.11=a');
  await world.carried('10.0.0.11@n1');
  await world.status('bm', 'is ready', () => world.condition('bm', 'Ready')[0] === 'True');
});

test('EG-50 EG-case-64 the series of nodes and EgressIPAMs count the primary address, and go with them', async () => {
  world.dataplane.rooms.set('n1', { capacity: 14, used: 1 });
  world.dataplane.rooms.set('n2', { capacity: 14, used: 0 });
  world.dataplane.rooms.set('n3', 'none');
  for (const name of ['n1', 'n2', 'n3']) world.node(name);
  for (const name of ['a', 'b']) world.namespace(name, 'bm');
  world.bm();
  await world.open();
  await world.carried('10.0.0.1@n2', '10.0.0.2@n1');

  await world.until('all are told', () => world.gauge('egressip_ip_allocated')['bm/n1'] === 3);
  expect(world.gauge('egressip_ip_capacity')).toEqual({ 'bm/n1': 15, 'bm/n2': 15 });
  expect(world.gauge('egressip_ip_allocated')).toEqual({ 'bm/n1': 3, 'bm/n2': 2, 'bm/n3': 1 });
  expect(world.gauge('egressip_capacity_unknown')).toEqual({ 'bm/n3': 1 });
  expect(world.gauge('egressip_dataplane_info')).toEqual({ memory: 1 });
  await world.until('they are counted', () => world.gauge('egressip_namespaces')['bm/assigned'] === 2);

  world.removeNode('n3');
  await world.until('n3 is gone', () => Object.keys(world.gauge('egressip_capacity_unknown')).length === 0);
  await world.removeIpam('bm');
  await world.until('bm is gone', () => world.storedIpam('bm')['metadata'] === undefined);

  await world.until('nothing is told', () => Object.keys(world.gauge('egressip_ip_allocated')).length === 0);
  expect(world.gauge('egressip_ip_capacity')).toEqual({});
  await world.until('nothing is counted', () => Object.keys(world.gauge('egressip_namespaces')).length === 0);
});

test('EG-case-50 a node that carries three of fourteen addresses is told with 15 and 4', async () => {
  world.dataplane.rooms.set('n1', { capacity: 14, used: 0 });
  world.node('n1');
  for (const name of ['a', 'b', 'c']) world.namespace(name, 'bm');
  world.bm();
  await world.open();
  await world.carried('10.0.0.1@n1', '10.0.0.2@n1', '10.0.0.3@n1');

  await world.until('three are told', () => world.gauge('egressip_ip_allocated')['bm/n1'] === 4);
  expect(world.gauge('egressip_ip_capacity')).toEqual({ 'bm/n1': 15 });
});

test('EG-case-66 the conditions name the dataplane, and change their times with their state alone', async () => {
  world.node('n1');
  world.namespace('a', 'bm');
  world.bm();
  await world.open();
  const status = await world.status('bm', 'is served', () => world.nodeRows().join() === 'n1 1');
  expect(status['dataplane']).toBe('memory');
  expect(world.condition('bm', 'DataplaneAvailable')).toEqual(['True', 'DataplaneServes']);
  expect(world.condition('bm', 'Ready')).toEqual(['True', 'Applied']);

  world.dataplanes.set();

  await world.status('bm', 'is not served', () => world.condition('bm', 'Ready')[1] === 'DataplaneAbsent');
  expect(world.condition('bm', 'ReconcileSuccess')[0]).toBe('True');
  world.dataplanes.set(world.dataplane);
  await world.status('bm', 'is served', () => world.condition('bm', 'Ready')[0] === 'True');
  expect(world.placed()).toEqual(['10.0.0.1@n1']);
});

test('W-35 a routine comparison writes nothing where nothing differs', async () => {
  world.node('n1');
  world.namespace('a', 'bm');
  world.bm();
  world.resyncSeconds = 0.3;
  await world.open();
  await world.status('bm', 'is served', () => world.nodeRows().join() === 'n1 1');
  const written = (): readonly string[] =>
    world.server.requests.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`);
  const [before, writes] = [written().length, world.dataplane.writes.length];
  const lists = (): number => world.server.requests.filter(({ path }) => path === '/api/v1/nodes').length;
  const seen = lists();

  await world.until('it was compared three times', () => lists() >= seen + 3);

  expect([written().slice(before), world.dataplane.writes.slice(writes)]).toEqual([[], []]);
});

test('W-44 nodes of the control plane carry nothing, unless they are chosen', async () => {
  const labels = { egressGateway: 'a', 'node-role.kubernetes.io/control-plane': '' };
  world.node('cp', { labels });
  world.namespace('a', 'bm');
  world.bm();
  await world.open();
  await world.told('a', 'NoReadyNode');
  await world.sends('a', '10.0.0.1@');

  world.ipam('bm', { ...egressSpec(CIDR_A), nodeSelector: { matchLabels: labels } });

  await world.sends('a', '10.0.0.1@cp');

  expect(world.placed()).toEqual(['10.0.0.1@cp']);
});
