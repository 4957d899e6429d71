import { traceOf } from '../../errors/trace';
import type { Logger } from '../../ports/logger';
import type { Meter } from '../../ports/meter';
import type { ObjectChange } from '../../ports/object-feed';

/** Takes one change. A promise is allowed; it is not waited for. */
type Listener = (change: ObjectChange) => unknown;

/** Where failures of listeners go. */
export interface ListenerTools {
  readonly logger: Logger;
  readonly meter?: Meter | undefined;
  readonly resource: string;
}

/** Listeners to changes. One that throws, or whose promise rejects, keeps no change from the others. */
export class Listeners {
  readonly #listeners = new Set<{ readonly run: Listener }>();
  readonly #tools: ListenerTools;

  /**
   * Begins without listeners.
   *
   * @param tools - telemetry
   */
  constructor(tools: ListenerTools) {
    this.#tools = tools;
  }

  /**
   * Adds a listener.
   *
   * @param run - called for each change
   * @param missed - changes that it is told at once
   * @returns the function that takes it away
   */
  add(run: Listener, missed: readonly ObjectChange[]): () => void {
    const entry = { run };
    this.#listeners.add(entry);
    for (const change of missed) this.#tell(run, change);
    return () => {
      this.#listeners.delete(entry);
    };
  }

  /**
   * Tells changes in their order.
   *
   * @param changes - of the store, which holds them already
   */
  tell(changes: readonly ObjectChange[]): void {
    for (const change of changes) for (const { run } of this.#listeners) this.#tell(run, change);
  }

  /** Takes all listeners away. */
  clear(): void {
    this.#listeners.clear();
  }

  #tell(run: Listener, change: ObjectChange): void {
    try {
      // an async function fits where the port says void
      const result = run(change);
      if (result instanceof Promise) result.catch(this.#failed);
    } catch (thrown) {
      this.#failed(thrown);
    }
  }

  readonly #failed = (thrown: unknown): void => {
    const { logger, meter, resource } = this.#tools;
    meter?.count('watch_listener_failures_total', { resource });
    logger.error('a listener of watched objects failed', { resource, trace: traceOf(thrown) });
  };
}
