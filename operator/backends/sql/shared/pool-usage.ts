import type { Address, Family } from '../../../addressing/address';
import { prefixOf, type Prefix } from '../../../addressing/prefix';
import { PrefixSetBuilder } from '../../../addressing/prefix-set';
import type { Range } from '../../../addressing/range';
import type { PoolSpace, PoolTally, PoolUsage } from '../../../ports/claim-counts';
import { poolKey } from '../../../addressing/place';

const EVERYTHING = { 4: prefixOf('0.0.0.0/0'), 6: prefixOf('::/0') } as const;

/** Claims of one pool and family that no holder is bound to. */
export interface UnboundCount {
  readonly network: string;
  readonly pool: string;
  readonly family: Family;
  readonly reserved: number;
  readonly retained: number;
  readonly contested: number;
}

/** One live row that covers more than its own address. */
export interface LivePrefix {
  readonly network: string;
  readonly pool: string;
  readonly family: Family;
  readonly block: Prefix;
  /** In use without a claim. */
  readonly isForeign: boolean;
}

/** Asks how many live rows of single addresses lie between two addresses. */
export interface RangeQuestion {
  readonly network: string;
  /** Pool under which they were taken; undefined: in use without a claim. */
  readonly pool: string | undefined;
  readonly first: Address;
  readonly last: Address;
  /** Which space asks: outside of it, or by others inside. */
  readonly space: number;
  readonly kind: 'outside' | 'others' | 'inUse';
}

/**
 * Makes the questions that tell what lies where, so that nothing is read but what lies in the wrong place: the pool's own claims
 * between its ranges, and inside of them those of other pools and what is in use without a claim.
 *
 * @param spaces - what the pools may give
 * @param tallies - which pools have live claims
 * @returns the questions; O(pools² · ranges)
 */
export function rangeQuestions(spaces: readonly PoolSpace[], tallies: readonly PoolTally[]): readonly RangeQuestion[] {
  return spaces.flatMap(({ network, pool, family, space }, index) => {
    const others = tallies.filter((each) => each.network === network && each.family === family && each.pool !== pool);
    const gaps = new PrefixSetBuilder().add(EVERYTHING[family]).build().subtract(space).ranges(family);
    const ask = (
      under: string | undefined,
      ranges: readonly Range[],
      kind: RangeQuestion['kind'],
    ): readonly RangeQuestion[] =>
      ranges.map(({ first, last }) => ({ network, pool: under, first, last, space: index, kind }));
    const own = tallies.some((each) => each.network === network && each.family === family && each.pool === pool);
    return [
      ...(own ? ask(pool, gaps, 'outside') : []),
      ...others.flatMap((other) => ask(other.pool, space.ranges(family), 'others')),
      ...ask(undefined, space.ranges(family), 'inUse'),
    ];
  });
}

/** Everything that {@link usageFrom} puts together. */
export interface UsageParts {
  readonly spaces: readonly PoolSpace[];
  readonly tallies: readonly PoolTally[];
  readonly unbound: readonly UnboundCount[];
  readonly questions: readonly RangeQuestion[];
  /** Answers to the questions, in their order. */
  readonly counts: readonly number[];
  /** Every live prefix: few, so each one is looked at. */
  readonly prefixes: readonly LivePrefix[];
}

// Prefixes of the pool that do not lie in its space as a whole, and others that do.
function strayPrefixes(
  { network, pool, family, space }: PoolSpace,
  prefixes: readonly LivePrefix[],
): { readonly outside: number; readonly others: number } {
  const near = prefixes.filter((each) => each.network === network && each.family === family);
  const isOwn = (each: LivePrefix): boolean => each.pool === pool && !each.isForeign;
  const outside = near.filter((each) => isOwn(each) && !space.containsPrefix(each.block)).length;
  const others = near.filter((each) => !isOwn(each) && space.containsPrefix(each.block)).length;
  return { outside, others };
}

/**
 * Puts the numbers of every pool together.
 *
 * @param parts - counts as the database gave them
 * @returns by network, pool, family
 */
export function usageFrom({ spaces, tallies, unbound, questions, counts, prefixes }: UsageParts): readonly PoolUsage[] {
  const spaceOf = new Map(spaces.map((space, index) => [poolKey(space), index]));
  const sumOf = (space: number | undefined, kind: RangeQuestion['kind']): number =>
    space === undefined
      ? 0
      : questions.reduce(
          (sum, each, i) => (each.space === space && each.kind === kind ? sum + (counts[i] ?? 0) : sum),
          0,
        );
  const placeOf = (key: string): Pick<PoolUsage, 'outside' | 'occupied' | 'inUse'> | undefined => {
    const space = spaceOf.get(key);
    const asked = space === undefined ? undefined : spaces[space];
    if (asked === undefined) return undefined;
    const { outside, others } = strayPrefixes(asked, prefixes);
    const inUse = sumOf(space, 'inUse');
    const occupied = others + sumOf(space, 'others') + inUse;
    return { outside: outside + sumOf(space, 'outside'), occupied, ...(inUse === 0 ? {} : { inUse }) };
  };
  const pools = new Map([...tallies, ...spaces].map((each) => [poolKey(each), each]));
  return [...pools.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, { network, pool, family }]) => {
      const { held = 0, quarantined = 0 } = tallies.find((each) => poolKey(each) === key) ?? {};
      const { reserved = 0, retained = 0, contested = 0 } = unbound.find((each) => poolKey(each) === key) ?? {};
      const all = held + quarantined;
      const { outside, occupied, ...used } = placeOf(key) ?? { outside: all, occupied: 0 };
      const bound = held - reserved - retained - contested;
      const states = { reserved, bound, retained, contested, quarantined };
      const inside = spaceOf.has(key) ? all - outside : 0;
      return Object.freeze({ network, pool, family, ...states, outside, occupied: occupied + inside, ...used });
    });
}
