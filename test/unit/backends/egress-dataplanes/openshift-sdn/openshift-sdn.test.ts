import { addressOf } from '../../../../../operator/addressing/address';
import { EGRESS_MARKS } from '../../../../../operator/contract/egress';
import { HOST_SUBNET, NET_NAMESPACE } from '../../../../../operator/contract/egress-dataplanes';
import { mapOf, metadataOf, type JsonMap } from '../../../../../operator/contract/loose-json';
import type { EgressGroup, NodeEgress } from '../../../../../operator/ports/egress-dataplane';
import { DataplaneWorld, egressGroup, namespaceEgress } from '../../../../support/dataplane-world';

let world: DataplaneWorld;
beforeEach(() => {
  world = new DataplaneWorld();
});
afterEach(() => world.close());

const open = () => world.driver('openshift-sdn');
const netNamespace = (name: string): JsonMap => world.stored(NET_NAMESPACE, name);
const hostSubnet = (name: string): JsonMap => world.stored(HOST_SUBNET, name);
const recordOf = (name: string): unknown => mapOf(metadataOf(hostSubnet(name))['annotations'])[EGRESS_MARKS.carries];
const ONE = egressGroup('10.0.0.0/24');
const MANUAL = egressGroup('10.0.0.0/24', { cidrs: 2 });
const on = (node: string, groups: readonly EgressGroup[], ...addresses: readonly string[]): NodeEgress => ({
  node,
  groups,
  addresses: addresses.map(addressOf),
});

describe('the NetNamespace of a namespace', () => {
  test('EG-case-1 lists its addresses, and nothing else of it changes', async () => {
    world.netNamespace('a');
    const driver = await open();
    expect(await driver.applyNamespace(namespaceEgress('a', ['10.0.0.1'], ONE))).toBe('written');
    expect(netNamespace('a')).toMatchObject({ netname: 'a', netid: 7, egressIPs: ['10.0.0.1'] });
    expect(metadataOf(netNamespace('a'))).not.toHaveProperty('ownerReferences');
    await world.caughtUp();
    expect(driver.known().namespaces).toEqual(['a']);
    world.writes();
    await driver.applyNamespace(namespaceEgress('a', ['10.0.0.1'], ONE));
    expect(world.writes()).toEqual([]);
  });

  test('EG-case-12 lists them in the order of the CIDRs, IPv4 alone', async () => {
    world.netNamespace('a');
    const driver = await open();
    await driver.applyNamespace(namespaceEgress('a', ['10.0.1.1', '10.0.0.1', 'fd00::1']));
    expect(netNamespace('a')).toMatchObject({ egressIPs: ['10.0.1.1', '10.0.0.1'] });
    world.hostSubnet('n1');
    await world.caughtUp();
    const node = world.node('n1');
    expect([driver.canCarry(node, addressOf('10.0.0.1')), driver.canCarry(node, addressOf('fd00::1'))]).toEqual([
      true,
      false,
    ]);
  });

  test('that comes later than the addresses is no fault, and its coming is told', async () => {
    const driver = await open();
    expect(await driver.applyNamespace(namespaceEgress('a', ['10.0.0.1'], ONE))).toBe('written');
    expect(driver.problemOf('a')).toMatchObject({ reason: 'NetNamespaceMissing' });
    world.netNamespace('a');
    await world.caughtUp();
    expect(world.changes).toContainEqual({ of: 'namespace', name: 'a' });
    await driver.applyNamespace(namespaceEgress('a', ['10.0.0.1'], ONE));
    expect(netNamespace('a')).toMatchObject({ egressIPs: ['10.0.0.1'] });
  });

  test('EG-case-20 loses what the door put there, also where the watch has not told it, and keeps what others put there', async () => {
    world.netNamespace('a');
    world.netNamespace('b', ['10.0.0.9']);
    const driver = await open();
    await driver.applyNamespace(namespaceEgress('a', ['10.0.0.1'], ONE));
    for (const name of ['a', 'b', 'c']) expect(await driver.releaseNamespace(name)).toBe('written');
    expect(netNamespace('a')).toMatchObject({ netname: 'a', egressIPs: [] });
    expect(metadataOf(netNamespace('a'))['annotations']).toEqual({});
    expect(netNamespace('b')).toMatchObject({ egressIPs: ['10.0.0.9'] });
  });

  test('of the older operator is in use for other namespaces alone, and is taken over', async () => {
    world.netNamespace('a', ['10.0.0.1']);
    world.hostSubnet('n1', { egressIPs: ['10.0.0.1', '10.0.0.7'] });
    const driver = await open();
    expect(driver.foreign().map(({ source, address, namespace }) => [source, String(address), namespace])).toEqual([
      ['NetNamespace/a', '10.0.0.1', 'a'],
      ['HostSubnet/n1', '10.0.0.7', undefined],
      ['HostSubnet/n1', '192.0.2.10', undefined],
    ]);
    expect(driver.placed()).toMatchObject([{ node: 'n1' }, { node: 'n1' }]);
    await driver.applyNamespace(namespaceEgress('a', ['10.0.0.1'], ONE));
    await world.caughtUp();
    expect(driver.foreign().map(({ address }) => String(address))).toEqual(['10.0.0.7', '192.0.2.10']);
  });

  test('EG-case-27 stays as an orphan, with what its nodes carry of it', async () => {
    world.netNamespace('a');
    world.hostSubnet('n1');
    const driver = await open();
    await driver.applyNode(on('n1', [MANUAL], '10.0.0.1', '10.0.0.2'));
    await driver.applyNamespace(namespaceEgress('a', ['10.0.0.1']));
    await driver.orphanNamespace('a');
    await world.caughtUp();
    expect(driver.known().namespaces).toEqual([]);
    await driver.applyNode(on('n1', []));
    expect(hostSubnet('n1')).toMatchObject({ egressIPs: ['10.0.0.1'] });
    expect(netNamespace('a')).toMatchObject({ egressIPs: ['10.0.0.1'] });
  });
});

