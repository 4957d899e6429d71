import { addressOf } from '../../../../../operator/addressing/address';
import { prefixOf } from '../../../../../operator/addressing/prefix';
import { EGRESS_MARKS, NODE_EGRESS_ADDRESSES } from '../../../../../operator/contract/egress';
import { CILIUM_POLICY, CRD, crdName } from '../../../../../operator/contract/egress-dataplanes';
import { mapOf, metadataOf, type JsonMap } from '../../../../../operator/contract/loose-json';
import type { EgressDataplane, NamespaceEgress } from '../../../../../operator/ports/egress-dataplane';
import { DataplaneWorld, namespaceEgress, storedCrd } from '../../../../support/dataplane-world';

let world: DataplaneWorld;
beforeEach(() => {
  world = new DataplaneWorld();
});
afterEach(() => world.close());

const IPV4_ONLY = { destinationCIDRs: { type: 'array', items: { pattern: String.raw`^(?:\d+\.){3}\d+/\d+$` } } };
const SEVERAL = { egressGateways: { type: 'array' } };

// A driver for a cluster whose schema has these fields.
function open(fields: JsonMap = SEVERAL): Promise<EgressDataplane> {
  world.put(CRD, crdName(CILIUM_POLICY), storedCrd(CILIUM_POLICY, fields));
  return world.openDriver('cilium');
}

const gatewayNode = (name: string, addresses: string, host = name): JsonMap =>
  world.node(name, { [NODE_EGRESS_ADDRESSES]: addresses }, { 'kubernetes.io/hostname': host });

// `10.0.0.1@n1` for each address and the node that the door chose; without a node where none can carry it.
function sending(namespace: string, ...places: readonly string[]): NamespaceEgress {
  const parts = places.map((place) => place.split('@'));
  const of = namespaceEgress(
    namespace,
    parts.map(([address = '']) => address),
  );
  return {
    ...of,
    addresses: of.addresses.map((each, index) => {
      const node = parts[index]?.[1];
      return node === undefined ? each : { ...each, node };
    }),
  };
}

const policy = (name: string): JsonMap => world.stored(CILIUM_POLICY, name);
const specOf = (name: string): JsonMap => mapOf(policy(name)['spec']);
const presentIn = (name: string): unknown => mapOf(metadataOf(policy(name))['annotations'])[EGRESS_MARKS.present];
const gateway = (egressIP: string, host: string): JsonMap => ({
  nodeSelector: { matchLabels: { 'kubernetes.io/hostname': host } },
  egressIP,
});
const placedIn = (driver: EgressDataplane): readonly string[] =>
  driver.placed().map(({ address, node, isEffective }) => `${address.toString()}@${node}${isEffective ? '' : '?'}`);

