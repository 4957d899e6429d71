import type { Address } from '../../addressing/address';
import { PrefixSet, PrefixSetBuilder } from '../../addressing/prefix-set';
import type { Prefix } from '../../addressing/prefix';
import { parseExclusion, parseSegment } from '../../contract/group-space';
import { readIpGroup, type IpGroupObject, type IpGroupSpec } from '../../contract/kinds/ip-group';
import { compareClaims, compareGroups } from './group-order';
import { listOfHolders } from './refusals';
import type { GroupReadiness, ServiceName, VipGroup } from './types';

/** Facts beside the groups that decide about them. */
export interface GroupSurroundings {
  /**
   * Tells the space of doors that are stronger than this one.
   *
   * @param network - in which the group is
   */
  strongerSpace(network: string): PrefixSet;
  /**
   * Lists what is held.
   *
   * @param space - addresses that are looked at
   */
  heldIn(
    space: PrefixSet,
  ): readonly { readonly address: Address; readonly group: string; readonly holders: readonly ServiceName[] }[];
}

/** One group, and what its status is to say. */
export interface GroupPlan {
  readonly group: VipGroup;
  /** `status.applied` where it has to be written; the group gives from it only once it is stored. */
  readonly apply?: { readonly segments: readonly string[] };
  readonly overlapsOtherDoor: boolean;
}

/** One object as far as it could be read. */
interface Read {
  readonly object: IpGroupObject;
  /** Why the spec cannot be used. */
  readonly problem?: string;
  readonly wanted: readonly Prefix[];
  readonly excluded: PrefixSet;
  readonly applied: readonly Prefix[] | undefined;
}

const setOf = (prefixes: readonly Prefix[]): PrefixSet => {
  const builder = new PrefixSetBuilder();
  for (const prefix of prefixes) builder.add(prefix);
  return builder.build();
};

/**
 * Decides what every group gives from, in the order of choice. A spec that would cut out addresses in use, or that overlaps another
 * group, is not applied; a group gives only from what its status says to be applied, so that every process sees the same space.
 *
 * @param values - all IPGroups as the API server has them; what has no name is passed over
 * @param around - other doors, and what is held
 * @returns one plan for each group
 */
export function planGroups(values: readonly unknown[], around: GroupSurroundings): readonly GroupPlan[] {
  const reads = values.flatMap((value) => readGroup(value) ?? []);
  reads.sort((a, b) => compareClaims(a.object, b.object));
  // space of everything that gives already, and of those that are judged below
  const claims = reads.map(({ object, applied = [] }, rank): Claim => ({
    name: object.metadata.name,
    rank,
    space: setOf(applied),
  }));
  const plans: GroupPlan[] = [];
  let older = PrefixSet.EMPTY;
  for (const [rank, read] of reads.entries()) {
    const verdict = judge({ ...read, rank }, claims, around);
    if (verdict.apply !== undefined)
      claims.push({ name: read.object.metadata.name, rank, space: setOf(verdict.apply) });
    plans.push(planOf(read, verdict, { around, older }));
    older = older.union(setOf(read.applied ?? []));
  }
  return plans.sort((a, b) => compareGroups(a.group, b.group));
}

interface Claim {
  readonly name: string;
  /** Its place among groups that overlap; the lower one counts. */
  readonly rank: number;
  readonly space: PrefixSet;
}

interface Verdict {
  readonly readiness: GroupReadiness;
  readonly apply?: readonly Prefix[];
}

function readGroup(value: unknown): readonly Read[] | undefined {
  const reading = readIpGroup(value);
  if (reading === undefined) return undefined;
  const { object, problems } = reading;
  const applied = appliedOf(object);
  const rest = applied === undefined ? { ...object, status: {} } : object;
  if (problems.length > 0) {
    const problem = problems.map(({ message }) => message).join('; ');
    return [{ object: rest, problem, wanted: [], excluded: PrefixSet.EMPTY, applied }];
  }
  const spec = object.spec ?? {};
  return [{ object: rest, wanted: segmentsOf(spec), excluded: excludedOf(spec), applied }];
}

const segmentTexts = ({ segment, segments = [] }: IpGroupSpec): readonly string[] => [
  ...(segment === undefined ? [] : [segment]),
  ...segments,
];

function prefixesOf(texts: readonly unknown[]): readonly Prefix[] {
  return texts.flatMap((text) => {
    const parsed = parseSegment(String(text));
    return parsed.ok ? [parsed.value] : [];
  });
}

const segmentsOf = (spec: IpGroupSpec): readonly Prefix[] => prefixesOf(segmentTexts(spec));

function excludedOf({ excludedIPs = [] }: IpGroupSpec): PrefixSet {
  const builder = new PrefixSetBuilder();
  for (const text of excludedIPs) {
    const parsed = parseExclusion(text);
    if (parsed.ok) builder.add(parsed.value);
  }
  return builder.build();
}

