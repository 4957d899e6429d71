import type { JsonMap } from '../../../../operator/contract/loose-json';
import { NEPHIO } from '../../../../operator/contract/nephio';
import { PrefixSetBuilder } from '../../../../operator/addressing/prefix-set';
import { prefixOf } from '../../../../operator/addressing/prefix';
import { f1, f2, GATEWAY, NetworksModel, ofNetwork, selectNi } from '../../../support/networks-model';

/** Allocates by one spec under names of their own. */
const several = (model: NetworksModel, count: number, spec: JsonMap): readonly string[] =>
  Array.from({ length: count }, (_, index) => model.allocate(`a${String(index + 1)}`, spec));
const net = (model: NetworksModel, network: string, prefix: string): NetworksModel => {
  expect(model.prefix(`${network}-${prefix.replace(/[.:/]/gu, '-')}`, { network, prefix }, GATEWAY)).toBe(prefix);
  return model;
};
const pool = (length: number, labels: Readonly<Record<string, string>> = {}): JsonMap => ({
  kind: 'pool',
  prefixLength: length,
  ...selectNi(labels),
});
const blocks = (given: readonly string[]): readonly string[] => given.map((text) => text.split(' ')[0] ?? '');
const NET1 = ofNetwork('net1');
const N3 = { [NEPHIO.interface]: 'n3' };

const f2n3 = (): NetworksModel => {
  const model = f2();
  model.prefix('net1-p10', { network: 'net1', prefix: '10.0.1.10/24' }, N3);
  return model;
};

