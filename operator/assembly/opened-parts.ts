type End = () => Promise<void> | void;

/** Parts that a start has opened, in their order; they are ended in the opposite order. */
export class OpenedParts {
  readonly #ends: End[] = [];
  readonly #ending: AbortSignal | undefined;
  #ended: Promise<void> = Promise.resolve();

  /**
   * Opens nothing yet.
   *
   * @param ending - once it is aborted, no further part is taken
   */
  constructor(ending?: AbortSignal) {
    this.#ending = ending;
  }

  /**
   * Keeps how a part is ended.
   *
   * @param part - open part
   * @param end - ends it; called once
   * @returns the part
   * @throws the reason of the signal when the start is to end; the part is kept all the same
   */
  add<T>(part: T, end: (part: T) => Promise<void> | void): T {
    this.#ends.push(() => end(part));
    this.#ending?.throwIfAborted();
    return part;
  }

  /**
   * Ends every part, one after the other, the newest first. One call runs after the other: a part that a step has opened during the
   * first is ended by the second.
   *
   * @returns once the parts of this call are ended
   * @throws what a part threw at its end; the others are ended all the same
   */
  end(): Promise<void> {
    this.#ended = this.#ended.catch(() => undefined).then(() => this.#endAll());
    return this.#ended;
  }

  async #endAll(): Promise<void> {
    const end = this.#ends.pop();
    if (end === undefined) return;
    try {
      await end();
    } finally {
      // a part that fails to end must not keep the older ones open, such as the lock on the store
      await this.#endAll();
    }
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

/**
 * Opens parts that belong together: all of them, or none.
 *
 * @param open - opens them, and keeps each one's end
 * @returns its result
 * @throws what it threw; the parts that it had opened by then are ended
 */
export async function openTogether<T>(open: (opened: OpenedParts) => Promise<T>): Promise<T> {
  const opened = new OpenedParts();
  try {
    return await open(opened);
  } catch (thrown) {
    await opened.end().catch(() => undefined);
    throw thrown;
  }
}
