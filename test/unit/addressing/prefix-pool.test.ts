import { busiestBlock } from '../../support/work-counts'; // before what it measures
import * as fc from 'fast-check';
import { isIpamError } from '../../../operator/errors/ipam-error';
import { familyBits } from '../../../operator/addressing/address';
import { prefixOf, type Prefix } from '../../../operator/addressing/prefix';
import { PrefixPool } from '../../../operator/addressing/prefix-pool';
import { PrefixSet, PrefixSetBuilder } from '../../../operator/addressing/prefix-set';
import { GoldenPool } from '../../support/golden-pool';
import { field, place, type Field } from '../../support/pool-programs';
import { arraysHeld } from '../../support/arrays-held';

const spaceOf = (...prefixes: string[]): PrefixSet => {
  const builder = new PrefixSetBuilder();
  for (const prefix of prefixes) builder.add(prefixOf(prefix));
  return builder.build();
};

/** Whether a block could be taken; the pool is as before afterwards. */
const couldTake = (pool: PrefixPool, block: Prefix): boolean => pool.take(block) && pool.release(block);

/** Takes every free address, and counts them. */
const takeSingles = (pool: PrefixPool): bigint => {
  let count = 0n;
  while (pool.takeFirst(familyBits(pool.family)) !== undefined) count += 1n;
  return count;
};

const poolOf = (ground: Field): PrefixPool => new PrefixPool(ground.space, ground.family);

interface Step {
  readonly verb: 'take' | 'release' | 'first';
  readonly place: number;
  readonly hostBits: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  verb: fc.constantFrom('take', 'release', 'first'),
  place,
  hostBits: fc.integer({ min: 0, max: 9 }),
});
const program = fc.array(step, { maxLength: 25 });

/** Runs one step on both and compares the answers; gives the block that was taken. */
function run(pool: PrefixPool, twin: GoldenPool, [{ verb }, block]: readonly [Step, Prefix]): Prefix | undefined {
  if (verb === 'release') {
    expect(pool.release(block)).toBe(twin.releasePrefix(block));
    return undefined;
  }
  if (verb === 'take') {
    const taken = twin.takePrefix(block);
    expect(pool.take(block)).toBe(taken);
    return taken ? block : undefined;
  }
  const expected = twin.freeBlocks(block.length)[0];
  const given = pool.takeFirst(block.length);
  expect(given?.toString()).toBe(expected?.toString());
  if (expected !== undefined) twin.takePrefix(expected);
  return given;
}

