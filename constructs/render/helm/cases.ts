import { isDeepStrictEqual } from 'node:util';

import { IpamError } from '../../../operator/errors/ipam-error';
import { LateBoundText, type LateBoundEach, type LateBoundWhole } from '../late-bound/late-bound-node';
import { isPlainMap } from './plain-map';
import type { HelmSource } from './source';

/** One of several nodes, by the values of the release; undefined stands for nothing at all. */
export class Cases {
  /** The node under each condition; the first that holds counts. */
  readonly alternatives: readonly { readonly condition: string; readonly node: HelmNode | undefined }[];
  /** The node when no condition holds. */
  readonly otherwise: HelmNode | undefined;

  /**
   * Wraps the nodes.
   *
   * @param alternatives - nodes with their conditions
   * @param otherwise - the node without one
   */
  constructor(alternatives: Cases['alternatives'], otherwise: HelmNode | undefined) {
    this.alternatives = alternatives;
    this.otherwise = otherwise;
  }
}

/** A part of a template: JSON, late-bound values, and places where the values of the release decide. */
export type HelmNode =
  | null
  | string
  | number
  | boolean
  | LateBoundWhole<HelmSource>
  | LateBoundText<HelmSource>
  | LateBoundEach<HelmSource>
  | Cases
  | readonly HelmNode[]
  | { readonly [key: string]: HelmNode };

/**
 * Takes what was read for a part of a template.
 *
 * @param read - a node without cases, from `LateBoundValues.read`
 * @returns the same
 */
export function helmNode(read: unknown): HelmNode {
  return read as HelmNode;
}

/** Variants of one value that have a condition in common, which they cover together. */
export interface VariantFamily {
  readonly condition: string;
  readonly size: number;
}

/** The same tree with one value of the chart not at its default. */
export interface Variant {
  /** Path of the chart's value, for messages. */
  readonly value: string;
  /** Template expression that is true then. */
  readonly condition: string;
  /** Shorter expressions for several variants of one value together, and how many these are. */
  readonly families?: readonly VariantFamily[];
  readonly node: HelmNode | undefined;
}

type Plain = Readonly<Record<string, HelmNode>>;
const isMap = (node: unknown): node is Plain => isPlainMap(node);

// A flag, whatever its value is.
const flagOf = (part: unknown): string | undefined =>
  typeof part === 'string' ? /^--[a-z0-9-]+(?==)/.exec(part)?.[0] : undefined;

// Tells items of a list apart, so that a changed item is seen as the same one.
function identityOfItem(item: HelmNode): string {
  if (typeof item === 'string') return flagOf(item) ?? item;
  if (item instanceof LateBoundText) return flagOf(item.parts[0]) ?? JSON.stringify(item);
  if (!isMap(item)) return JSON.stringify(item);
  const { kind, metadata, name, key } = item;
  if (isMap(metadata)) return JSON.stringify([kind, metadata['namespace'], metadata['name']]);
  return JSON.stringify(name ?? key ?? item);
}

