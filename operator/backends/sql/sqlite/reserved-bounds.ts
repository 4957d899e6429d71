/** Namespaces whose bound is remembered: some megabytes. */
const MOST_NAMESPACES = 20_000;

/**
 * Knows at least how many reserved holders each namespace has, without following how they end: the bound grows with each new one,
 * and is counted anew only where it would be too high. One caller at a time; after a rollback call {@link forget}.
 */
export class ReservedBounds {
  readonly #bounds = new Map<string, number>();
  readonly #count: (namespaceUid: string) => number;

  /**
   * Starts without a bound.
   *
   * @param count - counts the reserved holders of a namespace
   */
  constructor(count: (namespaceUid: string) => number) {
    this.#count = count;
  }

  /** Drops every bound. */
  forget(): void {
    this.#bounds.clear();
  }

  /**
   * Notes a new reserved holder.
   *
   * @param namespaceUid - UID of its namespace
   */
  added(namespaceUid: string): void {
    const bound = this.#bounds.get(namespaceUid);
    if (bound !== undefined) this.#bounds.set(namespaceUid, bound + 1);
  }

  /**
   * Tells whether a namespace may have no more reserved holders.
   *
   * @param namespaceUid - the one that asks for more
   * @param more - how many it wants
   * @param limit - most that it may have
   * @returns true when it would have more than the limit
   */
  areOver(namespaceUid: string, more: number, limit: number): boolean {
    const bound = this.#bounds.get(namespaceUid);
    if (bound !== undefined && bound + more <= limit) return false;
    if (bound === undefined && this.#bounds.size >= MOST_NAMESPACES) this.#bounds.clear();
    const count = this.#count(namespaceUid);
    this.#bounds.set(namespaceUid, count);
    return count + more > limit;
  }
}
