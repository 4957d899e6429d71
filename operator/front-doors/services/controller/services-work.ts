import { WorkQueue } from '../../../runtime/work-queue';
import { traceOf } from '../../../errors/trace';
import { isIpamError } from '../../../errors/ipam-error';
import type { ServicesController } from './controller';
import { whileLeading, type LeaderWork } from '../../../runtime/leadership';
import type { Logger } from '../../../ports/logger';
import type { ServiceFeed, ServiceKey } from '../../../ports/service-feed';
import type { Tools } from '../../../ports/tools';

/** Services that are worked on at once: enough to fill the groups of the store, few enough for the API server. */
const WORKERS = 16;
/** Pause before a comparison that failed is tried again. */
const COMPARE_AGAIN_MS = 5_000;

/** What the work on stored Services is made of. */
export interface ServicesWorkParts extends Tools {
  readonly feed: ServiceFeed;
  readonly controller: ServicesController;
  /** Seconds between two comparisons of everything. */
  readonly resyncSeconds: number;
}

/**
 * Runs the controller of the Services door: the whole is compared first, then each change is worked on, and the whole again
 * from time to time.
 *
 * @param parts - feed, controller and tools
 * @returns the work of the leader
 */
export function servicesWork(parts: ServicesWorkParts): LeaderWork {
  return whileLeading(() => {
    const term = new Term(parts);
    return () => term.end();
  });
}

/**
 * Compares once at the start of a process that may not lead: like every other replica it gives nothing out before it has seen every
 * holder. Adopting twice is harmless, since the store gives an address to one holder only.
 *
 * @param parts - feed, controller and tools
 * @returns the function that ends it; it waits for a comparison that is under way
 */
export function compareAtStart({
  feed,
  controller,
  clock,
  logger,
}: Omit<ServicesWorkParts, 'resyncSeconds'>): () => Promise<void> {
  const state = { ended: false, cancel: (): void => undefined };
  const compare = async (): Promise<void> => {
    if (state.ended || controller.adopted()) return;
    try {
      await controller.compare();
    } catch (thrown) {
      reportFailed(logger, thrown);
      state.cancel = clock.after(COMPARE_AGAIN_MS, () => {
        running = compare();
      });
    }
  };
  // a feed that is closed before its first list has nothing to compare
  let running = feed.whenSynced().then(compare, () => undefined);
  return async () => {
    state.ended = true;
    await running;
    state.cancel();
  };
}

function reportFailed(logger: Logger, thrown: unknown): void {
  const known = isIpamError(thrown);
  logger.warn('comparison of Services with the record failed and is tried again', {
    code: known ? thrown.code : 'internal',
    trace: known ? undefined : traceOf(thrown),
  });
}

/** One time of leading. */
class Term {
  readonly #parts: ServicesWorkParts;
  readonly #queue: WorkQueue<ServiceKey>;
  readonly #stops: (() => void)[] = [];
  /** Keys that changed before the first comparison was complete. */
  #early: ServiceKey[] | undefined = [];
  #ended = false;
  #comparing: Promise<void> = Promise.resolve();
  #cancelTimer: () => void = () => undefined;

  constructor(parts: ServicesWorkParts) {
    this.#parts = parts;
    const { feed, controller, clock, logger, meter } = parts;
    this.#queue = new WorkQueue<ServiceKey>({
      name: 'services',
      textOf: ({ namespace, name, uid }) => `${namespace}/${name}/${uid}`,
      groupOf: ({ namespace }) => namespace,
      handle: (key) => this.#work(key),
      ...{ workers: WORKERS, clock, logger, meter },
    });
    this.#stops.push(
      feed.onChange(({ key }) => {
        this.#add(key);
      }),
      controller.onWake((key) => {
        this.#add(key);
      }),
    );
    void this.#compareOnceSynced();
  }

  async end(): Promise<void> {
    this.#ended = true;
    this.#cancelTimer();
    for (const stop of this.#stops) stop();
    await Promise.all([this.#queue.close(), this.#comparing]);
    this.#parts.controller.rest();
  }

  #add(key: ServiceKey): void {
    if (this.#early === undefined) this.#queue.add(key);
    else this.#early.push(key);
  }

  async #work(key: ServiceKey): Promise<void> {
    const { requeueAfterMs } = await this.#parts.controller.reconcile(key);
    if (requeueAfterMs !== undefined) this.#queue.addAfter(key, requeueAfterMs);
  }

  // Never throws: what failed is done by the next comparison.
  async #compare(): Promise<void> {
    const { controller, logger, resyncSeconds } = this.#parts;
    let pauseMs = resyncSeconds * 1_000;
    try {
      const keys = await controller.compare();
      const early = this.#early ?? [];
      this.#early = undefined;
      for (const key of early) this.#queue.add(key);
      // mostly to find out that all is as it should be: who was stored a moment ago comes first
      for (const key of keys) this.#queue.addRoutine(key);
    } catch (thrown) {
      pauseMs = COMPARE_AGAIN_MS;
      reportFailed(logger, thrown);
    }
    if (this.#ended) return;
    this.#cancelTimer = this.#parts.clock.after(pauseMs, () => {
      this.#comparing = this.#compare();
    });
  }

  #compareOnceSynced(): Promise<void> {
    // a feed that is closed before its first list has nothing to compare
    return this.#parts.feed.whenSynced().then(
      () => {
        if (!this.#ended) this.#comparing = this.#compare();
      },
      () => undefined,
    );
  }
}