// For each item of `base` its partner in `other`, in the order of both; as many as can be.
function partners(base: readonly HelmNode[], other: readonly HelmNode[]): readonly (number | undefined)[] {
  const [mine, theirs] = [base.map(identityOfItem), other.map(identityOfItem)];
  // lengths[i][j]: most pairs that the items from i and from j on can form
  const lengths = mine.map(() => theirs.map(() => 0));
  const at = (i: number, j: number): number => lengths[i]?.[j] ?? 0;
  for (let i = mine.length - 1; i >= 0; i -= 1) {
    const row = lengths[i] ?? [];
    for (let j = theirs.length - 1; j >= 0; j -= 1) {
      row[j] = mine[i] === theirs[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: (number | undefined)[] = mine.map(() => undefined);
  for (let i = 0, j = 0; i < mine.length && j < theirs.length;) {
    if (mine[i] === theirs[j]) pairs[i++] = j++;
    else if (at(i + 1, j) >= at(i, j + 1)) i += 1;
    else j += 1;
  }
  return withChangedPairs(pairs, mine, theirs);
}

const isNameless = (identity: string | undefined): boolean => identity?.startsWith('{') === true;

// Nameless maps at the same place between two pairs are one item that was changed.
function withChangedPairs(
  pairs: readonly (number | undefined)[],
  mine: readonly string[],
  theirs: readonly string[],
): readonly (number | undefined)[] {
  let next = 0;
  return pairs.map((pair, i) => {
    if (pair === undefined && (pairs.includes(next) || !isNameless(mine[i]) || !isNameless(theirs[next])))
      return undefined;
    const partner = pair ?? next;
    next = partner + 1;
    return partner;
  });
}

// What a variant adds to a list, by the number of base items that stand before it.
function additions(base: readonly HelmNode[], variant: Variant): ReadonlyMap<number, readonly HelmNode[]> {
  const other = variant.node as readonly HelmNode[];
  const pairs = partners(base, other);
  const added = new Map<number, HelmNode[]>();
  let before = 0;
  other.forEach((item, j) => {
    const i = pairs.indexOf(j);
    if (i >= 0) before = i + 1;
    else added.set(before, [...(added.get(before) ?? []), item]);
  });
  return added;
}

function mergedList(base: readonly HelmNode[], variants: readonly Variant[], path: string): readonly HelmNode[] {
  const pairs = variants.map(({ node }) => partners(base, node as readonly HelmNode[]));
  const added = variants.map((variant) => additions(base, variant));
  const addedAt = (gap: number): readonly HelmNode[] => {
    const news = variants.flatMap((variant, v) => (added[v]?.get(gap) ?? []).map((node) => ({ ...variant, node })));
    return alike(news).map((same) => new Cases([same], undefined));
  };
  const own = (item: HelmNode, i: number): HelmNode => {
    const inEach = variants.map((variant, v) => {
      const partner = pairs[v]?.[i];
      return { ...variant, node: partner === undefined ? undefined : (variant.node as readonly HelmNode[])[partner] };
    });
    return mergeVariants(item, inEach, `${path}[${String(i)}]`) as HelmNode;
  };
  return [...base.flatMap((item, i) => [...addedAt(i), own(item, i)]), ...addedAt(base.length)];
}

function mergedMap(base: Plain, variants: readonly Variant[], path: string): HelmNode {
  const maps = variants.map(({ node }) => node as Plain);
  const keys = new Set([base, ...maps].flatMap((map) => Object.keys(map)));
  const entries = [...keys].map((key) => {
    const inEach = variants.map((variant, v) => ({ ...variant, node: maps[v]?.[key] }));
    return [key, mergeVariants(base[key], inEach, `${path}.${key}`)] as const;
  });
  return Object.fromEntries(entries.filter((entry): entry is readonly [string, HelmNode] => entry[1] !== undefined));
}

/**
 * Puts the variants of a tree into one, with cases where they differ, as deep down as possible.
 *
 * @param base - the tree with every value at its default
 * @param variants - the tree with one value changed, for each value that decides the shape
 * @param path - for messages
 * @returns the common tree; undefined where nothing stands in any of them
 * @throws {@link IpamError} `settings/invalid` where two values decide the same place
 */
export function mergeVariants(
  base: HelmNode | undefined,
  variants: readonly Variant[],
  path: string,
): HelmNode | undefined {
  const differing = variants.filter(({ node }) => !isDeepStrictEqual(node, base));
  if (differing.length === 0) return base;
  const [gone, changed] = [differing.filter(isGone), differing.filter((variant) => !isGone(variant))];
  if (gone.length > 0 && changed.length > 0) {
    // whatever else holds, it is gone when one value takes it away
    return new Cases(alike(gone), mergeVariants(base, changed, path));
  }
  return mergedInside(base, differing, path) ?? new Cases(decided(differing, path), base);
}

const isGone = ({ node }: Variant): boolean => node === undefined;

// Maps and lists that are there in every variant; undefined where nothing would be left of them in one.
function mergedInside(base: HelmNode | undefined, differing: readonly Variant[], path: string): HelmNode | undefined {
  const nodes = differing.map(({ node }) => node);
  if (isMap(base) && nodes.every(isMap)) {
    const always = Object.keys(base).some((key) => nodes.every((node) => key in node));
    return always ? mergedMap(base, differing, path) : undefined;
  }
  if (!Array.isArray(base) || !nodes.every(Array.isArray)) return undefined;
  const list = mergedList(base as readonly HelmNode[], differing, path);
  return path === '' || list.some(isAlways) ? list : undefined;
}

// Whether something stands there whatever the values are.
const isAlways = (node: HelmNode | undefined): boolean =>
  node instanceof Cases
    ? isAlways(node.otherwise) && node.alternatives.every((each) => isAlways(each.node))
    : node !== undefined;

// Joins variants in which the same stands.
function alike(variants: readonly Variant[]): Cases['alternatives'] {
  const groups: Variant[][] = [];
  for (const variant of variants) {
    const group = groups.find(([first]) => isDeepStrictEqual(first?.node, variant.node));
    if (group === undefined) groups.push([variant]);
    else group.push(variant);
  }
  return groups.map((group) => ({ condition: anyOf(group), node: group[0]?.node }));
}

function anyOf(group: readonly Variant[]): string {
  const membersOf = ({ condition }: VariantFamily): readonly Variant[] =>
    group.filter(({ families = [] }) => families.some((other) => other.condition === condition));
  const whole = group
    .flatMap(({ families = [] }) => families)
    .filter((family) => membersOf(family).length === family.size)
    .toSorted((a, b) => b.size - a.size);
  const covering = new Map<Variant, string>();
  for (const family of whole) {
    const members = membersOf(family);
    // a family of which every place has another one already would say nothing new
    if (members.some((member) => !covering.has(member)))
      members.forEach((member) => covering.set(member, covering.get(member) ?? family.condition));
  }
  const [only = 'false', ...others] = new Set(group.map((each) => covering.get(each) ?? each.condition));
  return others.length === 0 ? only : `or ${[only, ...others].map((condition) => `(${condition})`).join(' ')}`;
}

function decided(differing: readonly Variant[], path: string): Cases['alternatives'] {
  const alternatives = alike(differing);
  const values = new Set(differing.map(({ value }) => value));
  if (values.size === 1 || alternatives.length === 1) return alternatives;
  const message = `${path}: the values ${[...values].join(' and ')} both decide what stands here; only one of them may change the shape`;
  throw new IpamError('settings/invalid', message);
}
