import { NEPHIO } from '../../operator/contract/nephio';
import { conditionOf, GATEWAY, shownIn } from './support/network-scene';
import { useNetworks } from './support/use-networks';

const { scene } = useNetworks();
afterEach(() => scene.clear(), 60_000);

test('NET-E1 NET-E2 NET-E3 NET-E4 the examples of prefixes, and the entries that the instance shows', async () => {
  await scene.instance();
  const instance = await scene.when('instance', 'vpc-1', (each) => conditionOf(each)?.status === 'True');
  expect(conditionOf(instance, 'Synced')).toMatchObject({ status: 'True', reason: 'ReconcileSuccess' });
  await scene.prefix('net1-prefix1', '10.0.1.1/24', { network: 'net1', labels: GATEWAY });
  expect(await scene.ready('prefix', 'net1-prefix1', '10.0.1.1/24')).toMatchObject({ spec: { kind: 'network' } });
  await scene.prefix('aggregate0', '10.0.0.0/8', { kind: 'aggregate' });
  await scene.ready('prefix', 'aggregate0', '10.0.0.0/8');
  const entries = await scene.entries(4);
  expect(Object.keys(entries).toSorted()).toEqual(['10.0.0.0/8', '10.0.1.0/24', '10.0.1.0/32', '10.0.1.1/32']);
  expect(entries['10.0.0.0/8']).toEqual({
    [NEPHIO.addressFamily]: 'ipv4',
    [NEPHIO.allocationName]: 'aggregate0',
    [NEPHIO.prefixName]: 'aggregate0',
    [NEPHIO.networkInstance]: 'vpc-1',
    [NEPHIO.origin]: 'prefix',
    [NEPHIO.prefixKind]: 'aggregate',
    [NEPHIO.prefixLength]: '8',
  });
  expect(entries['10.0.1.1/32']).toMatchObject({
    ...GATEWAY,
    [NEPHIO.networkName]: 'net1',
    [NEPHIO.network]: '10.0.1.0',
  });
  expect(entries['10.0.1.0/32']).toMatchObject({ [NEPHIO.origin]: 'system', [NEPHIO.prefixName]: 'net' });
  expect(await scene.record()).toEqual(['10.0.0.0/8=aggregate0', '10.0.1.0/24=vpc-1', '10.0.1.1=net1-prefix1']);
});

test('NET-E6 NET-T10 NET-T9 more addresses of a subnet join it, and its prefix form takes no address', async () => {
  await scene.f2();
  await scene.prefix('net1-prefix10', '10.0.1.10/24', { network: 'net1', labels: { [NEPHIO.interface]: 'n3' } });
  await scene.ready('prefix', 'net1-prefix10', '10.0.1.10/24');
  await scene.prefix('net1-p2', '10.0.1.2/24', { network: 'net1' });
  await scene.ready('prefix', 'net1-p2', '10.0.1.2/24');
  await scene.prefix('net5', '10.0.5.0/24', { network: 'net5' });
  await scene.ready('prefix', 'net5', '10.0.5.0/24');
  await scene.allocation('a', { selector: scene.selecting('net5') });
  expect((await scene.ready('allocation', 'a', '10.0.5.1/32')).status).not.toHaveProperty('gateway');
});

test('NET-T1 a prefix waits for its instance', async () => {
  await scene.prefix('agg0', '10.0.0.0/8', { kind: 'aggregate' });
  expect(await scene.refused('prefix', 'agg0', 'InstanceNotFound')).toContain('vpc-1');
  await scene.instance();
  await scene.ready('prefix', 'agg0', '10.0.0.0/8');
});

