import { addressOf } from '../../../../../operator/addressing/address';
import { EGRESS_MARKS } from '../../../../../operator/contract/egress';
import { CLOUD_PRIVATE_IP, CRD, crdName, EGRESS_IP } from '../../../../../operator/contract/egress-dataplanes';
import { mapOf, metadataOf, type JsonMap } from '../../../../../operator/contract/loose-json';
import {
  DataplaneWorld,
  egressGroup,
  migratedEgressIp,
  namespaceEgress,
  primaryAddress,
  storedCrd,
} from '../../../../support/dataplane-world';
import { refusedWith } from '../../../../support/memory-api-client';

const ASSIGNABLE = 'k8s.ovn.org/egress-assignable';

let world: DataplaneWorld;
beforeEach(() => {
  world = new DataplaneWorld();
});
afterEach(() => world.close());

const open = () => world.driver('ovn-kubernetes');
const egressIp = (name: string): JsonMap => world.stored(EGRESS_IP, name);
const labelsOf = (node: string): JsonMap => mapOf(metadataOf(world.storedNode(node))['labels']);
const onNode = (node: string, ...egressIpams: readonly string[]) => ({
  node,
  groups: egressIpams.map((name) => egressGroup('10.0.0.0/24', { egressIpam: name })),
  addresses: [],
});

