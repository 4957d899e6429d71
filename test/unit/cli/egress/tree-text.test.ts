import { egressIpamLines, withoutIpamLines } from '../../../../operator/cli/egress/tree-text';
import type { EgressAddress, EgressIpamTree } from '../../../../operator/contract/ipam-api/egress-pages';

const since = '2026-01-01T00:00:00.000Z';
const held = (address: string, namespace: string, more: Partial<EgressAddress> = {}): EgressAddress => ({
  address,
  network: 'default',
  egressIpam: 'bm',
  state: 'held',
  namespace,
  since,
  ...more,
});
const tree = (more: Partial<EgressIpamTree> = {}): EgressIpamTree => ({
  egressIpam: 'bm',
  network: 'default',
  dataplane: 'ovn-kubernetes',
  cidrs: [],
  outside: [],
  ...more,
});

describe('egressIpamLines', () => {
  test('draws CIDRs with the namespace and the node of each address, quarantine, and what lies outside', () => {
    const addresses = [
      held('192.0.2.1', 'shop', { node: 'worker-1' }),
      held('192.0.2.2', 'blog', { state: 'quarantined', until: since }),
      held('192.0.2.3', 'news', { state: 'quarantined' }),
    ];
    const cidrs = [
      { cidr: '192.0.2.0/29', labelValue: 'zone-a', total: '8', free: '3', addresses },
      { cidr: '2001:db8::/120', labelValue: 'zone-b', total: '256', free: '255', addresses: [] },
    ];
    expect(egressIpamLines(tree({ cidrs, outside: [held('203.0.113.1', 'shop')] }))).toEqual([
      'EgressIPAM default/bm (dataplane ovn-kubernetes)',
      '├─ 192.0.2.0/29 of nodes "zone-a" (3 of 8 free)',
      '│  ├─ 192.0.2.1 shop on worker-1',
      `│  ├─ 192.0.2.2 quarantined for blog until ${since}`,
      '│  └─ 192.0.2.3 quarantined for news',
      '├─ 2001:db8::/120 of nodes "zone-b" (255 of 256 free)',
      '└─ outside of its CIDRs',
      '   └─ 203.0.113.1 shop',
    ]);
  });

  test('says in the first line why an EgressIPAM gives nothing new', () => {
    expect(egressIpamLines(tree({ dataplane: '', problem: 'Overlap: 192.0.2.0/29 belongs to old' }))).toEqual([
      'EgressIPAM default/bm (gives nothing new: Overlap: 192.0.2.0/29 belongs to old)',
    ]);
  });
});

test('withoutIpamLines names the EgressIPAM that is gone', () => {
  expect(withoutIpamLines([held('192.0.2.9', 'shop')])).toEqual([
    'Egress addresses of no EgressIPAM',
    '└─ 192.0.2.9 shop (of EgressIPAM bm, which is not stored)',
  ]);
  expect(withoutIpamLines([])).toEqual([]);
});
