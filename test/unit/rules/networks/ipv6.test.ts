import type { JsonMap } from '../../../../operator/contract/loose-json';
import { f2, f6, GATEWAY, NetworksModel, ofNetwork, selectNi } from '../../../support/networks-model';

const several = (model: NetworksModel, count: number, spec: JsonMap): readonly string[] =>
  Array.from({ length: count }, (_, index) => model.allocate(`a${String(index + 1)}`, spec));
const pool = (length: number, labels: Readonly<Record<string, string>> = {}): JsonMap => ({
  kind: 'pool',
  prefixLength: length,
  ...selectNi(labels),
});

describe('IPv6', () => {
  test('NET-T73 the lowest ones', () => {
    expect(several(f6(), 3, ofNetwork('net6'))).toEqual([
      '2001:db8:1:1::2/128 gw 2001:db8:1:1::1',
      '2001:db8:1:1::3/128 gw 2001:db8:1:1::1',
      '2001:db8:1:1::4/128 gw 2001:db8:1:1::1',
    ]);
  });

  test('NET-T74 the best fit beside a host', () => {
    const model = f6();
    model.prefix('host', { network: 'net6', prefix: '2001:db8:1:1::ff/64' });
    expect(several(model, 2, ofNetwork('net6')).map((text) => text.split(' ')[0])).toEqual([
      '2001:db8:1:1::fe/128',
      '2001:db8:1:1::2/128',
    ]);
  });

  const dual = (): NetworksModel => {
    const model = f2();
    expect(model.prefix('net1-6', { network: 'net1', prefix: '2001:db8:1:1::1/64' }, GATEWAY)).toBe(
      '2001:db8:1:1::1/64',
    );
    return model;
  };

  test.each([
    ['NET-T75', 'ipv6', '2001:db8:1:1::2/128 gw 2001:db8:1:1::1'],
    ['NET-T76', 'ipv4', '10.0.1.2/32 gw 10.0.1.1'],
  ])('%s the family that is asked for: %s', (_title, addressFamily, wanted) => {
    expect(dual().allocate('a', { ...ofNetwork('net1'), addressFamily })).toBe(wanted);
    expect(dual().allocate('b', ofNetwork('net1', { 'nephio.org/address-family': addressFamily }))).toBe(wanted);
  });

  test('NET-T77 IPv4 comes first, and a full one does not spill into IPv6', () => {
    const model = new NetworksModel();
    model.prefix('p4', { network: 'net1', prefix: '192.168.1.1/30' });
    model.prefix('p6', { network: 'net1', prefix: '2001:db8:1:1::1/64' });
    expect(several(model, 2, ofNetwork('net1'))).toEqual(['192.168.1.2/32', 'pool/exhausted']);
  });

  const sited = (): NetworksModel => {
    const model = f6();
    model.prefix('site', { kind: 'aggregate', prefix: '2001:db8:1::/48' }, { site: '1' });
    return model;
  };

  test('NET-T78 NET-T79 prefixes of an aggregate', () => {
    const site = { site: '1' };
    expect(several(f6(), 1, pool(56, site))).toEqual(['selector/no-candidate']);
    expect(several(sited(), 2, pool(56, site))).toEqual(['2001:db8:1:100::/56', '2001:db8:1:200::/56']);
    expect(several(sited(), 3, pool(64, site))).toEqual(['2001:db8:1::/64', '2001:db8:1:2::/64', '2001:db8:1:3::/64']);
  });

  test('NET-T80 NET-T81 the length tells the family only where IPv4 has none of it', () => {
    const model = new NetworksModel();
    model.prefix('a4', { kind: 'aggregate', prefix: '10.0.0.0/8' });
    model.prefix('a6', { kind: 'aggregate', prefix: '2001:db8::/32' });
    expect(model.allocate('a', pool(64))).toBe('2001:db8::/64');
    const six = new NetworksModel();
    six.prefix('a6', { kind: 'aggregate', prefix: '2001::/16' });
    expect(several(six, 2, pool(32))).toEqual(['2001::/32', '2001:1::/32']);
  });

  test.each([
    ['NET-T82 a link', '2001:db8:ff::/127', ['2001:db8:ff::1/128 gw 2001:db8:ff::', 'pool/exhausted']],
    [
      'NET-T84 no broadcast',
      '2001:db8:2::1/126',
      ['2001:db8:2::2/128 gw 2001:db8:2::1', '2001:db8:2::3/128 gw 2001:db8:2::1', 'pool/exhausted'],
    ],
  ])('%s', (_title, prefix, wanted) => {
    const model = new NetworksModel();
    model.prefix('p', { network: 'n', prefix }, GATEWAY);
    expect(several(model, wanted.length, ofNetwork('n'))).toEqual(wanted);
  });

  test('NET-T83 everything of a network goes with its IPPrefix', () => {
    const model = f6();
    expect(model.release('IPPrefix', 'net6-p1')).toEqual([]);
    expect(model.blocks()).toEqual(['2001:db8::/32']);
    expect(model.prefix('net7', { network: 'net7', prefix: '2001:db8:1:1::1/64' })).toBe('2001:db8:1:1::1/64');
  });

  test('ADDR-09 large blocks are jumped over', () => {
    const model = new NetworksModel();
    model.prefix('p', { kind: 'pool', prefix: '2001:db8::/64', excluded: ['2001:db8::/65'] });
    expect(model.allocate('a', pool(128))).toBe('2001:db8:0:0:8000::/128');
    expect(model.allocate('b', { kind: 'loopback', prefix: '2001:db8::8000:0:0:1/128', ...selectNi() })).toBe(
      'prefix/parent-kind',
    );
    expect(model.allocate('c', { kind: 'pool', prefix: '2001:db8:0:0:8000::/66', ...selectNi() })).toBe(
      'prefix/in-use',
    );
    expect(model.allocate('c', { kind: 'pool', prefix: '2001:db8:0:0:c000::/66', ...selectNi() })).toBe(
      '2001:db8:0:0:c000::/66',
    );
  });
});
