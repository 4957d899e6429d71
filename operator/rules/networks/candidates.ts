import { familyBits, type Family } from '../../addressing/address';
import { selectorMatches } from '../../contract/label-selector';
import { NEPHIO } from '../../contract/nephio';
import type { NetworkEntry } from '../../contract/networks/entry';
import type { NetworkTable } from '../../contract/networks/table';
import { labelsOf, type Labels } from './labels';
import { isKnown, isSameOwner, type KnownEntry } from './owners';
import { rangesIn } from './ranges';
import { namesMore, valuesFor } from './selector';
import type { AllocationRequest, At, DeclaredRange, NamedSource } from './types';

/** A request for something that is chosen. */
export type DynamicRequest = Extract<AllocationRequest, { readonly form: 'dynamic' }>;

/** A range with the prefix that it is a part of. */
export interface RangeCandidate {
  readonly parent: KnownEntry;
  readonly range: DeclaredRange;
}

/** Entries of one family from which a request may be given; of the first kind that has any. */
export interface Candidates {
  readonly family: Family;
  /** Prefixes and subnets that match, in the order in which they are tried. */
  readonly parents: readonly KnownEntry[];
  readonly ranges: readonly RangeCandidate[];
  /** Recorded hosts, of which one is used as it is. */
  readonly hosts: readonly KnownEntry[];
}

/**
 * Lists the families that a request may be given from.
 *
 * @param request - as it was read
 * @returns families in the order in which they are tried
 */
function familiesFor({ family, length }: DynamicRequest): readonly Family[] {
  if (family !== undefined) return [family];
  return (length ?? 0) > familyBits(4) ? [6] : [4, 6];
}

function subnetsFor(table: NetworkTable, { selector }: DynamicRequest, family: Family): readonly KnownEntry[] {
  const names = valuesFor(selector, NEPHIO.networkName);
  const found = names === undefined ? table.subnets() : [...new Set(names)].flatMap((name) => table.subnets(name));
  return found
    .filter(({ block }) => block.family === family)
    .filter(isKnown)
    .sort((a, b) => a.block.compareTo(b.block));
}

// A range has the labels of its own IPPrefix, and those of the system of its parent.
function rangeLabels(parent: KnownEntry, range: DeclaredRange, { instance }: At): Labels {
  const system = labelsOf({ ...parent, labels: {} }, instance);
  return { ...range.labels, ...system, [NEPHIO.prefixName]: range.name };
}

function rangesFor(parents: readonly KnownEntry[], request: DynamicRequest, at: At): readonly RangeCandidate[] {
  return parents.flatMap((parent) =>
    rangesIn(at, parent)
      .filter((range) => selectorMatches(request.selector, rangeLabels(parent, range, at)))
      .map((range) => ({ parent, range })),
  );
}

/**
 * Tells whether an entry has the labels that a request selects.
 *
 * @param entry - of any role
 * @param request - with its selector
 * @param at - the instance and what is known beside the table
 * @returns true when every condition holds
 */
export function isSelected(
  entry: KnownEntry,
  request: Pick<AllocationRequest, 'selector'>,
  { instance }: Pick<At, 'instance'>,
): boolean {
  return selectorMatches(request.selector, labelsOf(entry, instance));
}

function networkCandidates(
  table: NetworkTable,
  at: At,
  [request, family]: readonly [DynamicRequest, Family],
): Candidates {
  const all = subnetsFor(table, request, family);
  const none = { family, parents: [], ranges: [], hosts: [] };
  const parents = all.filter((each) => isSelected(each, request, at));
  if (parents.length > 0) return { ...none, parents };
  const ranges = rangesFor(all, request, at);
  if (ranges.length > 0) return { ...none, ranges };
  const hosts = all.flatMap(({ block }) => table.hosts(block)).filter(isKnown);
  return { ...none, hosts: hosts.filter((each) => isSelected(each, request, at)) };
}

// Prefixes that others were given; a request is never given from what it has itself.
function carvedFor(table: NetworkTable, kind: 'pool' | 'loopback', { owner }: DynamicRequest): readonly NetworkEntry[] {
  return table.carved(kind).filter((entry) => entry.block.hostCount > 1n && !isSameOwner(entry.owner, owner));
}

const rankOf = ({ facts }: KnownEntry): number => (facts.kind === 'aggregate' ? 1 : 0);

function prefixCandidates(
  table: NetworkTable,
  at: At,
  [request, family]: readonly [DynamicRequest, Family],
): Candidates {
  const kind = request.kind === 'loopback' ? 'loopback' : 'pool';
  const carved = namesMore(request.selector) ? carvedFor(table, kind, request) : [];
  const all = [...table.prefixes(kind), ...carved, ...table.prefixes('aggregate')]
    .filter(isKnown)
    .filter(({ block }) => block.family === family);
  const parents = all
    .filter((each) => isSelected(each, request, at))
    .sort((a, b) => rankOf(a) - rankOf(b) || a.block.compareTo(b.block));
  if (parents.length > 0) return { family, parents, ranges: [], hosts: [] };
  return { family, parents, ranges: rangesFor(all, request, at), hosts: [] };
}

function namedCandidates(table: NetworkTable, at: At, { block, range }: NamedSource): Candidates | undefined {
  const parent = table.at(block);
  if (!isKnown(parent)) return undefined;
  const none = { family: block.family, parents: [], ranges: [], hosts: [] };
  if (range === undefined) return { ...none, parents: [parent] };
  const ranges = rangesIn(at, parent).filter(({ name }) => name === range);
  return ranges.length === 0 ? undefined : { ...none, ranges: ranges.map((each) => ({ parent, range: each })) };
}

/**
 * Finds what a request may be given from. The first family with a match is the one; when it is full, the other one is not tried.
 *
 * @param table - of the network
 * @param at - the instance and what is known beside the table
 * @param request - as it was read
 * @returns the matches; undefined where nothing matches in any family
 */
export function candidatesFor(table: NetworkTable, at: At, request: DynamicRequest): Candidates | undefined {
  if (request.from !== undefined) return namedCandidates(table, at, request.from);
  for (const family of familiesFor(request)) {
    const find = request.kind === 'network' ? networkCandidates : prefixCandidates;
    const found = find(table, at, [request, family]);
    if (found.parents.length + found.ranges.length + found.hosts.length > 0) return found;
  }
  return undefined;
}
