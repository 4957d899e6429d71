import { NEPHIO } from '../../operator/contract/nephio';
import { conditionOf, GATEWAY } from './support/network-scene';
import { useNetworks } from './support/use-networks';

const { scene } = useNetworks();
afterEach(() => scene.clear(), 60_000);

type Spec = Readonly<Record<string, unknown>>;

/** Creates allocations one after the other; tells what each was given, or the reason of its refusal. */
async function given(count: number, spec: Spec): Promise<readonly string[]> {
  const all: string[] = [];
  for (let index = 1; index <= count; index++) {
    const name = `a${String(index)}`;
    await scene.allocation(name, spec);
    const object = await scene.when('allocation', name, (each) => conditionOf(each, 'Accepted') !== undefined);
    const accepted = conditionOf(object, 'Accepted');
    all.push(accepted?.status === 'True' ? String(object.status?.['prefix']) : (accepted?.reason ?? ''));
  }
  return all;
}

async function prefixes(all: readonly (readonly [name: string, prefix: string, spec?: Spec])[]): Promise<void> {
  await scene.instance();
  for (const [name, prefix, spec] of all) {
    await scene.prefix(name, prefix, spec);
    await scene.ready('prefix', name);
  }
}

const net = (network: string, labels: Spec = GATEWAY): Spec => ({ network, labels });
const host = (name: string): string => `${name}/32`;

test('NET-E5 NET-E7 NET-E9 NET-E10 NET-T52 the examples of allocations', async () => {
  await scene.f2();
  await scene.allocation('alloc1');
  const { status } = await scene.ready('allocation', 'alloc1', '10.0.1.2/32');
  expect(status).toMatchObject({ gateway: '10.0.1.1', parentPrefix: '10.0.1.0/24' });
  await scene.prefix('net1-prefix10', '10.0.1.10/24', net('net1', { [NEPHIO.interface]: 'n3' }));
  await scene.ready('prefix', 'net1-prefix10');
  await scene.allocation('alloc2-n3', { selector: scene.selecting('net1', { [NEPHIO.interface]: 'n3' }) });
  expect((await scene.ready('allocation', 'alloc2-n3', '10.0.1.10/32')).status).toMatchObject({ gateway: '10.0.1.1' });
  await scene.allocation('gw', { selector: scene.selecting('net1', GATEWAY) });
  await scene.ready('allocation', 'gw', '10.0.1.1/32');
  await scene.allocation('alloc-pool1', { kind: 'pool', prefixLength: 16, selector: scene.selecting() });
  expect((await scene.ready('allocation', 'alloc-pool1', '10.1.0.0/16')).status).not.toHaveProperty('gateway');
  expect(await scene.record()).toEqual([
    '10.0.0.0/8=agg0',
    '10.0.1.0/24=vpc-1',
    '10.0.1.10=net1-prefix10 for alloc2-n3',
    '10.0.1.1=net1-p1 for gw',
    '10.0.1.2=alloc1',
    '10.1.0.0/16=alloc-pool1',
  ]);
});

test('NET-E8b NET-T33 best fit leaves the large blocks whole', async () => {
  await scene.f2();
  await scene.prefix('net1-p10', '10.0.1.10/24', net('net1', {}));
  await scene.ready('prefix', 'net1-p10');
  expect(await given(6, {})).toEqual(['11', '2', '3', '8', '9', '4'].map((end) => host(`10.0.1.${end}`)));
});

