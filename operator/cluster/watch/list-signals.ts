/** Promises of the next complete list. */
export class NextList {
  #waiting: (() => void)[] = [];

  /**
   * Waits.
   *
   * @returns once {@link made} is called
   */
  next(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Tells that a list is complete. */
  made(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** Listeners of a signal without content. */
export class SignalListeners {
  readonly #listeners = new Set<() => void>();

  /**
   * Adds a listener.
   *
   * @param listener - is called at each signal
   * @returns the function that takes it away
   */
  add(listener: () => void): () => void {
    const own = (): void => {
      listener();
    };
    this.#listeners.add(own);
    return () => {
      this.#listeners.delete(own);
    };
  }

  /** Gives the signal. */
  tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}
