/** Listeners of one kind of news; each registration ends by itself, also where one function has several. */
export class ListenerSet<T> {
  readonly #listeners = new Set<(news: T) => void>();

  /**
   * Adds a listener.
   *
   * @param listener - must not throw
   * @returns the function that ends this registration alone
   */
  add(listener: (news: T) => void): () => void {
    const own = (news: T): void => {
      listener(news);
    };
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  /**
   * Tells all listeners.
   *
   * @param news - for each of those that are registered now
   */
  tell(news: T): void {
    for (const listener of [...this.#listeners]) listener(news);
  }
}