describe('an address of a network', () => {
  test.each<readonly [string, () => NetworksModel, readonly [string, readonly string[]]]>([
    ['NET-T32 the lowest ones', f2, ['net1', ['10.0.1.2/32', '10.0.1.3/32', '10.0.1.4/32']]],
    [
      'NET-T33 the best fit beside a host',
      f2n3,
      ['net1', ['10.0.1.11/32', '10.0.1.2/32', '10.0.1.3/32', '10.0.1.8/32', '10.0.1.9/32', '10.0.1.4/32']],
    ],
    [
      'NET-T36 all but the last one',
      () => net(f1(), 's', '10.0.1.1/29'),
      ['s', ['10.0.1.2/32', '10.0.1.3/32', '10.0.1.4/32', '10.0.1.5/32', '10.0.1.6/32', 'pool/exhausted']],
    ],
    ['NET-T37 one of a /30', () => net(f1(), 's', '10.0.1.1/30'), ['s', ['10.0.1.2/32', 'pool/exhausted']]],
    [
      'NET-T38 the other one of a link',
      () => net(new NetworksModel(), 'l', '192.168.0.0/31'),
      ['l', ['192.168.0.1/32', 'pool/exhausted']],
    ],
    [
      'NET-T39 the first one of a link',
      () => net(new NetworksModel(), 'l', '192.168.0.1/31'),
      ['l', ['192.168.0.0/32']],
    ],
    [
      'NET-T40 a length that is no multiple of 8',
      () => net(f1(), 'nb', '10.0.2.1/23'),
      ['nb', ['10.0.2.2/32', '10.0.2.3/32', '10.0.2.4/32']],
    ],
    [
      'NET-T41 the second quarter',
      () => net(net(new NetworksModel(), 'na', '10.0.1.1/26'), 'nb', '10.0.1.65/26'),
      ['nb', ['10.0.1.66/32', '10.0.1.67/32']],
    ],
  ])('%s', (_title, make, [network, wanted]) => {
    expect(blocks(several(make(), wanted.length, ofNetwork(network)))).toEqual(wanted);
  });

  test('NET-T34 a freed address is given again', () => {
    const model = f2();
    several(model, 2, NET1);
    expect(model.release('IPAllocation', 'a1')).toEqual([]);
    expect(model.allocate('a3', NET1)).toBe('10.0.1.2/32 gw 10.0.1.1');
  });

  test('NET-T35 asking again writes nothing and answers the same', () => {
    const model = f2();
    const first = model.allocate('a1', NET1);
    const versions = model.table.entries().map(({ version }) => version);
    for (let time = 0; time < 10; time++) expect(model.allocate('a1', NET1)).toBe(first);
    expect(model.table.entries().map(({ version }) => version)).toEqual(versions);
  });

  test('NET-T39 the gateway of a link is the other one', () => {
    expect(net(new NetworksModel(), 'l', '192.168.0.1/31').allocate('a', ofNetwork('l'))).toBe(
      '192.168.0.0/32 gw 192.168.0.1',
    );
  });

  test('NET-T53 NET-T54 waits for a prefix that matches', () => {
    const model = f2();
    expect(model.allocate('a', ofNetwork('net9'))).toBe('selector/no-candidate');
    expect(model.lastRefusal).toMatchObject({ wokenBy: { isByLabels: true, parents: [] } });
    expect(model.allocate('b', ofNetwork('net1', { region: 'eu' }))).toBe('selector/no-candidate');
    net(model, 'net9', '10.0.9.1/24');
    expect(model.allocate('a', ofNetwork('net9'))).toBe('10.0.9.2/32 gw 10.0.9.1');
  });

  test('NET-T58 by expressions', () => {
    const matchExpressions = [
      { key: NEPHIO.networkInstance, operator: 'In', values: ['vpc-1'] },
      { key: NEPHIO.networkName, operator: 'In', values: ['net1', 'net2'] },
    ];
    expect(f2().allocate('a', { kind: 'network', selector: { matchExpressions } })).toBe('10.0.1.2/32 gw 10.0.1.1');
  });

  test('NET-T89 names are no labels, so they may be long', () => {
    const model = f2();
    expect(model.allocate('a'.repeat(70), NET1)).toBe('10.0.1.2/32 gw 10.0.1.1');
    expect(model.allocate('a'.repeat(70), NET1)).toBe('10.0.1.2/32 gw 10.0.1.1');
    expect(model.release('IPAllocation', 'a'.repeat(70))).toEqual([]);
    expect(model.blocks()).toEqual(f2().blocks());
  });

  test('exclusions and addresses in use are passed over', () => {
    const model = new NetworksModel();
    model.prefix('p', { network: 'n', prefix: '10.0.0.1/24', excluded: ['10.0.0.2', '10.0.0.4-10.0.0.6'] });
    model.occupied.set('10.0.0.3/32', 'Node n1');
    expect(model.allocate('a', ofNetwork('n'))).toBe('10.0.0.7/32');
  });

  test('a draining prefix gives nothing new', () => {
    const model = f1();
    model.prefix('p', { network: 'n', prefix: '10.0.1.1/24' });
    expect(model.allocate('a', ofNetwork('n'))).toBe('10.0.1.2/32');
    model.prefix('p', { network: 'n', prefix: '10.0.1.1/24', draining: true });
    expect(model.allocate('b', ofNetwork('n'))).toBe('pool/exhausted');
    expect(model.allocate('a', ofNetwork('n'))).toBe('10.0.1.2/32');
    expect(model.allocate('c', { ...ofNetwork('n'), prefix: '10.0.1.9/24' })).toBe('pool/exhausted');
  });

  test('NET-T100 NET-T101 as many as there are, each once', () => {
    const given = blocks(several(net(new NetworksModel(), 'net1', '10.0.1.1/24'), 260, NET1));
    expect(given.slice(0, 200)).toEqual(Array.from({ length: 200 }, (_, index) => `10.0.1.${String(index + 2)}/32`));
    expect(new Set(given.slice(0, 253)).size).toBe(253);
    expect(given.slice(253)).toEqual(Array.from({ length: 7 }, () => 'pool/exhausted'));
  });
});

