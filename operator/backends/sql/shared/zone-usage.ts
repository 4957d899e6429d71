import type { Address, Family } from '../../../addressing/address';
import { prefixOf } from '../../../addressing/prefix';
import { PrefixSetBuilder } from '../../../addressing/prefix-set';
import type { Range } from '../../../addressing/range';
import type { UsageTally, ZoneSpace } from '../../../ports/claim-archive';
import type { ZoneTally } from '../../../ports/claim-store';

const EVERYTHING = { 4: prefixOf('0.0.0.0/0'), 6: prefixOf('::/0') } as const;

/** Addresses of one zone and family that nobody is bound to. */
export interface UnboundCount {
  readonly network: string;
  readonly zone: string;
  readonly family: Family;
  readonly reserved: number;
  readonly retained: number;
}

/** Asks how many live addresses were taken under a zone between two addresses. */
export interface RangeQuestion {
  readonly network: string;
  /** Under which zone they were taken. */
  readonly zone: string;
  readonly first: Address;
  readonly last: Address;
  /** Which space asks: outside of it, or by others inside. */
  readonly space: number;
  readonly kind: 'outside' | 'foreign';
}

/**
 * Makes the questions that tell what lies where, so that nothing is read but what lies in the wrong place: the zone's own
 * addresses between its ranges, and those of other zones inside.
 *
 * @param spaces - what the zones may give
 * @param tallies - which zones have live addresses
 * @returns the questions; O(zones² · ranges)
 */
export function rangeQuestions(spaces: readonly ZoneSpace[], tallies: readonly ZoneTally[]): readonly RangeQuestion[] {
  return spaces.flatMap(({ network, zone, family, space }, index) => {
    const others = tallies.filter((each) => each.network === network && each.family === family && each.zone !== zone);
    const gaps = new PrefixSetBuilder().add(EVERYTHING[family]).build().subtract(space).ranges(family);
    const ask = (under: string, ranges: readonly Range[], kind: RangeQuestion['kind']): readonly RangeQuestion[] =>
      ranges.map(({ first, last }) => ({ network, zone: under, first, last, space: index, kind }));
    const own = tallies.some((each) => each.network === network && each.family === family && each.zone === zone);
    return [
      ...(own ? ask(zone, gaps, 'outside') : []),
      ...others.flatMap((other) => ask(other.zone, space.ranges(family), 'foreign')),
    ];
  });
}

function keyOf({ network, zone, family }: Pick<UsageTally, 'network' | 'zone' | 'family'>): string {
  return JSON.stringify([network, zone, family]);
}

/** Everything that {@link usageFrom} puts together. */
export interface UsageParts {
  readonly spaces: readonly ZoneSpace[];
  readonly tallies: readonly ZoneTally[];
  readonly unbound: readonly UnboundCount[];
  readonly questions: readonly RangeQuestion[];
  /** Answers to the questions, in their order. */
  readonly counts: readonly number[];
}

/**
 * Puts the numbers of every zone together.
 *
 * @param parts - counts as the database gave them
 * @returns by network, zone, family
 */
export function usageFrom({ spaces, tallies, unbound, questions, counts }: UsageParts): readonly UsageTally[] {
  const spaceOf = new Map(spaces.map((space, index) => [keyOf(space), index]));
  const sumOf = (space: number | undefined, kind: RangeQuestion['kind']): number =>
    questions.reduce((sum, each, i) => (each.space === space && each.kind === kind ? sum + (counts[i] ?? 0) : sum), 0);
  const zones = new Map([...tallies, ...spaces].map((each) => [keyOf(each), each]));
  return [...zones.entries()]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, { network, zone, family }]) => {
      const { held = 0, quarantined = 0 } = tallies.find((each) => keyOf(each) === key) ?? {};
      const { reserved = 0, retained = 0 } = unbound.find((each) => keyOf(each) === key) ?? {};
      const space = spaceOf.get(key);
      const all = held + quarantined;
      const outside = space === undefined ? all : sumOf(space, 'outside');
      const occupied = space === undefined ? 0 : all - outside + sumOf(space, 'foreign');
      const bound = held - reserved - retained;
      return Object.freeze({ network, zone, family, reserved, bound, retained, quarantined, outside, occupied });
    });
}
