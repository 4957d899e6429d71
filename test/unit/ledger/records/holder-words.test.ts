import { addressOf } from '../../../../operator/addressing/address';
import { explain, labelOf, othersOf, sharersText } from '../../../../operator/ledger/records/holder-words';
import type { AddressRecord, Holder } from '../../../../operator/ports/claim-store';

const holder = (change: Partial<Holder> = {}): Holder => ({
  id: '1',
  sinceMs: 0,
  service: { serviceName: 'web', namespaceUid: 'ns-a', clusterUid: 'c1' },
  namespace: 'a',
  state: 'bound',
  options: { retentionPeriodDays: 0, denyExternalCleanup: false },
  writtenKeys: [],
  ...change,
});

const record = (change: Partial<AddressRecord>): AddressRecord => ({
  network: 'default',
  address: addressOf('192.0.2.1'),
  zone: 'z',
  family: 4,
  secret: { hash: 'k1:aa', scope: 'shared' },
  state: 'held',
  holders: [holder()],
  version: 1,
  takenAtMs: 0,
  ...change,
});

const NOON = Date.UTC(2026, 0, 1, 12);

describe('explain', () => {
  test.each([
    ['a bound holder', record({}), 'is held by "a/web"'],
    ['a reservation', record({ holders: [holder({ state: 'reserved' })] }), 'is reserved for "a/web"'],
    [
      'a retention and its end',
      record({ holders: [holder({ state: 'retained', expiresAtMs: NOON })] }),
      'is retained for "a/web" until 2026-01-01T12:00:00.000Z',
    ],
    [
      'everybody on a shared address',
      record({ holders: [holder(), holder({ namespace: 'b' })] }),
      'is held by "a/web" and held by "b/web"',
    ],
    [
      'the clusters of those who have one name',
      record({
        holders: [
          holder(),
          holder({ id: '2', service: { serviceName: 'web', namespaceUid: 'ns-b', clusterUid: 'c2' } }),
          holder({ id: '3', namespace: 'b' }),
        ],
      }),
      'is held by "a/web of cluster c1" and held by "a/web of cluster c2" and held by "b/web"',
    ],
    [
      'a quarantine and its end',
      record({ state: 'quarantined', holders: [], quarantine: { untilMs: NOON, former: holder() } }),
      'was released by "a/web" and is quarantined until 2026-01-01T12:00:00.000Z',
    ],
  ])('names %s, and never the secret', (_name, given, text) => {
    expect(explain(given)).toBe(text);
    expect(explain(given)).not.toContain('k1:');
  });
});

describe('sharersText', () => {
  test('tells holders of one name apart by their clusters, also from the one that is not listed', () => {
    const far = holder({ id: '2', service: { serviceName: 'web', namespaceUid: 'ns-b', clusterUid: 'c2' } });
    const shared = record({ holders: [holder(), far, holder({ id: '3', namespace: 'b' })] });
    expect(sharersText(shared.holders, shared)).toBe('"a/web of cluster c1", "a/web of cluster c2", "b/web"');
    expect(sharersText([far], shared)).toBe('"a/web of cluster c2"');
  });
});

describe('othersOf', () => {
  test('tells the others apart from the holder', () => {
    const far = holder({ id: '2', service: { serviceName: 'web', namespaceUid: 'ns-b', clusterUid: 'c2' } });
    expect(othersOf(holder(), record({ holders: [holder(), far] }))).toEqual(['a/web of cluster c2']);
  });
});

describe('labelOf', () => {
  test('falls back to the identity where only UIDs are known', () => {
    expect(labelOf(holder({ namespace: '' }))).toBe('web of namespace ns-a in cluster c1');
  });

  test('says so when the name is not generated yet', () => {
    const service = { serviceName: '', namespaceUid: 'ns-a', clusterUid: 'c1' };
    expect(labelOf(holder({ service }))).toBe('a/(name not yet generated)');
  });
});