test.each<[string, string, number, readonly string[]]>([
  ['NET-T32 a /24', '10.0.1.1/24', 3, ['10.0.1.2/32', '10.0.1.3/32', '10.0.1.4/32']],
  [
    'NET-T36 a /29',
    '10.0.1.1/29',
    6,
    [...['2', '3', '4', '5', '6'].map((end) => host(`10.0.1.${end}`)), 'PoolExhausted'],
  ],
  ['NET-T37 a /30', '10.0.1.1/30', 2, ['10.0.1.2/32', 'PoolExhausted']],
  ['NET-T38 a /31', '192.168.0.0/31', 2, ['192.168.0.1/32', 'PoolExhausted']],
  ['NET-T39 the other /31', '192.168.0.1/31', 1, ['192.168.0.0/32']],
  ['NET-T40 a /23', '10.0.2.1/23', 3, ['10.0.2.2/32', '10.0.2.3/32', '10.0.2.4/32']],
  ['NET-T73 an IPv6 /64', '2001:db8:1:1::1/64', 3, ['2', '3', '4'].map((end) => `2001:db8:1:1::${end}/128`)],
  ['NET-T82 a /127', '2001:db8:ff::/127', 2, ['2001:db8:ff::1/128', 'PoolExhausted']],
  ['NET-T84 a /126', '2001:db8:2::1/126', 3, ['2001:db8:2::2/128', '2001:db8:2::3/128', 'PoolExhausted']],
])('%s gives its addresses in order', async (...[, prefix, count, expected]) => {
  await prefixes([['net1-p1', prefix, net('net1')]]);
  expect(await given(count, {})).toEqual(expected);
});

test('NET-T34 NET-T51 a freed address is given again, one that a prefix declares is not', async () => {
  await scene.f2();
  await scene.prefix('net1-p4', '10.0.1.4/24', net('net1', { [NEPHIO.interface]: 'n3' }));
  await scene.ready('prefix', 'net1-p4');
  await scene.allocation('n3', { selector: scene.selecting('net1', { [NEPHIO.interface]: 'n3' }) });
  await scene.ready('allocation', 'n3', '10.0.1.4/32');
  await scene.allocation('n3b', { selector: scene.selecting('net1', { [NEPHIO.interface]: 'n3' }) });
  expect(await scene.refused('allocation', 'n3b', 'AddressBound')).toContain('n3');
  await scene.remove('allocation', 'n3b');
  await scene.remove('allocation', 'n3');
  await scene.gone('allocation', 'n3');
  expect(await given(4, {})).not.toContain('10.0.1.4/32');
  await scene.remove('allocation', 'a2');
  await scene.gone('allocation', 'a2');
  const before = (await scene.record()).length;
  await scene.allocation('again');
  await scene.ready('allocation', 'again');
  expect((await scene.record()).length).toBe(before + 1);
});

test.each<[string, Spec, string]>([
  ['NET-T43 an address in use', { prefix: '10.0.1.1/24' }, 'PrefixInUse'],
  ['NET-T45 another length than that of the subnet', { prefix: '10.0.1.60/25' }, 'LengthDiffers'],
  ['NET-T46 the first address', { prefix: '10.0.1.0/24' }, 'AddressReserved'],
  ['NET-T47 the last address', { prefix: '10.0.1.255/24' }, 'AddressReserved'],
  ['NET-T65 a pool as long as its parent', { kind: 'pool', prefixLength: 8, selector: 'instance' }, 'NoShorterParent'],
  ['NET-T56 no network at all', { selector: 'instance' }, 'NoNetworkSelected'],
  ['NET-T107 a label of the system', { selector: { [NEPHIO.allocationName]: 'net1-p1' } }, 'ReservedLabel'],
  ['NET-T54 a label that nothing has', { selector: { region: 'eu' } }, 'NoCandidate'],
])('%s is refused', async (_case, { selector = {}, ...spec }, reason) => {
  await scene.f2();
  const selected =
    selector === 'instance' ? scene.selecting() : scene.selecting('net1', selector as Readonly<Record<string, string>>);
  expect(await given(1, { ...spec, selector: selected })).toEqual([reason]);
});

