import { Testing } from 'cdk8s';
import { IpamOperator } from '../../../../constructs';
import { poolsCheck } from '../../../../constructs/validations/pools-disjoint';
import { placed } from '../../../support/placed-objects';

const pool = (name: string, addresses: readonly string[], namespace = 'metallb-system'): object => ({
  apiVersion: 'metallb.io/v1beta1',
  kind: 'IPAddressPool',
  metadata: { name, namespace },
  spec: { addresses },
});
const zones = (name: string, prefix: string): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'ipam-zones', namespace: 'ipam-system' },
  data: { 'zones.yaml': `version: 1\nzones:\n  - { name: ${name}, prefixes: [${prefix}] }\n` },
});
const violations = (...objects: readonly object[]) =>
  poolsCheck(placed(...objects)).map(({ rule, placed: { object }, locations }) => [
    rule,
    object.metadata.name,
    ...locations,
  ]);

describe('PoolsDisjoint', () => {
  test('accepts pools side by side, of both families and in every notation', () => {
    expect(
      violations(
        pool('a', ['192.0.2.0/25', '2001:db8::/64']),
        pool('b', ['192.0.2.128-192.0.2.255', '2001:db8:0:1::/64']),
      ),
    ).toEqual([]);
  });

  test('POOL-01 finds an overlap of a range and a prefix, naming both pools and places', () => {
    expect(violations(pool('a', ['10.0.0.0/24', '192.0.2.0/25']), pool('b', ['192.0.2.100-192.0.2.200']))).toEqual([
      [
        'pools/disjoint',
        'b',
        'spec.addresses[0]: "192.0.2.100-192.0.2.200" overlaps "192.0.2.0/25" (IPAddressPool a, spec.addresses[1])',
      ],
    ]);
  });

  test.each([
    ['the same pool', [pool('a', ['192.0.2.0/24', '192.0.2.7-192.0.2.9'])]],
    ['two objects of one name', [pool('a', ['192.0.2.0/24']), pool('a', ['192.0.2.0/24'])]],
    [
      'a prefix with host bits, of which MetalLB drops the bits',
      [pool('a', ['192.0.2.9/24']), pool('b', ['192.0.2.1-192.0.2.2'])],
    ],
    [
      'a small pool behind a wide one',
      [pool('a', ['10.0.0.0/8']), pool('b', ['10.9.0.0/16']), pool('c', ['11.0.0.0/8'])],
    ],
  ])('finds an overlap inside %s', (_, objects) => {
    expect(violations(...objects).map(([rule]) => rule)).toEqual(['pools/disjoint']);
  });

  test('finds a pool inside of a zone, which has no pool of its own yet', () => {
    expect(violations(zones('lan', '192.0.2.0/24'), pool('printers', ['192.0.2.40-192.0.2.50']))).toEqual([
      [
        'pools/disjoint',
        'printers',
        'spec.addresses[0]: "192.0.2.40-192.0.2.50" overlaps "192.0.2.0/24" (ConfigMap ipam-zones, data["zones.yaml"], zone "lan")',
      ],
    ]);
  });

  test('takes a zone and the pool made of it as one', () => {
    expect(violations(zones('lan', '192.0.2.0/24'), pool('lan', ['192.0.2.0/24']))).toEqual([]);
  });

  test('finds a third one beside a zone and its pool', () => {
    const found = violations(zones('lan', '192.0.2.0/24'), pool('lan', ['192.0.2.0/24']), pool('x', ['192.0.2.9/32']));
    expect(found.map(([rule, name]) => [rule, name])).toEqual([['pools/disjoint', 'x']]);
  });

  test('keeps the pools of two MetalLBs apart', () => {
    expect(violations(pool('a', ['192.0.2.0/24']), pool('b', ['192.0.2.0/24'], 'metallb-dmz'))).toEqual([]);
  });

  test.each(['192.0.2.1', '192.0.2.0/33', '192.0.2.9-192.0.2.1', 'lan'])(
    'finds "%s", which MetalLB cannot read',
    (text) => {
      expect(violations(pool('a', [text]))).toEqual([['pools/readable', 'a', `spec.addresses[0]: "${text}"`]]);
    },
  );

  test('accepts what the operator deploys', () => {
    const chart = Testing.chart();
    new IpamOperator(chart, 'ipam', {
      zones: [
        { name: 'lan', prefixes: ['192.0.2.0/24', '2001:db8::/64'] },
        { name: 'dmz', prefixes: ['198.51.100.0/24'] },
      ],
    });
    expect(poolsCheck(placed(...(Testing.synth(chart) as object[])))).toEqual([]);
  });

  test('looks at no zone of an operator without Services, whose addresses are for other clusters', () => {
    const chart = Testing.chart();
    new IpamOperator(chart, 'ipam', {
      services: { enabled: false },
      ipamApi: { expose: {} },
      zones: [
        { name: 'one', prefixes: ['192.0.2.0/24'] },
        { name: 'other', network: 'other', prefixes: ['192.0.2.0/24'] },
      ],
    });
    expect(poolsCheck(placed(...(Testing.synth(chart) as object[])))).toEqual([]);
  });
});
