import { NEPHIO } from '../../../../operator/contract/nephio';
import { statusIn } from '../../../../operator/contract/stored-status';
import { NetworksWorld, selecting } from '../../../support/networks-world';

let world: NetworksWorld;

beforeEach(() => {
  world = new NetworksWorld();
});

afterEach(() => world.close());

const N3 = { [NEPHIO.interface]: 'n3' };

test('NET-E1 NET-E2 NET-E3 NET-E4 serves an instance, a network and the aggregate above it, and shows its entries', async () => {
  await world.open();
  world.instance();
  await world.ready('instance', 'vpc-1');
  world.create('prefix', 'net1-prefix1', {
    spec: { prefix: '10.0.1.1/24', networkInstance: 'vpc-1', network: 'net1' },
    metadata: { labels: { [NEPHIO.gateway]: 'true' } },
  });
  await world.ready('prefix', 'net1-prefix1', '10.0.1.1/24');
  world.prefix('aggregate0', '10.0.0.0/8', { kind: 'aggregate' });
  await world.ready('prefix', 'aggregate0', '10.0.0.0/8');
  const shown = () => statusIn(world.stored('instance', 'vpc-1'))['allocations'] as Record<string, unknown>;
  await world.until('four entries are shown', () => Object.keys(shown()).length === 4);
  expect(Object.keys(shown())).toEqual(['10.0.0.0/8', '10.0.1.0/24', '10.0.1.0/32', '10.0.1.1/32']);
  expect(shown()['10.0.0.0/8']).toEqual({
    [NEPHIO.addressFamily]: 'ipv4',
    [NEPHIO.allocationName]: 'aggregate0',
    [NEPHIO.prefixName]: 'aggregate0',
    [NEPHIO.networkInstance]: 'vpc-1',
    [NEPHIO.origin]: 'prefix',
    [NEPHIO.prefixKind]: 'aggregate',
    [NEPHIO.prefixLength]: '8',
  });
  expect(statusIn(world.stored('instance', 'vpc-1'))).toMatchObject({ entries: '3', network: 'default.vpc-1' });
});

test('NET-E5 NET-E6 NET-E7 NET-E9 gives addresses, by label and by gateway too, with the gateway of the subnet', async () => {
  await world.open();
  world.f2();
  world.allocation('alloc1');
  expect(await world.ready('allocation', 'alloc1', '10.0.1.2/32')).toMatchObject({
    gateway: '10.0.1.1',
    parentPrefix: '10.0.1.0/24',
  });
  world.prefix('net1-prefix10', '10.0.1.10/24', { network: 'net1', labels: N3 });
  await world.ready('prefix', 'net1-prefix10', '10.0.1.10/24');
  world.allocation('alloc2-n3', { selector: selecting('net1', N3) });
  expect(await world.ready('allocation', 'alloc2-n3', '10.0.1.10/32')).toMatchObject({ gateway: '10.0.1.1' });
  world.allocation('gw', { selector: selecting('net1', { [NEPHIO.gateway]: 'true' }) });
  expect(await world.ready('allocation', 'gw', '10.0.1.1/32')).toMatchObject({ gateway: '10.0.1.1' });
  expect(world.record()).toEqual([
    '10.0.0.0/8=agg0',
    '10.0.1.0/24=vpc-1',
    '10.0.1.1=net1-p1 for gw',
    '10.0.1.2=alloc1',
    '10.0.1.10=net1-prefix10 for alloc2-n3',
  ]);
});

test('NET-E8b NET-E10 best fit decides the address, and the pool', async () => {
  await world.open();
  world.f2();
  world.prefix('net1-prefix10', '10.0.1.10/24', { network: 'net1', labels: N3 });
  await world.ready('prefix', 'net1-prefix10');
  world.allocation('alloc1');
  await world.ready('allocation', 'alloc1', '10.0.1.11/32');
  world.allocation('alloc-pool1', { kind: 'pool', prefixLength: 16, selector: selecting() });
  expect(await world.ready('allocation', 'alloc-pool1', '10.1.0.0/16')).not.toHaveProperty('gateway');
});

test.each([
  ['NET-T86 another instance of the namespace', { namespace: 'default', name: 'vpc-2' }],
  ['NET-T87 an instance of the same name in another namespace', { namespace: 'b', name: 'vpc-1' }],
])('%s has a table of its own, and gives the same addresses', async (_title, { namespace, name }) => {
  const [metadata, of] = [{ namespace }, (kind: string): string => `${kind}-of-the-other`];
  world.server.put('/api/v1/namespaces/b', { metadata: { name: 'b', uid: 'uid-b' } });
  await world.open();
  world.f2();
  world.create('instance', name, { metadata });
  const aggregate = { kind: 'aggregate', prefix: '10.0.0.0/8', networkInstance: name };
  world.create('prefix', of('aggregate'), { metadata, spec: aggregate });
  const network = { kind: 'network', network: 'net1', prefix: '10.0.1.1/24', networkInstance: name };
  const gateway = { ...metadata, labels: { [NEPHIO.gateway]: 'true' } };
  world.create('prefix', of('network'), { metadata: gateway, spec: network });
  world.allocation('a');
  const selector = { matchLabels: { [NEPHIO.networkInstance]: name, [NEPHIO.networkName]: 'net1' } };
  world.create('allocation', of('allocation'), { metadata, spec: { kind: 'network', selector } });
  const given = (allocation: string, place?: string): unknown => {
    const { prefix, gateway: by } = statusIn(world.stored('allocation', allocation, place));
    return [prefix, by];
  };
  await world.until('both have an address', () =>
    [given('a'), given(of('allocation'), namespace)].every((each) => String(each) === '10.0.1.2/32,10.0.1.1'),
  );
  const shown = (instance: string, place?: string): readonly string[] =>
    Object.keys(statusIn(world.stored('instance', instance, place))['allocations'] ?? {});
  const entries = ['10.0.0.0/8', '10.0.1.0/24', '10.0.1.0/32', '10.0.1.1/32', '10.0.1.2/32'];
  await world.until('both show five entries', () =>
    [shown('vpc-1'), shown(name, namespace)].every((each) => String(each) === String(entries)),
  );
  await world.remove('allocation', 'a');
  await world.gone('allocation', 'a');
  await world.until('one shows four entries', () => shown('vpc-1').length === 4);
  expect(shown(name, namespace)).toEqual(entries);
});
