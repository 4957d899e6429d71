import { grouplessLines, groupLines } from '../../../../operator/cli/vips/tree-text';
import type { VipAddress, VipGroupTree } from '../../../../operator/contract/ipam-api/vips-pages';

const since = '2026-01-01T00:00:00.000Z';
const held = (address: string, ...names: string[]): VipAddress => ({
  address,
  group: 'web',
  state: 'held',
  holders: names.map((name) => ({ kind: 'Service', namespace: 'shop', name, since })),
});
const tree = (more: Partial<VipGroupTree> = {}): VipGroupTree => ({
  group: 'web',
  network: 'default',
  total: '8',
  free: '6',
  allocated: '1',
  quarantined: '0',
  foreign: '0',
  excluded: '0',
  draining: false,
  segments: [],
  outside: [],
  ...more,
});

describe('groupLines', () => {
  test('draws segments, shared addresses, quarantine and what lies outside', () => {
    const quarantined: VipAddress = { ...held('192.0.2.1', 'former'), state: 'quarantined', until: since };
    const segments = [
      { segment: '192.0.2.0/30', addresses: [held('192.0.2.0', 'a', 'b'), quarantined] },
      { segment: '2001:db8::/64', addresses: [] },
    ];
    expect(groupLines(tree({ quarantined: '1', segments, outside: [held('203.0.113.1', 'c')] }))).toEqual([
      'IPGroup default/web (6 of 8 free, 1 quarantined)',
      '├─ 192.0.2.0/30',
      '│  ├─ 192.0.2.0 shop/a, shop/b',
      `│  └─ 192.0.2.1 quarantined for shop/former until ${since}`,
      '├─ 2001:db8::/64',
      '└─ outside of the group',
      '   └─ 203.0.113.1 shop/c',
    ]);
  });

  test('says in the first line why a group gives nothing', () => {
    const problem = 'Conflict: 192.0.2.0/29 belongs to IPGroup old';
    expect(groupLines(tree({ draining: true, problem, foreign: '2', excluded: '3' }))).toEqual([
      `IPGroup default/web (6 of 8 free, 2 in use without a claim, 3 excluded, draining, not ready: ${problem})`,
    ]);
  });
});

describe('grouplessLines', () => {
  test('names the kind of a holder that is no Service', () => {
    const holders = [{ kind: 'VirtualIP', namespace: 'shop', name: 'old', since }];
    expect(grouplessLines([{ address: '192.0.2.9', group: '', state: 'held', holders }])).toEqual([
      'IPs of no IPGroup',
      '└─ 192.0.2.9 VirtualIP shop/old',
    ]);
    expect(grouplessLines([])).toEqual([]);
  });
});