describe('the policy of a namespace', () => {
  test('EG-case-53 has one entry for each placed address where the schema has a list', async () => {
    gatewayNode('n1', '10.0.0.1', 'host-1');
    gatewayNode('n2', '10.0.0.2', 'host-2');
    const driver = await open();
    expect(driver.mostPerNamespace).toBeUndefined();
    expect(await driver.applyNamespace(sending('a', '10.0.0.1@n1', '10.0.0.2@n2'))).toBe('written');
    expect(policy('eipam-a')).toMatchObject({
      metadata: {
        labels: { 'app.kubernetes.io/managed-by': 'ipam-operator', [EGRESS_MARKS.egressIpam]: 'bm' },
        annotations: { [EGRESS_MARKS.namespace]: 'a', [EGRESS_MARKS.present]: '10.0.0.1,10.0.0.2' },
        ownerReferences: [{ kind: 'EgressIPAM', name: 'bm', uid: 'uid-bm' }],
      },
    });
    expect(specOf('eipam-a')).toEqual({
      selectors: [{ podSelector: { matchLabels: { 'io.kubernetes.pod.namespace': 'a' } } }],
      destinationCIDRs: ['0.0.0.0/0'],
      egressGateway: gateway('10.0.0.1', 'host-1'),
      egressGateways: [gateway('10.0.0.1', 'host-1'), gateway('10.0.0.2', 'host-2')],
    });
    await world.caughtUp();
    world.writes();
    expect(await driver.applyNamespace(sending('a', '10.0.0.1@n1', '10.0.0.2@n2'))).toBe('written');
    expect(world.writes()).toEqual([]);
  });

  test('EG-case-53 has one gateway where the schema has no list, and one address of a namespace is active', async () => {
    gatewayNode('n1', '10.0.0.1');
    const driver = await open(IPV4_ONLY);
    expect(driver.mostPerNamespace).toBe(1);
    await driver.applyNamespace(sending('a', '10.0.0.1@n1'));
    expect(Object.keys(specOf('eipam-a')).sort()).toEqual(['destinationCIDRs', 'egressGateway', 'selectors']);
  });

  test('EG-case-54 names another node only once that one has the address', async () => {
    gatewayNode('n1', '10.0.0.1');
    gatewayNode('n2', '');
    const driver = await open();
    await driver.applyNamespace(sending('a', '10.0.0.1@n1'));
    await world.caughtUp();
    world.writes();

    await driver.applyNamespace(sending('a', '10.0.0.1@n2'));
    expect(world.writes()).toEqual([]);

    gatewayNode('n2', '10.0.0.1');
    await world.caughtUp();
    await driver.applyNamespace(sending('a', '10.0.0.1@n2'));
    expect(specOf('eipam-a')['egressGateway']).toEqual(gateway('10.0.0.1', 'n2'));
  });

  test('is written again for an address that appeared later, since Cilium looks for it at no other time', async () => {
    gatewayNode('n1', '10.0.0.1');
    const driver = await open();
    await driver.applyNamespace(sending('a', '10.0.0.1@n1'));
    gatewayNode('n1', '');
    await world.caughtUp();
    expect(world.changes).toContainEqual({ of: 'namespace', name: 'a' });
    await driver.applyNamespace(sending('a', '10.0.0.1@n1'));
    const before = policy('eipam-a');
    expect([presentIn('eipam-a'), specOf('eipam-a')['egressGateway']]).toEqual(['', gateway('10.0.0.1', 'n1')]);

    gatewayNode('n1', '10.0.0.1');
    await world.caughtUp();
    await driver.applyNamespace(sending('a', '10.0.0.1@n1'));

    expect(presentIn('eipam-a')).toBe('10.0.0.1');
    expect(metadataOf(policy('eipam-a'))['resourceVersion']).not.toBe(metadataOf(before)['resourceVersion']);
  });

  test('is not made before a node has the address, and ends with the last one', async () => {
    gatewayNode('n1', '');
    const driver = await open();
    await driver.applyNamespace(sending('a', '10.0.0.1'));
    expect(policy('eipam-a')).toEqual({});
    gatewayNode('n1', '10.0.0.1');
    await world.caughtUp();
    await driver.applyNamespace(sending('a', '10.0.0.1@n1'));
    // before the watch has told of the policy
    await driver.applyNamespace(sending('a', '10.0.0.9'));
    expect(policy('eipam-a')).toEqual({});
  });

  test('EG-case-67 is one of each family, with destinations of that family alone', async () => {
    gatewayNode('n1', '10.0.0.1, fd00::1');
    const driver = await open();
    const exceptDestinations = ['192.0.2.0/24', '2001:db8::/32'].map(prefixOf);
    await driver.applyNamespace({ ...sending('a', '10.0.0.1@n1', 'fd00::1@n1'), exceptDestinations });
    const written = ['eipam-a', 'eipam-a.ipv6'].map((name) => {
      const { destinationCIDRs, excludedCIDRs, egressGateway } = specOf(name);
      return [destinationCIDRs, excludedCIDRs, mapOf(egressGateway)['egressIP']];
    });
    expect(written).toEqual([
      [['0.0.0.0/0'], ['192.0.2.0/24'], '10.0.0.1'],
      [['::/0'], ['2001:db8::/32'], 'fd00::1'],
    ]);
    await world.caughtUp();
    await driver.applyNamespace(sending('a', '10.0.0.1@n1'));
    expect(specOf('eipam-a')['excludedCIDRs']).toBeUndefined();
    expect(policy('eipam-a.ipv6')).toEqual({});
  });

  test('of others with its name is left alone and told', async () => {
    gatewayNode('n1', '10.0.0.1');
    world.put(CILIUM_POLICY, 'eipam-a', { spec: {} });
    const driver = await open();
    await expect(driver.applyNamespace(sending('a', '10.0.0.1@n1'))).rejects.toThrow(
      'CiliumEgressGatewayPolicy "eipam-a" was not made by the operator',
    );
    await driver.releaseNamespace('a');
    expect(policy('eipam-a')['spec']).toEqual({});
  });

  test('goes with what is released, and stays as an orphan', async () => {
    gatewayNode('n1', '10.0.0.1,10.0.0.2');
    const driver = await open();
    await driver.applyNamespace(sending('a', '10.0.0.1@n1'));
    await driver.applyNamespace(sending('b', '10.0.0.2@n1'));
    await driver.releaseNamespace('a');
    await driver.orphanNamespace('b');
    await world.caughtUp();
    expect(policy('eipam-a')).toEqual({});
    expect(metadataOf(policy('eipam-b'))).toMatchObject({ labels: { [EGRESS_MARKS.orphan]: 'true' } });
    expect(metadataOf(policy('eipam-b'))['ownerReferences']).toBeUndefined();
    expect([driver.known().namespaces, placedIn(driver)]).toEqual([[], ['10.0.0.2@n1']]);
  });
});

