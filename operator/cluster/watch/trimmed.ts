import { FOREIGN_KEYS } from '../../contract/foreign-load-balancers';
import { IPAM_PREFIX, METALLB_GROUP } from '../../contract/group';
import { PAAS_GROUP } from '../../contract/paas';
import { isMap, type JsonMap } from '../../contract/loose-json';

/** Annotations that a part of the operator reads from the watched Services: ours, of both groups, MetalLB's, and those of its former group. */
const READ_PREFIXES = [IPAM_PREFIX, `${METALLB_GROUP}/`, 'metallb.universe.tf/', `${PAAS_GROUP}/`];

/**
 * Drops the managers of the fields, which are a third of most objects and never read here.
 *
 * @param object - as the API server sent it
 * @param type - its `apiVersion` and `kind`, where the object itself comes without
 * @returns the object without `managedFields`; the rest is shared with the given one
 */
export function withoutManagedFields(object: JsonMap, type: JsonMap = object): JsonMap {
  const { apiVersion, kind } = type;
  const typed = apiVersion === undefined ? object : { ...object, apiVersion, kind };
  const { metadata } = object;
  if (!isMap(metadata) || !('managedFields' in metadata)) return typed;
  const { managedFields: _managedFields, ...kept } = metadata;
  return { ...typed, metadata: kept };
}

/**
 * Keeps what the doors read: what identifies the object, its age and finalizers, annotations of ours and of other load balancers, spec and
 * status. The rest is more than half of most Services: `managedFields`, and kubectl's copy of the manifest.
 *
 * @param service - as the API server sent it
 * @param type - its `apiVersion` and `kind`, where the object itself comes without
 * @returns the smaller Service; the rest is shared with the given one
 */
export function trimmedService(service: JsonMap, { apiVersion, kind }: JsonMap = service): JsonMap {
  const { metadata, spec, status } = service;
  if (!isMap(metadata)) return service;
  // literals of one shape: copies by spread or loop take more time than all else that a list costs beside its parsing
  const { namespace, name, generateName, uid, resourceVersion, deletionTimestamp, labels } = metadata;
  const { creationTimestamp, finalizers } = metadata;
  const annotations = readAnnotations(metadata['annotations']);
  return {
    apiVersion,
    kind,
    spec,
    status,
    metadata: {
      namespace,
      name,
      generateName,
      uid,
      resourceVersion,
      creationTimestamp,
      deletionTimestamp,
      finalizers,
      labels,
      annotations,
    },
  };
}

function readAnnotations(annotations: unknown): JsonMap | undefined {
  if (!isMap(annotations)) return undefined;
  let read: Record<string, unknown> | undefined;
  for (const key in annotations) {
    if (!READ_PREFIXES.some((prefix) => key.startsWith(prefix)) && !FOREIGN_KEYS.has(key)) continue;
    read ??= {};
    read[key] = annotations[key];
  }
  return read;
}
