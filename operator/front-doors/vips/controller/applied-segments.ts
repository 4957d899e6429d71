import { parsePrefix, type Prefix } from '../../../addressing/prefix';
import { listOf, mapOf, textOf, type JsonMap } from '../../../contract/loose-json';
import type { VipGroup } from '../../../rules/vips/types';

/**
 * Lists the segments that a group gives from as its status has them: a set would join neighbours.
 *
 * @param object - the group as the API server has it
 * @param group - the same as it is planned
 * @returns in their written order
 */
export function appliedSegments(object: JsonMap | undefined, group: Pick<VipGroup, 'segments'>): readonly Prefix[] {
  const { applied } = mapOf(object?.['status']);
  const written = listOf(mapOf(applied)['segments']).flatMap((text) => {
    const parsed = parsePrefix(textOf(text));
    return parsed.ok ? [parsed.value] : [];
  });
  return written.length > 0 ? written : group.segments.prefixes();
}
