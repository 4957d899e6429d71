import { addressOf } from '../../../../../operator/addressing/address';
import { EGRESS_MARKS } from '../../../../../operator/contract/egress';
import {
  ANTREA_EGRESS,
  ANTREA_MOST_ADDRESSES,
  EXTERNAL_IP_POOL,
} from '../../../../../operator/contract/egress-dataplanes';
import { mapOf, metadataOf, type JsonMap } from '../../../../../operator/contract/loose-json';
import type { EgressDataplane, EgressGroup } from '../../../../../operator/ports/egress-dataplane';
import { DataplaneWorld, egressGroup, namespaceEgress } from '../../../../support/dataplane-world';
import { refusedWith } from '../../../../support/memory-api-client';

let world: DataplaneWorld;
beforeEach(() => {
  world = new DataplaneWorld();
});
afterEach(() => world.close());

const open = () => world.driver('antrea');
const egress = (name: string): JsonMap => world.stored(ANTREA_EGRESS, name);
const pool = (name: string): JsonMap => world.stored(EXTERNAL_IP_POOL, name);
const group = (cidr: string, change: Partial<EgressGroup> = {}) => egressGroup(cidr, { cidrs: 2, ...change });
const POOL = 'eipam-bm.10.0.0.0-28';
const [A, B] = [group('10.0.0.0/28'), group('10.0.1.0/28', { selector: { matchLabels: { rack: 'b' } } })];

// Says what Antrea says about an Egress.
function assigned(name: string, egressNode: string, conditions: readonly object[] = []): void {
  const object = egress(name);
  const { egressIP } = mapOf(object['spec']);
  world.put(ANTREA_EGRESS, name, { ...object, status: { egressNode, egressIP, conditions } });
}
const placedIn = (driver: EgressDataplane): readonly string[] =>
  driver.placed().map(({ address, node, isEffective }) => `${address.toString()}@${node}${isEffective ? '' : '?'}`);

describe('the Egress of a namespace', () => {
  test('EG-case-55 has an explicit address in the pool of its CIDR, whose nodes are those of the CIDR', async () => {
    const driver = await open();
    expect(await driver.applyNamespace(namespaceEgress('a', ['10.0.0.3'], A))).toBe('written');
    expect(pool(POOL)).toMatchObject({
      metadata: {
        labels: { 'app.kubernetes.io/managed-by': 'ipam-operator', [EGRESS_MARKS.egressIpam]: 'bm' },
        ownerReferences: [{ kind: 'EgressIPAM', name: 'bm', uid: 'uid-bm' }],
      },
      spec: {
        ipRanges: [{ start: '10.0.0.0', end: '10.0.0.15' }],
        nodeSelector: { matchLabels: { rack: 'a' } },
      },
    });
    expect(egress('eipam-a')).toMatchObject({
      metadata: { annotations: { [EGRESS_MARKS.namespace]: 'a' }, ownerReferences: [{ name: 'bm' }] },
      spec: {
        appliedTo: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'a' } } },
        egressIP: '10.0.0.3',
        externalIPPool: POOL,
      },
    });
    await world.caughtUp();
    world.writes();
    await driver.applyNamespace(namespaceEgress('a', ['10.0.0.3'], A));
    await driver.applyNamespace(namespaceEgress('b', ['10.0.0.4'], A));
    expect(world.writes()).toEqual(['POST v1beta1/egresses']);
  });

  test('gets address and pool in one write, and the pool that nothing uses any more goes', async () => {
    const driver = await open();
    await driver.applyNamespace(namespaceEgress('a', ['10.0.0.3'], A));
    await world.caughtUp();
    world.writes();
    await driver.applyNamespace(namespaceEgress('a', ['10.0.1.3'], B));
    expect(world.writes()).toEqual([
      'POST v1beta1/externalippools',
      'PATCH egresses/eipam-a',
      `DELETE externalippools/${POOL}`,
    ]);
    expect(egress('eipam-a')['spec']).toMatchObject({ egressIP: '10.0.1.3', externalIPPool: 'eipam-bm.10.0.1.0-28' });
  });

  test('of an address whose CIDR was taken out stays in its pool', async () => {
    const driver = await open();
    await driver.applyNamespace(namespaceEgress('a', ['10.0.0.3'], A));
    await world.caughtUp();
    world.writes();
    await driver.applyNamespace(namespaceEgress('a', ['10.0.0.3'], group('10.0.0.3/32')));
    expect(world.writes()).toEqual([]);
  });

  test('goes, and its pool with the last one in it; a pool that others use stays', async () => {
    const driver = await open();
    for (const [name, address] of [
      ['a', '10.0.0.3'],
      ['b', '10.0.0.4'],
    ] as const)
      await driver.applyNamespace(namespaceEgress(name, [address], A));
    // before the watch has told of anything
    await driver.releaseNamespace('a');
    expect([egress('eipam-a'), pool(POOL)['spec']]).toEqual([{}, expect.anything()]);
    world.put(ANTREA_EGRESS, 'foreign', { spec: { egressIP: '10.0.0.9', externalIPPool: POOL } });
    await world.caughtUp();
    await driver.releaseNamespace('b');
    await world.caughtUp();
    expect([egress('eipam-b'), pool(POOL)['spec']]).toEqual([{}, expect.anything()]);
    world.server.remove(`/apis/${ANTREA_EGRESS.apiVersion}/egresses/foreign`);
    await world.caughtUp();
    await driver.applyNamespace(namespaceEgress('c', ['10.0.0.3'], A));
    await driver.releaseNamespace('c');
    expect(pool(POOL)).toEqual({});
    expect(driver.known().namespaces).toEqual([]);
  });

  test('EG-case-27 stays as an orphan with its pool', async () => {
    const driver = await open();
    await driver.applyNamespace(namespaceEgress('a', ['10.0.0.3'], A));
    await world.caughtUp();
    await driver.orphanNamespace('a');
    await world.caughtUp();
    for (const object of [egress('eipam-a'), pool(POOL)]) {
      expect(metadataOf(object)).toMatchObject({ labels: { [EGRESS_MARKS.orphan]: 'true' } });
      expect(metadataOf(object)['ownerReferences']).toBeUndefined();
    }
    expect(driver.known().namespaces).toEqual([]);
  });

  test('of both families in turn: an IPv6 address has a pool of its own', async () => {
    const driver = await open();
    await driver.applyNamespace(namespaceEgress('a', ['fd00::5'], group('fd00::/120')));
    expect(egress('eipam-a')['spec']).toMatchObject({
      egressIP: 'fd00::5',
      externalIPPool: 'eipam-bm.fd00.0000.0000.0000.0000.0000.0000.0000-120',
    });
  });

  test('that Antrea refuses is told in its words, until it is written', async () => {
    const driver = await open();
    world.server.intercept = ({ method, path }) =>
      method === 'POST' && path.endsWith('/egresses')
        ? refusedWith(403, 'IP 10.0.0.3 is not within the IP range')
        : undefined;
    await expect(driver.applyNamespace(namespaceEgress('a', ['10.0.0.3'], A))).rejects.toThrow();
    expect(driver.problemOf('a')).toMatchObject({
      reason: 'Refused',
      message: expect.stringContaining('not within the IP range') as string,
    });
    world.server.intercept = () => undefined;
    await driver.applyNamespace(namespaceEgress('a', ['10.0.0.3'], A));
    expect(driver.problemOf('a')?.reason).not.toBe('Refused');
  });
});

