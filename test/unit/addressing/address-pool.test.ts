import { busiestBlock } from '../../support/work-counts'; // before what it measures
import * as fc from 'fast-check';
import { addressOf, type Address } from '../../../operator/addressing/address';
import { AddressPool } from '../../../operator/addressing/address-pool';
import { edgesOf } from '../../../operator/addressing/edges';
import { prefixOf } from '../../../operator/addressing/prefix';
import { PrefixSet, PrefixSetBuilder } from '../../../operator/addressing/prefix-set';
import { rangeOf } from '../../../operator/addressing/range';
import { GoldenPool } from '../../support/golden-pool';
import { field, place, WINDOW, type Field } from '../../support/pool-programs';
import { arraysHeld } from '../../support/arrays-held';

const spaceOf = (...prefixes: string[]): PrefixSet => {
  const builder = new PrefixSetBuilder();
  for (const prefix of prefixes) builder.add(prefixOf(prefix));
  return builder.build();
};

/** A prefix without its edge addresses, as a zone gives it whose Services name none. */
const hostsOf = (text: string): PrefixSet => spaceOf(text).subtract(edgesOf([prefixOf(text)]));

/** Whether an address could be taken; the pool is as before afterwards. */
const couldTake = (pool: AddressPool, address: Address): boolean => pool.take(address) && pool.release(address);

/** Finds the address that would be given next; the pool is as before afterwards. */
const lowestOf = (pool: AddressPool): string | undefined => {
  const lowest = pool.takeLowest();
  if (lowest !== undefined) pool.release(lowest);
  return lowest?.toString();
};

const takeAll = (pool: AddressPool): string[] => {
  const given: string[] = [];
  for (let next = pool.takeLowest(); next !== undefined; next = pool.takeLowest()) given.push(next.toString());
  return given;
};

const poolOf = (ground: Field): AddressPool => new AddressPool(ground.space, ground.family);

type Step = readonly [verb: 'take' | 'release' | 'lowest' | 'many', place: number];

const program = fc.array(
  fc.tuple(
    fc.constantFrom('take' as const, 'take' as const, 'release' as const, 'lowest' as const, 'many' as const),
    place,
  ),
  { maxLength: 40 },
);

/** Runs one step on both and compares the answers. */
function step(pool: AddressPool, twin: GoldenPool, [verb, address]: readonly [Step[0], Address]): void {
  if (verb === 'take') expect(pool.take(address)).toBe(twin.take(address));
  else if (verb === 'release') expect(pool.release(address)).toBe(twin.release(address));
  else {
    // "many" fills whole pages, which single steps hardly reach
    for (let i = verb === 'lowest' ? 1 : 200; i > 0; i--) {
      const expected = twin.lowestFree();
      if (expected !== undefined) twin.take(expected);
      expect(pool.takeLowest()?.toString()).toBe(expected?.toString());
      if (expected === undefined) return;
    }
  }
}

