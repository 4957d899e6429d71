import fc from 'fast-check';
import { Prefix } from '../../../operator/addressing/prefix';
import { PrefixSetBuilder, type PrefixSet } from '../../../operator/addressing/prefix-set';
import { rangeOf, rangeToPrefixes, type Range } from '../../../operator/addressing/range';
import { cornerRanges, corners, prefixes, ranges, shortRanges } from '../../support/arbitraries';
import { GoldenSet, listRange } from '../../support/golden-set';

const property = <T>(arbitrary: fc.Arbitrary<T>, law: (value: T) => void, numRuns = 500): void => {
  fc.assert(fc.property(arbitrary, law), { numRuns });
};

function setOf(blocks: Iterable<Range | Prefix>): PrefixSet {
  const builder = new PrefixSetBuilder();
  for (const block of blocks) builder.add(block);
  return builder.build();
}

/** Every address of a small set, as the golden set lists them. */
const membersOf = (set: PrefixSet): readonly string[] => GoldenSet.of(set.ranges()).members();

const lists = fc.array(cornerRanges, { maxLength: 8 });
const twoLists = fc.tuple(lists, lists);
const bigSets = fc.array(fc.oneof(ranges, prefixes), { maxLength: 8 }).map(setOf);
const twoSets = fc.tuple(bigSets, bigSets);

interface Step {
  readonly verb: 'add' | 'subtract';
  readonly range: Range;
}
const programs = fc.array(fc.record<Step>({ verb: fc.constantFrom('add', 'subtract'), range: cornerRanges }), {
  maxLength: 20,
});

describe('PrefixSet beside its list-based twin', () => {
  test('agrees after every step of a random program of add and subtract', () => {
    property(programs, (program) => {
      const builder = new PrefixSetBuilder();
      const golden = new GoldenSet();
      for (const { verb, range } of program) {
        builder[verb](range);
        golden[verb](range);

        expect(membersOf(builder.build())).toEqual(golden.members());
      }
    });
  });

  test('agrees when it builds only once at the end', () => {
    property(programs, (program) => {
      const builder = new PrefixSetBuilder();
      const golden = new GoldenSet();
      for (const { verb, range } of program) {
        builder[verb](range);
        golden[verb](range);
      }

      expect(membersOf(builder.build())).toEqual(golden.members());
      expect(builder.build().count()).toBe(BigInt(golden.members().length));
    });
  });

  test('agrees on union, subtract, intersect and overlaps', () => {
    property(twoLists, ([left, right]) => {
      const [a, b, goldenA, goldenB] = [setOf(left), setOf(right), GoldenSet.of(left), GoldenSet.of(right)];
      const shared = GoldenSet.intersection(goldenA, goldenB).members();

      expect(membersOf(a.union(b))).toEqual(GoldenSet.union(goldenA, goldenB).members());
      expect(membersOf(a.subtract(b))).toEqual(GoldenSet.difference(goldenA, goldenB).members());
      expect(membersOf(a.intersect(b))).toEqual(shared);
      expect(a.overlaps(b)).toBe(shared.length > 0);
    });
  });

  test('agrees on every single address of the corners', () => {
    property(
      lists,
      (list) => {
        const [set, golden] = [setOf(list), GoldenSet.of(list)];
        const wrong = corners
          .flatMap(listRange)
          .filter((address) => set.contains(address) !== golden.contains(address));

        expect(wrong).toEqual([]);
      },
      200,
    );
  });

  test('agrees on whole prefixes', () => {
    property(fc.tuple(lists, cornerRanges, fc.nat({ max: 4 })), ([list, where, bits]) => {
      const [set, golden] = [setOf(list), GoldenSet.of(list)];
      const prefix = new Prefix(where.first, (where.family === 4 ? 32 : 128) - bits);
      const all = listRange(rangeOf(prefix.first, prefix.last)).every((address) => golden.contains(address));

      expect(set.containsPrefix(prefix)).toBe(all);
    });
  });
});

