import type { AddressRecord, ClaimChange } from '../../ports/claims';

/** Listeners to the changes of claims. A listener that throws changes nothing for the others. */
export class ClaimWatchers {
  readonly #listeners = new Set<(change: ClaimChange) => void>();

  /**
   * Adds a listener.
   *
   * @param listener - is told each change
   * @returns the function that takes it away
   */
  add(listener: (change: ClaimChange) => void): () => void {
    // an own entry: one function may be registered twice and stopped once
    const entry = (change: ClaimChange): void => {
      listener(change);
    };
    this.#listeners.add(entry);
    return () => {
      this.#listeners.delete(entry);
    };
  }

  /** Takes all listeners away. */
  clear(): void {
    this.#listeners.clear();
  }

  /**
   * Tells a change.
   *
   * @param before - the record as it was; undefined for a new one
   * @param after - the record as it is; undefined where it is gone
   */
  tell(before: AddressRecord | undefined, after: AddressRecord | undefined): void {
    if (after === undefined) {
      if (before !== undefined) this.#tellOne('freed', before);
    } else if (before === undefined) this.#tellOne('taken', after);
    else if (before.state === 'quarantined' && after.state === 'held') {
      // the space was free in between unless the former holder returned before the end
      const isOver = (before.quarantine?.untilMs ?? 0) <= after.takenAtMs;
      if (isOver) this.#tellOne('freed', before);
      this.#tellOne('taken', after);
    } else this.#tellOne('changed', after);
  }

  #tellOne(kind: ClaimChange['kind'], { network, pool, address, length }: AddressRecord): void {
    for (const listener of this.#listeners) {
      try {
        listener({ kind, network, pool, address, length });
      } catch (error) {
        // a watcher's fault must not undo half of a verb
        process.emitWarning(`a watcher of the claim store threw: ${String(error)}`);
      }
    }
  }
}
