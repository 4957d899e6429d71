import { NEPHIO } from '../../../../operator/contract/nephio';
import { readAllocation, readInstance, readPrefix } from '../../../../operator/rules/networks';
import { GATEWAY, ofNetwork, selectNi } from '../../../support/networks-model';

const object = (spec: unknown, metadata: object = {}) => ({
  metadata: { namespace: 'default', name: 'x', uid: 'u', ...metadata },
  ...(spec === undefined ? {} : { spec }),
});
const codeOf = (outcome: ReturnType<typeof readPrefix | typeof readAllocation>): string =>
  outcome.ok ? 'accepted' : outcome.refusal.code;
const prefix = (spec: object, labels: object = {}): string =>
  codeOf(readPrefix(object({ networkInstance: 'vpc-1', ...spec }, { labels })));
const allocation = (spec: unknown, labels: object = {}): string => codeOf(readAllocation(object(spec, { labels })));

describe('reading an IPPrefix', () => {
  test.each([
    ['NET-T3 an aggregate with host bits', { kind: 'aggregate', prefix: '10.1.2.3/16' }, 'prefix/host-bits-set'],
    ['NET-T4 an aggregate of one address', { kind: 'aggregate', prefix: '10.0.0.1/32' }, 'prefix/host-length'],
    ['NET-T7 a network without a name', { prefix: '10.0.1.1/24' }, 'prefix/no-network-name'],
    ['NET-T8 a network of one address', { network: 'net1', prefix: '10.0.1.5/32' }, 'prefix/host-length'],
    ['NET-T20 a pool with host bits', { kind: 'pool', prefix: '10.8.0.1/16' }, 'prefix/host-bits-set'],
    ['NET-T26 a length that no family has', { network: 'net1', prefix: '10.0.0.0/99' }, 'prefix/malformed'],
    ['no prefix', { network: 'net1' }, 'prefix/malformed'],
    ['an unknown kind', { kind: 'subnet', prefix: '10.0.0.0/8' }, 'prefix/invalid'],
    ['IPv4 inside of IPv6', { network: 'net1', prefix: '::ffff:10.0.0.1/120' }, 'prefix/invalid'],
    ['the last address of a subnet', { network: 'net1', prefix: '10.0.1.255/24' }, 'address/reserved'],
    ['ADDR-05 host bits in a pool', { kind: 'pool', prefix: '192.168.100.200/28' }, 'prefix/host-bits-set'],
    ['ADDR-05 host bits in IPv6', { kind: 'pool', prefix: '2001:db8::1/64' }, 'prefix/host-bits-set'],
    ['ADDR-08 a reversed range', { kind: 'pool', prefix: '10.0.0.0/24', range: '10.0.0.9-10.0.0.1' }, 'prefix/invalid'],
    ['a range outside', { kind: 'pool', prefix: '10.0.0.0/24', range: '10.0.0.9-10.0.1.1' }, 'prefix/invalid'],
    ['an exclusion that is none', { kind: 'pool', prefix: '10.0.0.0/24', excluded: ['10.0.0'] }, 'prefix/invalid'],
  ])('refuses %s', (_title, spec, code) => {
    expect(prefix(spec)).toBe(code);
  });

  test.each([
    ['NET-T22 one loopback address', { kind: 'loopback', prefix: '10.255.0.7/32' }],
    ['a single IPv6 loopback', { kind: 'loopback', prefix: '2001:db8::7/128' }],
    ['a link of two', { network: 'l', prefix: '192.168.0.1/31' }],
    ['ADDR-05 a longer spelling', { kind: 'pool', prefix: '2001:0DB8:0:0::/64' }],
  ])('accepts %s', (_title, spec) => {
    expect(prefix(spec)).toBe('accepted');
  });

  test('ADDR-05 the text of a refusal offers the block', () => {
    const read = readPrefix(object({ kind: 'pool', prefix: '192.168.100.200/28' }));
    expect(read).toMatchObject({ ok: false, refusal: { field: 'spec.prefix', suggestion: '192.168.100.192/28' } });
  });

  test.each([
    [{ [NEPHIO.prefixKind]: 'pool' }, 'label/reserved'],
    [{ [NEPHIO.allocationName]: 'other' }, 'label/reserved'],
    [{ [NEPHIO.prefixKind]: 'network', [NEPHIO.allocationName]: 'x', [NEPHIO.prefixLength]: '32' }, 'accepted'],
    [{ a: 'b'.repeat(64) }, 'label/too-many'],
    [Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`k${String(index)}`, 'v'])), 'label/too-many'],
  ])('judges the labels %j', (labels, code) => {
    expect(prefix({ network: 'net1', prefix: '10.0.1.1/24' }, labels)).toBe(code);
  });

  test('only an address of kind network is a gateway', () => {
    const gateway = (spec: object): unknown => {
      const read = readPrefix(object({ networkInstance: 'vpc-1', ...spec }, { labels: GATEWAY }));
      return read.ok && read.value.isGateway;
    };
    expect(gateway({ network: 'net1', prefix: '10.0.1.1/24' })).toBe(true);
    expect(gateway({ network: 'net1', prefix: '10.0.1.0/31' })).toBe(true);
    expect(gateway({ network: 'net1', prefix: '10.0.1.0/24' })).toBe(false);
    expect(gateway({ kind: 'pool', prefix: '10.0.1.0/24' })).toBe(false);
  });

  test.each([undefined, null, 5, 'x', [], {}, { prefix: 7, kind: {}, excluded: 'x', range: [] }])(
    'B8 tells what is wrong with the spec %j',
    (spec) => {
      expect(readPrefix(object(spec)).ok).toBe(false);
      expect(readAllocation(object(spec)).ok).toBe(false);
      expect(readPrefix({ spec }).ok).toBe(false);
    },
  );
});

