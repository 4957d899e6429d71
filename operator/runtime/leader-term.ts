import type { ObjectChange, ObjectFeed, RenewableFeed } from '../ports/object-feed';
import type { Tools } from '../ports/tools';
import { whileLeading, type LeaderWork } from './leadership';
import { WorkQueue } from './work-queue';

/** Pause before a comparison that failed is tried again. */
export const COMPARE_AGAIN_MS = 5_000;

/** Objects whose changes need work. */
interface TermFeed<K> {
  readonly feed: Pick<ObjectFeed, 'whenSynced' | 'onChange'> & Partial<Pick<RenewableFeed, 'relist' | 'onReset'>>;
  /** Keys that a change asks for work on. */
  readonly keysOf: (change: ObjectChange) => readonly K[];
}

/** Work of one door while it leads; a key names one piece of it, for example one object. */
export interface LeaderTermParts<K> extends Tools {
  /** From a bounded set; label of the queue's metrics. */
  readonly name: string;
  readonly feeds: readonly TermFeed<K>[];
  /** Identity of a key, shown in log lines. */
  readonly textOf: (key: K) => string;
  /** Groups are served in turn, so that many keys of one hold up no other. */
  readonly groupOf?: (key: K) => string;
  /** Keys worked on at a time. */
  readonly workers: number;
  /** Longest pause before work that failed is tried again, in milliseconds; five minutes by default. */
  readonly mostBackoffMs?: number;
  /** Seconds between two comparisons of everything. */
  readonly resyncSeconds: number;
  /** Works on one key, and tells after how long it is to be looked at again by itself. */
  readonly reconcile: (key: K) => Promise<{ readonly requeueAfterMs?: number }>;
  /** Compares everything stored with the record; returns the keys that need a routine look. */
  readonly compare: () => Promise<readonly K[]>;
  /** Reports a comparison that failed and is tried again. */
  readonly onCompareFailed: (thrown: unknown) => void;
  /** Tells keys that something else than a change of their object asks for; returns the function that stops it. */
  readonly onWake?: (listener: (key: K) => void) => () => void;
  /** Told true once a comparison was complete and work goes on from it, false while none counts, as after the reset of a feed. */
  readonly onSettled?: (isSettled: boolean) => void;
  /** Called at the end of each term, after the last work has ended. */
  readonly onEnded?: () => void;
  /**
   * From 0 to 1: shortens each pause between two comparisons by up to a fifth, so that operators of many clusters do not list at once.
   *
   * @default Math.random
   */
  readonly random?: () => number;
}

/** Controller of a door, as its work calls it. */
interface TermController<K> {
  reconcile(key: K): Promise<{ readonly requeueAfterMs?: number }>;
  compare(): Promise<readonly K[]>;
  onWake(listener: (key: K) => void): () => void;
  /** Told whether a comparison of this term counts; absent where nothing but the work of the term rests on it. */
  settled?(isSettled: boolean): void;
  /** Forgets what is another process's matter from now on. */
  rest(): void;
}

/**
 * Hands the work of a term to a controller.
 *
 * @param controller - of the door
 * @returns parts for {@link leaderTerm}
 */
export function workOf<K>(
  controller: TermController<K>,
): Pick<Required<LeaderTermParts<K>>, 'reconcile' | 'compare' | 'onWake' | 'onSettled' | 'onEnded'> {
  return {
    reconcile: (key) => controller.reconcile(key),
    compare: () => controller.compare(),
    onWake: (listener) => controller.onWake(listener),
    onSettled: (isSettled) => {
      controller.settled?.(isSettled);
    },
    onEnded: () => {
      controller.rest();
    },
  };
}

/**
 * Runs the controller of a door while this process leads: everything is compared once all feeds are complete, then each change and each
 * wake-up is worked on, and everything is compared again from time to time, with a new list of each feed. Changes before the first
 * comparison wait for it, and so do those after a feed proved to be older than what was seen of it.
 *
 * @param parts - feeds, comparison, reconciliation and tools
 * @returns the work of the leader
 */
export function leaderTerm<K>(parts: LeaderTermParts<K>): LeaderWork {
  return whileLeading(() => {
    const term = new LeaderTerm(parts);
    return () => term.end();
  });
}

