/** Work on machines: one piece at a time for each node. */
export class NodeTurns {
  readonly #last = new Map<string, Promise<unknown>>();

  /**
   * Does a piece of work after those that began before it.
   *
   * @param node - name
   * @param work - must not wait for a turn of its own
   * @returns what the work returns
   * @throws whatever the work throws
   */
  async take<V>(node: string, work: () => Promise<V>): Promise<V> {
    const before = this.#last.get(node);
    const turn = (async () => {
      await before?.catch(() => undefined);
      return work();
    })();
    this.#last.set(node, turn);
    try {
      return await turn;
    } finally {
      if (this.#last.get(node) === turn) this.#last.delete(node);
    }
  }
}
