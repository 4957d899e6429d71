/** One place in a {@link FairLine}. */
export interface Place<T> {
  /** Identity within the line. */
  readonly text: string;
  readonly group: string;
  readonly item: T;
}

interface Group<T> {
  readonly places: Map<string, Place<T>>;
  /** One iterator for the life of the group: a new one would walk over all that have left. */
  readonly order: IterableIterator<Place<T>>;
}

function newGroup<T>(): Group<T> {
  const places = new Map<string, Place<T>>();
  return { places, order: places.values() };
}

/** A waiting line in which groups take turns, and each text stands once. Every call is O(1). */
export class FairLine<T> {
  /** Groups in the order of their turns; none is empty. */
  readonly #groups = new Map<string, Group<T>>();
  #size = 0;

  /**
   * Counts the places.
   *
   * @returns how many wait
   */
  get size(): number {
    return this.#size;
  }

  /**
   * Lines up at the end of the group; one that waits already keeps its place, with the new item.
   *
   * @param place - the waiting one
   */
  push(place: Place<T>): void {
    const group = this.#groups.get(place.group) ?? newGroup<T>();
    if (!group.places.has(place.text)) this.#size++;
    group.places.set(place.text, place);
    this.#groups.set(place.group, group);
  }

  /**
   * Tells whether any is waiting.
   *
   * @param text - its name
   * @param name - the group where it would stand
   * @returns true when it stands there
   */
  has(text: string, name: string): boolean {
    return this.#groups.get(name)?.places.has(text) === true;
  }

  /**
   * Takes the first of the group whose turn it is.
   *
   * @returns the one that was; undefined when none waits
   */
  shift(): Place<T> | undefined {
    for (const [name, group] of this.#groups) {
      const first = group.order.next();
      this.#groups.delete(name);
      if (first.done === true) continue;
      group.places.delete(first.value.text);
      this.#size--;
      if (group.places.size > 0) this.#groups.set(name, group);
      return first.value;
    }
    return undefined;
  }

  /**
   * Leaves the line.
   *
   * @param text - its name
   * @param name - the group where it stands
   */
  remove(text: string, name: string): void {
    const group = this.#groups.get(name);
    if (group?.places.delete(text) !== true) return;
    this.#size--;
    if (group.places.size === 0) this.#groups.delete(name);
  }

  /** Sends all away. */
  clear(): void {
    this.#groups.clear();
    this.#size = 0;
  }
}