describe('AddressPool', () => {
  test('free, taken and excluded always add up to the space', () => {
    fc.assert(
      fc.property(field, program, (ground, steps) => {
        const pool = poolOf(ground);
        const twin = new GoldenPool(ground.golden);
        for (const [verb, where] of steps) {
          step(pool, twin, [verb, ground.at(where)]);
          expect(couldTake(pool, ground.at(where))).toBe(twin.isFree(ground.at(where)));
          expect(lowestOf(pool)).toBe(twin.lowestFree()?.toString());
        }
        expect(BigInt(takeAll(pool).length)).toBe(twin.count('free'));
        expect(ground.space.count() + twin.count('excluded')).toBe(twin.size);
      }),
      { numRuns: 150 },
    );
  });

  test('allocations never overlap', () => {
    fc.assert(
      fc.property(field, fc.array(place, { maxLength: 100 }), (ground, wishes) => {
        const pool = poolOf(ground);
        const given = wishes
          .map((wish) => ground.at(wish))
          .filter((wish) => pool.take(wish))
          .map(String);
        given.push(...takeAll(pool));
        expect(new Set(given).size).toBe(given.length);
        expect(BigInt(given.length)).toBe(ground.space.count());
      }),
    );
  });

  test('undoing the last allocation and repeating it gives the same address', () => {
    fc.assert(
      fc.property(field, fc.array(place), (ground, wishes) => {
        const pool = poolOf(ground);
        for (const wish of wishes) pool.take(ground.at(wish));
        const first = pool.takeLowest();
        fc.pre(first !== undefined);
        expect(pool.release(first)).toBe(true);
        expect(pool.takeLowest()?.toString()).toBe(first.toString());
      }),
    );
  });

  test('order of releases does not matter', () => {
    const shuffled = fc
      .array(place, { minLength: 2, maxLength: 200 })
      .chain((places) => fc.tuple(fc.constant(places), fc.shuffledSubarray(places, { minLength: places.length })));
    fc.assert(
      fc.property(field, shuffled, (ground, orders) => {
        const [one, other] = orders.map((order) => {
          const pool = poolOf(ground);
          takeAll(pool);
          for (const each of order) pool.release(ground.at(each));
          return takeAll(pool);
        });
        expect(one).toEqual(other);
      }),
    );
  });

  test('FU-91 the lowest free address is given', () => {
    fc.assert(
      fc.property(field, fc.array(place), (ground, wishes) => {
        const pool = poolOf(ground);
        for (const wish of wishes) pool.take(ground.at(wish));
        const free = Array.from({ length: WINDOW }, (_, index) => ground.at(index)).filter((each) =>
          couldTake(pool, each),
        );
        expect(lowestOf(pool)).toBe(free[0]?.toString());
        expect(pool.takeLowest()?.toString()).toBe(free[0]?.toString());
      }),
    );
  });

  test('CONC-02 gives the lowest free address whatever was wished before', () => {
    const pool = new AddressPool(hostsOf('10.0.0.0/24'), 4);
    expect(pool.take(addressOf('10.0.0.200'))).toBe(true);
    expect(pool.takeLowest()?.toString()).toBe('10.0.0.1');
    expect(pool.takeLowest()?.toString()).toBe('10.0.0.2');
  });

  test('CONC-02 gives 254 distinct addresses of a subnet and then nothing', () => {
    const pool = new AddressPool(hostsOf('10.0.0.0/24'), 4);
    expect(new Set(takeAll(pool)).size).toBe(254);
    expect(pool.takeLowest()).toBeUndefined();
  });

  test('gives addresses in order over all prefixes of the space', () => {
    const pool = new AddressPool(spaceOf('192.168.7.8/31', '10.0.0.255/32', '10.0.1.0/31'), 4);
    expect(takeAll(pool)).toEqual(['10.0.0.255', '10.0.1.0', '10.0.1.1', '192.168.7.8', '192.168.7.9']);
  });

  test('keeps the families apart', () => {
    const space = spaceOf('10.0.0.0/31', '2001:db8::/127');
    const pool = new AddressPool(space, 6);
    expect([pool.take(addressOf('10.0.0.0')), pool.release(addressOf('10.0.0.0'))]).toEqual([false, false]);
    expect(takeAll(pool)).toEqual(['2001:db8::', '2001:db8::1']);
  });

  test('gives nothing out of an empty space', () => {
    const pool = new AddressPool(PrefixSet.EMPTY, 4);
    expect([pool.takeLowest(), pool.take(addressOf('0.0.0.0'))]).toEqual([undefined, false]);
  });

  test('holds the whole IPv6 space, to its last address', () => {
    const pool = new AddressPool(spaceOf('::/0'), 6);
    expect(pool.takeLowest()?.toString()).toBe('::');
    const last = addressOf('ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff');
    expect([pool.take(last), pool.take(last), pool.takeLowest()?.toString()]).toEqual([true, false, '::1']);
  });

  test('neither gives nor releases what is outside of the space on the same page', () => {
    const pool = new AddressPool(spaceOf('10.0.0.64/26'), 4);
    const outside = addressOf('10.0.0.5');
    expect([pool.take(outside), pool.release(outside)]).toEqual([false, false]);
    expect(takeAll(pool)).toHaveLength(64);
  });
});

describe('AddressPool of tiny prefixes', () => {
  test.each([
    ['10.0.12.0/24', 256n, 254n],
    ['10.0.12.0/29', 8n, 6n],
    ['10.0.12.0/30', 4n, 2n],
    ['10.0.12.0/31', 2n, 2n],
    ['10.0.12.0/32', 1n, 1n],
    ['2001:db8::/126', 4n, 3n],
    ['2001:db8::/127', 2n, 2n],
    ['2001:db8::/128', 1n, 1n],
  ])('ADDR-06 shows for %s what can be given, %d with its edges and %d without', (text, whole, hosts) => {
    for (const [space, expected] of [
      [spaceOf(text), whole],
      [hostsOf(text), hosts],
    ] as const) {
      const pool = new AddressPool(space, prefixOf(text).family);
      expect(BigInt(takeAll(pool).length)).toBe(expected);
      expect(pool.takeLowest()).toBeUndefined();
    }
  });

  test.each([
    ['10.0.12.0', '10.0.12.0/29'],
    ['10.0.12.7', '10.0.12.0/29'],
    ['2001:db8::', '2001:db8::/126'],
  ])('ADDR-06 refuses the wish for %s in %s without its edges and grants it in the whole', (wish, text) => {
    const { family } = prefixOf(text);
    expect(new AddressPool(hostsOf(text), family).take(addressOf(wish))).toBe(false);
    expect(new AddressPool(spaceOf(text), family).take(addressOf(wish))).toBe(true);
  });
});