test('NET-T42 NET-T44 NET-T58 a wish is given as it is written, and an expression selects too', async () => {
  await scene.f2();
  await scene.allocation('wish', { prefix: '10.0.1.50/24' });
  expect((await scene.ready('allocation', 'wish', '10.0.1.50/24')).status).toMatchObject({ gateway: '10.0.1.1' });
  await scene.prefix('net1-p50', '10.0.1.50/24', net('net1', {}));
  expect(await scene.refused('prefix', 'net1-p50', 'PrefixInUse')).toContain('wish');
  const expression = { key: NEPHIO.networkName, operator: 'In', values: ['net1'] };
  await scene.allocation('by-expression', {
    selector: { matchLabels: { [NEPHIO.networkInstance]: 'vpc-1' }, matchExpressions: [expression] },
  });
  // the smallest free block is beside the wish
  await scene.ready('allocation', 'by-expression', '10.0.1.51/32');
});

test('NET-T60 NET-T61 NET-T62 NET-T70 pools and loopbacks are cut out of the aggregate', async () => {
  await scene.f2();
  const pool = (prefixLength: number): Spec => ({ kind: 'pool', prefixLength, selector: scene.selecting() });
  expect(await given(3, pool(16))).toEqual(['10.1.0.0/16', '10.2.0.0/16', '10.3.0.0/16']);
  await scene.remove('allocation', 'a2');
  await scene.gone('allocation', 'a2');
  await scene.allocation('again', pool(16));
  await scene.ready('allocation', 'again', '10.2.0.0/16');
  await scene.allocation('small', pool(24));
  await scene.ready('allocation', 'small', '10.0.0.0/24');
  await scene.allocation('lo', { kind: 'loopback', selector: scene.selecting() });
  await scene.ready('allocation', 'lo', '10.0.2.0/32');
});

test('NET-T64 NET-T67 an aggregate that is full is followed by the next one', async () => {
  const use = { kind: 'aggregate', labels: { use: 'p2p' } };
  await prefixes([
    ['small', '192.168.10.0/29', use],
    ['large', '192.168.20.0/24', use],
  ]);
  const spec = { kind: 'pool', prefixLength: 30, selector: scene.selecting(undefined, { use: 'p2p' }) };
  expect(await given(3, spec)).toEqual(['192.168.10.0/30', '192.168.10.4/30', '192.168.20.0/30']);
});

test('NET-T75 NET-T76 NET-T77 a network of two families gives IPv4 unless the other one is asked for', async () => {
  await prefixes([
    ['net1-p1', '10.0.1.1/24', net('net1')],
    ['net1-p6', '2001:db8:1:1::1/64', net('net1')],
  ]);
  await scene.allocation('six', { addressFamily: 'ipv6' });
  expect((await scene.ready('allocation', 'six', '2001:db8:1:1::2/128')).status).toMatchObject({
    gateway: '2001:db8:1:1::1',
  });
  await scene.allocation('four', { addressFamily: 'ipv4' });
  await scene.ready('allocation', 'four', '10.0.1.2/32');
  await scene.allocation('any');
  await scene.ready('allocation', 'any', '10.0.1.3/32');
  expect(await scene.record()).toHaveLength(7);
});

test('NET-T78 NET-T79 NET-T80 IPv6 pools come from the IPv6 aggregate', async () => {
  await prefixes([
    ['agg0', '10.0.0.0/8', { kind: 'aggregate' }],
    ['agg6', '2001:db8:1::/48', { kind: 'aggregate', labels: { site: '1' } }],
    ['net6-p1', '2001:db8:1:1::1/64', net('net6')],
  ]);
  const selector = scene.selecting(undefined, { site: '1' });
  expect(await given(2, { kind: 'pool', prefixLength: 56, selector })).toEqual([
    '2001:db8:1:100::/56',
    '2001:db8:1:200::/56',
  ]);
  await scene.allocation('by-length', { kind: 'pool', prefixLength: 64, selector: scene.selecting() });
  await scene.ready('allocation', 'by-length', '2001:db8:1::/64');
});