describe('a pool', () => {
  test('EG-case-55 keeps its ranges and the fields of others, and follows the nodes of its CIDR', async () => {
    const driver = await open();
    await driver.applyNamespace(namespaceEgress('a', ['10.0.0.3'], A));
    const spec = mapOf(pool(POOL)['spec']);
    const subnetInfo = { gateway: '10.0.0.1', prefixLength: 24, vlan: 7 };
    const ipRanges = [{ cidr: '10.0.9.0/28' }, { start: '10.0.0.0', end: '10.0.0.15' }];
    world.put(EXTERNAL_IP_POOL, POOL, { ...pool(POOL), spec: { ...spec, subnetInfo, ipRanges } });
    await world.caughtUp();
    const other = group('10.0.0.0/28', { selector: { matchLabels: { rack: 'z' } } });
    await driver.applyNamespace(namespaceEgress('a', ['10.0.0.3'], other));
    expect(pool(POOL)['spec']).toEqual({ ipRanges, subnetInfo, nodeSelector: { matchLabels: { rack: 'z' } } });
  });

  test('that is deleted by others is made again', async () => {
    const driver = await open();
    await driver.applyNamespace(namespaceEgress('a', ['10.0.0.3'], A));
    await world.caughtUp();
    world.changes.length = 0;
    world.server.remove(`/apis/${EXTERNAL_IP_POOL.apiVersion}/externalippools/${POOL}`);
    await world.caughtUp();
    expect(world.changes).toContainEqual({ of: 'namespace', name: 'a' });
    await driver.applyNamespace(namespaceEgress('a', ['10.0.0.3'], A));
    expect(pool(POOL)['spec']).toBeDefined();
  });

  test('of others with its name is left alone and told', async () => {
    world.put(EXTERNAL_IP_POOL, POOL, { spec: { ipRanges: [] } });
    const driver = await open();
    await expect(driver.applyNamespace(namespaceEgress('a', ['10.0.0.3'], A))).rejects.toThrow(
      `ExternalIPPool "${POOL}" was not made by the operator`,
    );
  });
});