describe('laws of PrefixSet', () => {
  test('ranges are in order and never touch', () => {
    property(bigSets, (set) => {
      const all = set.ranges();
      const touching = all.filter((range, index) => {
        const before = all[index - 1];
        return before !== undefined && !(before.last.next()?.compareTo(range.first) ?? -1);
      });
      const unordered = all.filter((range, index) => (all[index - 1]?.last.compareTo(range.first) ?? -1) >= 0);

      expect([touching, unordered]).toEqual([[], []]);
    });
  });

  test('A ∪ B − B is inside A, and A − B shares nothing with B', () => {
    property(twoSets, ([a, b]) => {
      const rest = a.union(b).subtract(b);

      expect(rest.subtract(a).isEmpty).toBe(true);
      expect(rest.equals(a.subtract(b))).toBe(true);
      expect(rest.overlaps(b)).toBe(false);
    });
  });

  test('A is (A − B) ∪ (A ∩ B)', () => {
    property(twoSets, ([a, b]) => {
      expect(a.subtract(b).union(a.intersect(b)).equals(a)).toBe(true);
    });
  });

  test('union and intersect do not depend on the sides', () => {
    property(twoSets, ([a, b]) => {
      expect(a.union(b).equals(b.union(a))).toBe(true);
      expect(a.intersect(b).equals(b.intersect(a))).toBe(true);
      expect(a.overlaps(b)).toBe(!a.intersect(b).isEmpty);
    });
  });

  test('counts add up: |A ∪ B| + |A ∩ B| = |A| + |B|', () => {
    property(twoSets, ([a, b]) => {
      expect(a.union(b).count() + a.intersect(b).count()).toBe(a.count() + b.count());
      expect(a.count(4) + a.count(6)).toBe(a.count());
    });
  });

  test('the order of the blocks does not matter', () => {
    const shuffled = fc
      .array(fc.oneof(ranges, prefixes), { maxLength: 8 })
      .chain((list) => fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })));
    property(shuffled, ([list, other]) => {
      expect(setOf(list).equals(setOf(other))).toBe(true);
    });
  });

  test('its prefixes build the same set again', () => {
    property(
      bigSets,
      (set) => {
        expect(setOf(set.prefixes()).equals(set)).toBe(true);
      },
      200,
    );
  });
});

describe('laws of rangeToPrefixes', () => {
  test('the cover is in order, without gaps or overlaps, from end to end of the range', () => {
    property(ranges, (range) => {
      const cover = rangeToPrefixes(range);
      const gaps = cover.filter((prefix, index) => index > 0 && !cover[index - 1]!.last.next()!.equals(prefix.first));

      expect(gaps).toEqual([]);
      expect(rangeOf(cover[0]!.first, cover.at(-1)!.last).equals(range)).toBe(true);
    });
  });

  test('the cover is minimal: no two neighbours are halves of one prefix', () => {
    property(ranges, (range) => {
      const cover = rangeToPrefixes(range);
      const halves = cover.filter((prefix, index) => {
        const before = cover[index - 1];
        if (before?.length !== prefix.length) return false;
        return new Prefix(before.first, prefix.length - 1).contains(prefix.first);
      });

      expect(halves).toEqual([]);
    });
  });

  test('the cover of a prefix is that prefix', () => {
    property(prefixes, (prefix) => {
      expect(rangeToPrefixes(rangeOf(prefix.first, prefix.last))).toEqual([prefix]);
    });
  });

  test('a short range is covered by exactly its own addresses', () => {
    property(
      shortRanges,
      (range) => {
        const covered = rangeToPrefixes(range).flatMap((prefix) => listRange(rangeOf(prefix.first, prefix.last)));

        expect(covered.map(String)).toEqual(listRange(range).map(String));
      },
      100,
    );
  });
});
