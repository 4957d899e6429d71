import * as fc from 'fast-check';
import { addressFromBigInt, addressOf, type Family } from '../../../operator/addressing/address';
import { Prefix, prefixOf } from '../../../operator/addressing/prefix';
import { PrefixTree } from '../../../operator/addressing/prefix-tree';
import { GoldenTable } from '../../support/golden-pool';
import { arraysHeld } from '../../support/arrays-held';

/** Prefixes that lie in one another often: few distinct high bits, every length. */
const prefix: fc.Arbitrary<Prefix> = fc
  .tuple(fc.constantFrom<Family>(4, 6), fc.nat({ max: 15 }), fc.nat({ max: 255 }), fc.nat({ max: 1_000 }))
  .map(([family, high, low, length]) => {
    const width = family === 4 ? 32 : 128;
    const value = (BigInt(high) << BigInt(width - 4)) | (BigInt(low) << BigInt(width / 2 - 4)) | BigInt(low);
    return new Prefix(addressFromBigInt(family, value), length % (width + 1));
  });

const change = fc.tuple(fc.boolean(), prefix, fc.nat({ max: 99 }));

describe('PrefixTree', () => {
  test('agrees with a plain table after any changes', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 60 }), fc.array(prefix, { minLength: 1 }), (changes, questions) => {
        const tree = new PrefixTree<string>();
        const table = new GoldenTable<string>();
        const removals = changes.map(([isRemoval, where, number]) => {
          const value = `${where.toString()}=${number}`;
          if (isRemoval) return [tree.remove(where), table.remove(where)];
          tree.insert(where, value);
          table.insert(where, value);
          return [true, true];
        });
        expect(removals.map(([mine]) => mine)).toEqual(removals.map(([, golden]) => golden));
        expect(tree.size).toBe(table.size);
        for (const each of [...questions, ...changes.map(([, where]) => where)]) {
          const overlapping = table.overlapping(each);
          expect(tree.get(each)).toBe(table.get(each));
          expect(tree.lookup(each.first)).toBe(table.lookup(each.first));
          expect(tree.lookup(each.last)).toBe(table.lookup(each.last));
          expect(tree.overlapping(each)).toEqual(overlapping.map(({ value }) => value));
          expect(tree.overlaps(each)).toBe(overlapping.length > 0);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('the order of insertions does not matter', () => {
    const orders = fc
      .uniqueArray(prefix, { selector: String, maxLength: 40 })
      .chain((some) => fc.tuple(fc.constant(some), fc.shuffledSubarray(some, { minLength: some.length })));
    fc.assert(
      fc.property(orders, (both) => {
        const [one, other] = both.map((order) => {
          const tree = new PrefixTree<string>();
          for (const each of order) tree.insert(each, each.toString());
          return [...tree.overlapping(prefixOf('0.0.0.0/0')), ...tree.overlapping(prefixOf('::/0'))];
        });
        expect(one).toEqual(other);
      }),
    );
  });

  test('finds the smallest of nested prefixes, up to the default routes', () => {
    const tree = new PrefixTree<number>();
    for (const [index, text] of ['0.0.0.0/0', '10.0.0.0/8', '10.1.0.0/16', '10.1.2.3/32', '::/0'].entries()) {
      tree.insert(prefixOf(text), index);
    }
    const found = ['10.1.2.3', '10.1.2.4', '10.2.0.0', '11.0.0.0', '2001:db8::1'].map((text) =>
      tree.lookup(addressOf(text)),
    );
    expect(found).toEqual([3, 2, 1, 0, 4]);
  });

  test('uses the room of removed prefixes again', () => {
    const some = Array.from(
      { length: 1_000 },
      (_, index) => new Prefix(addressFromBigInt(4, BigInt(index) << 12n), 24),
    );
    const filled = (rounds: number): PrefixTree<number> => {
      const tree = new PrefixTree<number>();
      for (const each of some) tree.insert(each, 1);
      for (let round = 0; round < rounds; round++) {
        for (const each of some) tree.remove(each);
        expect([tree.size, tree.overlaps(prefixOf('0.0.0.0/0'))]).toEqual([0, false]);
        for (const each of some) tree.insert(each, 2);
      }
      return tree;
    };
    const [once, often] = [arraysHeld(() => filled(0)), arraysHeld(() => filled(5))];
    expect([often.bytes, often.made.size]).toEqual([once.bytes, 1_000]);
  });
});