describe('a node', () => {
  const canCarry = (driver: EgressDataplane, node: string, address: string): boolean =>
    driver.canCarry(world.storedNode(node), addressOf(address));

  test('carries the addresses that its annotation lists, and none without a label of its own', async () => {
    gatewayNode('n1', '10.0.0.1, nonsense,fd00::1');
    gatewayNode('n2', '10.0.0.2', 'twin');
    gatewayNode('n3', '10.0.0.3', 'twin');
    world.node('n4', { [NODE_EGRESS_ADDRESSES]: '10.0.0.4' });
    const driver = await open();
    expect(['10.0.0.1', '10.0.0.2', 'fd00::1'].map((address) => canCarry(driver, 'n1', address))).toEqual([
      true,
      false,
      true,
    ]);
    const others = ['n2', 'n3', 'n4'].map((name) => [
      driver.capacityOf(world.storedNode(name)),
      canCarry(driver, name, name.replace('n', '10.0.0.')),
    ]);
    expect(others).toEqual(others.map(() => [undefined, false]));
    world.server.remove('/api/v1/nodes/n3');
    await world.caughtUp();
    expect(canCarry(driver, 'n2', '10.0.0.2')).toBe(true);
  });

  test('carries no IPv6 where the schema admits none', async () => {
    gatewayNode('n1', '10.0.0.1,fd00::1');
    const driver = await open(IPV4_ONLY);
    expect(['10.0.0.1', 'fd00::1'].map((address) => canCarry(driver, 'n1', address))).toEqual([true, false]);
  });

  test('EG-case-54 is where an address is as long as it has it; else another one that has it is', async () => {
    gatewayNode('n1', '10.0.0.1');
    gatewayNode('n2', '10.0.0.1');
    const driver = await open();
    await driver.applyNamespace(sending('a', '10.0.0.1@n2'));
    await world.caughtUp();
    expect(placedIn(driver)).toEqual(['10.0.0.1@n2', '10.0.0.1@n1']);
    gatewayNode('n2', '');
    await world.caughtUp();
    expect(placedIn(driver)).toEqual(['10.0.0.1@n1']);
    expect(driver.problemOf('a')).toBeUndefined();
    gatewayNode('n1', '');
    await world.caughtUp();
    expect(placedIn(driver)).toEqual(['10.0.0.1@n2?']);
    expect(driver.problemOf('a')).toMatchObject({ reason: 'AddressNotOnNode' });
  });
});

describe('beside a cloud that attaches addresses', () => {
  test('EG-case-54 a node needs no annotation, and the policy follows the door', async () => {
    world.isAttaching = true;
    for (const name of ['n1', 'n2']) world.node(name, {}, { 'kubernetes.io/hostname': name });
    const driver = await open();
    expect(driver.canCarry(world.storedNode('n1'), addressOf('10.0.0.1'))).toBe(true);
    await driver.applyNamespace(sending('a', '10.0.0.1@n1'));
    await world.caughtUp();
    // the cloud confirms it
    expect([placedIn(driver), driver.problemOf('a')]).toEqual([['10.0.0.1@n1'], undefined]);
    await driver.applyNamespace(sending('a', '10.0.0.1@n2'));
    expect(specOf('eipam-a')['egressGateway']).toEqual(gateway('10.0.0.1', 'n2'));
    expect(driver.nodesNeed).not.toContain(NODE_EGRESS_ADDRESSES);
  });
});

describe('policies of others', () => {
  const other = (selectors: readonly object[]): JsonMap => ({
    spec: { selectors, egressGateway: { nodeSelector: { matchLabels: { role: 'gw' } }, egressIP: '10.0.0.7' } },
  });

  test('have their addresses in use, and count on their node', async () => {
    world.node('n1', {}, { 'kubernetes.io/hostname': 'n1', role: 'gw' });
    const driver = await open();
    world.put(CILIUM_POLICY, 'other', other([]));
    await world.caughtUp();
    expect(world.changes).toContainEqual({ of: 'address', address: addressOf('10.0.0.7') });
    expect(driver.foreign()).toMatchObject([{ kind: 'dataplane', source: 'CiliumEgressGatewayPolicy/other' }]);
    expect(driver.capacityOf(world.storedNode('n1'))).toEqual({ used: 1 });
  });

  test('that select the namespace too are told', async () => {
    gatewayNode('n1', '10.0.0.1');
    world.put(
      CILIUM_POLICY,
      'other',
      other([{ podSelector: { matchLabels: { 'io.kubernetes.pod.namespace': 'a' } } }]),
    );
    const driver = await open();
    expect(driver.problemOf('a')).toBeUndefined();
    await driver.applyNamespace(sending('a', '10.0.0.1@n1'));
    await world.caughtUp();
    expect(driver.problemOf('a')).toMatchObject({ reason: 'SelectedTwice' });
  });
});
