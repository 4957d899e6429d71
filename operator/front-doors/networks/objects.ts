import { isPausedByKey } from '../../contract/cluster-api';
import { listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { NETWORK_ANNOTATIONS, NETWORKS_FINALIZER, NEPHIO_GROUP } from '../../contract/nephio';
import type { EntryOwner } from '../../contract/networks/entry';
import type { NamedObject } from '../../rules/networks/types';
import type { NetworksDoorParts, NetworksFeed, NetworksObjectKey, NetworksWriter, ObjectWork } from './door-parts';

/** Kind of each piece of work, as objects name it. */
export const KINDS = { instance: 'NetworkInstance', prefix: 'IPPrefix', allocation: 'IPAllocation' } as const;

/** Cluster of all owners on record: the record is a part of the cluster, so it names none. */
export const OWN_CLUSTER = '';

/** API group and version of the three kinds. */
export const API_VERSION = `${NEPHIO_GROUP}/v1alpha1`;

/**
 * Finds the work of an owner.
 *
 * @param kind - of the owner
 * @returns the word of its keys; undefined for an owner of another kind
 */
export function workOfKind(kind: string): ObjectWork | undefined {
  return (['instance', 'prefix', 'allocation'] as const).find((of) => KINDS[of] === kind);
}

/**
 * Finds the watch of a kind.
 *
 * @param parts - of the door
 * @param of - the kind
 * @returns its watch
 */
export function feedOf(parts: NetworksDoorParts, of: ObjectWork): NetworksFeed {
  const { instances, prefixes, allocations } = parts;
  return { instance: instances, prefix: prefixes, allocation: allocations }[of];
}

/**
 * Finds the writer of a kind.
 *
 * @param parts - of the door
 * @param of - the kind
 * @returns its writer
 */
export function writerOf(parts: NetworksDoorParts, of: ObjectWork): NetworksWriter {
  const { instanceWriter, prefixWriter, allocationWriter } = parts;
  return { instance: instanceWriter, prefix: prefixWriter, allocation: allocationWriter }[of];
}

/**
 * Names an object.
 *
 * @param of - its kind
 * @param object - as the API server has it
 * @returns the key of its work
 */
export function keyOf(of: ObjectWork, object: JsonMap): NetworksObjectKey {
  const { namespace, name, uid } = metadataOf(object);
  return { of, namespace: textOf(namespace), name: textOf(name), uid: textOf(uid) };
}

/**
 * Names an object in sentences and conditions.
 *
 * @param of - its kind
 * @param object - as the API server has it
 * @returns kind, namespace and name
 */
export function namedOf(of: ObjectWork, object: JsonMap): NamedObject {
  const { namespace, name } = keyOf(of, object);
  return { kind: KINDS[of], namespace, name };
}

/**
 * Reads everything of an object but its status: own writes of that come back by the watch, and are no news.
 *
 * @param object - as the API server has it
 * @returns a text that is the same while nothing else changed
 */
export function gistOf(object: JsonMap): string {
  const { uid, generation, deletionTimestamp, labels, annotations } = metadataOf(object);
  return JSON.stringify([uid, generation, deletionTimestamp, labels, annotations]);
}

/**
 * Names an object as the record does.
 *
 * @param parts - of the door
 * @param key - of the object
 * @returns the owner of its entries
 */
export function ownerOf({ namespaces }: NetworksDoorParts, key: NetworksObjectKey): EntryOwner {
  const { of, namespace, name, uid } = key;
  const namespaceUid = textOf(metadataOf(namespaces.get('', namespace))['uid']);
  return { cluster: OWN_CLUSTER, apiVersion: API_VERSION, kind: KINDS[of], namespace, namespaceUid, name, uid };
}

/**
 * Names an object for Events.
 *
 * @param key - of its work
 * @returns what an Event is about
 */
export function referenceOf({ of, namespace, name, uid }: NetworksObjectKey) {
  return { apiVersion: API_VERSION, kind: KINDS[of], namespace, name, uid };
}

/**
 * Tells whether an object is being deleted.
 *
 * @param object - as the API server has it
 * @returns true once its deletion was asked for
 */
export const isDying = (object: JsonMap): boolean => metadataOf(object)['deletionTimestamp'] !== undefined;

/**
 * Tells whether an object has our finalizer.
 *
 * @param object - as the API server has it
 * @returns true where its deletion waits for us
 */
export const hasFinalizer = (object: JsonMap): boolean =>
  listOf(metadataOf(object)['finalizers']).includes(NETWORKS_FINALIZER);

/**
 * Tells whether an object is to be left alone.
 *
 * @param object - as the API server has it; undefined where there is none
 * @returns true with one of both annotations
 */
export function isPaused(object: JsonMap | undefined): boolean {
  const annotations = mapOf(metadataOf(object)['annotations']);
  return isPausedByKey(annotations) || annotations[NETWORK_ANNOTATIONS.paused] !== undefined;
}

/**
 * Reads when an object was made.
 *
 * @param object - as the API server has it
 * @returns milliseconds since 1970; 0 where it does not tell
 */
export function createdMsOf(object: JsonMap): number {
  const ms = Date.parse(textOf(metadataOf(object)['creationTimestamp']));
  return Number.isNaN(ms) ? 0 : ms;
}

/**
 * Orders objects by age, and those of one second by name.
 *
 * @param a - as the API server has it
 * @param b - another one
 * @returns below 0 where the first one is older
 */
export function byAge(a: JsonMap, b: JsonMap): number {
  const [first, second] = [a, b].map((each) => metadataOf(each));
  return createdMsOf(a) - createdMsOf(b) || (nameOf(first) < nameOf(second) ? -1 : 1);
}

const nameOf = (metadata: JsonMap | undefined): string =>
  `${textOf(metadata?.['namespace'])}/${textOf(metadata?.['name'])}`;
