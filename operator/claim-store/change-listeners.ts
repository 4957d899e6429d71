import type { AddressRecord, ClaimChange } from '../ports/claims';

/** Listeners of a store. Not shared between stores; keeps nothing but the listeners. */
export class ChangeListeners {
  readonly #listeners = new Set<(change: ClaimChange) => void>();

  /**
   * Adds a listener.
   *
   * @param listener - may be added twice, and is then told twice
   * @returns ends this registration alone
   */
  add(listener: (change: ClaimChange) => void): () => void {
    // a set of own entries: one function may be registered twice and stopped once
    const entry = (change: ClaimChange): void => {
      listener(change);
    };
    this.#listeners.add(entry);
    return () => {
      this.#listeners.delete(entry);
    };
  }

  /**
   * Tells a durable change of a record.
   *
   * @param kind - taken, changed or freed
   * @param record - the record as it is, or as it was where its space is free now
   */
  tellOf(kind: ClaimChange['kind'], { network, pool, address, length }: AddressRecord): void {
    this.tell({ kind, network, pool, address, length });
  }

  /**
   * Tells a durable change.
   *
   * @param change - told to all listeners; what one of them throws becomes a warning
   */
  tell(change: ClaimChange): void {
    for (const listener of this.#listeners) {
      try {
        listener(change);
      } catch (error) {
        // a watcher's fault must neither undo half of a verb nor turn a durable claim into a failure
        process.emitWarning(`a watcher of the claim store threw: ${String(error)}`);
      }
    }
  }

  /** Drops all listeners. */
  clear(): void {
    this.#listeners.clear();
  }
}
