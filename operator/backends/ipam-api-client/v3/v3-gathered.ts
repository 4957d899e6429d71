/** Serves some items by one call, in their order. */
export type ServeAll<I, O> = (items: readonly I[]) => Promise<readonly O[]>;

/**
 * Makes one call of what is asked for at one moment. Safe for parallel calls; a call begins after everything that it serves was asked
 * for, so nothing that it answers is older.
 */
export class Gathered<I, O> {
  readonly #serve: ServeAll<I, O>;
  readonly #most: number;
  #waiting: { readonly item: I; readonly done: (answer: Promise<O>) => void }[] = [];

  /**
   * Waits for nothing yet.
   *
   * @param serve - makes a call
   * @param most - items of one call
   */
  constructor(serve: ServeAll<I, O>, most: number) {
    this.#serve = serve;
    this.#most = most;
  }

  /**
   * Asks for one item.
   *
   * @param item - goes with the others of this moment
   * @returns its part of the answer
   */
  add(item: I): Promise<O> {
    return new Promise((done) => {
      this.#waiting.push({ item, done });
      if (this.#waiting.length === 1) {
        queueMicrotask(() => {
          this.#flush();
        });
      }
    });
  }

  #flush(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let at = 0; at < waiting.length; at += this.#most) {
      const some = waiting.slice(at, at + this.#most);
      const answers = this.#serve(some.map(({ item }) => item));
      for (const [index, { done }] of some.entries()) done(answers.then((all) => all[index] as O));
    }
  }
}
