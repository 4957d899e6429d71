import { backoffMs } from '../../../runtime/retry-pause';
import { WorkQueue } from '../../../runtime/work-queue';
import { faultFields } from '../../../errors/trace';
import type { ServicesController } from './controller';
import type { ServiceChange, ServiceFeed, ServiceKey } from '../../../ports/service-feed';
import type { Tools } from '../../../ports/tools';

/** How long the leader has time to bind a Service before any process does; far more than it takes one that keeps up. */
const LATE_MS = 1_000;
/** Spreads the looks of several processes, so that mostly one of them finds something to do. */
const SPREAD_MS = 500;
/** Services bound at once: a few calls of the store each. */
const WORKERS = 4;
/** Services that wait for their look; what comes beyond is left to the leader and to its own next change. */
const MOST_WAITING = 2_000;
/** How much later than another process this one hears of a deletion, at most. */
const LAG_MS = 60_000;
/** Pauses between two tries to release what was bound here to a Service that is gone. */
const RELEASE_AGAIN = { firstMs: 1_000, mostMs: 60_000 };
/** Tries of such a release: with their pauses more than the usual time to the next comparison, which finds whatever is left. */
const MOST_RELEASES = 20;
/** Between two log lines on failures, since each waiting Service meets the same one. */
const QUIET_MS = 60_000;

/** Parts that late bindings are made with. */
export interface LateBindingsParts extends Tools {
  readonly feed: Pick<ServiceFeed, 'onChange'>;
  readonly controller: Pick<ServicesController, 'mayBeUnbound' | 'stillUnbound' | 'bindLate'>;
  /** Whether this process leads now; only counted. */
  readonly leading: () => boolean;
  /**
   * Spreads the looks; from 0 up to and without 1.
   *
   * @default Math.random
   */
  readonly random?: () => number;
}

/**
 * Binds stored Services whose reservation is still unbound a moment after they were stored: the leader was lost and its Lease still
 * runs, or it does not keep up. A namespace may have few unbound reservations, so without this its next Services would be refused until
 * there is a leader. Every process does so, the leader too, in a line of its own beside its other work; a cluster whose leader keeps up
 * pays for it with one read of the record for all Services that changed within half a second.
 *
 * Bindings are atomic writes to the record alone, so it takes no leadership; conditions and Events are left to the leader.
 *
 * @param parts - feed, controller, tools
 * @returns the function that ends it; it waits for what is under way
 */
export function bindLateOnes(parts: LateBindingsParts): () => Promise<void> {
  const line = new LateBindings(parts);
  return () => line.end();
}

/** A Service that waits for its look. */
interface Waiting {
  readonly key: ServiceKey;
  readonly dueMs: number;
}

class LateBindings {
  readonly #parts: LateBindingsParts;
  readonly #queue: WorkQueue<ServiceKey>;
  /** By UID. All wait equally long, so the first one is due first. */
  readonly #waiting = new Map<string, Waiting>();
  /** When this process last bound a Service, by UID, oldest first. */
  readonly #bound = new Map<string, number>();
  /** Failed releases of what was bound here to a Service that is gone, by its UID. */
  readonly #gone = new Map<string, number>();
  readonly #stop: () => void;
  readonly #random: () => number;
  #cancel: (() => void) | undefined;
  #looking: Promise<void> | undefined;
  #ended = false;
  #quietUntilMs = 0;

