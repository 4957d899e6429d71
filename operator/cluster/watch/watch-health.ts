import type { Tools } from '../../ports/tools';
import { backoffMs } from '../../runtime/retry-pause';
import type { Ended } from './list-end';

/** Longest time without a live watch that is no problem yet. */
const PROBLEM_AFTER_MS = 60_000;
const BACKOFF = { firstMs: 500, mostMs: 30_000 };
/** Clients of a server that restarts come back spread over this time. */
const RECONNECT_MS = 1_000;
/** A watch that was open for so long was no failure. */
const STEADY_MS = 10_000;

/** Parts of {@link WatchHealth}. */
interface WatchHealthParts extends Pick<Tools, 'clock' | 'logger'> {
  /** Plural name, for messages. */
  readonly resource: string;
  /** Number from 0 to 1. */
  readonly random: () => number;
}

/** Since when a watch is open or not, how often it failed, and how long to wait before the next try. */
export class WatchHealth {
  readonly #parts: WatchHealthParts;
  #liveSinceMs: number | undefined;
  #downSinceMs: number;
  #lastFailure = '';
  #failures = 0;

  /**
   * Starts without a watch.
   *
   * @param parts - resource and tools
   */
  constructor(parts: WatchHealthParts) {
    this.#parts = parts;
    this.#downSinceMs = parts.clock.nowMs();
  }

  /**
   * Tells whether a watch is open.
   *
   * @returns true from {@link opened} to {@link ended}
   */
  get isLive(): boolean {
    return this.#liveSinceMs !== undefined;
  }

  /**
   * Tells whether a watch ended a moment ago.
   *
   * @returns true for some seconds
   */
  get isJustDown(): boolean {
    return this.#parts.clock.nowMs() - this.#downSinceMs < STEADY_MS;
  }

  /** Notes that a watch was opened. */
  opened(): void {
    this.#liveSinceMs = this.#parts.clock.nowMs();
  }

  /** Notes that the watch brought something. */
  proved(): void {
    this.#failures = 0;
  }

  /**
   * Notes the end of a step.
   *
   * @returns true where a watch was open
   */
  ended(): boolean {
    if (this.#liveSinceMs === undefined) return false;
    this.#downSinceMs = this.#parts.clock.nowMs();
    // a quiet resource gives no event that would show that all is well
    if (this.#downSinceMs - this.#liveSinceMs >= STEADY_MS) this.#failures = 0;
    this.#liveSinceMs = undefined;
    return true;
  }

  /**
   * Tells how long to wait before the next step, and logs a failure.
   *
   * @param ended - how the last step ended
   * @returns milliseconds
   */
  pauseAfter(ended: Ended): number {
    const { random, logger, resource } = this.#parts;
    if (ended.as === 'listed' || ended.as === 'reset') return 0;
    if (ended.as === 'closed') return random() * RECONNECT_MS;
    this.#failures += 1;
    // once is daily business; again and again it would be a storm of lists
    if (ended.as === 'expired') return this.#failures === 1 ? 0 : backoffMs(BACKOFF, this.#failures - 1, random());
    const ms = Math.max(backoffMs(BACKOFF, this.#failures, random()), (ended.retryAfterSeconds ?? 0) * 1000);
    this.#lastFailure = ended.why;
    logger.warn('watch failed, trying again', { resource, why: ended.why, ms: Math.round(ms) });
    return ms;
  }

  /**
   * Tells why the store may be old.
   *
   * @returns a sentence when no watch was open for a minute; undefined otherwise
   */
  problem(): string | undefined {
    const { resource, clock } = this.#parts;
    if (this.isLive || clock.nowMs() - this.#downSinceMs <= PROBLEM_AFTER_MS) return undefined;
    const since = new Date(this.#downSinceMs).toISOString();
    return `${resource} have not been watched since ${since}${this.#lastFailure === '' ? '' : `: ${this.#lastFailure}`}`;
  }
}
