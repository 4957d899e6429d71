import type { IConstruct } from 'constructs';

import { PrefixSetBuilder, type PrefixSet } from '../../operator/addressing/prefix-set';
import { rangeOfPrefix, type Range } from '../../operator/addressing/range';
import { parseExclusion, parseSegment } from '../../operator/contract/group-space';
import type { Refusal } from '../../operator/errors/outcome';
import { AppRegistry } from '../app/app-registry';
import { mayShareCluster } from '../app/clusters';
import type { IpGroupProps } from './ip-group-props';

/** A group as the others of its app see it. */
export interface GroupOfApp {
  readonly construct: IConstruct;
  readonly props: IpGroupProps & { readonly name: string };
}

const GROUPS = new AppRegistry<GroupOfApp>();

const segmentsOf = ({ spec }: IpGroupProps): readonly string[] => [
  ...(spec.segment === undefined ? [] : [spec.segment]),
  ...(spec.segments ?? []),
];

function rangesOf(props: IpGroupProps): readonly Range[] {
  return segmentsOf(props).flatMap((text) => {
    const parsed = parseSegment(text);
    return parsed.ok ? [rangeOfPrefix(parsed.value)] : [];
  });
}

// Groups of two networks may not overlap either, since the record names addresses without a network.
const spaceOf = ({ props }: GroupOfApp) => ({ of: '', ranges: rangesOf(props) });

/**
 * Makes a group known to the others of its app, whatever chart they are in.
 *
 * @param group - with a valid spec
 */
export function registerGroup(group: GroupOfApp): void {
  GROUPS.register(group, { space: spaceOf(group) });
}

/**
 * Compares a group with those that were declared before it, so that each pair is reported once.
 *
 * @param mine - a registered group
 * @returns at most one refusal, both places named by their construct paths
 */
export function groupClashes(mine: GroupOfApp): readonly Refusal[] {
  const other = GROUPS.earlierIn(mine, spaceOf(mine)).find(
    ({ props }) => props.name !== mine.props.name && mayShareCluster(props.cluster, mine.props.cluster),
  );
  if (other === undefined) return [];
  const [mineText, otherText] = [mine, other].map(({ props }) => segmentsOf(props).join(', '));
  const place = `IPGroup "${other.props.name}" [${other.construct.node.path}]`;
  const message = `spec.segment: "${mineText ?? ''}" overlaps "${otherText ?? ''}" of ${place}; an address is in one group only`;
  return [{ code: 'group/invalid', field: 'spec.segment', value: mineText ?? '', message }];
}

/**
 * Lists the groups of an app whose spec is sound.
 *
 * @param construct - anywhere in the app
 * @returns in the order of their declaration
 */
export const groupsOfApp = (construct: IConstruct): readonly GroupOfApp[] => GROUPS.all(construct);

/** Addresses that a group is about. */
interface GroupSpace {
  readonly segments: PrefixSet;
  readonly excluded: PrefixSet;
}

/**
 * Reads the addresses of a group.
 *
 * @param props - with a sound spec
 * @returns its segments, and what is never given of them
 */
export function spaceOfGroup(props: IpGroupProps): GroupSpace {
  const [segments, excluded] = [new PrefixSetBuilder(), new PrefixSetBuilder()];
  for (const range of rangesOf(props)) segments.add(range);
  for (const text of props.spec.excludedIPs ?? []) {
    const parsed = parseExclusion(text);
    if (parsed.ok) excluded.add(parsed.value);
  }
  return { segments: segments.build(), excluded: excluded.build() };
}
