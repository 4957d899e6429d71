import { egressSpec } from '../../../../support/egress-kind-samples';
import { CIDR_A, CIDR_B, PlacementWorld } from '../../../../support/placement-world';

let world: PlacementWorld;
beforeEach(() => {
  world = new PlacementWorld();
});
afterEach(async () => {
  await world.close();
  expect(world.dataplane.faults).toEqual([]);
});

const B = { labels: { egressGateway: 'b' } };

test('EG-case-12 each address is on a node of its CIDR before the namespace sends from it', async () => {
  world.node('n1');
  world.node('n2', B);
  world.namespace('a', 'bm');
  world.bm(CIDR_A, CIDR_B);
  await world.open();

  await world.sends('a', '10.0.0.1@n1,10.1.0.1@n2');

  expect(world.placed()).toEqual(['10.0.0.1@n1', '10.1.0.1@n2']);
  const writes = world.dataplane.writes.filter((text) => text.includes('10.'));
  expect(writes.map((text) => text.split(' ')[0])).toEqual(
    expect.arrayContaining(['node/n1', 'node/n2', 'namespace/a']),
  );
  expect(writes.at(-1)).toBe('namespace/a 10.0.0.1@n1,10.1.0.1@n2');
});

test('W-4 EG-26 a full pool keeps no address from leaving a node that fails', async () => {
  for (const name of ['n1', 'n2']) world.node(name);
  world.namespace('a', 'bm');
  world.ipam('bm', egressSpec({ CIDR: '10.0.0.1/32', labelValue: 'a' }));
  await world.open();
  await world.sends('a', '10.0.0.1@n1');
  world.namespace('late', 'bm');
  await world.told('late', 'PoolExhausted');

  world.node('n1', { downForMs: 1 });

  await world.sends('a', '10.0.0.1@n2');

  expect(world.placed()).toEqual(['10.0.0.1@n2']);
});

test('EG-case-18 a wrong list keeps no address of another namespace from leaving a node that fails', async () => {
  for (const name of ['n1', 'n2']) world.node(name);
  for (const name of ['b', 'a']) world.namespace(name, 'bm');
  world.bm();
  await world.open();
  await world.carried('10.0.0.1@n1', '10.0.0.2@n2');
  world.annotate('a', { list: 'nonsense' });
  await world.told('a', 'InvalidList');

  world.node('n1', { downForMs: 1 });

  await world.sends('b', '10.0.0.1@n2');
  // what it holds is in force until it is released
  expect(world.sent('a')).toBe('10.0.0.2@n2');
});

test('W-39 slow allocation keeps no address from leaving a node that fails', async () => {
  for (const name of ['n1', 'n2']) world.node(name);
  world.namespace('a', 'bm');
  world.bm();
  await world.open();
  await world.sends('a', '10.0.0.1@n1');
  // no claim is answered any more
  const { request } = world.server;
  let free: () => void = () => undefined;
  const held = new Promise<void>((resolve) => (free = resolve));
  world.server.request = async (of) => {
    if (of.path.includes('addressclaims') && of.method === 'POST') await held;
    return request.call(world.server, of);
  };
  for (let i = 0; i < 40; i++) world.namespace(`late${String(i)}`, 'bm');
  world.node('n1', { downForMs: 1 });

  await world.sends('a', '10.0.0.1@n2');

  expect(world.record()).toEqual(['10.0.0.1=a']);
  free();
});

test('EG-case-54 an address follows to a ready node that can carry it, and what a node needs is told', async () => {
  world.dataplane.nodesNeed = 'a node needs paint';
  for (const name of ['n1', 'n2']) world.node(name);
  world.dataplane.outside.add('n2');
  world.namespace('a', 'bm');
  world.bm();
  await world.open();
  await world.sends('a', '10.0.0.1@n1');

  world.dataplane.outside.add('n1');
  world.node('n1', { annotations: { touched: 'once' } });
  await world.told('a', 'NoReadyNode');
  await world.status('bm', 'tells what it needs', ({ unserved }) =>
    JSON.stringify(unserved ?? []).includes('needs paint'),
  );
  expect(world.sent('a')).toBe('10.0.0.1@n1');

  world.dataplane.outside.delete('n2');
  world.node('n2', { annotations: { touched: 'once' } });
  await world.sends('a', '10.0.0.1@n2');
});

test('EG-case-42 a node that is labelled later joins its group', async () => {
  world.node('n1', { labels: {} });
  world.namespace('a', 'bm');
  world.bm();
  await world.open();
  await world.told('a', 'NoReadyNode');
  expect(world.dataplane.nodes.size).toBe(0);

  world.node('n1');

  await world.sends('a', '10.0.0.1@n1');
  await world.told('a', 'AddressesPlaced');
  expect(world.dataplane.nodes.get('n1')?.groups).toEqual(['bm 10.0.0.0/28']);
});

test('EG-case-43 a node that loses its label loses its addresses and what else is ours', async () => {
  for (const name of ['n1', 'n2']) world.node(name);
  for (const name of ['a', 'b']) world.namespace(name, 'bm');
  world.bm();
  await world.open();
  await world.carried('10.0.0.1@n1', '10.0.0.2@n2');

  world.node('n1', { labels: {} });

  await world.sends('a', '10.0.0.1@n2');
  await world.until('n1 is clean', () => !world.dataplane.nodes.has('n1'));
  expect(world.sent('b')).toBe('10.0.0.2@n2');
});

