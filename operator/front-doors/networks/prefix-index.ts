import type { Prefix } from '../../addressing/prefix';
import { mapOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import type { ObjectChange } from '../../ports/object-feed';
import { readPrefix } from '../../rules/networks';
import type { PrefixRequest } from '../../rules/networks/types';
import { createdMsOf, isDying } from './objects';

/** One IPPrefix that can be read. */
export interface StoredPrefix {
  readonly object: JsonMap;
  readonly request: PrefixRequest;
  readonly uid: string;
  readonly createdMs: number;
  /** Gives no more: it is being deleted or drained. */
  readonly isClosed: boolean;
}

/** The IPPrefixes of every NetworkInstance, by their block. */
export class PrefixIndex {
  readonly #stored = new Map<string, StoredPrefix>();
  /** By UID, of each block of an instance. */
  readonly #places = new Map<string, Map<string, StoredPrefix>>();
  /** By UID, of each instance. */
  readonly #instances = new Map<string, Map<string, StoredPrefix>>();

  /**
   * Takes over a change of the watch.
   *
   * @param change - of an IPPrefix
   * @returns what was known of it, and what is known now
   */
  follow(change: ObjectChange): { readonly before?: StoredPrefix; readonly after?: StoredPrefix } {
    const { uid } = change.key;
    const before = this.#stored.get(uid);
    if (before !== undefined) this.#drop(before);
    const after = change.after === undefined ? undefined : storedOf(change.after);
    if (after !== undefined) this.#add(after);
    return { ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) };
  }

  /**
   * Lists the IPPrefixes of one block, the oldest first.
   *
   * @param instance - `namespace/name`
   * @param block - as they name it
   * @returns all of them
   */
  at(instance: string, block: Prefix): readonly StoredPrefix[] {
    const found = [...(this.#places.get(placeOf(instance, block))?.values() ?? [])];
    return found.sort((a, b) => a.createdMs - b.createdMs || (a.request.owner.name < b.request.owner.name ? -1 : 1));
  }

  /**
   * Finds an IPPrefix.
   *
   * @param uid - of the object
   * @returns it; undefined where it is not stored, or cannot be read
   */
  get(uid: string): StoredPrefix | undefined {
    return this.#stored.get(uid);
  }

  /**
   * Lists the IPPrefixes of a NetworkInstance.
   *
   * @param instance - `namespace/name`
   * @returns all that can be read
   */
  of(instance: string): readonly StoredPrefix[] {
    return [...(this.#instances.get(instance)?.values() ?? [])];
  }

  #add(stored: StoredPrefix): void {
    this.#stored.set(stored.uid, stored);
    const instance = instanceKeyOf(stored.object);
    inside(this.#places, placeOf(instance, stored.request.block)).set(stored.uid, stored);
    inside(this.#instances, instance).set(stored.uid, stored);
  }

  #drop(stored: StoredPrefix): void {
    this.#stored.delete(stored.uid);
    const instance = instanceKeyOf(stored.object);
    outside(this.#places, placeOf(instance, stored.request.block), stored.uid);
    outside(this.#instances, instance, stored.uid);
  }
}

/**
 * Names the NetworkInstance of an IPPrefix.
 *
 * @param object - as the API server has it
 * @returns `namespace/name`
 */
export function instanceKeyOf(object: JsonMap): string {
  return `${textOf(metadataOf(object)['namespace'])}/${textOf(mapOf(object['spec'])['networkInstance'])}`;
}

const placeOf = (instance: string, block: Prefix): string => `${instance} ${block.toString()}`;

function storedOf(object: JsonMap): StoredPrefix | undefined {
  const read = readPrefix(object);
  if (!read.ok) return undefined;
  return {
    object,
    request: read.value,
    uid: textOf(metadataOf(object)['uid']),
    createdMs: createdMsOf(object),
    isClosed: isDying(object) || mapOf(object['spec'])['draining'] === true,
  };
}

function inside<V>(map: Map<string, Map<string, V>>, key: string): Map<string, V> {
  const found = map.get(key) ?? new Map<string, V>();
  map.set(key, found);
  return found;
}

function outside<V>(map: Map<string, Map<string, V>>, key: string, uid: string): void {
  const found = map.get(key);
  found?.delete(uid);
  if (found?.size === 0) map.delete(key);
}