describe('the HostSubnet of a node', () => {
  test('EG-case-1 gets the CIDR of an EgressIPAM with one, and its addresses are left to the SDN', async () => {
    world.hostSubnet('n1', { egressIPs: ['10.0.0.4'] });
    const driver = await open();
    expect(driver.chooserOf(ONE)).toBe('dataplane');
    await driver.applyNode(on('n1', [ONE]));
    expect(hostSubnet('n1')).toMatchObject({ host: 'n1', egressCIDRs: ['10.0.0.0/24'], egressIPs: ['10.0.0.4'] });
    expect(recordOf('n1')).toBe('10.0.0.0/24');
    await world.caughtUp();
    world.writes();
    await driver.applyNode(on('n1', [ONE]));
    expect(world.writes()).toEqual([]);
  });

  test('EG-case-12 gets the addresses that the door placed where there are several CIDRs, and no CIDR', async () => {
    world.hostSubnet('n1');
    world.hostSubnet('n2');
    const driver = await open();
    expect(driver.chooserOf(MANUAL)).toBe('door');
    await driver.applyNode(on('n1', [MANUAL], '10.0.0.1'));
    await driver.applyNode(on('n2', [egressGroup('10.0.1.0/24', { cidrs: 2 })], '10.0.1.1'));
    expect(hostSubnet('n1')).toMatchObject({ egressIPs: ['10.0.0.1'] });
    expect(hostSubnet('n2')).toMatchObject({ egressIPs: ['10.0.1.1'] });
    expect(hostSubnet('n1')).not.toHaveProperty('egressCIDRs');
  });

  test('W-43 loses the CIDR where an EgressIPAM gets a second one, also where its addresses stay the same', async () => {
    world.hostSubnet('n1', { egressCIDRs: ['10.0.0.0/24'], egressIPs: ['10.0.0.1'] });
    world.netNamespace('a', ['10.0.0.1']);
    const driver = await open();
    await driver.applyNamespace(namespaceEgress('a', ['10.0.0.1']));
    await world.caughtUp();
    await driver.applyNode(on('n1', [MANUAL], '10.0.0.1'));
    expect(hostSubnet('n1')).toMatchObject({ egressCIDRs: [], egressIPs: ['10.0.0.1'] });
  });

  test('never has both modes: one EgressIPAM with several CIDRs makes the node manual', async () => {
    world.hostSubnet('n1');
    const driver = await open();
    await driver.applyNode(on('n1', [ONE]));
    await world.caughtUp();
    await driver.applyNode(on('n1', [ONE, egressGroup('10.0.1.0/24', { cidrs: 2, egressIpam: 'other' })], '10.0.1.1'));
    expect(hostSubnet('n1')).toMatchObject({ egressCIDRs: [], egressIPs: ['10.0.1.1'] });
  });

  test('EG-case-43 loses what is ours with its group, and what the SDN chose out of it, and nothing of others', async () => {
    world.netNamespace('b', ['10.0.0.9']);
    world.hostSubnet('n1', { egressCIDRs: ['10.9.0.0/24'], egressIPs: ['10.0.0.9', '10.9.0.1', '010.0.0.1'] });
    const driver = await open();
    await driver.applyNode(on('n1', [ONE]));
    expect(hostSubnet('n1')).toMatchObject({ egressCIDRs: ['10.9.0.0/24', '10.0.0.0/24'] });
    const stored = hostSubnet('n1');
    world.put(HOST_SUBNET, 'n1', { ...stored, egressIPs: ['10.0.0.9', '10.9.0.1', '010.0.0.1', '10.0.0.3'] });
    await world.caughtUp();
    expect(driver.known().nodes).toEqual(['n1']);
    await driver.applyNode(on('n1', []));
    expect(hostSubnet('n1')).toMatchObject({
      egressCIDRs: ['10.9.0.0/24'],
      egressIPs: ['10.0.0.9', '10.9.0.1', '010.0.0.1'],
    });
    expect(recordOf('n1')).toBeUndefined();
    await world.caughtUp();
    expect(driver.known().nodes).toEqual([]);
  });

  test('EG-case-46 an address on two nodes is taken off the one that is not to have it', async () => {
    world.netNamespace('a');
    world.hostSubnet('n1');
    world.hostSubnet('n2', { egressIPs: ['10.0.0.1'] });
    const driver = await open();
    await driver.applyNamespace(namespaceEgress('a', ['10.0.0.1']));
    await driver.applyNode(on('n1', [MANUAL], '10.0.0.1'));
    await world.caughtUp();
    expect(driver.placed().map(({ node }) => node)).toEqual(['n1', 'n2']);
    await driver.applyNode(on('n2', []));
    expect(hostSubnet('n2')).toMatchObject({ egressIPs: [] });
  });

  test('EG-39 that is missing leaves out its node alone', async () => {
    world.hostSubnet('n1');
    const driver = await open();
    expect(driver.capacityOf(world.node('n1'))).toEqual({ used: 0 });
    expect(driver.capacityOf(world.node('n2'))).toBeUndefined();
    expect(await driver.applyNode(on('n2', [MANUAL], '10.0.0.1'))).toBe('written');
  });

  test('in a cloud the door places the addresses of a single CIDR too', async () => {
    world.openShift('OpenShiftSDN', 'AWS');
    const driver = await open();
    expect(driver.chooserOf(ONE)).toBe('door');
  });

  test('addresses that no HostSubnet has are told', async () => {
    world.netNamespace('a');
    const driver = await open();
    await driver.applyNamespace(namespaceEgress('a', ['10.0.0.1'], ONE));
    await world.caughtUp();
    expect(driver.problemOf('a')).toMatchObject({ reason: 'AddressesUnassigned' });
    world.hostSubnet('n1', { egressIPs: ['10.0.0.1'] });
    await world.caughtUp();
    expect(driver.problemOf('a')).toBeUndefined();
    expect(world.changes).toContainEqual({ of: 'node', name: 'n1' });
  });
});