test.each([
  [
    'W-13 is deleted',
    (): void => {
      world.removeNode('n1');
    },
  ],
  [
    'EG-36 gets the taint of a shutdown',
    (): void => {
      world.node('n1', { taints: ['node.kubernetes.io/out-of-service'] });
    },
  ],
  [
    'is not ready',
    (): void => {
      world.node('n1', { downForMs: 5 });
    },
  ],
])('the addresses of a node that %s move', async (_title, happen) => {
  for (const name of ['n1', 'n2']) world.node(name);
  world.namespace('a', 'bm');
  world.bm();
  await world.open();
  await world.sends('a', '10.0.0.1@n1');

  happen();

  await world.sends('a', '10.0.0.1@n2');
  expect(world.placed()).toEqual(['10.0.0.1@n2']);
});

test('EG-case-44 a node that is not ready for 5 of 30 seconds keeps its addresses', async () => {
  for (const name of ['n1', 'n2']) world.node(name);
  world.namespace('a', 'bm');
  world.ipam('bm', { ...egressSpec(CIDR_A), failover: { notReadySeconds: 30 } });
  await world.open();
  await world.sends('a', '10.0.0.1@n1');

  world.node('n1', { downForMs: 5000 });
  await world.status('bm', 'shows it', () => world.nodeRows().includes('n1 1 not ready'));
  world.node('n1');
  await world.status('bm', 'shows it', () => world.nodeRows().includes('n1 1'));
  expect(world.placed()).toEqual(['10.0.0.1@n1']);

  // 30 seconds without an end
  world.node('n1', { downForMs: 29_900 });
  world.clock.advance(200);

  await world.sends('a', '10.0.0.1@n2');
  expect(world.meter.of('egressip_failover_total')).toMatchObject([{ labels: { egressipam: 'bm', node: 'n1' } }]);
});

test('EG-case-45 EG-37 a node that joins takes its share in rounds', async () => {
  world.node('n1');
  world.ipam('bm', { ...egressSpec(CIDR_A), rebalance: 'OnNodeJoin' });
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
  for (const name of names) world.namespace(name, 'bm');
  await world.open();
  await world.sends('i', '10.0.0.9@n1');
  const counts = (): readonly number[] =>
    ['n1', 'n2', 'n3'].map((name) => world.dataplane.nodes.get(name)?.addresses.length ?? 0);

  world.node('n2');
  world.node('n3');
  await world.until('a first round of moves', () => counts()[0] === 5);
  await world.until('all arrived', () => counts().reduce((sum, each) => sum + each, 0) === 9);
  // nothing more before the pause is over
  world.node('n4', { labels: {} });
  await world.status('bm', 'is counted', () => world.nodeRows().length === 3);
  expect(counts()[0]).toBe(5);
  world.clock.advance(10_000);
  world.node('n1', { annotations: { touched: 'yes' } });

  await world.until('3 each', () => counts().join() === '3,3,3');
});

test('EG-case-46 EG-35 of two places of an address one stays', async () => {
  for (const name of ['n1', 'n2']) world.node(name);
  for (const name of ['a', 'b']) world.namespace(name, 'bm');
  world.bm();
  await world.open();
  await world.carried('10.0.0.1@n1', '10.0.0.2@n2');

  world.intrude('n2', '10.0.0.1');

  await world.carried('10.0.0.1@n1', '10.0.0.2@n2');
  expect([world.sent('a'), world.sent('b')]).toEqual(['10.0.0.1@n1', '10.0.0.2@n2']);
});

test('EG-38 one node that does not answer stops no other, and its addresses wait for it', async () => {
  for (const name of ['n1', 'n2', 'n3']) world.node(name);
  for (const name of ['a', 'b', 'c']) world.namespace(name, 'bm');
  world.bm();
  await world.open();
  await world.carried('10.0.0.1@n1', '10.0.0.2@n2', '10.0.0.3@n3');
  world.dataplane.away('node/n1');

  world.node('n1', { downForMs: 1 });
  world.node('n2', { downForMs: 1 });

  // no second node gets an address that the first one may still have
  await world.sends('b', '10.0.0.2@n3');
  expect(world.placed()).toContain('10.0.0.1@n1');
  world.dataplane.away('node/n1', false);
  await world.sends('a', '10.0.0.1@n3');
});

test('an object that something else writes at the same time is looked at again', async () => {
  world.node('n1');
  world.namespace('a', 'bm');
  world.bm();
  for (const key of ['node/n1', 'namespace/a']) world.dataplane.overtake(key);

  await world.open();

  await world.sends('a', '10.0.0.1@n1');
  expect(world.placed()).toEqual(['10.0.0.1@n1']);
});

test('EG-39 W-27 a node whose facts are missing is left out, and no other', async () => {
  world.dataplane.rooms.set('n0', 'none');
  for (const name of ['n0', 'n1']) world.node(name);
  world.namespace('a', 'bm');
  world.bm();
  await world.open();

  await world.sends('a', '10.0.0.1@n1');

  expect(world.dataplane.nodes.get('n0')?.addresses).toEqual([]);
});

test('a second process takes over and moves nothing', async () => {
  for (const name of ['n1', 'n2']) world.node(name);
  for (const name of ['a', 'b', 'c']) world.namespace(name, 'bm');
  world.bm();
  const end = await world.open();
  await world.sends('c', '10.0.0.3@n1');
  world.node('n1', { isCordoned: true });
  await world.status('bm', 'is counted', () => world.nodeRows().join() === 'n1 2 not ready,n2 1');
  await end();
  const [writes, requests] = [world.dataplane.writes.length, world.server.requests.length];

  await world.open();
  await world.logger.heard('namespaces were compared');
  world.namespace('d', 'bm');
  await world.sends('d', '10.0.0.4@n2');

  expect(world.dataplane.writes.slice(writes).every((text) => /n2|namespace\/d/u.test(text))).toBe(true);
  const written = world.server.requests.slice(requests).filter(({ method }) => method !== 'GET');
  expect(written.filter(({ path }) => /namespaces\/[abc]/u.test(path))).toEqual([]);
});