describe('a wished address', () => {
  const wish = (prefix: string): JsonMap => ({ ...NET1, prefix });

  test('NET-T42 is shown with the length of its subnet, and its gateway', () => {
    expect(f2().allocate('a', wish('10.0.1.50/24'))).toBe('10.0.1.50/24 gw 10.0.1.1');
  });

  test.each([
    ['NET-T45 another length', '10.0.1.60/25', 'request/length-differs'],
    ['NET-T46 the first address', '10.0.1.0/24', 'address/reserved'],
    ['NET-T47 the last address', '10.0.1.255/24', 'address/reserved'],
    ['NET-T48 no such subnet', '10.0.77.5/24', 'prefix/no-network'],
    ['a recorded host', '10.0.1.1/24', 'prefix/in-use'],
  ])('%s is refused', (_title, prefix, code) => {
    const model = f2();
    expect(model.allocate('a', wish(prefix))).toBe(code);
    expect(model.blocks()).toEqual(f2().blocks());
  });

  test("NET-T43 NET-T44 is nobody else's", () => {
    const model = f2();
    model.allocate('a1', NET1);
    expect(model.allocate('a2', wish('10.0.1.2/24'))).toBe('prefix/in-use');
    expect(model.lastRefusal?.message).toContain('IPAllocation default/a1');
    expect(model.allocate('a3', wish('10.0.1.50/24'))).toBe('10.0.1.50/24 gw 10.0.1.1');
    expect(model.prefix('net1-p50', { network: 'net1', prefix: '10.0.1.50/24' })).toBe('prefix/in-use');
  });

  test('is of the network that the selector names', () => {
    const model = net(f2(), 'net2', '10.0.2.1/24');
    expect(model.allocate('a', wish('10.0.2.9/24'))).toBe('selector/no-candidate');
  });

  test('POOL-10 is neither excluded nor in use, however it is written', () => {
    const model = new NetworksModel();
    model.prefix('p', { network: 'n', prefix: 'fd00::2/64', excluded: ['fd00::1'] });
    const asked = (prefix: string): string => model.allocate('a', { ...ofNetwork('n'), prefix });
    expect(asked('FD00:0:0:0::1/64')).toBe('address/excluded');
    model.occupied.set('fd00::5/128', 'Node n1');
    expect(asked('fd00::5/64')).toBe('address/held');
    expect(model.lastRefusal?.message).toContain('Node n1');
    expect(asked('fd00::6/64')).toBe('fd00::6/64');
  });

  test('POOL-10 space of another front door is left out, and told', () => {
    const model = new NetworksModel();
    model.stronger = new PrefixSetBuilder().add(prefixOf('10.0.0.0/30')).build();
    expect(model.prefix('p', { kind: 'pool', prefix: '10.0.0.0/29' })).toBe('10.0.0.0/29');
    expect(model.allocate('a', pool(30))).toBe('10.0.0.4/30');
    expect(model.allocate('b', pool(30))).toBe('pool/exhausted');
  });

  test('a prefix of another kind is given where it may lie', () => {
    const model = f2();
    const ask = (name: string, kind: string, prefix: string): string =>
      model.allocate(name, { kind, prefix, ...selectNi() });
    expect(ask('a', 'pool', '10.9.0.0/16')).toBe('10.9.0.0/16');
    expect(ask('b', 'pool', '10.9.0.0/16')).toBe('prefix/in-use');
    expect(ask('c', 'pool', '10.0.1.128/25')).toBe('prefix/parent-kind');
    expect(ask('d', 'loopback', '10.0.0.100/32')).toBe('10.0.0.100/32');
    expect(ask('e', 'aggregate', '11.0.0.0/8')).toBe('11.0.0.0/8');
  });
});

describe('an address by its label', () => {
  test("NET-T49 NET-T50 NET-T51 is bound to one request, and stays the prefix's", () => {
    const model = f2n3();
    expect(model.allocate('n3a', ofNetwork('net1', N3))).toBe('10.0.1.10/32 gw 10.0.1.1');
    expect(model.allocate('n3b', ofNetwork('net1', N3))).toBe('selector/bound');
    expect(model.lastRefusal?.message).toContain('IPAllocation default/n3a');
    expect(model.release('IPAllocation', 'n3a')).toEqual([]);
    const rest = blocks(Array.from({ length: 253 }, (_, index) => model.allocate(`r${String(index)}`, NET1)));
    expect(rest.at(-1)).toBe('pool/exhausted');
    expect(rest).not.toContain('10.0.1.10/32');
    expect(model.allocate('n3b', ofNetwork('net1', N3))).toBe('10.0.1.10/32 gw 10.0.1.1');
  });

  test('NET-T52 the gateway', () => {
    const model = f2();
    expect(model.allocate('a', ofNetwork('net1', GATEWAY))).toBe('10.0.1.1/32 gw 10.0.1.1');
    expect(model.view()['10.0.1.1/32']).toMatchObject({ [NEPHIO.prefixName]: 'net1-p1' });
  });

  test('a bound address stays when the labels of its IPPrefix change', () => {
    const model = f2n3();
    const spec = ofNetwork('net1', N3);
    model.allocate('a', spec);
    model.prefix('net1-p10', { network: 'net1', prefix: '10.0.1.10/24' }, { [NEPHIO.interface]: 'n4' });
    expect(model.allocate('a', spec)).toBe('10.0.1.10/32 gw 10.0.1.1');
  });
});

describe('a range', () => {
  const ranged = (): NetworksModel => {
    const model = f2();
    model.prefix('r', { network: 'net1', prefix: '10.0.1.0/24', range: '10.0.1.2-10.0.1.5' }, { use: 'vip' });
    return model;
  };

  test('gives its addresses in order to those who select it, and to nobody else', () => {
    const model = ranged();
    const given = blocks(several(model, 5, ofNetwork('net1', { use: 'vip' })));
    expect(given).toEqual(['10.0.1.2/32', '10.0.1.3/32', '10.0.1.4/32', '10.0.1.5/32', 'pool/exhausted']);
    expect(model.allocate('other', NET1)).toBe('10.0.1.6/32 gw 10.0.1.1');
  });

  test('gives a wish inside of it', () => {
    expect(ranged().allocate('a', { ...NET1, prefix: '10.0.1.4/24' })).toBe('10.0.1.4/24 gw 10.0.1.1');
  });

  test('keeps reserved addresses out', () => {
    const model = f2();
    model.prefix('r', { network: 'net1', prefix: '10.0.1.0/24', range: '10.0.1.254-10.0.1.255' }, { use: 'x' });
    expect(blocks(several(model, 2, ofNetwork('net1', { use: 'x' })))).toEqual(['10.0.1.254/32', 'pool/exhausted']);
  });
});