describe('AddressPool of large IPv6 prefixes', () => {
  /** Runs the case and gives what it cost: CPU milliseconds (least of three), entries into the busiest block, bytes of the index. */
  const costOf = (run: () => AddressPool): { milliseconds: number; entered: number; bytes: number } => {
    const milliseconds = [1, 2, 3].map(() => {
      const start = process.cpuUsage();
      run();
      return process.cpuUsage(start).user / 1_000;
    });
    return { milliseconds: Math.min(...milliseconds), entered: busiestBlock(run), bytes: arraysHeld(run).bytes };
  };

  const expectCheap = (cost: ReturnType<typeof costOf>): void => {
    expect(cost.entered).toBeLessThan(300);
    expect(cost.bytes).toBeLessThan(16_384);
    expect(cost.milliseconds).toBeLessThan(50);
  };

  test('ADDR-09 jumps over an excluded half of a /64', () => {
    const cost = costOf(() => {
      const half = new PrefixSetBuilder().add(prefixOf('2001:db8::/64')).subtract(prefixOf('2001:db8::/65')).build();
      const pool = new AddressPool(half, 6);
      expect(pool.takeLowest()?.toString()).toBe('2001:db8:0:0:8000::');
      expect(pool.take(addressOf('2001:db8::7fff:ffff:ffff:ffff'))).toBe(false);
      return pool;
    });
    expectCheap(cost);
  });

  test('ADDR-09 finds a wished address in the upper half of a /64', () => {
    const cost = costOf(() => {
      const pool = new AddressPool(spaceOf('2001:db8::/64'), 6);
      expect(pool.take(addressOf('2001:db8::8000:0:0:1'))).toBe(true);
      expect(pool.take(addressOf('2001:db8::8000:0:0:1'))).toBe(false);
      return pool;
    });
    expectCheap(cost);
  });
});

describe('AddressPool after its space changed', () => {
  const hosts = hostsOf('10.0.0.0/24');
  const held = addressOf('10.0.0.5');

  test('POOL-05 counts each address once and gives an excluded one to nobody again', () => {
    const before = new AddressPool(hosts, 4);
    before.take(held);
    expect(takeAll(before)).toHaveLength(253);

    // the ledger keeps the holder; the rebuilt pool does not own its address any more
    const excluded = new PrefixSetBuilder().add(rangeOf(held, addressOf('10.0.0.9'))).build();
    const after = new AddressPool(hosts.subtract(excluded), 4);
    expect(after.take(held)).toBe(false);
    expect(after.release(held)).toBe(false);
    const given = takeAll(after);
    expect([given.length, given.includes(held.toString())]).toEqual([249, false]);
  });

  test('POOL-10 leaves a node address out of a prefix and nothing else', () => {
    const node = addressOf('192.168.1.2');
    const pool = new AddressPool(spaceOf('192.168.1.0/24').subtract(spaceOf('192.168.1.2/32')), 4);
    expect(pool.take(node)).toBe(false);
    const given = takeAll(pool);
    expect([given.length, given.includes('192.168.1.2')]).toEqual([255, false]);
  });

  test('POOL-10 gives all of a range whose covering prefix holds a node', () => {
    const range = rangeOf(addressOf('192.168.1.5'), addressOf('192.168.1.37'));
    const space = new PrefixSetBuilder().add(range).subtract(addressOf('192.168.1.2')).build();
    expect(takeAll(new AddressPool(space, 4))).toHaveLength(33);
  });

  test('POOL-10 refuses the gateway in another spelling', () => {
    const pool = new AddressPool(spaceOf('fd00::/64').subtract(spaceOf('fd00::1/128')), 6);
    expect(pool.take(addressOf('FD00:0:0:0::1'))).toBe(false);
    expect([pool.takeLowest()?.toString(), pool.takeLowest()?.toString()]).toEqual(['fd00::', 'fd00::2']);
  });
});