// A status that cannot be read counts as absent: it is then made anew.
function appliedOf({ status }: IpGroupObject): readonly Prefix[] | undefined {
  const texts: unknown = status?.applied?.segments;
  if (!Array.isArray(texts)) return undefined;
  const prefixes = prefixesOf(texts);
  return prefixes.length === texts.length && texts.length > 0 ? prefixes : undefined;
}

const isSame = (a: readonly Prefix[], b: readonly Prefix[]): boolean => a.map(String).join() === b.map(String).join();

const held = (reason: 'Conflict' | 'HoldersOutside', message: string): Verdict => ({
  readiness: { ok: false, reason, message },
});

function judge(read: Ranked, claims: readonly Claim[], around: GroupSurroundings): Verdict {
  const { object, problem, wanted, applied } = read;
  if (problem !== undefined) return { readiness: { ok: false, reason: 'InvalidGroup', message: problem } };
  const space = setOf(wanted);
  const { name } = object.metadata;
  const conflict = conflictOf(read, space, claims);
  if (conflict !== undefined) {
    const { rival, both } = conflict;
    return held(
      'Conflict',
      `spec.segment: ${both.toString()} belongs to IPGroup ${rival.name} already; the change is stored and not applied`,
    );
  }
  if (applied !== undefined && isSame(applied, wanted)) return { readiness: { ok: true } };
  const cut = object.spec?.force === true ? [] : holdersIn(setOf(applied ?? []).subtract(space), name, around);
  if (cut.length === 0) return { readiness: { ok: true }, apply: wanted };
  return held(
    'HoldersOutside',
    `spec.segment: the change is stored and not applied, since it cuts out addresses in use: ${listOfHolders(cut)}; spec.force: true applies it, and they keep their addresses`,
  );
}

type Ranked = Read & { readonly rank: number };

// A group keeps the space that it has from those that come after it.
function conflictOf({ object, rank, applied = [] }: Ranked, space: PrefixSet, claims: readonly Claim[]) {
  const added = space.subtract(setOf(applied));
  for (const rival of claims) {
    const both = (rival.rank < rank ? space : added).intersect(rival.space);
    if (rival.name !== object.metadata.name && !both.isEmpty) return { rival, both };
  }
  return undefined;
}

function holdersIn(space: PrefixSet, name: string, around: GroupSurroundings) {
  return space.isEmpty ? [] : around.heldIn(space).filter(({ group }) => group === name);
}

function planOf(
  { object, excluded, applied = [] }: Read,
  { readiness, apply }: Verdict,
  { around, older }: { readonly around: GroupSurroundings; readonly older: PrefixSet },
): GroupPlan {
  const spec: IpGroupSpec = readiness.ok || readiness.reason !== 'InvalidGroup' ? (object.spec ?? {}) : {};
  const network = spec.network ?? 'default';
  const stronger = around.strongerSpace(network);
  const segments = setOf(applied);
  const isGiving = readiness.ok || readiness.reason !== 'InvalidGroup'; // what was meant to be excluded is not known then
  const usable = isGiving ? segments.subtract(excluded).subtract(stronger).subtract(older) : PrefixSet.EMPTY;
  const parts = spec.searchOrder === 'segments' ? partsOf(applied, usable) : [usable];
  return {
    group: { ...ofSpec(object, spec), network, segments, parts, usable, excluded, readiness },
    ...(apply === undefined ? {} : { apply: { segments: apply.map(String) } }),
    overlapsOtherDoor: stronger.overlaps(segments),
  };
}

// In the written order; an address of two segments belongs to the first one.
function partsOf(segments: readonly Prefix[], usable: PrefixSet): readonly PrefixSet[] {
  let rest = usable;
  return segments.map((segment) => {
    const part = rest.intersect(setOf([segment]));
    rest = rest.subtract(part);
    return part;
  });
}

function ofSpec({ metadata }: IpGroupObject, spec: IpGroupSpec) {
  const { namespaces, services, loadBalancerClass } = spec;
  return {
    name: metadata.name,
    priority: spec.priority ?? 0,
    ...(namespaces === undefined ? {} : { namespaces }),
    ...(services === undefined ? {} : { services }),
    ...(loadBalancerClass === undefined ? {} : { loadBalancerClass }),
    explicitOnly: spec.explicitOnly ?? false,
    draining: spec.draining === true || metadata.deletionTimestamp !== undefined,
    quarantineMs: 1000 * (spec.quarantineSeconds ?? 0),
  };
}

/**
 * Gives the space that a take may choose from, in the order of choice.
 *
 * @param group - as it was planned
 * @param of - family of the wanted address, and what is in use without a claim
 * @returns one or more spaces, each to be tried with its lowest free address; none is empty
 */
export function spacesOf(
  { parts }: Pick<VipGroup, 'parts'>,
  of: { readonly family: Address['family']; readonly occupied: PrefixSet },
): readonly PrefixSet[] {
  return parts
    .map((part) => PrefixSet.ofIntervals(part.ranges(of.family)).subtract(of.occupied))
    .filter((part) => !part.isEmpty);
}
