import { familyBits, type Family } from '../../../addressing/address';
import { Prefix } from '../../../addressing/prefix';
import { PrefixSet, PrefixSetBuilder } from '../../../addressing/prefix-set';
import { IP_GROUP, ipGroupProblems, MAX_SEGMENTS } from '../../../contract/kinds/ip-group';
import type { JsonMap } from '../../../contract/loose-json';
import type { ForeignPool } from './foreign-pool';

const FAMILIES: readonly Family[] = [4, 6];

/** An IPGroup made of a pool. */
export interface ImportedGroup {
  readonly name: string;
  /** Addresses of its segments. */
  readonly space: PrefixSet;
  readonly manifest: JsonMap;
}

/** IPGroups made of pools. */
export interface ImportedGroups {
  readonly groups: readonly ImportedGroup[];
  /** Sentences on what could not be taken over as it is. */
  readonly notes: readonly string[];
  /** Addresses of zones. */
  readonly ofZones: PrefixSet;
}

/**
 * Makes IPGroups of pools. Two groups never have the same space: it goes to the pool that comes first.
 *
 * @param pools - of one load balancer, in the order of its reader
 * @returns one group for each pool that has space and is not that of a zone
 */
export function groupsOfPools(pools: readonly ForeignPool[]): ImportedGroups {
  const groups: ImportedGroup[] = [];
  const notes: string[] = [];
  const names = new Set<string>();
  const ofZones = spaceOf(pools.filter(({ isOfZone }) => isOfZone === true));
  let taken = ofZones;
  for (const pool of pools) {
    const tell = (text: string) => notes.push(`${pool.source}: ${text}`);
    for (const note of pool.notes) tell(note);
    if (pool.isOfZone === true) continue;
    const space = pool.space.subtract(taken);
    if (!space.equals(pool.space))
      tell(`${pool.space.intersect(taken).toString()} belongs to another pool too, and goes to that IPGroup`);
    if (space.isEmpty) {
      tell('it has no addresses of its own, so there is no IPGroup of it');
      continue;
    }
    const name = freeName(pool.name, names);
    if (name !== pool.name) tell(`another pool has its name, so its IPGroup is ${name}`);
    const others = pools.filter((each) => each !== pool).map((each) => each.space);
    const group = groupOf({ ...pool, name, space }, others);
    if (typeof group === 'string') {
      tell(group);
      continue;
    }
    names.add(name);
    taken = taken.union(group.space);
    groups.push(group);
  }
  return { groups, notes, ofZones };
}

const spaceOf = (pools: readonly ForeignPool[]): PrefixSet =>
  pools.reduce((all, { space }) => all.union(space), PrefixSet.EMPTY);

function freeName(wanted: string, names: ReadonlySet<string>): string {
  let name = wanted;
  for (let count = 2; names.has(name); count++) name = `${wanted}-${String(count)}`;
  return name;
}

// Half a sentence where the API server would refuse it.
function groupOf(pool: ForeignPool, others: readonly PrefixSet[]): ImportedGroup | string {
  const fitted = fit(pool, others);
  if (fitted === undefined)
    return `it is made of more than ${String(MAX_SEGMENTS)} prefixes, which no IPGroup can have; split it by hand`;
  const [segment, ...segments] = fitted.prefixes.map(String);
  const excludedIPs = fitted.excluded.ranges().map(String);
  const manifest = {
    apiVersion: `${IP_GROUP.group}/${IP_GROUP.version}`,
    kind: IP_GROUP.kind,
    metadata: { name: pool.name },
    spec: {
      segment,
      ...(segments.length === 0 ? {} : { segments }),
      ...(excludedIPs.length === 0 ? {} : { excludedIPs }),
      ...pool.serves,
    },
  };
  const [problem] = ipGroupProblems(manifest);
  if (problem !== undefined) return `the API server would refuse its IPGroup: ${problem.message}`;
  return { name: pool.name, space: setOf(fitted.prefixes), manifest };
}

interface Fitted {
  readonly prefixes: readonly Prefix[];
  readonly excluded: PrefixSet;
}

// Exactly the space; where that is too many prefixes, one of each family around it, without what is in between.
function fit({ space, excluded }: ForeignPool, others: readonly PrefixSet[]): Fitted | undefined {
  const exact = space.prefixes();
  const left = excluded.intersect(space);
  if (exact.length <= MAX_SEGMENTS) return { prefixes: exact, excluded: left };
  const prefixes = FAMILIES.flatMap((family) => around(space, family) ?? []);
  const whole = setOf(prefixes);
  if (others.some((each) => each.overlaps(whole.subtract(space)))) return undefined;
  return { prefixes, excluded: whole.subtract(space).union(left) };
}

function around(space: PrefixSet, family: Family): Prefix | undefined {
  const ranges = space.ranges(family);
  const [first, last] = [ranges[0]?.first, ranges.at(-1)?.last];
  if (first === undefined || last === undefined) return undefined;
  const differing = (first.toBigInt() ^ last.toBigInt()).toString(2).replace(/^0$/u, '').length;
  return new Prefix(first, familyBits(family) - differing);
}

function setOf(prefixes: readonly Prefix[]): PrefixSet {
  const builder = new PrefixSetBuilder();
  for (const prefix of prefixes) builder.add(prefix);
  return builder.build();
}
