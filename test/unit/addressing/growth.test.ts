/** Growth of `performance.md` part 5, counted in entries into the busiest block of code: no clock, so nothing can disturb it. */
import { busiestBlock } from '../../support/work-counts'; // before what it measures
import { Address, addressFromBigInt, addressOf } from '../../../operator/addressing/address';
import { AddressPool } from '../../../operator/addressing/address-pool';
import { FreeTrie } from '../../../operator/addressing/free-trie';
import { Prefix, prefixOf } from '../../../operator/addressing/prefix';
import { NestedSpace } from '../../../operator/addressing/nested-space';
import { PrefixPool } from '../../../operator/addressing/prefix-pool';
import { PrefixSetBuilder, type PrefixSet } from '../../../operator/addressing/prefix-set';
import { rangeOf } from '../../../operator/addressing/range';
import { PrefixTree } from '../../../operator/addressing/prefix-tree';
import { numbersFrom } from '../../support/pseudo-random';
import { slopeOf } from '../../support/slope';
import { arraysHeld } from '../../support/arrays-held';

const PROBES = 500;

/** Entries into the busiest block for each run of an operation. */
function workEach(run: () => unknown): number {
  const entered = busiestBlock(() => {
    for (let index = 0; index < PROBES; index++) run();
  });
  return entered / PROBES;
}

const spaceOf = (text: string): PrefixSet => new PrefixSetBuilder().add(prefixOf(text)).build();
const at4 = (value: number): Address => new Address(4, { w0: 0, w1: 0, w2: 0, w3: value >>> 0 });

/** Any address of a prefix; the random bits go behind its length. */
function anyAddress(prefix: Prefix, next: () => number): Address {
  const words = [next(), next(), next(), next()].reduce((sum, word) => (sum << 32n) | BigInt(word), 0n);
  return addressFromBigInt(prefix.family, prefix.first.toBigInt() + (words % prefix.hostCount));
}

describe('growth of AddressPool', () => {
  const exact = (pool: AddressPool, prefix: Prefix): number => {
    const next = numbersFrom(7);
    return workEach(() => {
      const address = anyAddress(prefix, next);
      if (pool.take(address)) pool.release(address);
    });
  };
  const lowest = (pool: AddressPool): number => workEach(() => pool.takeLowest());

  test.each(['10.0.0.0/8', '2001:db8::/48'])('live addresses in %s do not slow it down', (text) => {
    const prefix = prefixOf(text);
    const sizes = [400, 2_000, 10_000];
    const costs = sizes.map((live) => {
      const pool = new AddressPool(spaceOf(text), prefix.family);
      const next = numbersFrom(live);
      for (let taken = 0; taken < live;) if (pool.take(anyAddress(prefix, next))) taken++;
      return { exact: exact(pool, prefix), lowest: lowest(pool) };
    });
    expect(
      slopeOf(
        sizes,
        costs.map((cost) => cost.exact),
      ),
    ).toBeLessThan(0.25);
    expect(
      slopeOf(
        sizes,
        costs.map((cost) => cost.lowest),
      ),
    ).toBeLessThan(0.25);
  });

  test('the fill level adds no more than the depth of the pages, and a full pool says so at once', () => {
    const [half, nearly, full] = [0.5, 0.999, 1].map((level) => {
      const pool = new AddressPool(spaceOf('10.0.0.0/16'), 4);
      for (let given = 0; given < level * 65_536; given++) pool.takeLowest();
      return workEach(() => {
        const address = pool.takeLowest();
        if (address !== undefined) pool.release(address);
      });
    });
    expect(nearly! - half!).toBeLessThanOrEqual(Math.log2(65_536 / 256));
    expect(full).toBe(1);
  });

  test.each([
    ['IPv4', ['10.0.0.0/24', '10.0.0.0/16', '10.0.0.0/8']],
    ['IPv6', ['2001:db8::/112', '2001:db8::/64', '2001:db8::/48']],
  ])('the size of an %s pool changes nothing', (_, texts) => {
    const prefixes = texts.map(prefixOf);
    const sizes = prefixes.map((prefix) => Number(prefix.hostCount));
    const costs = prefixes.map((prefix) => {
      const make = (): AddressPool => new AddressPool(spaceOf(prefix.toString()), prefix.family);
      const { made: pool, bytes } = arraysHeld(make);
      return { create: busiestBlock(make), bytes, exact: exact(pool, prefix), lowest: lowest(pool) };
    });
    for (const what of ['create', 'bytes', 'exact', 'lowest'] as const) {
      expect(
        Math.abs(
          slopeOf(
            sizes,
            costs.map((cost) => cost[what]),
          ),
        ),
      ).toBeLessThan(0.07);
    }
  });

  test.each([
    ['single addresses', 0],
    ['ranges over several pages', 999],
  ])('the number of excluded %s does not slow it down', (_, more) => {
    const sizes = [1, 100, 10_000];
    const costs = sizes.map((count) => {
      const space = new PrefixSetBuilder().add(prefixOf('10.0.0.0/8'));
      for (let index = 0; index < count; index++) {
        const first = 0x0a00_0000 + index * 1_609;
        space.subtract(rangeOf(at4(first), at4(first + more)));
      }
      const pool = new AddressPool(space.build(), 4);
      return { exact: exact(pool, prefixOf('10.0.0.0/8')), lowest: lowest(pool) };
    });
    expect(
      slopeOf(
        sizes,
        costs.map((cost) => cost.exact),
      ),
    ).toBeLessThan(0.25);
    expect(
      slopeOf(
        sizes,
        costs.map((cost) => cost.lowest),
      ),
    ).toBeLessThan(0.25);
  });
});

