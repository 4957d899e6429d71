type End = () => Promise<void> | void;

/** Parts that a start has opened, in their order; they are ended in the opposite order. */
export class OpenedParts {
  readonly #ends: End[] = [];

  /**
   * Keeps how a part is ended.
   *
   * @param part - open part
   * @param end - ends it; called once
   * @returns the part
   */
  add<T>(part: T, end: (part: T) => Promise<void> | void): T {
    this.#ends.push(() => end(part));
    return part;
  }

  /**
   * Ends every part, one after the other, the newest first. Calling it again ends what was added since.
   */
  async end(): Promise<void> {
    for (let end = this.#ends.pop(); end !== undefined; end = this.#ends.pop()) await end();
  }
}

/**
 * Ends a part that has a `close`.
 *
 * @param part - open part
 * @param part.close - ends it
 * @returns once it is closed
 */
export function closed(part: { close(): Promise<void> | void }): Promise<void> | void {
  return part.close();
}
