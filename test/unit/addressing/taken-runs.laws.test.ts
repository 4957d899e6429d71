import fc from 'fast-check';
import { addressFromBigInt, type Address, type Family } from '../../../operator/addressing/address';
import { TakenRuns } from '../../../operator/addressing/taken-runs';

/** Ends of both families and their middle, so that runs begin and end at every kind of border. */
const BASES: Readonly<Record<string, { readonly family: Family; readonly base: bigint }>> = {
  'the first addresses of IPv4': { family: 4, base: 0n },
  'the last addresses of IPv4': { family: 4, base: 2n ** 32n - 64n },
  'the middle of IPv4': { family: 4, base: 2n ** 31n - 32n },
  'the first addresses of IPv6': { family: 6, base: 0n },
  'the last addresses of IPv6': { family: 6, base: 2n ** 128n - 64n },
  'a border of two words of IPv6': { family: 6, base: 2n ** 96n - 32n },
};

/** The same over a set, one address after the other. */
function naiveEnd(taken: ReadonlySet<number>, from: number): number | undefined {
  let end: number | undefined;
  for (let next = from; next < 64 && taken.has(next); next++) end = next;
  return end;
}

describe.each(Object.entries(BASES))('TakenRuns beside a scan of a set, at %s', (_what, { family, base }) => {
  const at = (offset: number): Address => addressFromBigInt(family, base + BigInt(offset));
  const steps = fc.array(fc.tuple(fc.boolean(), fc.nat(63), fc.integer({ min: 1, max: 12 })), { maxLength: 40 });

  test('agrees after every step of a random program of add and remove', () => {
    fc.assert(
      fc.property(steps, (program) => {
        const runs = new TakenRuns();
        const taken = new Set<number>();
        for (const [isAdded, from, count] of program) {
          for (let offset = from; offset < Math.min(64, from + count); offset++) {
            expect(isAdded ? runs.add(at(offset)) : runs.remove(at(offset))).toBe(taken.has(offset) !== isAdded);
            if (isAdded) taken.add(offset);
            else taken.delete(offset);
          }
        }
        const ends = Array.from({ length: 64 }, (_, offset) => runs.endOf(at(offset))?.toString());
        const naive = Array.from({ length: 64 }, (_, offset) => naiveEnd(taken, offset));
        expect(ends).toEqual(naive.map((end) => (end === undefined ? undefined : at(end).toString())));
      }),
      { numRuns: 150 },
    );
  });
});

test('TakenRuns keeps the families apart', () => {
  const runs = new TakenRuns();
  runs.add(addressFromBigInt(4, 5n));
  expect([runs.endOf(addressFromBigInt(6, 5n)), runs.endOf(addressFromBigInt(4, 5n))?.toString()]).toEqual([
    undefined,
    '0.0.0.5',
  ]);
});
