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
  // a loop, since leaving members out by a rest pattern takes twice the time of the whole rest of the list
  const kept: Record<string, unknown> = {};
  for (const key in metadata) {
    if (key !== 'managedFields' && key !== 'annotations') kept[key] = metadata[key];
  }
  const read = readAnnotations(metadata['annotations']);
  if (read !== undefined) kept['annotations'] = read;
  return { ...service, metadata: kept };
}

function readAnnotations(annotations: unknown): JsonMap | undefined {
  if (!isMap(annotations)) return undefined;
  let read: Record<string, unknown> | undefined;
  for (const key in annotations) {
    if (!READ_PREFIXES.some((prefix) => key.startsWith(prefix))) continue;
    read ??= {};
    read[key] = annotations[key];
  }
  return read;
}