describe('reading an IPAllocation', () => {
  test.each([
    ['NET-T55 no instance', { selector: { matchLabels: { [NEPHIO.networkName]: 'net1' } } }, 'instance/missing'],
    ['NET-T56 no network', { kind: 'network', ...selectNi() }, 'selector/no-network'],
    ['NET-T57 no selector', { kind: 'network' }, 'selector/invalid'],
    ['NET-T59 a length for kind network', { prefixLength: 28, ...ofNetwork('net1') }, 'request/length-not-allowed'],
    ['NET-T71 an aggregate', { kind: 'aggregate', ...selectNi() }, 'request/aggregate-dynamic'],
    ['NET-T85 a length of 129', { kind: 'pool', prefixLength: 129, ...selectNi() }, 'request/length'],
    ['NET-T85 a length of 288', { kind: 'pool', prefixLength: 288, ...selectNi() }, 'request/length'],
    [
      'a length beyond IPv4',
      { kind: 'pool', addressFamily: 'ipv4', prefixLength: 33, ...selectNi() },
      'request/length',
    ],
    [
      'a length beside a prefix',
      { kind: 'pool', prefix: '10.0.0.0/8', prefixLength: 8, ...selectNi() },
      'request/length-not-allowed',
    ],
    ['NET-T105 text that is no prefix', { prefix: 'abc', ...ofNetwork('net1') }, 'prefix/malformed'],
    ['NET-T105 an empty kind', { ...ofNetwork('net1'), kind: '' }, 'request/invalid'],
    ['NET-T107 a key of the system', ofNetwork('net1', { [NEPHIO.allocationName]: 'net1-p1' }), 'label/reserved'],
    [
      'families that disagree',
      { ...ofNetwork('net1', { [NEPHIO.addressFamily]: 'ipv4' }), addressFamily: 'ipv6' },
      'selector/invalid',
    ],
    ['a family that does not exist', { ...ofNetwork('net1'), addressFamily: 'ipx' }, 'request/invalid'],
    [
      'a wish of another family',
      { ...ofNetwork('net1'), addressFamily: 'ipv6', prefix: '10.0.1.5/24' },
      'request/invalid',
    ],
    ['a selector of numbers', { selector: { matchLabels: { [NEPHIO.networkInstance]: 5 } } }, 'selector/invalid'],
    [
      'an operator without values',
      { selector: { matchExpressions: [{ key: 'a', operator: 'In' }] } },
      'selector/invalid',
    ],
  ])('refuses %s', (_title, spec, code) => {
    expect(allocation(spec)).toBe(code);
  });

  test('NET-T58 takes network and instance by expressions', () => {
    const matchExpressions = [
      { key: NEPHIO.networkInstance, operator: 'In', values: ['vpc-1'] },
      { key: NEPHIO.networkName, operator: 'In', values: ['net1'] },
    ];
    expect(allocation({ kind: 'network', selector: { matchExpressions } })).toBe('accepted');
  });

  test('NET-T85 a stored length of 0 counts as none', () => {
    expect(allocation({ kind: 'pool', prefixLength: 0, ...selectNi() })).toBe('accepted');
  });

  test('the digest tells other requests, and not other spellings', () => {
    const digest = (spec: unknown): string => {
      const read = readAllocation(object(spec));
      return read.ok ? read.value.digest : '';
    };
    const selector = { matchLabels: { b: '2', [NEPHIO.networkInstance]: 'vpc-1' } };
    const turned = { matchLabels: { [NEPHIO.networkInstance]: 'vpc-1', b: '2' } };
    expect(digest({ kind: 'pool', prefixLength: 16, selector })).toBe('3ead85dbf0c66805');
    expect(digest({ kind: 'pool', prefixLength: 16, selector: turned })).toBe(
      digest({ kind: 'pool', prefixLength: 16, selector }),
    );
    expect(digest({ kind: 'pool', prefix: '2001:DB8::/32', selector })).toBe(
      digest({ kind: 'pool', prefix: '2001:db8::/32', selector }),
    );
    expect(digest({ kind: 'pool', prefixLength: 17, selector })).not.toBe(
      digest({ kind: 'pool', prefixLength: 16, selector }),
    );
  });
});

describe('reading a NetworkInstance', () => {
  test('names its network, also where the names are long', () => {
    const read = (namespace: string, name: string): string => readInstance({ metadata: { namespace, name } }).network;
    expect(read('default', 'vpc-1')).toBe('default.vpc-1');
    const long = read('n'.repeat(63), 'x'.repeat(253));
    expect(long).toMatch(/^n{63}\.x{112}-[0-9a-f]{32}$/u);
    expect(read('n'.repeat(63), `${'x'.repeat(252)}y`)).not.toBe(long);
  });

  test('reads how strict it is', () => {
    const read = (parents: string) =>
      readInstance({ metadata: { annotations: { 'ipam.vitistack.io/parents': parents }, deletionTimestamp: 'x' } });
    expect([read('required').parents, read('free').parents, read('foo').parents]).toEqual([
      'required',
      'free',
      'declared',
    ]);
    expect(read('').isDying).toBe(true);
    expect(readInstance({}).isDying).toBe(false);
  });
});
