import { prefixOf } from '../../../../operator/addressing/prefix';
import { f1, f2, GATEWAY, NetworksModel, ofNetwork, selectNi } from '../../../support/networks-model';

describe('accepting a prefix', () => {
  test('NET-T5 an aggregate inside of an aggregate', () => {
    const model = f1();
    expect(model.prefix('agg1', { kind: 'aggregate', prefix: '10.64.0.0/10' })).toBe('10.64.0.0/10');
    expect(model.blocks()).toEqual(['10.0.0.0/8', '10.64.0.0/10']);
  });

  test('NET-T6 an aggregate around a network', () => {
    const model = new NetworksModel();
    expect(model.prefix('p', { network: 'net1', prefix: '10.0.1.1/24' })).toBe('10.0.1.1/24');
    expect(model.prefix('agg', { kind: 'aggregate', prefix: '10.0.0.0/8' })).toBe('10.0.0.0/8');
  });

  test('NET-T9 the form of the whole subnet', () => {
    const model = f1();
    expect(model.prefix('p', { network: 'net1', prefix: '10.0.1.0/24' })).toBe('10.0.1.0/24');
    expect(Object.keys(model.view())).toEqual(['10.0.0.0/8', '10.0.1.0/24', '10.0.1.0/32']);
    expect(model.allocate('a', ofNetwork('net1'))).toBe('10.0.1.1/32');
  });

  test('NET-T10 a second host makes one new entry', () => {
    const model = f2();
    const before = model.blocks();
    expect(model.prefix('net1-p2', { network: 'net1', prefix: '10.0.1.2/24' })).toBe('10.0.1.2/24');
    expect(model.blocks().filter((block) => !before.includes(block))).toEqual(['10.0.1.2/32']);
  });

  test.each([
    [
      'NET-T11 a host that another IPPrefix has',
      { network: 'net1', prefix: '10.0.1.1/24' },
      ['prefix/in-use', 'net1-p1'],
    ],
    [
      'NET-T12 a subnet of another network',
      { network: 'net2', prefix: '10.0.1.1/24' },
      ['prefix/other-network', 'net1'],
    ],
    [
      'NET-T12 a free host of another network',
      { network: 'net2', prefix: '10.0.1.9/24' },
      ['prefix/other-network', 'net1'],
    ],
    [
      'NET-T13 a second subnet of the network',
      { network: 'net1', prefix: '10.0.2.1/24' },
      ['prefix/name-taken', '10.0.1.0/24'],
    ],
    [
      'NET-T14 a network inside of a network',
      { network: 'net3', prefix: '10.0.1.129/25' },
      ['prefix/parent-kind', '10.0.1.0/24'],
    ],
    [
      'NET-T15 a network around a network',
      { network: 'net4', prefix: '10.0.0.1/16' },
      ['prefix/has-children', '10.0.1.0/24'],
    ],
    [
      'NET-T19 a pool inside of a network',
      { kind: 'pool', prefix: '10.0.1.128/25' },
      ['prefix/parent-kind', '10.0.1.0/24'],
    ],
    [
      'NET-T24 an aggregate inside of a network',
      { kind: 'aggregate', prefix: '10.0.1.64/26' },
      ['prefix/parent-kind', '10.0.1.0/24'],
    ],
    [
      'POOL-06 a prefix outside of all aggregates',
      { kind: 'pool', prefix: '172.16.0.0/24' },
      ['prefix/no-aggregate', '10.0.0.0/8'],
    ],
    [
      'an aggregate that is there',
      { kind: 'aggregate', prefix: '10.0.0.0/8' },
      ['prefix/in-use', 'IPPrefix default/agg0'],
    ],
  ])('refuses %s', (_title, spec, [code, named]) => {
    const model = f2();
    const before = model.blocks();
    expect(model.prefix('x', spec)).toBe(code);
    expect(model.lastRefusal?.message).toContain(named);
    expect(model.blocks()).toEqual(before);
  });

  test('NET-T16 a network that overlaps another one', () => {
    const model = f1();
    model.prefix('na', { network: 'na', prefix: '10.0.3.1/24' });
    expect(model.prefix('nb', { network: 'nb', prefix: '10.0.2.1/23' })).toBe('prefix/has-children');
    expect(model.lastRefusal?.message).toContain('10.0.3.0/24');
  });

  test('NET-T17 NET-T18 NET-T25 pools nest, and hold no network', () => {
    const model = f1();
    expect(model.prefix('p1', { kind: 'pool', prefix: '10.8.0.0/16' })).toBe('10.8.0.0/16');
    expect(model.prefix('netp', { network: 'netp', prefix: '10.8.1.1/24' })).toBe('prefix/parent-kind');
    expect(model.prefix('p2', { kind: 'pool', prefix: '10.8.0.0/20' })).toBe('10.8.0.0/20');
    expect(model.prefix('netp', { network: 'netp', prefix: '10.8.64.1/24' })).toBe('prefix/parent-kind');
  });

  test('NET-T21 NET-T22 NET-T23 loopbacks', () => {
    const model = f1();
    expect(model.prefix('lo', { kind: 'loopback', prefix: '10.255.0.0/24' })).toBe('10.255.0.0/24');
    expect(model.prefix('lo7', { kind: 'loopback', prefix: '10.255.0.7/32' })).toBe('10.255.0.7/32');
    expect(new NetworksModel().prefix('l', { kind: 'loopback', prefix: '192.0.2.7/32' })).toBe('192.0.2.7/32');
  });

  test('NET-T27 IPv6 is shown in canonical text', () => {
    const model = new NetworksModel();
    expect(model.prefix('p', { network: 'net6', prefix: '2001:DB8:1:1::1/64' })).toBe('2001:db8:1:1::1/64');
  });

  test('NET-T28 families do not mix', () => {
    const model = new NetworksModel();
    model.prefix('agg6', { kind: 'aggregate', prefix: '2001:db8::/32' });
    expect(model.prefix('n32', { network: 'n32', prefix: '32.1.13.1/24' })).toBe('32.1.13.1/24');
  });

  test('NET-T31 labels of the IPPrefix are those of its host and of the subnet', () => {
    const model = f2();
    const eu = { region: 'a' };
    expect(model.prefix('net1-p1', { network: 'net1', prefix: '10.0.1.1/24' }, { ...GATEWAY, ...eu })).toBe(
      '10.0.1.1/24',
    );
    expect(model.view()).toMatchObject({ '10.0.1.1/32': eu, '10.0.1.0/24': eu });
    expect(model.allocate('a', ofNetwork('net1', eu))).toBe('10.0.1.2/32 gw 10.0.1.1');
  });

  test.each([['required'], ['free']])('an instance says whether parents are %s', (parents) => {
    const model = new NetworksModel({ annotations: { 'ipam.vitistack.io/parents': parents } });
    const alone = model.prefix('p', { network: 'net1', prefix: '10.0.1.1/24' });
    model.prefix('agg', { kind: 'aggregate', prefix: '192.168.0.0/16' });
    const outside = model.prefix('q', { kind: 'pool', prefix: '10.9.0.0/16' });
    expect([alone, outside]).toEqual(
      parents === 'free' ? ['10.0.1.1/24', '10.9.0.0/16'] : ['prefix/no-aggregate', 'prefix/no-aggregate'],
    );
  });

  test('a subnet has one gateway', () => {
    const model = f2();
    expect(model.prefix('g2', { network: 'net1', prefix: '10.0.1.254/24' }, GATEWAY)).toBe('prefix/second-gateway');
    expect(model.lastRefusal?.message).toContain('10.0.1.1');
  });

  test('what is accepted is accepted in every order', () => {
    const specs = [
      ['agg', { kind: 'aggregate', prefix: '10.0.0.0/8' }],
      ['sub', { kind: 'aggregate', prefix: '10.0.0.0/16' }],
      ['net', { network: 'net1', prefix: '10.0.1.1/24' }],
      ['pool', { kind: 'pool', prefix: '10.8.0.0/16' }],
      ['inner', { kind: 'pool', prefix: '10.8.0.0/20' }],
      ['lo', { kind: 'loopback', prefix: '10.255.0.0/24' }],
    ] as const;
    const made = (order: readonly number[]): readonly string[] => {
      const model = new NetworksModel({ annotations: { 'ipam.vitistack.io/parents': 'free' } });
      for (const index of order) {
        const [name, spec] = specs[index] ?? specs[0];
        expect(model.prefix(name, spec)).toBe(spec.prefix);
      }
      return model.blocks();
    };
    const straight = made([0, 1, 2, 3, 4, 5]);
    expect(made([5, 4, 3, 2, 1, 0])).toEqual(straight);
    expect(made([2, 4, 0, 5, 1, 3])).toEqual(straight);
  });

  test('a subnet has the labels of the same IPPrefix whatever the order', () => {
    const made = (names: readonly ('p1' | 'p10')[]): unknown => {
      const model = f1();
      for (const name of names) {
        const isFirst = name === 'p1';
        const prefix = isFirst ? '10.0.1.1/24' : '10.0.1.10/24';
        model.prefix(name, { network: 'net1', prefix }, isFirst ? { ...GATEWAY, a: '1' } : { interface: 'n3' });
      }
      return model.view();
    };
    expect(made(['p10', 'p1'])).toEqual(made(['p1', 'p10']));
  });

  test('an entry that was declared by hand blocks its space', () => {
    const model = f1();
    const owner = model.owner('Thing', 'by-hand');
    model.table.put({ block: prefixOf('10.0.5.0/28'), facts: undefined, labels: {}, owner, door: 'networks' });
    expect(model.prefix('p', { network: 'net5', prefix: '10.0.5.1/24' })).toBe('prefix/in-use');
    expect(model.prefix('q', { kind: 'pool', prefix: '10.0.5.0/29' })).toBe('prefix/in-use');
    expect(model.prefix('r', { kind: 'pool', prefix: '10.0.5.0/24' })).toBe('10.0.5.0/24');
    expect(model.allocate('a', { kind: 'pool', prefixLength: 28, ...selectNi() })).toBe('10.0.5.16/28');
  });

  test('POOL-06 a network of another instance is refused by name where both share a network', () => {
    const model = f1();
    model.other = { kind: 'IPPrefix', namespace: 'b', name: 'older' };
    expect(model.prefix('p', { network: 'net1', prefix: '10.0.1.1/24' })).toBe('prefix/overlap');
    expect(model.lastRefusal?.message).toContain('IPPrefix b/older');
  });

  test('ranges of one subnet are apart, and lie in a subnet that is declared', () => {
    const model = f2();
    const range = (name: string, text: string, prefix = '10.0.1.0/24'): string =>
      model.prefix(name, { network: 'net1', prefix, range: text }, { use: name });
    expect(range('r1', '10.0.1.10-10.0.1.20')).toBe('10.0.1.0/24');
    expect(range('r2', '10.0.1.20-10.0.1.30')).toBe('prefix/overlap');
    expect(range('r3', '10.0.2.1-10.0.2.9', '10.0.2.0/24')).toBe('prefix/no-network');
    expect(model.blocks()).toEqual(f2().blocks());
  });
});
