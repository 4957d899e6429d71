import { isMap, textOf, type JsonMap } from '../../contract/loose-json';
import type { ObjectChange } from '../../ports/object-feed';
import { isOlder } from './newest-version';

interface Named {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

const keyOf = (namespace: string, name: string): string => `${namespace}/${name}`;

/** A complete list that was made while a watch went on. */
export interface LaterList {
  readonly objects: readonly JsonMap[];
  readonly resourceVersion: string;
  /** UIDs of the objects that the watch told as deleted meanwhile. */
  readonly removed: ReadonlySet<string>;
}

/**
 * The last known state of the objects of one resource by namespace and name. Not for parallel writers; keeps the objects that it
 * was given, so they must not be changed.
 */
export class ObjectStore {
  #objects = new Map<string, JsonMap>();

  /**
   * Looks one object up.
   *
   * @param namespace - empty for an object of the whole cluster
   * @param name - its name there
   * @returns the object, whatever its UID
   */
  get(namespace: string, name: string): JsonMap | undefined {
    return this.#objects.get(keyOf(namespace, name));
  }

  /**
   * Reads all objects, O(n).
   *
   * @returns a copy of the list
   */
  list(): readonly JsonMap[] {
    return [...this.#objects.values()];
  }

  /**
   * Takes an object as it is stored now.
   *
   * @param object - with metadata
   * @returns what changed: nothing for a version that is known, two changes for an object made anew under its name
   */
  put(object: JsonMap): readonly ObjectChange[] {
    const named = namesOf(object);
    if (named === undefined) return [];
    const key = keyOf(named.namespace, named.name);
    const before = this.#objects.get(key);
    const changes = before === undefined ? madeChange(object) : changesBetween(before, object);
    if (changes.length > 0) this.#objects.set(key, object);
    return changes;
  }

  /**
   * Takes an object as deleted.
   *
   * @param object - its last state
   * @returns the change; none when the object is not known, or another one has its name by now
   */
  remove(object: JsonMap): readonly ObjectChange[] {
    const named = namesOf(object);
    if (named === undefined) return [];
    const key = keyOf(named.namespace, named.name);
    const before = this.#objects.get(key);
    if (before === undefined || namesOf(before)?.uid !== named.uid) return [];
    this.#objects.delete(key);
    return goneChange(before);
  }

  /**
   * Takes a complete list. What is missing in it was deleted meanwhile.
   *
   * @param objects - all objects of the resource
   * @returns what changed, the deletes first; known versions keep their object. O(n)
   */
  replace(objects: readonly JsonMap[]): readonly ObjectChange[] {
    const next = new Map<string, JsonMap>();
    const news: ObjectChange[] = [];
    for (const object of objects) {
      const named = namesOf(object);
      if (named === undefined) continue;
      const key = keyOf(named.namespace, named.name);
      const before = this.#objects.get(key);
      const changes = before === undefined ? [{ key: keyPart(named), after: object }] : changesBetween(before, object);
      next.set(key, changes.length === 0 && before !== undefined ? before : object);
      for (const each of changes) news.push(each);
    }
    const gone: ObjectChange[] = [];
    for (const [key, before] of this.#objects) {
      if (!next.has(key)) gone.push(...goneChange(before));
    }
    this.#objects = next;
    return [...gone, ...news];
  }

  /**
   * Takes what a complete list has and the watch did not tell. Whatever the watch told since the list was made stays.
   *
   * @param list - of all objects of the resource
   * @returns what changed, the deletes first. O(n)
   */
  merge({ objects, resourceVersion, removed }: LaterList): readonly ObjectChange[] {
    const listed = new Set<string>();
    const news: ObjectChange[] = [];
    for (const object of objects) {
      const named = namesOf(object);
      if (named === undefined || removed.has(named.uid)) continue;
      const key = keyOf(named.namespace, named.name);
      listed.add(key);
      const before = this.#objects.get(key);
      if (before === undefined || !isOlder(named.resourceVersion, versionOf(before))) news.push(...this.put(object));
    }
    const gone: ObjectChange[] = [];
    for (const [key, before] of this.#objects) {
      if (listed.has(key) || isOlder(resourceVersion, versionOf(before))) continue;
      this.#objects.delete(key);
      gone.push(...goneChange(before));
    }
    return [...gone, ...news];
  }
}

function versionOf(object: JsonMap): string {
  return namesOf(object)?.resourceVersion ?? '';
}

function changesBetween(before: JsonMap, after: JsonMap): readonly ObjectChange[] {
  const [old, now] = [namesOf(before), namesOf(after)];
  if (old?.uid !== now?.uid) return [...goneChange(before), ...madeChange(after)];
  if (now === undefined || old?.resourceVersion === now.resourceVersion) return [];
  return [{ key: keyPart(now), before, after }];
}

function goneChange(before: JsonMap): readonly ObjectChange[] {
  const old = namesOf(before);
  return old === undefined ? [] : [{ key: keyPart(old), before }];
}

/**
 * Tells of an object that was not known before.
 *
 * @param after - as it is stored now
 * @returns the change; none for an object without a name
 */
export function madeChange(after: JsonMap): readonly ObjectChange[] {
  const now = namesOf(after);
  return now === undefined ? [] : [{ key: keyPart(now), after }];
}

const keyPart = ({ namespace, name, uid }: Named): ObjectChange['key'] => ({ namespace, name, uid });

function namesOf({ metadata }: JsonMap): Named | undefined {
  if (!isMap(metadata)) return undefined;
  const name = textOf(metadata['name']);
  if (name === '') return undefined;
  return {
    namespace: textOf(metadata['namespace']),
    name,
    uid: textOf(metadata['uid']),
    resourceVersion: textOf(metadata['resourceVersion']),
  };
}
