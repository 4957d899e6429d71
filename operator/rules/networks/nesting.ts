import type { Prefix } from '../../addressing/prefix';
import type { NetworkEntry, PrefixKind } from '../../contract/networks/entry';
import { objectText } from '../../contract/object-name';
import type { NetworkTable } from '../../contract/networks/table';
import type { ErrorCode } from '../../errors/catalogue';
import { heldByOther, refusedBecause, type Refused } from './refusals';
import { isIn, isKnown, type KnownEntry } from './owners';
import type { At } from './types';

/** Kinds in which a prefix of a kind may lie; each but network lies well in no other prefix too. */
const PARENTS: Readonly<Record<PrefixKind, readonly PrefixKind[]>> = {
  aggregate: ['aggregate'],
  network: ['aggregate'],
  pool: ['aggregate', 'pool'],
  loopback: ['aggregate', 'loopback'],
};

/** A prefix that is to be put into a table. */
export interface NewPrefix {
  readonly block: Prefix;
  readonly kind: PrefixKind;
  /** Blocks that the same change takes away. */
  readonly removed: readonly Prefix[];
  /** Tells whether it may lie in what was given to a request; in none by default. */
  readonly mayLieIn?: (given: KnownEntry) => boolean;
}

const isRemoved = ({ removed }: NewPrefix, { block }: NetworkEntry): boolean => isIn(block, removed);

/**
 * Finds the smallest entry around a prefix.
 *
 * @param table - of the network
 * @param wanted - the prefix, and what the change takes away
 * @returns the entry; undefined where there is none
 */
export function nearestAround(table: NetworkTable, wanted: NewPrefix): NetworkEntry | undefined {
  return table.around(wanted.block).findLast((entry) => !isRemoved(wanted, entry));
}

function refusedFor(
  wanted: NewPrefix,
  [code, why]: readonly [ErrorCode, string],
  because: readonly NetworkEntry[],
): Refused {
  const value = wanted.block.toString();
  const refusal = { code, message: `spec.prefix: "${value}" ${why}`, field: 'spec.prefix', value };
  return refusedBecause(refusal, { places: [wanted.block, ...because.map(({ block }) => block)] }, because);
}

function judgeParent(table: NetworkTable, at: At, wanted: NewPrefix): Refused | undefined {
  const parent = nearestAround(table, wanted);
  if (parent === undefined) return judgeAlone(table, at, wanted);
  if (!isKnown(parent)) return heldByOther(parent, wanted.block);
  const allowed = PARENTS[wanted.kind];
  if (allowed.includes(parent.facts.kind)) return judgeGiven(parent, wanted);
  const text = `"${parent.block.toString()}" of ${objectText(parent.owner)}`;
  const why = `lies in ${text}, which is of kind ${parent.facts.kind}; kind ${wanted.kind} may lie in ${allowed.join(' or ')} only`;
  return refusedFor(wanted, ['prefix/parent-kind', why], [parent]);
}

// What a request was given is its own: with a prefix of others inside, it could not be given back.
function judgeGiven(parent: KnownEntry, wanted: NewPrefix): Refused | undefined {
  if (parent.facts.role !== 'allocation' || wanted.mayLieIn?.(parent) === true) return undefined;
  return heldByOther(parent, wanted.block);
}

function judgeAlone(table: NetworkTable, { instance: { parents } }: At, wanted: NewPrefix): Refused | undefined {
  if (wanted.kind === 'aggregate' || parents === 'free') return undefined;
  const declared = table.prefixes('aggregate').filter(({ block }) => block.family === wanted.block.family);
  if (parents === 'declared' && declared.length === 0) return undefined;
  const named = declared.slice(0, 5).map(({ block }) => block.toString());
  const known = named.length === 0 ? 'none is declared' : `declared are ${named.join(', ')}`;
  return refusedFor(wanted, ['prefix/no-aggregate', `lies in no aggregate of the NetworkInstance; ${known}`], []);
}

function mayHold(kind: PrefixKind, { facts }: NetworkEntry): boolean {
  if (facts === undefined) return kind !== 'network';
  if (facts.role === 'host' || (facts.role === 'allocation' && facts.kind === 'network')) return kind === 'network';
  return PARENTS[facts.kind].includes(kind);
}

// The first direct child that a prefix of the kind cannot have; what is inside of a removed block becomes a direct child.
function wrongChild(table: NetworkTable, wanted: NewPrefix): NetworkEntry | undefined {
  let wrong: NetworkEntry | undefined;
  const look = (block: Prefix): void => {
    table.eachInside(block, (entry) => {
      if (isRemoved(wanted, entry)) look(entry.block);
      else if (!mayHold(wanted.kind, entry)) wrong = entry;
      return wrong === undefined;
    });
  };
  look(wanted.block);
  return wrong;
}

/**
 * Judges whether a prefix may be put where it is wanted: by the smallest entry around it and by all direct children, so that the order in
 * which prefixes are made does not matter.
 *
 * @param table - of the network
 * @param at - the instance and what is known beside the table
 * @param wanted - the prefix
 * @returns the refusal; undefined where it may
 */
export function judgeNesting(table: NetworkTable, at: At, wanted: NewPrefix): Refused | undefined {
  const other = at.context.otherInstance(wanted.block);
  if (other !== undefined) {
    const why = `overlaps ${objectText(other)} in another NetworkInstance of the same network`;
    return refusedFor(wanted, ['prefix/overlap', why], []);
  }
  const refused = judgeParent(table, at, wanted);
  if (refused !== undefined) return refused;
  const child = wrongChild(table, wanted);
  if (child === undefined) return undefined;
  if (child.facts === undefined) return heldByOther(child, wanted.block);
  const why = `has "${child.block.toString()}" of ${objectText(child.owner)} inside, of kind ${child.facts.kind}, which kind ${wanted.kind} cannot hold`;
  return refusedFor(wanted, ['prefix/has-children', why], [child]);
}
