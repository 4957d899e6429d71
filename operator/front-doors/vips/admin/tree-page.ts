import type { Prefix } from '../../../addressing/prefix';
import { PrefixSet } from '../../../addressing/prefix-set';
import type { VipGroupTree, VipsTree } from '../../../contract/ipam-api/vips-pages';
import { IP_NETWORK } from '../../../contract/paas';
import type { AddressRecord } from '../../../ports/claims';
import type { GroupCounts } from '../../../rules/vips/group-life';
import type { VipGroup } from '../../../rules/vips/types';
import { appliedSegments } from '../controller/applied-segments';
import { GroupTallies } from '../controller/group-tallies';
import { GroupsView } from '../controller/groups-view';
import { InUse } from '../controller/in-use';
import { addressAnswer } from './record-answers';
import type { VipsPagesParts } from './vips-pages-parts';

/**
 * Shows every group with its segments, and what is on record in them.
 *
 * @param parts - record, groups, what the cluster shows
 * @returns groups in the order of choice
 */
export function treePage(parts: VipsPagesParts): VipsTree {
  const plans = new GroupsView(parts).plans();
  const tallies = new GroupTallies(parts.known, new InUse(parts));
  const byGroup = new Map<string, AddressRecord[]>();
  for (const record of recordsOf(parts)) {
    const some = byGroup.get(record.pool) ?? [];
    some.push(record);
    byGroup.set(record.pool, some);
  }
  const names = new Set(plans.map(({ group }) => group.name));
  const groupless = [...byGroup].flatMap(([name, records]) => (names.has(name) ? [] : records));
  return {
    groups: plans.map(({ group }) =>
      groupTree(group, {
        records: byGroup.get(group.name) ?? [],
        counts: tallies.of(group).counts(),
        segments: appliedSegments(parts.groups.get('', group.name), group),
      }),
    ),
    groupless: groupless.map(addressAnswer),
  };
}

/**
 * Lists the addresses on record, those in quarantine as well, which have no holder to be found by.
 *
 * @param parts - with the record
 * @returns the lowest address first
 */
export function recordsOf({ known }: Pick<VipsPagesParts, 'known'>): readonly AddressRecord[] {
  return known.within(IP_NETWORK, PrefixSet.EVERYTHING);
}

interface GroupContent {
  readonly records: readonly AddressRecord[];
  readonly counts: GroupCounts;
  readonly segments: readonly Prefix[];
}

function groupTree(group: VipGroup, { records, counts: all, segments }: GroupContent): VipGroupTree {
  const { outOfRange: _counted, ...counts } = all;
  const bySegment = segments.map((): AddressRecord[] => []);
  const outside: AddressRecord[] = [];
  for (const record of records)
    (bySegment[segments.findIndex((each) => each.contains(record.address))] ?? outside).push(record);
  return {
    group: group.name,
    network: group.network,
    ...counts,
    draining: group.draining,
    ...(group.readiness.ok ? {} : { problem: `${group.readiness.reason}: ${group.readiness.message}` }),
    segments: segments.map((segment, index) => ({
      segment: segment.toString(),
      addresses: (bySegment[index] ?? []).map(addressAnswer),
    })),
    outside: outside.map(addressAnswer),
  };
}
