import { prefixOf } from '../../../../operator/addressing/prefix';
import { PrefixSet } from '../../../../operator/addressing/prefix-set';
import type { NetworkEntry } from '../../../../operator/contract/networks/entry';
import { conditionsOf, countPrefix, PlannedTable, viewOf } from '../../../../operator/rules/networks';
import { NetworksModel } from '../../../support/networks-model';

describe('counting', () => {
  const entry = (prefix: string, isSubnet: boolean): NetworkEntry => ({
    block: prefixOf(prefix),
    facts: isSubnet ? { role: 'subnet', kind: 'network' } : { role: 'prefix', kind: 'pool' },
    labels: {},
    owner: new NetworksModel().owner('IPPrefix', 'p'),
    door: 'networks',
    takenAtMs: 0,
    version: 0,
  });
  const nothing = { excludedFrom: () => PrefixSet.EMPTY };
  const empty = new PlannedTable();
  const holding = (...texts: readonly string[]): PlannedTable => {
    const table = new PlannedTable();
    for (const text of texts) table.put(entry(text, false));
    return table;
  };

  test.each([
    ['10.0.12.0/24', 256n, 254n],
    ['10.0.12.0/29', 8n, 6n],
    ['10.0.12.0/30', 4n, 2n],
    ['10.0.12.0/31', 2n, 2n],
    ['10.0.12.0/32', 1n, 1n],
    ['2001:db8::/126', 4n, 3n],
    ['2001:db8::/127', 2n, 2n],
    ['2001:db8::/128', 1n, 1n],
  ])('ADDR-06 %s has %d addresses as a pool, and %d as a subnet', (prefix, pool, subnet) => {
    expect(countPrefix(empty, entry(prefix, false), nothing).free).toBe(pool);
    expect(countPrefix(empty, entry(prefix, true), nothing).free).toBe(subnet);
  });

  test('POOL-05 each address is counted once', () => {
    const subnet = entry('10.0.0.0/24', true);
    const model = new NetworksModel();
    model.prefix('p', { network: 'n', prefix: '10.0.0.0/24', excluded: ['10.0.0.5-10.0.0.9'] });
    const { context } = model.at;
    expect(countPrefix(holding('10.0.0.5/32'), subnet, nothing)).toEqual({
      total: 254n,
      used: 1n,
      free: 253n,
      excluded: 0n,
    });
    const after = countPrefix(holding('10.0.0.5/32'), subnet, context);
    expect(after).toEqual({ total: 250n, used: 1n, free: 249n, excluded: 4n });
    expect(countPrefix(empty, subnet, context)).toEqual({ total: 249n, used: 0n, free: 249n, excluded: 5n });
  });

  test('what lies around, at and inside of an excluded part counts as used once', () => {
    const aggregate = entry('10.0.0.0/16', false);
    const excludedFrom = () => PrefixSet.of(prefixOf('10.0.1.0/24'), prefixOf('10.0.2.0/24'), prefixOf('10.0.4.0/24'));
    // around the first part, at the second one, inside of the third one with a child of its own
    const table = holding('10.0.0.0/16', '10.0.0.0/23', '10.0.1.7/32', '10.0.2.0/24', '10.0.4.0/28', '10.0.4.1/32');
    expect(countPrefix(table, aggregate, { excludedFrom })).toEqual({
      used: 512n + 256n + 16n,
      excluded: 240n,
      free: 65_536n - 784n - 240n,
      total: 65_536n - 240n,
    });
    const whole = { excludedFrom: () => PrefixSet.of(prefixOf('10.0.0.0/8')) };
    expect(countPrefix(table, aggregate, whole)).toMatchObject({ used: 784n, excluded: 65_536n - 784n, free: 0n });
  });
});

describe('conditions', () => {
  const texts = (outcome: Parameters<typeof conditionsOf>[0]): readonly string[] =>
    conditionsOf(outcome).map(({ type, status, reason, message }) => `${type}=${status} ${reason} ${message}`.trim());

  test('say what became of an object, with the words of the older operator', () => {
    expect(texts({})).toEqual(['Synced=True ReconcileSuccess', 'Ready=True Ready', 'Accepted=True Accepted']);
    const refusal = { code: 'pool/exhausted', message: 'no address is free' } as const;
    expect(texts({ refusal, kept: '10.0.1.2/32' })).toEqual([
      'Synced=True ReconcileSuccess',
      'Ready=False Failed no address is free; 10.0.1.2/32 is kept',
      'Accepted=False PoolExhausted no address is free; 10.0.1.2/32 is kept',
    ]);
    expect(texts({ failure: 'the API server cannot be reached' })).toEqual([
      'Synced=False ReconcileFailure the API server cannot be reached',
      'Ready=False Unknown',
    ]);
  });

  test('POOL-03 name the users of what is to go', () => {
    const users = ['a1', 'a2'].map((name) => ({ kind: 'IPAllocation', namespace: 'default', name }));
    expect(texts({ users })).toContain('InUse=True InUse 2 in use: IPAllocation default/a1, IPAllocation default/a2');
    expect(texts({ others: ['zone lan'] })[3]).toContain('OverlapsOtherDoor=True');
  });
});

test('entries with many long labels are shown as far as a status has room', () => {
  const labels = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [`example.com/${'k'.repeat(50)}${String(index)}`, 'v'.repeat(63)]),
  );
  const entryOf = (index: number, of: NetworkEntry['labels']): NetworkEntry => ({
    block: prefixOf(`10.${String(index >> 8)}.${String(index & 255)}.0/24`),
    facts: { role: 'allocation', kind: 'pool' },
    labels: of,
    owner: new NetworksModel().owner('IPAllocation', 'a'),
    door: 'networks',
    takenAtMs: 0,
    version: 0,
  });
  const shown = (of: NetworkEntry['labels']) =>
    viewOf(
      Array.from({ length: 1200 }, (_, index) => entryOf(index, of)),
      { name: 'vpc-1' },
    );
  expect(Object.keys(shown({}))).toHaveLength(1000);
  expect(JSON.stringify(shown(labels)).length).toBeLessThan(800 * 1024);
  expect(Object.keys(shown(labels)).slice(0, 2)).toEqual(['10.0.0.0/24', '10.0.1.0/24']);
});
