import { IpamError } from '../../operator/errors/ipam-error';
import { accept, refuse, type Outcome } from '../../operator/errors/outcome';
import type { IntentListener, IntentRow, IntentRows } from '../../operator/ports/intent-rows';

/** Rows that several {@link MemoryIntentRows} share, as processes share a table. */
export interface SharedIntents {
  readonly rows: Map<string, IntentRow>;
  readonly listeners: Set<IntentListener>;
}

/**
 * Makes an empty table.
 *
 * @returns what the views of it share
 */
export function sharedIntents(): SharedIntents {
  return { rows: new Map(), listeners: new Set() };
}

/** Intent rows in a map: the reference of the port, for tests and for an operator without a cluster. Nothing is durable. */
export class MemoryIntentRows implements IntentRows {
  readonly #table: SharedIntents;
  readonly #own = new Set<IntentListener>();
  #closed = false;

  /**
   * Opens a view of a table.
   *
   * @param table - the rows; a table of its own by default
   */
  constructor(table: SharedIntents = sharedIntents()) {
    this.#table = table;
  }

  /** @inheritdoc */
  async put(row: IntentRow, before?: number): Promise<Outcome<void>> {
    return this.#whenOpen(() => {
      if (this.#table.rows.get(row.id)?.version !== before) return refuseRowConflict(row.id);
      const kept = structuredClone(row);
      this.#table.rows.set(row.id, kept);
      this.#tell(row.id, kept);
      return accept(undefined);
    });
  }

  /** @inheritdoc */
  async remove(id: string, before: number): Promise<Outcome<void>> {
    return this.#whenOpen(() => {
      const row = this.#table.rows.get(id);
      if (row === undefined) return accept(undefined);
      if (row.version !== before) return refuseRowConflict(id);
      this.#table.rows.delete(id);
      this.#tell(id, undefined);
      return accept(undefined);
    });
  }

  /** @inheritdoc */
  watch(listener: IntentListener): () => void {
    const entry: IntentListener = (id, row) => {
      listener(id, row);
    };
    for (const row of this.#table.rows.values()) entry(row.id, row);
    this.#table.listeners.add(entry);
    this.#own.add(entry);
    return () => {
      this.#table.listeners.delete(entry);
      this.#own.delete(entry);
    };
  }

  /** @inheritdoc */
  problem(): string | undefined {
    return undefined;
  }

  /** @inheritdoc */
  close(): Promise<void> {
    this.#closed = true;
    for (const entry of this.#own) this.#table.listeners.delete(entry);
    return Promise.resolve();
  }

  #tell(id: string, row: IntentRow | undefined): void {
    for (const listener of this.#table.listeners) listener(id, row);
  }

  // Turns a throw into a rejection, and keeps callers from seeing half a change: nothing here waits.
  #whenOpen<V>(work: () => V): Promise<V> {
    if (this.#closed) return Promise.reject(new IpamError('store/closed', 'the intent rows were closed'));
    return Promise.resolve(work());
  }
}

function refuseRowConflict(id: string): Outcome<never> {
  return refuse('store/conflict', `intent row "${id}" was changed by another process at the same time`);
}
