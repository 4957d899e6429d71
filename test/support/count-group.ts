import type { Family } from '../../operator/addressing/address';
import { countedAs, sumGroup } from '../../operator/rules/vips';
import { NO_USES, type CountedAs, type GroupCounts, type GroupUses } from '../../operator/rules/vips/group-life';
import type { VipGroup } from '../../operator/rules/vips/types';

/**
 * Counts the addresses of a group, each of them once: held before quarantined, and that before in use without a claim.
 *
 * @param group - the one that is looked at
 * @param uses - addresses that are not free
 * @param family - one of both; absent: both together
 * @returns the counters
 */
export function countGroup(group: VipGroup, uses: GroupUses, family?: Family): GroupCounts {
  const counts: Record<CountedAs, number> = { ...NO_USES };
  const seen = new Set<string>();
  for (const use of ['held', 'quarantined', 'foreign'] as const) {
    for (const address of uses[use]) {
      const text = address.toString();
      if ((family !== undefined && address.family !== family) || seen.has(text)) continue;
      const counted = countedAs(group, address, use);
      if (counted === undefined) continue;
      seen.add(text);
      counts[counted] += 1;
    }
  }
  return sumGroup(group, { counts, ...(family === undefined ? {} : { family }) });
}
