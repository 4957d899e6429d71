import { isMap, textOf, type JsonMap } from '../contract/loose-json';
import type { ServiceChange } from '../ports/service-feed';

/** One change of a stored object. */
export type ObjectChange = ServiceChange;

interface Named {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

const keyOf = (namespace: string, name: string): string => `${namespace}/${name}`;

/**
 * The last known state of the objects of one resource by namespace and name. Not for parallel writers; keeps the objects that it
 * was given, so nobody may change them.
 */
export class ObjectStore {
  readonly #objects = new Map<string, JsonMap>();

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
    const changes = changesBetween(before, object);
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
    return changesBetween(before, undefined);
  }

  /**
   * Takes a complete list. What is missing in it was deleted meanwhile.
   *
   * @param objects - all objects of the resource
   * @returns what changed, the deletes first; known versions keep their object. O(n)
   */
  replace(objects: readonly JsonMap[]): readonly ObjectChange[] {
    const present = new Set<string>();
    for (const object of objects) {
      const named = namesOf(object);
      if (named !== undefined) present.add(keyOf(named.namespace, named.name));
    }
    const changes: ObjectChange[] = [];
    for (const [key, before] of this.#objects) {
      if (present.has(key)) continue;
      this.#objects.delete(key);
      changes.push(...changesBetween(before, undefined));
    }
    for (const object of objects) changes.push(...this.put(object));
    return changes;
  }
}

function changesBetween(before: JsonMap | undefined, after: JsonMap | undefined): readonly ObjectChange[] {
  const [old, now] = [before && namesOf(before), after && namesOf(after)];
  if (old !== undefined && now !== undefined && old.uid === now.uid) {
    return old.resourceVersion === now.resourceVersion ? [] : [change(now, { before, after })];
  }
  return [
    ...(old === undefined ? [] : [change(old, { before })]),
    ...(now === undefined ? [] : [change(now, { after })]),
  ];
}

function change(
  { namespace, name, uid }: Named,
  { before, after }: { readonly before?: JsonMap | undefined; readonly after?: JsonMap | undefined },
): ObjectChange {
  return {
    key: { namespace, name, uid },
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
  };
}

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
