/** One piece of work: the placement of an EgressIPAM, or what one Node or Namespace is to have in its dataplane. */
export interface PlacementKey {
  readonly of: 'egressIpam' | 'node' | 'namespace';
  readonly name: string;
}

/**
 * Writes a key as one text.
 *
 * @param key - of a piece of work
 * @param key.of - its kind
 * @param key.name - of the object
 * @returns the same for equal keys
 */
export const keyText = ({ of, name }: PlacementKey): string => `${of}/${name}`;

/** Pieces of work that wait for one another. */
export class Waits {
  readonly #waiting = new Map<string, Map<string, PlacementKey>>();

  /**
   * Lets a piece of work wait for another one.
   *
   * @param other - that comes first
   * @param key - that waits
   */
  until(other: PlacementKey, key: PlacementKey): void {
    const text = keyText(other);
    const all = this.#waiting.get(text) ?? new Map<string, PlacementKey>();
    this.#waiting.set(text, all.set(keyText(key), key));
  }

  /**
   * Takes out what waited for a piece of work.
   *
   * @param other - that has ended, or of which something changed
   * @returns each waiting one once
   */
  ended(other: PlacementKey): readonly PlacementKey[] {
    const text = keyText(other);
    const all = [...(this.#waiting.get(text)?.values() ?? [])];
    this.#waiting.delete(text);
    return all;
  }

  /** Forgets all. */
  clear(): void {
    this.#waiting.clear();
  }
}
