import type { JsonMap } from '../../../contract/loose-json';
import type { ObjectFeed } from '../../../ports/object-feed';
import { ListenerSet } from '../../../runtime/listener-set';
import type { OwnedFeed } from './dataplane-cluster';

/** One change of an object that was read. */
export interface ReadChange<T> {
  readonly name: string;
  readonly before?: T;
  readonly after?: T;
}

/** Objects of the whole cluster of one kind, each read once for every version. */
export class ReadObjects<T> {
  readonly feed: ObjectFeed;
  readonly #owned: OwnedFeed;
  readonly #objects = new Map<string, T>();
  readonly #listeners = new ListenerSet<ReadChange<T>>();
  readonly #stop: () => void;

  /**
   * Follows a watch.
   *
   * @param feed - of the kind; ends with this
   * @param read - must not throw
   */
  constructor(feed: OwnedFeed, read: (object: JsonMap) => T) {
    this.feed = feed;
    this.#owned = feed;
    this.#stop = feed.onChange(({ key: { name }, after: object }) => {
      const before = this.#objects.get(name);
      const after = object && read(object);
      if (after === undefined) this.#objects.delete(name);
      else this.#objects.set(name, after);
      this.#listeners.tell({
        name,
        ...(before === undefined ? {} : { before }),
        ...(after === undefined ? {} : { after }),
      });
    });
  }

  /**
   * Looks an object up.
   *
   * @param name - its name
   * @returns what was read; undefined where none is stored
   */
  get(name: string): T | undefined {
    return this.#objects.get(name);
  }

  /**
   * Lists what is stored.
   *
   * @returns a copy, O(n)
   */
  all(): readonly T[] {
    return [...this.#objects.values()];
  }

  /**
   * Adds a listener for later changes.
   *
   * @param listener - must not throw
   * @returns the function that takes it away
   */
  onChange(listener: (change: ReadChange<T>) => void): () => void {
    return this.#listeners.add(listener);
  }

  /**
   * Ends the watch.
   *
   * @returns when nothing is under way
   */
  async close(): Promise<void> {
    this.#stop();
    await this.#owned.close();
  }
}
