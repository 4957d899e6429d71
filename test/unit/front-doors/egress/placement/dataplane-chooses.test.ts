import { CIDR_A, CIDR_B, PlacementWorld } from '../../../../support/placement-world';

let world: PlacementWorld;
afterEach(async () => {
  await world.close();
  expect(world.dataplane.faults).toEqual([]);
});

const B = { labels: { egressGateway: 'b' } };

describe('with a dataplane that chooses the nodes', () => {
  beforeEach(() => {
    world = new PlacementWorld({ name: 'ovn-kubernetes', chooser: 'dataplane' });
  });

  test('EG-case-47 nodes are prepared before the addresses come, and the status shows where these are', async () => {
    for (const name of ['n1', 'n2']) world.node(name);
    world.namespace('a', 'bm');
    world.bm();
    await world.open();

    await world.sends('a', '10.0.0.1@');
    await world.carried('10.0.0.1@n1');

    expect(world.dataplane.writes).toEqual(['node/n1 [] in 1', 'node/n2 [] in 1', 'namespace/a 10.0.0.1@']);
    await world.status('bm', 'shows it', () => world.nodeRows().join() === 'n1 1,n2 0');
    await world.status('bm', 'is ready', () => world.condition('bm', 'Ready')[0] === 'True');
  });

  test('a node that cannot be prepared holds up no address', async () => {
    for (const name of ['n1', 'n2']) world.node(name);
    world.dataplane.away('node/n1');
    world.namespace('a', 'bm');
    world.bm();
    await world.open();

    await world.carried('10.0.0.1@n2');

    expect(world.sent('a')).toBe('10.0.0.1@');
  });

  test('EG-case-48 an address that it puts on no node is told in its words', async () => {
    world.node('n1');
    world.namespace('a', 'bm');
    world.bm(CIDR_A, { CIDR: '10.2.0.0/28', labelValue: 'a' });
    await world.open();

    await world.told('a', 'NotPlaced');

    const { unserved } = await world.status('bm', 'tells it', ({ unserved: all }) =>
      JSON.stringify([all]).includes('too few'),
    );
    expect(unserved).toMatchObject([{ namespace: 'a', reason: 'NotPlaced' }]);
    expect(world.condition('bm', 'Ready')).toEqual(['False', 'AddressesUnplaced']);
    expect(world.condition('bm', 'Degraded')).toEqual(['True', 'NamespacesUnserved']);
    world.node('n2');
    await world.told('a', 'AddressesPlaced');
    await world.status('bm', 'is ready', () => world.condition('bm', 'Ready')[0] === 'True');
  });

  test('an address that it leaves alone is told after a time', async () => {
    world.node('n1');
    world.dataplane.isAwake = false;
    world.dataplane.ready.clear();
    world.namespace('a', 'bm');
    world.bm();
    await world.open();
    await world.sends('a', '10.0.0.1@');
    await world.status('bm', 'is counted', ({ allocated }) => allocated === '1');
    expect(world.condition('bm', 'Ready')).toEqual(['True', 'Applied']);

    world.clock.advance(30_000);
    world.node('n1', { annotations: { touched: 'yes' } });

    await world.told('a', 'NotPlaced');
  });

  test('an address that is taken out is released once it is on no node', async () => {
    world.node('n1');
    world.namespace('a', 'bm');
    world.bm();
    await world.open();
    await world.carried('10.0.0.1@n1');

    world.annotate('a', { list: '10.0.0.7' });

    await world.carried('10.0.0.7@n1');
    await world.recorded('10.0.0.7=a');

    expect(world.sent('a')).toBe('10.0.0.7@');
  });

  test('nodes of two CIDRs in one subnet are advice and no more', async () => {
    world.node('n1');
    world.node('n2', B);
    world.bm(CIDR_A, CIDR_B);
    await world.open();

    await world.status('bm', 'tells it', () => world.condition('bm', 'NodeSelectionAdvisory')[0] === 'True');
    world.dataplane.outside.add('n1').add('n2');
    world.node('n1', { annotations: { touched: 'yes' } });

    await world.status('bm', 'tells nothing', () => world.condition('bm', 'NodeSelectionAdvisory')[0] === undefined);

    expect(world.condition('bm', 'DataplaneAvailable')[0]).toBe('True');
  });

  test('nodes of two CIDRs are no advice to a dataplane that heeds them', async () => {
    world.dataplane.heedsGroups = true;
    world.node('n1');
    world.node('n2', B);
    world.bm(CIDR_A, CIDR_B);
    await world.open();
    await world.status('bm', 'is served', () => world.condition('bm', 'DataplaneAvailable')[0] === 'True');
    expect(world.condition('bm', 'NodeSelectionAdvisory')[0]).toBeUndefined();
  });

  test('EG-case-49 EG-22 an address of an object that is not ours is given to no namespace', async () => {
    world.node('n1');
    world.foreign('10.0.0.1', 'EgressIP/other');
    world.foreign('10.0.0.2', 'EgressIP/egressip-b', 'b');
    for (const name of ['a', 'c']) world.namespace(name, 'bm');
    world.namespace('b', 'bm', '10.0.0.2');
    world.bm();
    await world.open();

    await world.has('a', '10.0.0.3');
    await world.has('c', '10.0.0.4');

    await world.recorded('10.0.0.2=b', '10.0.0.3=a', '10.0.0.4=c');
    world.namespace('d', 'bm', '10.0.0.1');
    await world.told('d', 'AddressInUse');
    world.foreign('10.0.0.1');
    await world.has('d', '10.0.0.1');
    await world.sends('d', '10.0.0.1@');

    expect(world.sent('b')).toBe('10.0.0.2@');
  });

  test('EG-23 nothing is given before its objects are known', async () => {
    world.node('n1');
    const sync = world.dataplane.unsync();
    world.namespace('a', 'bm');
    world.bm();
    await world.open();
    await world.told('a', 'UsesUnknown');
    await world.status('bm', 'tells it', () => world.condition('bm', 'DataplaneAvailable')[1] === 'DataplaneUnknown');

    sync();

    await world.carried('10.0.0.1@n1');

    expect(world.list('a')).toBe('10.0.0.1');
  });
});

describe('with a dataplane that uses one address of a namespace', () => {
  beforeEach(() => {
    world = new PlacementWorld({ name: 'ovn-kubernetes', mostPerNamespace: 1 });
  });

  test('the first CIDR with a usable node is active, and the next one follows where all of its nodes fail', async () => {
    world.node('n1');
    world.node('n2', B);
    world.namespace('a', 'bm');
    world.bm(CIDR_A, CIDR_B);
    await world.open();
    await world.sends('a', '10.0.0.1@n1');
    expect(world.list('a')).toBe('10.0.0.1,10.1.0.1');

    world.node('n1', { downForMs: 1 });

    await world.sends('a', '10.1.0.1@n2');
    await world.told('a', 'ActiveAddressChanged');
    await world.carried('10.1.0.1@n2');
    expect(world.record()).toEqual(['10.0.0.1=a', '10.1.0.1=a']);
    world.node('n1');
    await world.sends('a', '10.0.0.1@n1');
  });
});
