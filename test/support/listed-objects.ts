import { metadataOf, textOf, type JsonMap } from '../../operator/contract/loose-json';
import type { ObjectChange, ObjectFeed } from '../../operator/ports/object-feed';

/** A feed of objects that a test stores itself; complete from the beginning. */
export class ListedObjects implements ObjectFeed {
  readonly #objects = new Map<string, JsonMap>();
  readonly #listeners = new Set<(change: ObjectChange) => void>();

  put(object: JsonMap): void {
    const key = keyOf(object);
    const id = `${key.namespace}/${key.name}`;
    const before = this.#objects.get(id);
    this.#objects.set(id, object);
    this.#tell({ key, ...(before === undefined ? {} : { before }), after: object });
  }

  remove(namespace: string, name: string): void {
    const before = this.get(namespace, name);
    if (before === undefined) return;
    this.#objects.delete(`${namespace}/${name}`);
    this.#tell({ key: keyOf(before), before });
  }

  synced(): boolean {
    return true;
  }

  whenSynced(): Promise<void> {
    return Promise.resolve();
  }

  get(namespace: string, name: string): JsonMap | undefined {
    return this.#objects.get(`${namespace}/${name}`);
  }

  list(): readonly JsonMap[] {
    return [...this.#objects.values()];
  }

  onChange(listener: (change: ObjectChange) => void): () => void {
    this.#listeners.add(listener);
    for (const after of this.list()) listener({ key: keyOf(after), after });
    return () => {
      this.#listeners.delete(listener);
    };
  }

  problem(): undefined {
    return undefined;
  }

  #tell(change: ObjectChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}

function keyOf(object: JsonMap): ObjectChange['key'] {
  const { namespace, name, uid } = metadataOf(object);
  return { namespace: textOf(namespace), name: textOf(name), uid: textOf(uid) };
}