describe('the EgressIP of a namespace', () => {
  test('EG-case-47 is made with marks and owner, and what OVN-Kubernetes writes on it stays', async () => {
    const driver = await open();
    expect(await driver.applyNamespace(namespaceEgress('a', ['10.0.0.1', 'fd00::1']))).toBe('written');
    const made = egressIp('eipam-a');
    expect(made).toMatchObject({
      metadata: {
        labels: { 'app.kubernetes.io/managed-by': 'ipam-operator', [EGRESS_MARKS.egressIpam]: 'bm' },
        annotations: { [EGRESS_MARKS.egressIpam]: 'bm', [EGRESS_MARKS.namespace]: 'a' },
        ownerReferences: [
          { apiVersion: 'redhatcop.redhat.io/v1alpha1', kind: 'EgressIPAM', name: 'bm', uid: 'uid-bm' },
        ],
      },
      spec: {
        egressIPs: ['10.0.0.1', 'fd00::1'],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'a' } },
      },
    });

    const status = { items: [{ node: 'n1', egressIP: '10.0.0.1' }] };
    const mark = { 'k8s.ovn.org/egressip-mark': '50001' };
    const annotations = { ...mapOf(metadataOf(made)['annotations']), ...mark };
    world.put(EGRESS_IP, 'eipam-a', { ...made, metadata: { ...metadataOf(made), annotations }, status });
    await world.caughtUp();
    expect(await driver.applyNamespace(namespaceEgress('a', ['10.0.0.1', '10.0.0.2']))).toBe('written');
    expect(egressIp('eipam-a')).toMatchObject({
      status,
      metadata: { annotations: mark },
      spec: { egressIPs: ['10.0.0.1', '10.0.0.2'] },
    });
  });

  test('is not written again where nothing changes, however its addresses are spelled', async () => {
    const driver = await open();
    await driver.applyNamespace(namespaceEgress('a', ['fd00::1']));
    const made = egressIp('eipam-a');
    world.put(EGRESS_IP, 'eipam-a', { ...made, spec: { ...mapOf(made['spec']), egressIPs: ['fd00:0::1'] } });
    await world.caughtUp();
    world.writes();
    expect(await driver.applyNamespace(namespaceEgress('a', ['fd00::1']))).toBe('written');
    expect(world.writes()).toEqual([]);
  });

  test('gets back what others changed of it', async () => {
    const driver = await open();
    await driver.applyNamespace(namespaceEgress('a', ['10.0.0.1']));
    const made = egressIp('eipam-a');
    const spec = {
      egressIPs: ['10.0.0.9'],
      namespaceSelector: { matchLabels: { team: 'x' } },
      podSelector: { matchLabels: { app: 'web' } },
    };
    world.put(EGRESS_IP, 'eipam-a', { ...made, spec });
    await world.caughtUp();
    await driver.applyNamespace(namespaceEgress('a', ['10.0.0.1']));
    expect(egressIp('eipam-a')['spec']).toEqual(made['spec']);
  });

  test('is looked at again where something else wrote at the same time', async () => {
    const driver = await open();
    await driver.applyNamespace(namespaceEgress('a', ['10.0.0.1']));
    // the watch has not told it yet
    expect(await driver.applyNamespace(namespaceEgress('a', ['10.0.0.1']))).toBe('changed');
  });

  test('says which nodes it means only where the served schema can, and all of its CIDRs mean the same', async () => {
    world.put(CRD, crdName(EGRESS_IP), storedCrd(EGRESS_IP, { egressNodeSelector: { type: 'object' } }));
    const dataplanes = world.detect();
    await dataplanes.whenKnown();
    const choice = dataplanes.choose('ovn-kubernetes');
    if (choice.kind !== 'driver') throw new RangeError(choice.kind);
    await choice.dataplane.applyNamespace(namespaceEgress('a', ['10.0.0.1']));
    expect(egressIp('eipam-a')).toMatchObject({ spec: { egressNodeSelector: { matchLabels: { rack: 'a' } } } });
    const { addresses, ...rest } = namespaceEgress('b', ['10.0.0.2', '10.0.1.2']);
    const other = egressGroup('10.0.1.0/24', { selector: { matchLabels: { rack: 'b' } } });
    await choice.dataplane.applyNamespace({
      ...rest,
      addresses: addresses.map((each, i) => (i === 0 ? each : { ...each, group: other })),
    });
    expect(mapOf(egressIp('eipam-b')['spec'])).not.toHaveProperty('egressNodeSelector');
  });

  test('keeps a bounded label for a long name of an EgressIPAM, and the name in full', async () => {
    const driver = await open();
    const name = 'x'.repeat(200);
    await driver.applyNamespace(namespaceEgress('a', ['10.0.0.1'], egressGroup('10.0.0.0/24', { egressIpam: name })));
    const { labels, annotations } = metadataOf(egressIp('eipam-a'));
    expect(String(mapOf(labels)[EGRESS_MARKS.egressIpam])).toMatch(/^x{30}-[0-9a-f]{32}$/u);
    expect(mapOf(annotations)[EGRESS_MARKS.egressIpam]).toBe(name);
  });

  test('goes with the namespace, also where the watch has not told that it was made', async () => {
    const driver = await open();
    await driver.applyNamespace(namespaceEgress('a', ['10.0.0.1']));
    expect(await driver.releaseNamespace('a')).toBe('written');
    expect(egressIp('eipam-a')).toEqual({});
    expect(await driver.releaseNamespace('a')).toBe('written');
  });

  test('stays where another author made it', async () => {
    world.put(EGRESS_IP, 'eipam-a', migratedEgressIp('a', ['10.0.0.1']));
    const driver = await open();
    expect(await driver.releaseNamespace('a')).toBe('written');
    expect(egressIp('eipam-a')).toMatchObject({ spec: { egressIPs: ['10.0.0.1'] } });
    await expect(driver.applyNamespace(namespaceEgress('a', ['10.0.0.2']))).rejects.toMatchObject({
      code: 'cluster/refused',
    });
  });

  test('EG-case-62 that the migration from OpenShift SDN left is taken over where its addresses are those of the namespace', async () => {
    world.put(EGRESS_IP, 'egressip-a', migratedEgressIp('a', ['10.0.0.2', '10.0.0.1']));
    world.put(EGRESS_IP, 'egressip-b', migratedEgressIp('b', ['10.0.0.3']));
    world.put(EGRESS_IP, 'by-hand', migratedEgressIp('c', ['10.0.0.4']));
    const driver = await open();
    expect(driver.foreign().map(({ address, namespace }) => [String(address), namespace])).toEqual([
      ['10.0.0.2', 'a'],
      ['10.0.0.1', 'a'],
      ['10.0.0.3', 'b'],
      ['10.0.0.4', 'c'],
    ]);
    await driver.applyNamespace(namespaceEgress('a', ['10.0.0.1', '10.0.0.2']));
    expect(egressIp('eipam-a')).toEqual({});
    expect(egressIp('egressip-a')).toMatchObject({
      metadata: { annotations: { [EGRESS_MARKS.namespace]: 'a' } },
      spec: { egressIPs: ['10.0.0.1', '10.0.0.2'] },
    });
    // other addresses, and another author
    await driver.applyNamespace(namespaceEgress('b', ['10.0.0.9']));
    await driver.applyNamespace(namespaceEgress('c', ['10.0.0.4']));
    expect(metadataOf(egressIp('egressip-b'))).not.toHaveProperty('annotations');
    expect(metadataOf(egressIp('by-hand'))).not.toHaveProperty('annotations');
    await world.caughtUp();
    expect(driver.known().namespaces).toEqual(expect.arrayContaining(['a', 'b', 'c']));
    await driver.releaseNamespace('a');
    expect(egressIp('egressip-a')).toEqual({});
  });

  test('EG-case-27 stays as an orphan, without an owner that would take it along, and with its node', async () => {
    world.node('n1');
    const driver = await open();
    await driver.applyNode(onNode('n1', 'bm'));
    await driver.applyNamespace(namespaceEgress('a', ['10.0.0.1']));
    await world.caughtUp();
    expect(await driver.orphanNamespace('a')).toBe('written');
    expect(metadataOf(egressIp('eipam-a'))).toMatchObject({ labels: { [EGRESS_MARKS.orphan]: 'true' } });
    expect(metadataOf(egressIp('eipam-a'))).not.toHaveProperty('ownerReferences');
    await world.caughtUp();
    expect(driver.known().namespaces).toEqual([]);
    await driver.applyNode(onNode('n1'));
    expect(labelsOf('n1')).toHaveProperty([ASSIGNABLE]);
    await driver.applyNamespace(namespaceEgress('a', ['10.0.0.1']));
    expect(mapOf(metadataOf(egressIp('eipam-a'))['labels'])).not.toHaveProperty([EGRESS_MARKS.orphan]);
  });

  test('hands on that no answer came', async () => {
    const driver = await open();
    world.server.intercept = ({ method }) => (method === 'POST' ? refusedWith(503, 'ServiceUnavailable') : undefined);
    await expect(driver.applyNamespace(namespaceEgress('a', ['10.0.0.1']))).rejects.toMatchObject({
      code: 'cluster/unavailable',
    });
  });
});

