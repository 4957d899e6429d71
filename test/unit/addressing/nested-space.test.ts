import * as fc from 'fast-check';
import {
  addressFromBigInt,
  addressOf,
  familyBits,
  type Address,
  type Family,
} from '../../../operator/addressing/address';
import { NestedSpace, type FitSearch } from '../../../operator/addressing/nested-space';
import { Prefix, prefixOf } from '../../../operator/addressing/prefix';
import { PrefixSet, PrefixSetBuilder, type Block } from '../../../operator/addressing/prefix-set';
import { Range, rangeOf } from '../../../operator/addressing/range';
import { GoldenNested } from '../../support/golden-nested';

const setOf = (...blocks: Block[]): PrefixSet => {
  const builder = new PrefixSetBuilder();
  for (const block of blocks) builder.add(block);
  return builder.build();
};

const BITS = 8;
const BASES: Readonly<Record<Family, Address>> = { 4: addressOf('10.0.3.0'), 6: addressOf('2001:db8::ffff:ffff:ff00') };

const at = (family: Family, place: number): Address =>
  addressFromBigInt(family, BASES[family].toBigInt() + BigInt(place));

/** Addresses of one family in a window of 256. */
const place = fc.nat({ max: 2 ** BITS - 1 });
const family = fc.constantFrom<Family>(4, 6);
const block = fc
  .tuple(family, place, fc.nat({ max: BITS }))
  .map(([of, where, hostBits]) => new Prefix(at(of, where), familyBits(of) - hostBits));

const range = (of: Family, [one, other]: readonly [number, number]): Range =>
  new Range(at(of, Math.min(one, other)), at(of, Math.max(one, other)));

/** Sets of both families that are never chosen; more of them than a space remembers. */
const sets = fc
  .array(fc.array(fc.tuple(family, place, fc.nat({ max: 30 })), { maxLength: 3 }), { minLength: 6, maxLength: 6 })
  .map((all) =>
    all.map((ranges) => setOf(...ranges.map(([of, first, more]) => range(of, [first, Math.min(first + more, 255)])))),
  );