describe('growth of FreeTrie', () => {
  test('fragments do not slow down the lowest free block, the best fit, taking and releasing', () => {
    const sizes = [400, 2_000, 10_000];
    const costs = sizes.map((fragments) => {
      const trie = new FreeTrie(new Uint32Array(1), 0);
      const next = numbersFrom(fragments);
      const key = new Uint32Array(1);
      for (let taken = 0; taken < fragments;) {
        key[0] = next() & ~255;
        if (trie.take(key, 24)) taken++;
      }
      const lowest = workEach(() => {
        trie.findFirst(24);
        trie.take(trie.found, 24);
      });
      const exact = workEach(() => {
        key[0] = next() & ~255;
        if (trie.take(key, 24)) trie.release(key, 24);
      });
      const best = workEach(() => {
        trie.findBest(24);
        trie.takeFound(24);
      });
      return { lowest, exact, best };
    });
    expect(
      slopeOf(
        sizes,
        costs.map((cost) => cost.best),
      ),
    ).toBeLessThan(0.25);
    expect(
      slopeOf(
        sizes,
        costs.map((cost) => cost.lowest),
      ),
    ).toBeLessThan(0.25);
    expect(
      slopeOf(
        sizes,
        costs.map((cost) => cost.exact),
      ),
    ).toBeLessThan(0.25);
  });
});

describe('growth of PrefixPool', () => {
  test('live prefixes do not slow down first fit and release', () => {
    const sizes = [64, 1_132, 17_605];
    const costs = sizes.map((live, index) => {
      const pool = new PrefixPool(spaceOf(['10.0.0.0/20', '10.0.0.0/16', '10.0.0.0/12'][index]!), 4);
      const next = numbersFrom(live);
      const held: Prefix[] = [];
      while (held.length < live) held.push(pool.takeFirst(26 + (next() % 3))!);
      return workEach(() => {
        const leaving = next() % held.length;
        pool.release(held[leaving]!);
        held[leaving] = pool.takeFirst(28)!;
      });
    });
    expect(slopeOf(sizes, costs)).toBeLessThan(0.3);
  });
});

describe('growth of PrefixTree', () => {
  test.each([4, 6] as const)('nested IPv%d prefixes do not slow down containment, overlap and its list', (family) => {
    const sizes = [400, 2_000, 10_000];
    const world = family === 4 ? prefixOf('0.0.0.0/0') : prefixOf('2001:db8::/32');
    const costs = sizes.map((count) => {
      const tree = new PrefixTree<number>();
      const next = numbersFrom(count);
      const longest = family === 4 ? 28 : 64;
      const anyPrefix = (): Prefix => new Prefix(anyAddress(world, next), longest - (next() % 17));
      for (let index = 0; index < count; index++) tree.insert(anyPrefix(), index);
      return {
        containment: workEach(() => tree.lookup(anyAddress(world, next))),
        overlap: workEach(() => tree.overlaps(anyPrefix())),
        listed: workEach(() => tree.overlapping(new Prefix(anyAddress(world, next), longest))),
      };
    });
    for (const what of ['containment', 'overlap', 'listed'] as const) {
      expect(
        slopeOf(
          sizes,
          costs.map((cost) => cost[what]),
        ),
      ).toBeLessThan(0.45);
    }
  });

  test('the depth is bounded by the width of an address', () => {
    const tree = new PrefixTree<number>();
    const address = addressOf('ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff');
    for (let length = 0; length <= 128; length++) tree.insert(new Prefix(address, length), length);
    const found = (): void => {
      expect(tree.lookup(address)).toBe(128);
    };
    const deepest = busiestBlock(found);
    // a node a bit, and the node of the whole; the busiest block is entered up to three times for each
    expect(deepest).toBeLessThanOrEqual(3 * 129);
    const next = numbersFrom(5);
    for (let index = 0; index < 10_000; index++) tree.insert(new Prefix(anyAddress(prefixOf('::/0'), next), 64), index);
    expect(busiestBlock(found)).toBe(deepest);
  });
});

describe('growth of NestedSpace', () => {
  test.each([4, 6] as const)('children of an IPv%d block slow down neither a fit nor a change nor a page', (family) => {
    const sizes = [400, 2_000, 10_000];
    const [parent, length] = family === 4 ? [prefixOf('10.0.0.0/8'), 28] : [prefixOf('2001:db8::/32'), 64];
    const costs = sizes.map((count) => {
      const space = new NestedSpace<Prefix>();
      const next = numbersFrom(count);
      const anyBlock = (): Prefix => new Prefix(anyAddress(parent, next), length);
      space.insert(parent, parent);
      while (space.size <= count) {
        const block = anyBlock();
        space.insert(block, block);
      }
      const search = { length, without: spaceOf(new Prefix(parent.first, length).toString()) };
      space.bestFit(parent, search);
      return {
        fit: workEach(() => space.bestFit(parent, search)),
        change: workEach(() => {
          const block = anyBlock();
          if (space.get(block) !== undefined) return;
          space.insert(block, block);
          space.remove(block);
        }),
        page: workEach(() => space.page(anyBlock(), 1)),
        count: workEach(() => space.countInside(parent)),
        first: workEach(() => {
          space.eachInside(parent, () => false);
        }),
        range: workEach(() => space.lowestFree(parent, rangeOf(anyAddress(parent, next), parent.last), search)),
      };
    });
    for (const what of ['fit', 'change', 'page', 'count', 'first', 'range'] as const) {
      expect(
        slopeOf(
          sizes,
          costs.map((cost) => cost[what]),
        ),
      ).toBeLessThan(0.25);
    }
  });
});
