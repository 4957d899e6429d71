import { addressOf } from '../../../../operator/addressing/address';
import { NAMES_ALL, namesOf } from '../../../../operator/errors/named-objects';
import { explain, labelOf, othersOf, sharersText } from '../../../../operator/ledger/records/holder-words';
import type { AddressRecord, Holder, Owner } from '../../../../operator/ports/claims';
import { ownerOf } from '../../../support/claim-requests';

const holder = ({ owner, ...change }: Partial<Omit<Holder, 'owner'>> & { owner?: Partial<Owner> } = {}): Holder => ({
  id: '1',
  sinceMs: 0,
  owner: ownerOf('web', owner),
  state: 'bound',
  options: { retentionPeriodDays: 0, denyExternalCleanup: false },
  writtenKeys: [],
  ...change,
});

const record = (change: Partial<AddressRecord>): AddressRecord => ({
  network: 'default',
  address: addressOf('192.0.2.1'),
  length: 32,
  pool: 'z',
  family: 4,
  secret: { hash: 'k1:aa', scope: 'shared' },
  state: 'held',
  holders: [holder()],
  version: 1,
  takenAtMs: 0,
  ...change,
});

const NOON = Date.UTC(2026, 0, 1, 12);

test('FU-76 labelOf names a standing claim, which has neither namespace nor cluster', () => {
  const standing = ownerOf('fix1', { cluster: '', namespace: '', namespaceUid: '' });
  expect(labelOf(standing)).toBe('standing claim fix1');
  expect(explain(record({ holders: [holder({ owner: standing })] }), NAMES_ALL)).toContain('"standing claim fix1"');
});

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
      record({ holders: [holder(), holder({ owner: { namespace: 'b' } })] }),
      'is held by "a/web" and held by "b/web"',
    ],
    [
      'the clusters of those who have one name',
      record({
        holders: [
          holder(),
          holder({ id: '2', owner: { namespaceUid: 'ns-b', cluster: 'c2' } }),
          holder({ id: '3', owner: { namespace: 'b' } }),
        ],
      }),
      'is held by "a/web of cluster c1" and held by "a/web of cluster c2" and held by "b/web"',
    ],
    [
      'an object that shows an address without a claim',
      record({ holders: [holder({ state: 'contested' })] }),
      'is shown by "a/web", which does not hold it',
    ],
    [
      'what is in use without a claim',
      record({ state: 'foreign', holders: [], foreign: { cluster: 'c1', source: 'Node/worker-1' } }),
      'is in use by Node/worker-1 of cluster c1, without a claim',
    ],
    [
      'a quarantine and its end',
      record({ state: 'quarantined', holders: [], quarantine: { untilMs: NOON, former: holder() } }),
      'was released by "a/web" and is quarantined until 2026-01-01T12:00:00.000Z',
    ],
  ])('names %s, and never the secret', (_name, given, text) => {
    expect(explain(given, NAMES_ALL)).toBe(text);
    expect(explain(given, NAMES_ALL)).not.toContain('k1:');
  });
});

describe('explain to another cluster', () => {
  const given = {
    bound: record({}),
    retained: record({ holders: [holder({ state: 'retained', expiresAtMs: NOON })] }),
    contested: record({ holders: [holder({ state: 'contested' })] }),
    'in use': record({ state: 'foreign', holders: [], foreign: { cluster: 'c1', source: 'Service/a/web' } }),
    quarantined: record({ state: 'quarantined', holders: [], quarantine: { untilMs: NOON, former: holder() } }),
    'known by its UID': record({ holders: [holder({ owner: { namespace: '' } })] }),
  };

  test.each(Object.entries(given))('FU-02 names the cluster of what is %s, and nothing else of it', (_state, each) => {
    const text = explain(each, namesOf('c2'));
    expect(text).toContain('an object of cluster c1');
    expect(text).not.toMatch(/web|ns-a/u);
    expect(explain(each, namesOf('c1'))).toBe(explain(each, NAMES_ALL));
  });

  test('names claims that administrators made, to everybody', () => {
    const standing = record({ holders: [holder({ owner: { cluster: '', namespace: '', name: 'fix1' } })] });
    expect(explain(standing, namesOf('c2'))).toContain('fix1');
  });
});

describe('sharersText', () => {
  test('tells holders of one name apart by their clusters, also from the one that is not listed', () => {
    const far = holder({ id: '2', owner: { namespaceUid: 'ns-b', cluster: 'c2' } });
    const shared = record({ holders: [holder(), far, holder({ id: '3', owner: { namespace: 'b' } })] });
    expect(sharersText(shared.holders, shared, NAMES_ALL)).toBe(
      '"a/web of cluster c1", "a/web of cluster c2", "b/web"',
    );
    expect(sharersText([far], shared, NAMES_ALL)).toBe('"a/web of cluster c2"');
    expect(sharersText(shared.holders, shared, namesOf('c1'))).toBe(
      '"a/web of cluster c1", an object of cluster c2, "b/web"',
    );
  });
});

describe('othersOf', () => {
  test('tells the others apart from the holder', () => {
    const far = holder({ id: '2', owner: { namespaceUid: 'ns-b', cluster: 'c2' } });
    const shared = record({ holders: [holder(), far] });
    expect(othersOf(holder(), shared, NAMES_ALL)).toEqual(['a/web of cluster c2']);
    expect(othersOf(holder(), shared)).toEqual(['an object of cluster c2']);
    expect(othersOf(far, shared)).toEqual(['an object of cluster c1']);
  });
});

describe('labelOf', () => {
  test('says of which kind an owner is that is no Service', () => {
    const owner = ownerOf('vlan', { kind: 'NetworkInstance' });
    expect(labelOf(owner)).toBe('NetworkInstance a/vlan');
    expect(labelOf({ ...owner, namespace: '' })).toBe('NetworkInstance vlan of namespace ns-a in cluster c1');
  });

  test('falls back to the identity where only UIDs are known', () => {
    expect(labelOf(ownerOf('web', { namespace: '' }))).toBe('web of namespace ns-a in cluster c1');
  });

  test('says so when the name is not generated yet', () => {
    expect(labelOf(ownerOf(''))).toBe('a/(name not yet generated)');
  });
});
