import { Prefix } from '../../addressing/prefix';
import { mapOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import type { ObjectChange } from '../../ports/object-feed';
import { readDeclared, type DeclaredPrefix } from '../../rules/networks';
import { createdMsOf, isDying } from './objects';

/** One IPPrefix whose place can be read. */
export interface StoredPrefix extends DeclaredPrefix {
  readonly object: JsonMap;
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
   * Lists the IPPrefixes of one block, the oldest first; those as well that are to leave it and are still there.
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
   * Lists the IPPrefixes of larger blocks around one.
   *
   * @param instance - `namespace/name`
   * @param block - stored or not
   * @returns those of the nearest block first
   */
  around(instance: string, block: Prefix): readonly StoredPrefix[] {
    const found: StoredPrefix[] = [];
    if (!this.#instances.has(instance)) return found;
    for (let length = block.length - 1; length >= 0; length -= 1)
      found.push(...(this.#places.get(placeOf(instance, new Prefix(block.first, length)))?.values() ?? []));
    return found;
  }

  /**
   * Finds the IPPrefix that shows how much of a block is used: one of many would be written for each address that is given.
   *
   * @param instance - `namespace/name`
   * @param block - as it names it
   * @returns the oldest one that can be read and declares no range
   */
  counting(instance: string, block: Prefix): StoredPrefix | undefined {
    return this.at(instance, block).find(
      ({ request, isReadable }) => isReadable && request.range === undefined && request.block.equals(block),
    );
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
    for (const block of stored.places) inside(this.#places, placeOf(instance, block)).set(stored.uid, stored);
    inside(this.#instances, instance).set(stored.uid, stored);
  }

  #drop(stored: StoredPrefix): void {
    this.#stored.delete(stored.uid);
    const instance = instanceKeyOf(stored.object);
    for (const block of stored.places) outside(this.#places, placeOf(instance, block), stored.uid);
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
  const declared = readDeclared(object);
  if (declared === undefined) return undefined;
  return {
    ...declared,
    object,
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