test.each<[string, Readonly<Record<string, string>>, string]>([
  ['NET-T11 an address in use', { prefix: '10.0.1.1/24', network: 'net1' }, 'PrefixInUse'],
  ['NET-T12 the subnet of another network', { prefix: '10.0.1.1/24', network: 'net2' }, 'OtherNetwork'],
  ['NET-T13 a second subnet of a network', { prefix: '10.0.2.1/24', network: 'net1' }, 'NetworkNameTaken'],
  ['NET-T14 a network inside of a network', { prefix: '10.0.1.129/25', network: 'net3' }, 'WrongParent'],
  ['NET-T15 a network around a network', { prefix: '10.0.0.1/16', network: 'net4' }, 'HasChildren'],
  ['NET-T19 a pool inside of a network', { prefix: '10.0.1.128/25', kind: 'pool' }, 'WrongParent'],
  ['NET-T24 an aggregate inside of a network', { prefix: '10.0.1.64/26', kind: 'aggregate' }, 'WrongParent'],
])('%s is refused', async (_case, spec, reason) => {
  await scene.f2();
  await scene.create('prefix', 'other', { networkInstance: 'vpc-1', ...spec });
  expect(await scene.refused('prefix', 'other', reason)).not.toBe('');
  expect(conditionOf(await scene.get('prefix', 'other'))).toMatchObject({ status: 'False', reason: 'Failed' });
});

test('NET-T5 NET-T17 NET-T18 NET-T21 NET-T22 NET-T25 prefixes nest by their kinds', async () => {
  await scene.f2();
  const accepted: readonly (readonly [string, string, string])[] = [
    ['agg1', '10.64.0.0/10', 'aggregate'],
    ['p1', '10.8.0.0/16', 'pool'],
    ['p2', '10.8.0.0/20', 'pool'],
    ['lo', '10.255.0.0/24', 'loopback'],
    ['lo7', '10.255.0.7/32', 'loopback'],
  ];
  for (const [name, prefix, kind] of accepted) {
    await scene.prefix(name, prefix, { kind });
    await scene.ready('prefix', name, prefix);
  }
  expect((await scene.get('prefix', 'p2')).status?.['parentPrefix']).toBe('10.8.0.0/16');
  await scene.prefix('netp', '10.8.1.1/24', { network: 'netp' });
  expect(await scene.refused('prefix', 'netp', 'WrongParent')).toContain('10.8.0.0/20');
});

test('NET-T6 NET-T23 NET-T27 NET-T28 order and family of prefixes do not matter', async () => {
  await scene.instance();
  await scene.prefix('net1-p1', '10.0.1.1/24', { network: 'net1' });
  await scene.ready('prefix', 'net1-p1');
  await scene.prefix('lo', '192.0.2.7/32', { kind: 'loopback' });
  await scene.ready('prefix', 'lo', '192.0.2.7/32');
  await scene.prefix('net6', '2001:DB8:1:1::1/64', { network: 'net6' });
  expect(shownIn(await scene.ready('prefix', 'net6'))).toBe('2001:db8:1:1::1/64');
  await scene.prefix('n32', '32.1.13.1/24', { network: 'n32' });
  await scene.ready('prefix', 'n32');
  await scene.prefix('agg6', '2001:db8::/32', { kind: 'aggregate' });
  await scene.prefix('agg0', '10.0.0.0/8', { kind: 'aggregate' });
  for (const name of ['agg6', 'agg0']) await scene.ready('prefix', name);
});

test('NET-T16 a network that overlaps a network is refused', async () => {
  await scene.instance();
  await scene.prefix('na', '10.0.3.1/24', { network: 'na' });
  await scene.ready('prefix', 'na');
  await scene.prefix('nb', '10.0.2.1/23', { network: 'nb' });
  expect(await scene.refused('prefix', 'nb', 'HasChildren')).toContain('10.0.3.0/24');
});

test('NET-T31 a label of a prefix is selected once it is set', async () => {
  await scene.f2();
  await scene.allocation('a', { selector: scene.selecting('net1', { region: 'a' }) });
  await scene.refused('allocation', 'a', 'NoCandidate');
  await scene.patch('prefix', 'net1-p1', { metadata: { labels: { region: 'a' } } });
  await scene.ready('allocation', 'a', '10.0.1.2/32');
  expect((await scene.entries(5))['10.0.1.0/24']).toMatchObject({ region: 'a' });
});