describe('nodes that carry addresses', () => {
  test('EG-case-52 keep the label until the last EgressIPAM that needs it is gone', async () => {
    world.node('n1', primaryAddress('192.0.2.1/24'), { other: 'stays' });
    const driver = await open();
    await driver.applyNode(onNode('n1', 'two', 'one'));
    expect(labelsOf('n1')).toEqual({ other: 'stays', [ASSIGNABLE]: '' });
    expect(mapOf(metadataOf(world.storedNode('n1'))['annotations'])[EGRESS_MARKS.carrierFor]).toBe('one,two');
    await world.caughtUp();
    expect(driver.known().nodes).toEqual(['n1']);
    world.writes();
    await driver.applyNode(onNode('n1', 'one', 'two'));
    expect(world.writes()).toEqual([]);
    await driver.applyNode(onNode('n1', 'two'));
    await world.caughtUp();
    expect(labelsOf('n1')).toHaveProperty([ASSIGNABLE]);
    await driver.applyNode(onNode('n1'));
    expect(labelsOf('n1')).toEqual({ other: 'stays' });
    expect(metadataOf(world.storedNode('n1'))['annotations']).toEqual(primaryAddress('192.0.2.1/24'));
  });

  test.each([
    ['before', { [ASSIGNABLE]: '' }, {}],
    ['since, with another value', { [ASSIGNABLE]: 'true' }, { [EGRESS_MARKS.carrierFor]: 'bm' }],
  ])('EG-case-52 keep a label for ever that another author set %s', async (_when, labels, annotations) => {
    world.node('n1', annotations, labels);
    const driver = await open();
    await driver.applyNode(onNode('n1', 'bm'));
    await world.caughtUp();
    await driver.applyNode(onNode('n1'));
    expect(labelsOf('n1')).toEqual(labels);
    expect(mapOf(metadataOf(world.storedNode('n1'))['annotations'])).not.toHaveProperty([EGRESS_MARKS.carrierFor]);
  });

  test('get the label back while they are needed, and a node that is gone is no fault', async () => {
    world.node('n1', { [EGRESS_MARKS.carrierFor]: 'bm' });
    const driver = await open();
    await driver.applyNode(onNode('n1', 'bm'));
    expect(labelsOf('n1')).toEqual({ [ASSIGNABLE]: '' });
    expect(await driver.applyNode(onNode('n2', 'bm'))).toBe('gone');
  });
});

