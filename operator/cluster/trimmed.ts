import { IPAM_PREFIX } from '../contract/group';
import { isMap, type JsonMap } from '../contract/loose-json';

/** Annotations that a part of the operator reads from the watched Services: ours, MetalLB's, and those of its former group. */
const READ_PREFIXES = [IPAM_PREFIX, 'metallb.io/', 'metallb.universe.tf/'];

/**
 * Drops the record of who wrote which field, which is a third of most objects and read by nobody here.
 *
 * @param object - as the API server sent it
 * @returns the object without `managedFields`; the rest is shared with the given one
 */
export function withoutManagedFields(object: JsonMap): JsonMap {
  const { metadata } = object;
  if (!isMap(metadata) || !('managedFields' in metadata)) return object;
  const { managedFields: _managedFields, ...kept } = metadata;
  return { ...object, metadata: kept };
}

/**
 * Drops what the Services door does not read: `managedFields`, and annotations of others such as kubectl's copy of the manifest.
 *
 * @param service - as the API server sent it
 * @returns the smaller Service; the rest is shared with the given one
 */
export function trimmedService(service: JsonMap): JsonMap {
  const { metadata } = service;
  if (!isMap(metadata)) return service;
  const { managedFields: _managedFields, annotations, ...kept } = metadata;
  if (!isMap(annotations)) return { ...service, metadata: kept };
  const read = Object.entries(annotations).filter(([key]) => READ_PREFIXES.some((prefix) => key.startsWith(prefix)));
  return { ...service, metadata: read.length === 0 ? kept : { ...kept, annotations: Object.fromEntries(read) } };
}