  constructor(parts: LateBindingsParts) {
    this.#parts = parts;
    this.#random = parts.random ?? Math.random;
    const { feed, clock, logger, meter } = parts;
    this.#queue = new WorkQueue<ServiceKey>({
      name: 'late-bindings',
      textOf: ({ uid }) => uid,
      groupOf: ({ namespace }) => namespace,
      handle: (key) => this.#bind(key),
      workers: WORKERS,
      clock,
      logger,
      meter,
    });
    this.#stop = feed.onChange((change) => {
      this.#hear(change);
    });
  }

  async end(): Promise<void> {
    this.#stop();
    this.#ended = true;
    this.#cancel?.();
    await this.#looking;
    await this.#queue.close();
  }

  #hear({ key, after }: ServiceChange): void {
    if (after === undefined) {
      this.#waiting.delete(key.uid);
      this.#queue.forget(key);
      // the leader may have released what the Service had before it was bound here
      if (!this.#bound.has(key.uid)) return;
      this.#gone.set(key.uid, 0);
      this.#queue.add(key);
      return;
    }
    if (this.#waiting.has(key.uid) || this.#waiting.size >= MOST_WAITING) return;
    if (this.#parts.controller.mayBeUnbound(after)) this.#wait(key);
  }

  #wait(key: ServiceKey): void {
    this.#waiting.set(key.uid, { key, dueMs: this.#parts.clock.nowMs() + LATE_MS });
    this.#arm();
  }

  #arm(): void {
    const { clock } = this.#parts;
    const [first] = this.#waiting.values();
    if (this.#ended || first === undefined || this.#looking !== undefined) return;
    this.#cancel ??= clock.after(first.dueMs - clock.nowMs() + this.#random() * SPREAD_MS, () => {
      this.#cancel = undefined;
      this.#looking = this.#look().finally(() => {
        this.#looking = undefined;
        this.#arm();
      });
    });
  }

  async #look(): Promise<void> {
    const { controller, clock } = this.#parts;
    const nowMs = clock.nowMs();
    const due = [...this.#waiting.values()].filter(({ dueMs }) => dueMs <= nowMs).map(({ key }) => key);
    // what changes from now on needs another look
    for (const { uid } of due) this.#waiting.delete(uid);
    try {
      for (const key of await controller.stillUnbound(due)) this.#queue.add(key);
    } catch (thrown) {
      this.#report(thrown);
      for (const key of due) this.#wait(key);
    }
  }

  // Never throws: the queue would log each Service at each try.
  async #bind(key: ServiceKey): Promise<void> {
    const { controller, meter, leading } = this.#parts;
    this.#remember(key);
    // a deletion that is heard during the binding is served by the next run, which needs the mark until it succeeds
    const wasGone = this.#gone.has(key.uid);
    try {
      const bound = await controller.bindLate(key);
      if (wasGone) this.#gone.delete(key.uid);
      if (bound > 0) meter.count('late_bindings_total', { by: leading() ? 'leader' : 'other' }, bound);
    } catch (thrown) {
      this.#report(thrown);
      this.#again(key);
    }
  }

  // What is gone is no more among the stored ones that may be unbound.
  #again(key: ServiceKey): void {
    const failed = this.#gone.get(key.uid);
    if (failed === undefined) {
      this.#wait(key);
      return;
    }
    if (failed + 1 < MOST_RELEASES) {
      this.#gone.set(key.uid, failed + 1);
      this.#queue.addAfter(key, backoffMs(RELEASE_AGAIN, failed + 1, this.#random()));
      return;
    }
    this.#gone.delete(key.uid);
    const { namespace, name } = key;
    this.#parts.logger.warn('what a deleted Service had is released by the next comparison', { namespace, name });
  }

  #remember({ uid }: ServiceKey): void {
    const nowMs = this.#parts.clock.nowMs();
    this.#bound.delete(uid);
    this.#bound.set(uid, nowMs);
    for (const [each, boundMs] of this.#bound) {
      if (nowMs - boundMs <= LAG_MS) return;
      this.#bound.delete(each);
    }
  }

  #report(thrown: unknown): void {
    const { clock, logger } = this.#parts;
    const nowMs = clock.nowMs();
    if (nowMs < this.#quietUntilMs) return;
    this.#quietUntilMs = nowMs + QUIET_MS;
    logger.warn('stored Services cannot be bound or released now; tried again', faultFields(thrown));
  }
}
