import { addressClaimCodec } from '../../../../operator/backends/claim-objects/address-claim-codec';
import { ClaimIndex } from '../../../../operator/backends/claim-objects/claim-index';
import { addressOf } from '../../../../operator/addressing/address';
import { prefixOf } from '../../../../operator/addressing/prefix';
import { PrefixSet } from '../../../../operator/addressing/prefix-set';
import { mapOf, metadataOf, type JsonMap } from '../../../../operator/contract/loose-json';
import type { AddressRecord } from '../../../../operator/ports/claims';

const NAME = 'vpc.10.0.0.5';
const claim = (resourceVersion: number, uid = 'u1', key = 'k'): JsonMap => ({
  metadata: { name: NAME, uid, resourceVersion: String(resourceVersion), creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { network: 'vpc', address: '10.0.0.5', door: 'networks', state: 'bound', key },
});
const keyOf = (uid: string) => ({ namespace: '', name: NAME, uid });

let told: string[];
let index: ClaimIndex;
beforeEach(() => {
  told = [];
  index = new ClaimIndex(addressClaimCodec('networks'), (before, after) => {
    told.push(`${before?.version ?? '-'} ${after?.version ?? '-'}`);
  });
});

describe('ClaimIndex', () => {
  test('tells a write once, whoever tells it first', () => {
    index.put(claim(5));
    index.follow({ key: keyOf('u1'), after: claim(5) });
    index.follow({ key: keyOf('u1'), before: claim(5), after: claim(6) });
    index.put(claim(6));
    index.put(claim(4));
    expect(told).toEqual(['- 5', '5 6']);
    expect(index.at(NAME)?.record.version).toBe(6);
  });

  test('forgets a deleted object although the watch still tells its life', () => {
    index.put(claim(5));
    index.drop({ name: NAME, uid: 'u1' });
    index.follow({ key: keyOf('u1'), after: claim(5) });
    expect(index.at(NAME)).toBeUndefined();
    index.follow({ key: keyOf('u1'), before: claim(5) });
    expect(told).toEqual(['- 5', '5 -']);
  });

  test('takes no late answer of a read about an object whose end the watch told', () => {
    index.put(claim(5));
    index.follow({ key: keyOf('u1'), before: claim(5) });
    index.found(claim(5));
    index.put(claim(5));
    expect(index.at(NAME)).toBeUndefined();
    expect(told).toEqual(['- 5', '5 -']);
  });

  test('takes an object again that the watch tells once more', () => {
    index.follow({ key: keyOf('u1'), before: claim(5) });
    index.follow({ key: keyOf('u1'), after: claim(5) });
    expect(index.at(NAME)?.record.version).toBe(5);
  });

  test('keeps an object that was made anew while the watch tells the end of the former one', () => {
    index.put(claim(5));
    index.drop({ name: NAME, uid: 'u1' });
    index.put(claim(9, 'u2'));
    index.follow({ key: keyOf('u1'), after: claim(5) });
    index.follow({ key: keyOf('u1'), before: claim(5) });
    expect(index.at(NAME)?.uid).toBe('u2');
    index.drop({ name: NAME, uid: 'u1' });
    expect(index.at(NAME)?.uid).toBe('u2');
  });

  test('finds a record by what it says now', () => {
    index.put(claim(5));
    index.put(claim(6, 'u1', 'other'));
    const byKey = (key: string): number => index.find({ by: 'key', key }, 0).length;
    expect([byKey('k'), byKey('other')]).toEqual([0, 1]);
  });

  test('forgets a network with its last claim', () => {
    index.put(claim(5));
    expect(index.has('vpc')).toBe(true);
    index.put(claim(6));
    expect(index.has('vpc')).toBe(true);
    index.drop({ name: NAME, uid: 'u1' });
    expect(index.has('vpc')).toBe(false);
  });

  test('shows a space with further claims, and keeps none of them, whatever its reader does', () => {
    const record = (address: string, length: number): AddressRecord => {
      const place = { network: 'vpc', address: addressOf(address), length, family: 4 } as const;
      return { ...place, pool: '', state: 'held', holders: [], version: 1, takenAtMs: 0 };
    };
    const layer = [record('10.0.0.5', 32), record('10.0.0.8', 29), record('10.0.0.0', 24)].map((each) => ({
      name: each.address.toString(),
      record: each,
    }));
    const search = { length: 30, without: PrefixSet.EMPTY };
    const parent = prefixOf('10.0.0.0/24');
    const read = (more: typeof layer): string =>
      index.withLayer('vpc', more, (space) => `${space.size} ${String(space.bestFit(parent, search))}`);
    index.put(claim(5));
    index.put({
      ...claim(6),
      metadata: { ...metadataOf(claim(6)), name: 'vpc.10.0.0.0-24', uid: 'u2' },
      spec: { ...mapOf(claim(6)['spec']), address: '10.0.0.0/24' },
    });
    const before = read([]);
    expect([before, read(layer)]).toEqual(['2 10.0.0.0/30', '3 10.0.0.0/30']);
    const failing = (): void => {
      index.withLayer('vpc', layer, () => {
        throw new RangeError('a fault of the reader');
      });
    };
    expect(failing).toThrow('a fault of the reader');
    expect(read([])).toBe(before);
    expect(index.withLayer('other', layer, (space) => space.size)).toBe(3);
    expect([index.has('other'), index.has('vpc')]).toEqual([false, true]);
  });
});