describe('a prefix of a pool', () => {
  test('NET-T60 NET-T61 is the best fit, and a freed one is given again', () => {
    const model = f2();
    expect(several(model, 3, pool(16))).toEqual(['10.1.0.0/16', '10.2.0.0/16', '10.3.0.0/16']);
    model.release('IPAllocation', 'a2');
    expect(model.allocate('b', pool(16))).toBe('10.2.0.0/16');
  });

  test('NET-T62 lies beside networks', () => {
    expect(several(f2(), 2, pool(24))).toEqual(['10.0.0.0/24', '10.0.2.0/24']);
  });

  test('NET-T63 lies beside an inner aggregate', () => {
    const model = f2();
    model.prefix('agg1', { kind: 'aggregate', prefix: '10.0.0.0/16' });
    expect(model.allocate('a', pool(16))).toBe('10.1.0.0/16');
  });

  test('NET-T64 fills an aggregate', () => {
    const model = new NetworksModel();
    model.prefix('agg', { kind: 'aggregate', prefix: '192.168.10.0/28' });
    const wanted = ['192.168.10.0/30', '192.168.10.4/30', '192.168.10.8/30', '192.168.10.12/30', 'pool/exhausted'];
    expect(several(model, 5, pool(30))).toEqual(wanted);
    expect(model.lastRefusal).toMatchObject({ wokenBy: { parents: [prefixOf('192.168.10.0/28')] } });
  });

  test('NET-T65 NET-T66 needs a larger parent of a fitting kind', () => {
    const model = new NetworksModel();
    model.prefix('agg', { kind: 'aggregate', prefix: '192.168.10.0/24' });
    expect(model.allocate('a', pool(24))).toBe('selector/no-shorter-parent');
    expect(net(new NetworksModel(), 'net1', '10.0.1.1/24').allocate('a', pool(28))).toBe('selector/no-candidate');
  });

  test('NET-T67 POOL-08 the next match is tried when one is full', () => {
    const model = new NetworksModel();
    model.prefix('a', { kind: 'aggregate', prefix: '192.168.10.0/29' }, { use: 'p2p' });
    model.prefix('b', { kind: 'aggregate', prefix: '192.168.20.0/24' }, { use: 'p2p' });
    expect(several(model, 3, pool(30, { use: 'p2p' }))).toEqual([
      '192.168.10.0/30',
      '192.168.10.4/30',
      '192.168.20.0/30',
    ]);
  });

  test('NET-T68 only what is selected gives', () => {
    const model = new NetworksModel();
    model.prefix('a', { kind: 'aggregate', prefix: '172.0.0.0/16' });
    model.prefix('b', { kind: 'aggregate', prefix: '172.16.0.0/12' }, { big: '1' });
    expect(several(model, 2, pool(16, { big: '1' }))).toEqual(['172.16.0.0/16', '172.17.0.0/16']);
  });

  test('NET-T69 NET-T70 loopbacks', () => {
    const model = f1();
    model.prefix('lo', { kind: 'loopback', prefix: '10.255.0.0/24' }, { lo: '1' });
    model.prefix('lo7', { kind: 'loopback', prefix: '10.255.0.7/32' });
    const wanted = ['10.255.0.6/32', '10.255.0.4/32', '10.255.0.5/32', '10.255.0.0/32'];
    expect(several(model, 4, { kind: 'loopback', ...selectNi({ lo: '1' }) })).toEqual(wanted);
    expect(f2().allocate('a', { kind: 'loopback', ...selectNi() })).toBe('10.0.0.0/32');
  });

  test('is cut out of another allocation only where that one is selected by a label of its own', () => {
    const model = f1();
    expect(model.allocate('outer', pool(16), { site: '1' })).toBe('10.0.0.0/16');
    expect(model.allocate('other', pool(16))).toBe('10.1.0.0/16');
    expect(model.allocate('inner', pool(24, { site: '1' }))).toBe('10.0.0.0/24');
  });
});