const step = fc.record({
  verb: fc.constantFrom('insert', 'insert', 'insert', 'remove', 'fit', 'fit', 'lowest'),
  block,
  set: fc.nat({ max: 5 }),
  isAgain: fc.boolean(),
  hostBits: fc.nat({ max: BITS }),
  ends: fc.tuple(place, place),
  skip: fc.option(place, { nil: undefined }),
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

function searchOf({ block: { family: of }, hostBits, skip }: Step, without: PrefixSet): FitSearch {
  return { length: familyBits(of) - hostBits, without, ...(skip === undefined ? {} : { skip: at(of, skip) }) };
}

/** Values of the direct children. */
function inside<V>(space: NestedSpace<V>, prefix: Prefix, most = Infinity): V[] {
  const found: V[] = [];
  space.eachInside(prefix, (value) => found.push(value) < most);
  return found;
}

interface Both {
  readonly space: NestedSpace<string>;
  readonly golden: GoldenNested<string>;
  readonly stored: Prefix[];
}

/** Runs one step on both; gives the block that it was about, and both answers. */
function run(both: Both, each: Step, without: PrefixSet): readonly [where: Prefix, mine: string, expected: string] {
  const { space, golden, stored } = both;
  const known = stored[each.set % Math.max(1, stored.length)];
  const where = each.isAgain ? (known ?? each.block) : each.block;
  const answers = (ask: (of: NestedSpace<string> | GoldenNested<string>) => unknown) =>
    [where, String(ask(space)), String(ask(golden))] as const;
  if (each.verb === 'insert') {
    const value = `${where.toString()}=${stored.push(where)}`;
    return answers((of) => {
      of.insert(where, value);
    });
  }
  if (each.verb === 'remove') return answers((of) => of.remove(where));
  const search = searchOf({ ...each, block: where }, without);
  if (each.verb === 'fit') return answers((of) => of.bestFit(where, search));
  const [first, last] = [where.first, where.last].map((end) => Number(end.toBigInt() & 255n)) as [number, number];
  const [one, other] = each.ends.map((end) => Math.min(last, Math.max(first, end))) as [number, number];
  const within = range(where.family, [one, other]);
  return answers((of) => of.lowestFree(where, within, search));
}

describe('NestedSpace', () => {
  test('agrees with a plain list after any changes and searches', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), sets, (steps, without) => {
        const space = new NestedSpace<string>();
        const golden = new GoldenNested<string>();
        const both = { space, golden, stored: [] as Prefix[] };
        for (const each of steps) {
          const [where, mine, expected] = run(both, each, without[each.set] ?? PrefixSet.EMPTY);
          expect(mine).toBe(expected);
          expect(space.size).toBe(golden.size);
          expect(space.get(where)).toBe(golden.get(where));
          expect(space.around(where)).toEqual(golden.around(where));
          expect(space.parentOf(where)).toBe(golden.around(where).at(-1));
          expect(inside(space, where)).toEqual(golden.inside(where));
          expect(space.countInside(where)).toBe(golden.countInside(where));
          for (const stored of both.stored) expect(space.countInside(stored)).toBe(golden.countInside(stored));
          expect(space.isAnyInside(where)).toBe(golden.inside(where).length > 0);
          expect(space.overlapping(where)).toEqual(golden.overlapping(where));
          expect(space.page(where, 3)).toEqual(golden.page(where, 3));
        }
        expect(space.page(undefined, 1_000)).toEqual(golden.page(undefined, 1_000));
      }),
      { numRuns: 200 },
    );
  });

  test('pages of any size list every block once, IPv4 first and the larger block first', () => {
    fc.assert(
      fc.property(fc.uniqueArray(block, { selector: String }), fc.integer({ min: 1, max: 5 }), (blocks, most) => {
        const space = new NestedSpace<Prefix>();
        for (const each of blocks) space.insert(each, each);
        const listed: Prefix[] = [];
        for (let page = space.page(undefined, most); page.length > 0; page = space.page(listed.at(-1), most)) {
          expect(page.length).toBeLessThanOrEqual(most);
          listed.push(...page);
        }
        expect(listed.map(String)).toEqual([...blocks].sort((a, b) => a.compareTo(b)).map(String));
      }),
    );
  });

  test('ends a walk over the direct children where it is told to', () => {
    const space = new NestedSpace<string>();
    for (const text of ['10.0.0.0/8', '10.0.1.0/24', '10.0.1.7/32', '10.0.2.0/24', '10.0.3.0/24'])
      space.insert(prefixOf(text), text);
    expect(inside(space, prefixOf('10.0.0.0/8'))).toEqual(['10.0.1.0/24', '10.0.2.0/24', '10.0.3.0/24']);
    expect(inside(space, prefixOf('10.0.0.0/8'), 2)).toEqual(['10.0.1.0/24', '10.0.2.0/24']);
    expect(inside(space, prefixOf('10.0.1.7/32'))).toEqual([]);
  });

  test('space of a removed block is free again but for what it held and what is never chosen', () => {
    const space = new NestedSpace<string>();
    const parent = prefixOf('10.0.0.0/24');
    const without = setOf(addressOf('10.0.0.0'), addressOf('10.0.0.33'));
    const fit = (): string => String(space.bestFit(parent, { length: 32, without }));
    for (const text of ['10.0.0.0/24', '10.0.0.32/30']) space.insert(prefixOf(text), text);
    expect(fit()).toBe('10.0.0.1/32');
    space.insert(prefixOf('10.0.0.0/27'), 'between');
    space.insert(prefixOf('10.0.0.32/27'), 'around the /30');
    expect(fit()).toBe('10.0.0.64/32');
    space.remove(prefixOf('10.0.0.32/30'));
    expect(fit()).toBe('10.0.0.64/32');
    space.remove(prefixOf('10.0.0.32/27'));
    expect(fit()).toBe('10.0.0.32/32');
    space.insert(prefixOf('10.0.0.32/32'), 'host');
    expect(fit()).toBe('10.0.0.34/32');
  });

  test('an address that is passed over stays free for a wish', () => {
    const space = new NestedSpace<string>();
    const parent = prefixOf('10.0.0.0/30');
    space.insert(parent, 'parent');
    const search = { length: 32, without: setOf(addressOf('10.0.0.0')), skip: addressOf('10.0.0.3') };
    const given: string[] = [];
    for (let found = space.bestFit(parent, search); found !== undefined; found = space.bestFit(parent, search)) {
      given.push(found.toString());
      space.insert(found, 'host');
    }
    // best fit: the address beside the reserved one is the smallest free block
    expect(given).toEqual(['10.0.0.1/32', '10.0.0.2/32']);
    const { length, without } = search;
    expect(space.bestFit(parent, { length, without })?.toString()).toBe('10.0.0.3/32');
  });

  test('a range is searched from its start, whatever lies before it', () => {
    const space = new NestedSpace<string>();
    const parent = prefixOf('10.0.0.0/24');
    for (const text of ['10.0.0.0/24', '10.0.0.10/31', '10.0.0.12/32']) space.insert(prefixOf(text), text);
    const search = { length: 32, without: PrefixSet.EMPTY };
    const lowest = (first: string, last: string): string =>
      String(space.lowestFree(parent, rangeOf(addressOf(first), addressOf(last)), search));
    expect(lowest('10.0.0.10', '10.0.0.20')).toBe('10.0.0.13');
    expect(lowest('10.0.0.10', '10.0.0.12')).toBe('undefined');
    expect(lowest('10.0.0.255', '10.0.0.255')).toBe('10.0.0.255');
    expect(lowest('10.0.1.0', '10.0.1.9')).toBe('undefined');
  });

  test('finds nothing shorter than the block, and nothing longer than an address', () => {
    const space = new NestedSpace<string>();
    const fit = (length: number): Prefix | undefined =>
      space.bestFit(prefixOf('10.0.0.0/24'), { length, without: PrefixSet.EMPTY });
    expect([fit(23), fit(33), fit(24)?.toString()]).toEqual([undefined, undefined, '10.0.0.0/24']);
  });

  test('the default routes have no parent', () => {
    const space = new NestedSpace<string>();
    for (const text of ['0.0.0.0/0', '::/0', '::/1']) space.insert(prefixOf(text), text);
    expect([space.parentOf(prefixOf('0.0.0.0/0')), space.around(prefixOf('::/0'))]).toEqual([undefined, []]);
    expect(space.around(prefixOf('::/128'))).toEqual(['::/0', '::/1']);
  });
});
