import { GROUP_SEGMENT_MAPPING } from '../../../contract/kinds/group-segment-mapping';
import { IP_GROUP, ipGroupProblems } from '../../../contract/kinds/ip-group';
import { isMap, listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../../contract/loose-json';

/** IPGroups made of GroupSegmentMappings. */
export interface MadeGroups {
  readonly groups: readonly JsonMap[];
  /** Sentences on groups that the API server would refuse, and on objects that are no mappings. */
  readonly problems: readonly string[];
}

/** kubectl's copy of a manifest, which is one of the older kind. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Makes IPGroups of GroupSegmentMappings: names, labels, annotations, segments and exclusions stay; what the API server wrote goes.
 *
 * @param values - objects, or lists of them; other kinds are passed over
 * @returns one group for each mapping, in their order
 */
export function groupsOfMappings(values: readonly unknown[]): MadeGroups {
  const mappings = values.flatMap(itemsOf).filter(isMapping);
  const groups = mappings.map(groupOf);
  const problems = groups.flatMap((group) =>
    ipGroupProblems(group).map(({ message }) => `${textOf(metadataOf(group)['name'])}: ${message}`),
  );
  return { groups, problems };
}

function itemsOf(value: unknown): readonly unknown[] {
  if (!isMap(value)) return [];
  return Array.isArray(value['items']) ? listOf(value['items']) : [value];
}

const isMapping = (value: unknown): value is JsonMap =>
  isMap(value) &&
  value['kind'] === GROUP_SEGMENT_MAPPING.kind &&
  textOf(value['apiVersion']).startsWith(`${GROUP_SEGMENT_MAPPING.group}/`);

function groupOf(mapping: JsonMap): JsonMap {
  const { name, labels, annotations } = metadataOf(mapping);
  const { segment, excludedIPs } = mapOf(mapping['spec']);
  const { [LAST_APPLIED]: _copy, ...kept } = mapOf(annotations);
  return {
    apiVersion: `${IP_GROUP.group}/${IP_GROUP.version}`,
    kind: IP_GROUP.kind,
    metadata: {
      name,
      ...(isMap(labels) ? { labels } : {}),
      ...(Object.keys(kept).length === 0 ? {} : { annotations: kept }),
    },
    spec: { segment, excludedIPs: listOf(excludedIPs) },
  };
}
