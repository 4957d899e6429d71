import { familyBits, type Address } from '../../operator/addressing/address';
import { Prefix } from '../../operator/addressing/prefix';
import type { PrefixSet } from '../../operator/addressing/prefix-set';
import type { NetworkEntry, PrefixKind } from '../../operator/contract/networks/entry';

/** Prefixes and hosts of one network as a plain list, looked through from end to end. */

function halves({ first, last, length }: Prefix): readonly Prefix[] {
  return [new Prefix(first, length + 1), new Prefix(last, length + 1)];
}

function freeBlocks(block: Prefix, taken: readonly Prefix[], never: PrefixSet): readonly Prefix[] {
  const here = taken.filter((each) => each.overlaps(block));
  const isTouched = never.ranges().some((range) => range.overlaps(block));
  if (here.length === 0 && !isTouched) return [block];
  const isFull = here.some((each) => each.containsPrefix(block)) || never.containsPrefix(block);
  return isFull ? [] : halves(block).flatMap((half) => freeBlocks(half, here, never));
}

/** What a list has between its entries. */
export interface GoldenSearch {
  readonly parent: Prefix;
  readonly length: number;
  readonly taken: readonly Prefix[];
  readonly never: PrefixSet;
  readonly skip?: Address | undefined;
}

/** The first part of the smallest free block that is large enough, of several the lowest one. */
export function goldenFit({ parent, length, taken, never, skip }: GoldenSearch): Prefix | undefined {
  const fitting = freeBlocks(parent, taken, never).filter((block) => block.length <= length);
  const [best] = [...fitting].sort((a, b) => b.length - a.length || a.first.compareTo(b.first));
  const found = best === undefined ? undefined : new Prefix(best.first, length);
  const isSkipped = found !== undefined && skip?.equals(found.first) === true && length === familyBits(parent.family);
  return isSkipped ? goldenFit({ parent, length, taken: [...taken, found], never }) : found;
}

/** The smallest entry around a block. */
export function goldenParent(entries: readonly NetworkEntry[], block: Prefix): NetworkEntry | undefined {
  const around = entries.filter((entry) => entry.block.length < block.length && entry.block.containsPrefix(block));
  return [...around].sort((a, b) => b.block.length - a.block.length)[0];
}

const MAY: Readonly<Record<PrefixKind, readonly (PrefixKind | undefined)[]>> = {
  aggregate: [undefined, 'aggregate'],
  network: [undefined, 'aggregate'],
  pool: [undefined, 'aggregate', 'pool'],
  loopback: [undefined, 'aggregate', 'loopback'],
};

/** Tells whether an entry may lie where it lies. */
export function mayLie(entries: readonly NetworkEntry[], { block, facts }: NetworkEntry): boolean {
  const parent = goldenParent(entries, block)?.facts;
  if (facts?.kind !== 'network' || facts.role === 'subnet') return MAY[facts?.kind ?? 'pool'].includes(parent?.kind);
  return parent?.role === 'subnet' && parent.networkName === facts.networkName;
}