describe('PrefixPool', () => {
  test('free, taken and excluded always add up to the space', () => {
    fc.assert(
      fc.property(field, program, (ground, steps) => {
        const pool = poolOf(ground);
        const twin = new GoldenPool(ground.golden);
        for (const each of steps) {
          const block = ground.around(each.place, each.hostBits);
          run(pool, twin, [each, block]);
          expect(couldTake(pool, block)).toBe(twin.isFreePrefix(block));
          expect(pool.lowestFree(block.length)?.toString()).toBe(twin.freeBlocks(block.length)[0]?.toString());
          expect(pool.bestFit(block.length)?.toString()).toBe(twin.bestFit(block.length)?.toString());
        }
        expect(takeSingles(pool)).toBe(twin.count('free'));
        expect(ground.space.count() + twin.count('excluded')).toBe(twin.size);
      }),
      { numRuns: 100 },
    );
  });

  test('allocations never overlap', () => {
    fc.assert(
      fc.property(field, program, (ground, steps) => {
        const pool = poolOf(ground);
        const given: Prefix[] = [];
        for (const each of steps) {
          const block = ground.around(each.place, each.hostBits);
          if (each.verb === 'take' && pool.take(block)) given.push(block);
          const chosen = pool.takeFirst(block.length);
          if (chosen !== undefined) given.push(chosen);
        }
        const sorted = given.sort((a, b) => a.compareTo(b));
        expect(sorted.filter((each, index) => sorted[index + 1]?.overlaps(each))).toEqual([]);
        expect(sorted.every((each) => ground.space.containsPrefix(each))).toBe(true);
      }),
    );
  });

  test('undoing the last allocation and repeating it gives the same block', () => {
    fc.assert(
      fc.property(field, program, (ground, steps) => {
        const pool = poolOf(ground);
        for (const each of steps) pool.take(ground.around(each.place, each.hostBits));
        const length = familyBits(ground.family) - 2;
        const first = pool.takeFirst(length);
        fc.pre(first !== undefined);
        expect(pool.release(first)).toBe(true);
        expect(pool.takeFirst(length)?.toString()).toBe(first.toString());
      }),
    );
  });

  test('order of releases does not matter', () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 60 });
    const ranks = fc.array(fc.nat(), { minLength: 60, maxLength: 60 });
    fc.assert(
      fc.property(field, sizes, ranks, (ground, hostBits, order) => {
        const width = familyBits(ground.family);
        const [one, other] = [false, true].map((isShuffled) => {
          const pool = poolOf(ground);
          const given = hostBits.map((bits) => pool.takeFirst(width - bits)).filter((each) => each !== undefined);
          const leaving = given.filter((_, index) => index % 3 !== 0);
          if (isShuffled) leaving.sort((a, b) => (order[given.indexOf(a)] ?? 0) - (order[given.indexOf(b)] ?? 0));
          expect(leaving.every((each) => pool.release(each))).toBe(true);
          const rest = hostBits.map((bits) => String(pool.takeFirst(width - bits)));
          return { rest, singles: takeSingles(pool) };
        });
        expect(one).toEqual(other);
      }),
    );
  });

  test('is exhausted once no address is free', () => {
    fc.assert(
      fc.property(field, program, (ground, steps) => {
        const pool = poolOf(ground);
        for (const each of steps) pool.take(ground.around(each.place, each.hostBits));
        const width = familyBits(ground.family);
        const lengths = Array.from({ length: 16 }, (_, index) => width - 15 + index);
        const granted = lengths.find((length) => pool.lowestFree(length) !== undefined);
        expect(takeSingles(pool) === 0n).toBe(granted === undefined);
      }),
    );
  });

  test('ADDR-09 carves a /48 into /64 from its start without walking it', () => {
    const space = spaceOf('2001:db8::/48');
    const carve = (): PrefixPool => {
      const pool = new PrefixPool(space, 6);
      const given = [pool.takeFirst(64), pool.takeFirst(64), pool.takeFirst(64)].map(String);
      expect(given).toEqual(['2001:db8::/64', '2001:db8:0:1::/64', '2001:db8:0:2::/64']);
      return pool;
    };
    expect(busiestBlock(carve)).toBeLessThan(50);
    expect(arraysHeld(carve).bytes).toBeLessThan(8_192);
  });

  test('takes the lowest sufficient space for a first fit', () => {
    const gaps = spaceOf('10.0.0.0/24', '10.0.2.0/28', '10.0.3.0/26');
    expect(new PrefixPool(gaps, 4).takeFirst(28)?.toString()).toBe('10.0.0.0/28');
  });

  test('releases a part of a block and a block taken in parts', () => {
    const pool = new PrefixPool(spaceOf('10.0.0.0/24'), 4);
    pool.take(prefixOf('10.0.0.0/24'));
    expect(pool.release(prefixOf('10.0.0.64/26'))).toBe(true);
    expect([pool.takeFirst(26)?.toString(), pool.takeFirst(32)]).toEqual(['10.0.0.64/26', undefined]);
    expect([pool.release(prefixOf('10.0.0.0/24')), takeSingles(pool)]).toEqual([true, 256n]);
  });

  test('finds room in the smallest free block that is large enough', () => {
    const pool = new PrefixPool(spaceOf('10.0.0.0/24'), 4);
    pool.take(prefixOf('10.0.0.192/28'));
    // free: /25, /26, /27 behind the taken one, /28
    const lengths = [25, 26, 27, 28, 32];
    expect(lengths.map((length) => pool.bestFit(length)?.toString())).toEqual([
      '10.0.0.0/25',
      '10.0.0.128/26',
      '10.0.0.224/27',
      '10.0.0.208/28',
      '10.0.0.208/32',
    ]);
    expect(pool.bestFit(24)).toBeUndefined();
    expect([pool.take(prefixOf('10.0.0.208/28')), pool.bestFit(28)?.toString()]).toEqual([true, '10.0.0.224/28']);
  });

  test('a best fit leaves a free block whole as long as a smaller one has room', () => {
    const pool = new PrefixPool(spaceOf('10.0.0.0/24', '10.0.2.0/28', '10.0.3.0/26'), 4);
    expect([28, 27, 25, 24].map((length) => pool.bestFit(length)?.toString())).toEqual([
      '10.0.2.0/28',
      '10.0.3.0/27',
      '10.0.0.0/25',
      '10.0.0.0/24',
    ]);
  });

  test('gives nothing out of an empty space', () => {
    const pool = new PrefixPool(PrefixSet.EMPTY, 6);
    expect([pool.takeFirst(128), pool.lowestFree(128), pool.bestFit(128)]).toEqual([undefined, undefined, undefined]);
    expect(pool.take(prefixOf('::/0'))).toBe(false);
  });

  test('keeps the families apart', () => {
    const pool = new PrefixPool(spaceOf('10.0.0.0/24', '2001:db8::/64'), 4);
    const other = prefixOf('2001:db8::/96');
    expect([pool.take(other), pool.release(other)]).toEqual([false, false]);
  });

  test.each([-1, 33, 24.5])('refuses the length %d as a fault of the caller', (length) => {
    const pool = new PrefixPool(spaceOf('10.0.0.0/24'), 4);
    let thrown: unknown;
    try {
      pool.takeFirst(length);
    } catch (fault) {
      thrown = fault;
    }
    expect(isIpamError(thrown, 'addressing/out-of-range')).toBe(true);
  });
});
