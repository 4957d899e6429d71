/**
 * Writes that several pieces of work need before they go on, each done once however many ask at the same time. One that was done is
 * remembered; one that failed is done again by the next that asks.
 */
export class SharedWrites<V> {
  readonly #done = new Map<string, Promise<V | undefined>>();

  /**
   * Does a write, or waits for it.
   *
   * @param key - of the write, for example the UID of an object
   * @param write - answers undefined where it came to nothing
   * @returns its answer
   * @throws what the write throws
   */
  async do(key: string, write: () => Promise<V | undefined>): Promise<V | undefined> {
    const known = this.#done.get(key);
    if (known !== undefined) return known;
    const written = write();
    this.#done.set(key, written);
    try {
      const answer = await written;
      if (answer === undefined) this.#done.delete(key);
      return answer;
    } catch (thrown) {
      this.#done.delete(key);
      throw thrown;
    }
  }

  /**
   * Forgets a write: it is to be done again where it is asked for.
   *
   * @param key - of the write
   */
  forget(key: string): void {
    this.#done.delete(key);
  }
}