describe('what is known of addresses and nodes', () => {
  test('EG-case-49 addresses of EgressIPs of others, and of nodes, are in use; those that OVN-Kubernetes put on nodes are not', async () => {
    world.node('n1', {
      'k8s.ovn.org/host-cidrs': '["192.0.2.1/24","10.0.0.5/24","10.0.0.6/24"]',
      'k8s.ovn.org/secondary-host-egress-ips': '["10.0.0.5"]',
    });
    world.put(EGRESS_IP, 'other', { spec: { egressIPs: ['10.0.0.7'], namespaceSelector: {} } });
    const driver = await open();
    await driver.applyNamespace(namespaceEgress('a', ['10.0.0.6']));
    await world.caughtUp();
    expect(driver.foreign().map(({ source, address }) => `${source} ${String(address)}`)).toEqual([
      'EgressIP/other 10.0.0.7',
      'Node/n1 192.0.2.1',
    ]);
  });

  test('EGR-03 EG-case-49 a namespace that another EgressIP selects too has a problem', async () => {
    world.namespace('a');
    world.put(EGRESS_IP, 'other', { spec: { egressIPs: ['10.0.0.7'], namespaceSelector: {} } });
    const driver = await open();
    await driver.applyNamespace(namespaceEgress('a', ['10.0.0.1']));
    const made = egressIp('eipam-a');
    world.put(EGRESS_IP, 'eipam-a', { ...made, status: { items: [{ node: 'n1', egressIP: '10.0.0.1' }] } });
    await world.caughtUp();
    expect(driver.problemOf('a')).toMatchObject({
      reason: 'SelectedTwice',
      message: expect.stringContaining('"other"') as string,
    });
    world.server.remove('/apis/k8s.ovn.org/v1/egressips/other');
    await world.caughtUp();
    expect(driver.problemOf('a')).toBeUndefined();
    expect(driver.placed()).toMatchObject([{ node: 'n1', isEffective: true }]);
  });

  test('EG-case-48 addresses on no node are told, with what is known to hinder them', async () => {
    world.node('n1', primaryAddress('192.0.2.1/24'), { [ASSIGNABLE]: '' });
    world.node('n2', {}, { [ASSIGNABLE]: '' });
    const driver = await open();
    expect(driver.problemOf('a')).toBeUndefined();
    await driver.applyNamespace(namespaceEgress('a', ['10.0.0.1', '10.0.1.1']));
    await world.caughtUp();
    expect(driver.problemOf('a')?.message).toContain('OVN-Kubernetes has not looked at them yet');
    const made = egressIp('eipam-a');
    world.put(EGRESS_IP, 'eipam-a', { ...made, status: { items: [{ node: 'n1', egressIP: '10.0.0.1' }] } });
    await world.caughtUp();
    const problem = driver.problemOf('a');
    expect(problem?.reason).toBe('AddressesUnassigned');
    expect(problem?.message).toContain('1 of 2 addresses on no node: 10.0.1.1');
    expect(problem?.message).toContain(`1 nodes with the label ${ASSIGNABLE} can carry one`);
    expect(problem?.message).toContain('Node/n2 carries no addresses');
  });

  test('changes are told by namespace where they are ours, and by address where they are not', async () => {
    const driver = await open();
    await driver.applyNamespace(namespaceEgress('a', ['10.0.0.1']));
    world.put(EGRESS_IP, 'other', { spec: { egressIPs: ['10.0.0.7'], namespaceSelector: {} } });
    await world.caughtUp();
    world.server.remove('/apis/k8s.ovn.org/v1/egressips/other');
    await world.caughtUp();
    const address = { of: 'address', address: addressOf('10.0.0.7') };
    expect(world.changes).toEqual([{ of: 'namespace', name: 'a' }, address, address]);
  });
});

