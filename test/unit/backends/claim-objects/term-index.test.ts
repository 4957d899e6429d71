import * as fc from 'fast-check';
import { addressOf } from '../../../../operator/addressing/address';
import { TermIndex, type NamedRecord } from '../../../../operator/backends/claim-objects/term-index';

const named = (name: string, version: number): NamedRecord => ({
  name,
  record: {
    network: 'vpc',
    address: addressOf('10.0.0.5'),
    length: 32,
    pool: '',
    family: 4,
    state: 'held',
    holders: [],
    version,
    takenAtMs: 0,
  },
});

const change = fc.record({
  isRemoval: fc.boolean(),
  term: fc.constantFrom('uid', 'pool'),
  name: fc.constantFrom('a', 'b', 'c'),
});

describe('TermIndex', () => {
  test('agrees with a map of maps after any changes', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 30 }), (changes) => {
        const index = new TermIndex();
        const golden = new Map<string, Map<string, number>>();
        for (const [version, { isRemoval, term, name }] of changes.entries()) {
          const found = golden.get(term) ?? new Map<string, number>();
          golden.set(term, found);
          if (isRemoval) {
            index.remove(term, name);
            found.delete(name);
          } else {
            index.add(term, named(name, version));
            found.set(name, version);
          }
          const all = index.all(term).map((each) => [each.name, each.record.version]);
          expect(new Map(all as [string, number][])).toEqual(found);
          expect([all.length, index.count(term)]).toEqual([found.size, found.size]);
        }
        expect([index.all('other'), index.count('other')]).toEqual([[], 0]);
      }),
    );
  });
});
