import type { Clock } from '../../../ports/clock';

/** Shortest time between two writes of one pool: MetalLB looks at every Service again after each (admission-facts 6.5). */
const POOL_PAUSE_MS = 500;
/** First and longest pause after a failure. */
const RETRY_MS = { first: 1000, longest: 30_000 } as const;

/** Turns of one pool. */
interface Turn {
  lastMs: number;
  failures: number;
  /** True when something changed since the last run began. */
  due: boolean;
  running?: Promise<void>;
  /** Takes back the timer of the next run. */
  cancel?: () => void;
}

/**
 * Lets each pool be computed at once, but never twice within half a second, and never twice at a time; what comes
 * meanwhile is folded into the next run. A failed run comes again after growing pauses.
 */
export class PoolTurns {
  readonly #clock: Clock;
  readonly #run: (pool: string) => Promise<boolean>;
  readonly #turns = new Map<string, Turn>();
  #stopped = false;

  /**
   * Prepares; nothing runs before {@link mark}.
   *
   * @param clock - tells the time
   * @param run - computes and writes one pool; false when it must come again. It never rejects.
   */
  constructor(clock: Clock, run: (pool: string) => Promise<boolean>) {
    this.#clock = clock;
    this.#run = run;
  }

  /**
   * Tells that a pool must be computed anew.
   *
   * @param pool - its name
   */
  mark(pool: string): void {
    if (this.#stopped) return;
    const turn = this.#turns.get(pool) ?? { lastMs: Number.NEGATIVE_INFINITY, failures: 0, due: false };
    this.#turns.set(pool, turn);
    turn.due = true;
    if (turn.running === undefined && turn.cancel === undefined) this.#schedule(pool, turn);
  }

  /**
   * Tells whether a pool was marked before.
   *
   * @param pool - its name
   * @returns true when it was
   */
  knows(pool: string): boolean {
    return this.#turns.has(pool);
  }

  /** Begins nothing new; resolves when nothing is under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    const turns = [...this.#turns.values()];
    for (const { cancel } of turns) cancel?.();
    await Promise.all(turns.flatMap(({ running }) => (running === undefined ? [] : [running])));
  }

  #schedule(pool: string, turn: Turn): void {
    const pause =
      turn.failures === 0 ? POOL_PAUSE_MS : Math.min(RETRY_MS.first * 2 ** (turn.failures - 1), RETRY_MS.longest);
    const waitMs = turn.lastMs + pause - this.#clock.nowMs();
    if (waitMs <= 0) {
      this.#start(pool, turn);
      return;
    }
    turn.cancel = this.#clock.after(waitMs, () => {
      delete turn.cancel;
      this.#start(pool, turn);
    });
  }

  #start(pool: string, turn: Turn): void {
    turn.due = false;
    turn.lastMs = this.#clock.nowMs();
    turn.running = this.#run(pool).then((done) => {
      delete turn.running;
      turn.failures = done ? 0 : turn.failures + 1;
      if (!this.#stopped && (turn.due || !done)) this.#schedule(pool, turn);
    });
  }
}
