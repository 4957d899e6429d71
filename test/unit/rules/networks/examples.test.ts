import { GATEWAY, NetworksModel, ofNetwork, selectNi } from '../../../support/networks-model';

const NET1 = { network: 'net1', prefix: '10.0.1.1/24' };
const N3 = { 'nephio.org/interface': 'n3' };

function e3(): NetworksModel {
  const model = new NetworksModel();
  expect(model.prefix('net1-prefix1', NET1, GATEWAY)).toBe('10.0.1.1/24');
  expect(model.prefix('aggregate0', { kind: 'aggregate', prefix: '10.0.0.0/8' })).toBe('10.0.0.0/8');
  return model;
}

describe('the examples of the older operator', () => {
  test('NET-E1 an instance has no entries', () => {
    expect(new NetworksModel().view()).toEqual({});
  });

  test('NET-E2 NET-E3 NET-E4 an aggregate is put around a network, and the status shows four entries', () => {
    const system = { 'nephio.org/network-instance': 'vpc-1', 'nephio.org/address-family': 'ipv4' };
    const network = {
      ...system,
      'nephio.org/prefix-kind': 'network',
      'nephio.org/network-name': 'net1',
      'nephio.org/network': '10.0.1.0',
    };
    expect(e3().view()).toEqual({
      '10.0.0.0/8': {
        ...system,
        'nephio.org/prefix-kind': 'aggregate',
        'nephio.org/prefix-length': '8',
        'nephio.org/prefix-name': 'aggregate0',
        'nephio.org/allocation-name': 'aggregate0',
        'nephio.org/origin': 'prefix',
      },
      '10.0.1.0/24': {
        ...network,
        'nephio.org/prefix-length': '24',
        'nephio.org/prefix-name': 'net',
        'nephio.org/allocation-name': '10.0.1.0-24',
        'nephio.org/origin': 'system',
      },
      '10.0.1.0/32': {
        ...network,
        'nephio.org/prefix-length': '32',
        'nephio.org/prefix-name': 'net',
        'nephio.org/allocation-name': '10.0.1.0',
        'nephio.org/origin': 'system',
        'nephio.org/parent-prefix-length': '24',
      },
      '10.0.1.1/32': {
        ...network,
        'nephio.org/prefix-length': '32',
        'nephio.org/prefix-name': 'net1-prefix1',
        'nephio.org/allocation-name': 'net1-prefix1',
        'nephio.org/origin': 'prefix',
        'nephio.org/parent-prefix-length': '24',
        'nephio.org/gateway': 'true',
      },
    });
  });

  test('NET-E5 NET-E6 NET-E7 NET-E8 a dynamic address stays when a static one comes', () => {
    const model = e3();
    expect(model.allocate('alloc1', ofNetwork('net1'))).toBe('10.0.1.2/32 gw 10.0.1.1');
    const before = model.blocks();
    expect(model.prefix('net1-prefix10', { network: 'net1', prefix: '10.0.1.10/24' }, N3)).toBe('10.0.1.10/24');
    expect(model.blocks().filter((block) => !before.includes(block))).toEqual(['10.0.1.10/32']);
    expect(model.allocate('alloc2-n3', ofNetwork('net1', N3))).toBe('10.0.1.10/32 gw 10.0.1.1');
    expect(model.view()['10.0.1.10/32']).toMatchObject({ 'nephio.org/prefix-name': 'net1-prefix10' });
    expect(model.allocate('alloc1', ofNetwork('net1'))).toBe('10.0.1.2/32 gw 10.0.1.1');
  });

  test('NET-E8b made after the static one, it is the best fit', () => {
    const model = e3();
    model.prefix('net1-prefix10', { network: 'net1', prefix: '10.0.1.10/24' }, N3);
    expect(model.allocate('alloc1', ofNetwork('net1'))).toBe('10.0.1.11/32 gw 10.0.1.1');
  });

  test('NET-E9 the gateway is selected by its label', () => {
    expect(e3().allocate('gw', ofNetwork('net1', GATEWAY))).toBe('10.0.1.1/32 gw 10.0.1.1');
  });

  test('NET-E10 a pool is carved out of the aggregate', () => {
    expect(e3().allocate('alloc-pool1', { kind: 'pool', prefixLength: 16, ...selectNi() })).toBe('10.1.0.0/16');
  });

  test('a pool is carved out of the aggregate that is marked for it', () => {
    const model = new NetworksModel();
    for (const [index, prefix] of ['10.0.0.0/8', '192.168.0.0/16', '1000::/32'].entries()) {
      model.prefix(`agg${String(index)}`, { kind: 'aggregate', prefix });
    }
    const marked = { 'nephio.org/pool': 'true' };
    expect(model.prefix('agg3', { kind: 'aggregate', prefix: '172.0.0.0/8' }, marked)).toBe('172.0.0.0/8');
    const spec = { kind: 'pool', prefixLength: 16, ...selectNi(marked) };
    expect([model.allocate('p1', spec), model.allocate('p2', spec)]).toEqual(['172.0.0.0/16', '172.1.0.0/16']);
  });
});