describe('in a cloud', () => {
  const config = (capacity: unknown, ifaddr: unknown = { ipv4: '10.0.128.0/18' }): JsonMap => ({
    'cloud.network.openshift.io/egress-ipconfig': JSON.stringify([{ interface: 'eni-1', ifaddr, capacity }]),
  });
  const cloudIp = (node: string, status: JsonMap): JsonMap => ({ spec: { node }, status });
  const assigned = (status: string, message = ''): readonly JsonMap[] => [{ type: 'Assigned', status, message }];

  beforeEach(() => {
    world.serve(CLOUD_PRIVATE_IP);
  });

  test.each([
    ['EG-case-50 by family', { ipv4: 14, ipv6: 15 }, 14],
    ['EG-case-51 as texts', { ipv4: '14', ipv6: '15' }, 14],
    ['for all addresses', { ip: 10 }, 10],
    ['EG-case-51 malformed', { ipv4: 'many' }, undefined],
    ['negative', { ip: -1 }, undefined],
    ['missing', undefined, undefined],
  ])('capacity %s', async (_what, capacity, expected) => {
    const node = world.node('n1', config(capacity));
    const driver = await open();
    const taken = { items: [{ node: 'n1', egressIP: '10.0.128.9' }] };
    world.put(EGRESS_IP, 'other', { spec: { egressIPs: ['10.0.128.9'], namespaceSelector: {} }, status: taken });
    await world.caughtUp();
    expect(driver.capacityOf(node)).toEqual(expected === undefined ? undefined : { capacity: expected, used: 1 });
    expect(driver.canCarry(node, addressOf('10.0.130.1'))).toBe(expected !== undefined);
    expect(driver.canCarry(node, addressOf('10.1.0.1'))).toBe(false);
  });

  test.each([
    ['missing', {}],
    ['malformed', { 'cloud.network.openshift.io/egress-ipconfig': '{' }],
  ])('EG-case-51 a node whose annotation is %s carries nothing, and says why', async (is, annotations) => {
    const node = world.node('n1', annotations, { [ASSIGNABLE]: '' });
    const driver = await open();
    expect(driver.capacityOf(node)).toBeUndefined();
    await driver.applyNamespace(namespaceEgress('a', ['10.0.128.1']));
    await world.caughtUp();
    expect(driver.problemOf('a')?.message).toContain(`egress-ipconfig is ${is}`);
  });

  test('an address counts once the cloud has attached it to the machine of its node', async () => {
    world.put(CLOUD_PRIVATE_IP, '10.0.128.1', cloudIp('n1', { node: 'n2', conditions: assigned('True') }));
    const driver = await open();
    await driver.applyNamespace(namespaceEgress('a', ['10.0.128.1']));
    const made = egressIp('eipam-a');
    world.put(EGRESS_IP, 'eipam-a', { ...made, status: { items: [{ node: 'n1', egressIP: '10.0.128.1' }] } });
    await world.caughtUp();
    expect(driver.placed()).toMatchObject([{ node: 'n1', isEffective: false }]);
    world.changes.length = 0;
    world.put(CLOUD_PRIVATE_IP, '10.0.128.1', cloudIp('n1', { node: 'n1', conditions: assigned('True') }));
    await world.caughtUp();
    expect(driver.placed()).toMatchObject([{ node: 'n1', isEffective: true }]);
    expect(world.changes).toContainEqual({ of: 'namespace', name: 'a' });
  });

  test('EG-case-67 addresses that the cloud has for others are in use, IPv6 by its name with dots', async () => {
    world.put(CLOUD_PRIVATE_IP, 'fd00.0000.0000.0000.0000.0000.0000.0009', cloudIp('n1', {}));
    world.put(CLOUD_PRIVATE_IP, '10.0.128.1', cloudIp('n1', {}));
    const driver = await open();
    await driver.applyNamespace(namespaceEgress('a', ['10.0.128.1']));
    await world.caughtUp();
    expect(driver.foreign().map(({ address }) => String(address))).toEqual(['fd00::9']);
  });

  test('what the cloud refuses is told in its words', async () => {
    world.put(CLOUD_PRIVATE_IP, '10.0.128.1', cloudIp('n1', { conditions: assigned('False', 'subnet is full') }));
    const driver = await open();
    await driver.applyNamespace(namespaceEgress('a', ['10.0.128.1']));
    await world.caughtUp();
    expect(driver.problemOf('a')?.message).toContain('the cloud refused 10.0.128.1: subnet is full');
  });
});

describe('without a cloud', () => {
  test('a node carries addresses of the subnets of its interfaces, without a limit, once OVN-Kubernetes prepared it', async () => {
    const driver = await open();
    const node = world.node('n1', {
      ...primaryAddress('192.0.2.1/24'),
      'k8s.ovn.org/host-cidrs': '["192.0.2.1/24","10.0.0.5/24"]',
    });
    expect(driver.capacityOf(node)).toEqual({ used: 0 });
    expect(['192.0.2.9', '10.0.0.9', '10.0.1.9'].map((text) => driver.canCarry(node, addressOf(text)))).toEqual([
      true,
      true,
      false,
    ]);
    expect(driver.capacityOf(world.node('n2'))).toBeUndefined();
    expect(driver.chooserOf({ cidrs: 3 })).toBe('dataplane');
  });
});