describe('where addresses are', () => {
  test('EG-case-56 is what Antrea says, the former address included while it changes', async () => {
    const driver = await open();
    await driver.applyNamespace(namespaceEgress('a', ['10.0.0.3'], A));
    await world.caughtUp();
    expect([placedIn(driver), driver.problemOf('a')]).toEqual([
      [],
      { reason: 'AddressUnassigned', message: 'Antrea has put 10.0.0.3 on no node yet' },
    ]);
    assigned('eipam-a', 'n1');
    await world.caughtUp();
    expect([placedIn(driver), driver.problemOf('a')]).toEqual([['10.0.0.3@n1'], undefined]);
    await driver.applyNamespace(namespaceEgress('a', ['10.0.0.4'], A));
    await world.caughtUp();
    expect(placedIn(driver)).toEqual(['10.0.0.3@n1?']);
    const refused = { type: 'IPAssigned', status: 'False', message: 'no Node has room' };
    assigned('eipam-a', 'n2', [refused]);
    await world.caughtUp();
    expect([placedIn(driver), driver.problemOf('a')?.message]).toEqual([['10.0.0.4@n2?'], 'no Node has room']);
  });

  test('EG-case-57 addresses of Egresses of others are in use, also those that Antrea chose', async () => {
    const driver = await open();
    world.put(ANTREA_EGRESS, 'foreign', { spec: { externalIPPool: POOL } });
    await world.caughtUp();
    expect(driver.foreign()).toEqual([]);
    const status = { egressNode: 'n1', egressIP: '10.0.0.1' };
    world.put(ANTREA_EGRESS, 'foreign', { spec: { externalIPPool: POOL, egressIP: '10.0.0.1' }, status });
    world.put(ANTREA_EGRESS, 'pair', { spec: { egressIPs: ['10.0.0.2', 'fd00::2'] } });
    await world.caughtUp();
    expect(driver.foreign().map(({ source, address }) => `${source} ${address.toString()}`)).toEqual([
      'Egress/foreign 10.0.0.1',
      'Egress/pair 10.0.0.2',
      'Egress/pair fd00::2',
    ]);
    expect(world.changes).toContainEqual({ of: 'address', address: addressOf('10.0.0.1') });
    world.node('n1');
    await world.caughtUp();
    expect(driver.capacityOf(world.storedNode('n1'))).toEqual({ capacity: 255, used: 1 });
  });

  test('an Egress of others that selects the namespace too is told', async () => {
    world.namespace('a');
    const driver = await open();
    await driver.applyNamespace(namespaceEgress('a', ['10.0.0.3'], A));
    assigned('eipam-a', 'n1');
    const namespaceSelector = { matchLabels: { 'kubernetes.io/metadata.name': 'a' } };
    world.put(ANTREA_EGRESS, 'foreign', { spec: { appliedTo: { namespaceSelector }, egressIP: '10.9.0.1' } });
    await world.caughtUp();
    expect(driver.problemOf('a')).toMatchObject({ reason: 'SelectedTwice' });
  });
});

describe('EG-case-55 the limit of a node', () => {
  const limitOf = (name: string): unknown =>
    mapOf(metadataOf(world.storedNode(name))['annotations'])[ANTREA_MOST_ADDRESSES];
  const wanted = (groups: readonly EgressGroup[], capacity?: number) => ({
    node: 'n1',
    groups,
    addresses: [],
    ...(capacity === undefined ? {} : { capacity }),
  });

  test('is the capacity of its machine, and goes with its groups', async () => {
    world.node('n1', { other: 'x' });
    const driver = await open();
    await driver.applyNode(wanted([A], 14));
    await world.caughtUp();
    expect([limitOf('n1'), driver.known().nodes]).toEqual(['14', ['n1']]);
    expect(driver.capacityOf(world.storedNode('n1'))).toEqual({ capacity: 14, used: 0 });
    world.writes();
    await driver.applyNode(wanted([A], 14));
    expect(world.writes()).toEqual([]);
    await driver.applyNode(wanted([A], 1000));
    await world.caughtUp();
    expect(limitOf('n1')).toBe('255');
    await driver.applyNode(wanted([]));
    await world.caughtUp();
    expect([metadataOf(world.storedNode('n1'))['annotations'], driver.known().nodes]).toEqual([{ other: 'x' }, []]);
  });

  test('that others set stays, and none is set without a cloud', async () => {
    world.node('n1', { [ANTREA_MOST_ADDRESSES]: '3' });
    const driver = await open();
    await driver.applyNode(wanted([A], 14));
    await driver.applyNode(wanted([]));
    expect([limitOf('n1'), driver.capacityOf(world.storedNode('n1'))]).toEqual(['3', { capacity: 3, used: 0 }]);
    world.node('n1');
    await world.caughtUp();
    await driver.applyNode(wanted([A]));
    expect(limitOf('n1')).toBeUndefined();
  });
});