/** Work from the moment at which this process becomes the leader to the one at which it no longer is. */
class LeaderTerm<K> {
  readonly #parts: LeaderTermParts<K>;
  readonly #queue: WorkQueue<K>;
  readonly #stops: (() => void)[] = [];
  /** Keys that changed before the first comparison was complete, each once, by its text. */
  #early: Map<string, K> | undefined = new Map();
  #ended = false;
  /** How many resets of a feed came: a comparison that one of them overtook does not count. */
  #resets = 0;
  #comparing: Promise<void> = Promise.resolve();
  #cancelTimer: () => void = () => undefined;

  constructor(parts: LeaderTermParts<K>) {
    this.#parts = parts;
    const { name, feeds, textOf, groupOf, workers, mostBackoffMs, clock, logger, meter, onWake } = parts;
    this.#queue = new WorkQueue<K>({
      name,
      textOf,
      ...(groupOf === undefined ? {} : { groupOf }),
      ...(mostBackoffMs === undefined ? {} : { mostBackoffMs }),
      handle: (key) => this.#work(key),
      workers,
      clock,
      logger,
      meter,
    });
    for (const { feed, keysOf } of feeds) {
      const stop = feed.onChange((change) => {
        for (const key of keysOf(change)) this.#add(key);
      });
      this.#stops.push(stop);
      const stopResets = feed.onReset?.(() => {
        this.#reset();
      });
      if (stopResets !== undefined) this.#stops.push(stopResets);
    }
    const stopWaking = onWake?.((key) => {
      this.#add(key);
    });
    if (stopWaking !== undefined) this.#stops.push(stopWaking);
    void this.#compareOnceSynced();
  }

  async end(): Promise<void> {
    this.#ended = true;
    this.#parts.onSettled?.(false);
    this.#cancelTimer();
    for (const stop of this.#stops) stop();
    await Promise.all([this.#queue.close(), this.#comparing]);
    this.#parts.onEnded?.();
  }

  #add(key: K): void {
    if (this.#early === undefined) this.#queue.add(key);
    else this.#early.set(this.#parts.textOf(key), key);
  }

  async #work(key: K): Promise<void> {
    const { requeueAfterMs } = await this.#parts.reconcile(key);
    if (requeueAfterMs !== undefined) this.#queue.addAfter(key, requeueAfterMs);
  }

  #reset(): void {
    this.#resets += 1;
    this.#parts.onSettled?.(false);
    this.#early ??= new Map();
    this.#cancelTimer();
    void this.#compareOnceSynced();
  }

  // Never throws: what failed is done by the next comparison.
  async #compare(): Promise<void> {
    const { compare, onCompareFailed, resyncSeconds, clock, random = Math.random } = this.#parts;
    const resets = this.#resets;
    let pauseMs = resyncSeconds * 1_000 * (1 - random() / 5);
    try {
      await this.#relist();
      const keys = await compare();
      if (this.#isOvertaken(resets)) return;
      this.#addEarly();
      // mostly to find out that all is as it should be: the objects that were stored a moment ago come first
      for (const key of keys) this.#queue.addRoutine(key);
    } catch (thrown) {
      pauseMs = COMPARE_AGAIN_MS;
      onCompareFailed(thrown);
    }
    if (this.#ended || this.#isOvertaken(resets)) return;
    this.#cancelTimer = clock.after(pauseMs, () => {
      this.#comparing = this.#compare();
    });
  }

  async #relist(): Promise<void> {
    // the first comparison follows a list of a moment ago
    if (this.#early !== undefined) return;
    await Promise.all(this.#parts.feeds.map(async ({ feed }) => feed.relist?.()));
  }

  #addEarly(): void {
    const early = this.#early?.values() ?? [];
    this.#early = undefined;
    for (const key of early) this.#queue.add(key);
    if (!this.#ended) this.#parts.onSettled?.(true);
  }

  #isOvertaken(resets: number): boolean {
    return resets !== this.#resets;
  }

  #compareOnceSynced(): Promise<void> {
    // a feed that is closed before its first list has nothing to compare
    return Promise.all(this.#parts.feeds.map(({ feed }) => feed.whenSynced())).then(
      () => {
        if (!this.#ended) this.#comparing = this.#comparing.then(() => this.#compare());
      },
      () => undefined,
    );
  }
}
