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
