import { familyBits } from './address';
import type { Prefix } from './prefix';
import { PrefixSetBuilder, type PrefixSet } from './prefix-set';

/** Whether the edge addresses of a zone are chosen like all others. */
export type EdgeAddresses = 'avoid' | 'use';

/**
 * Finds the addresses at the edges of prefixes that some hosts and routers do not take for usual ones: the first and the last
 * one of IPv4 (network and broadcast), the first one of IPv6 (subnet-router anycast). Links of two and single addresses have none. Prefixes
 * that follow one another count as one, so what lies between them is no edge.
 *
 * @param prefixes - of both families; they do not overlap
 * @returns the addresses; empty where there are none
 */
export function edgesOf(prefixes: readonly Prefix[]): PrefixSet {
  const all = new PrefixSetBuilder();
  for (const prefix of prefixes) all.add(prefix);
  const runs = all.build().ranges();
  const edges = new PrefixSetBuilder();
  for (const { first, last, family, length } of prefixes) {
    if (familyBits(family) - length < 2) continue;
    if (runs.some((run) => run.first.equals(first))) edges.add(first);
    if (family === 4 && runs.some((run) => run.last.equals(last))) edges.add(last);
  }
  return edges.build();
}
