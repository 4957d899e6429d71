import { isIpamError } from '../errors/ipam-error';
import { traceOf } from '../errors/trace';
import type { Clock } from '../ports/clock';
import type { Logger } from '../ports/logger';
import type { Meter } from '../ports/meter';
import { FairLine } from './fair-line';

/** What a {@link WorkQueue} works with. */
export interface WorkQueueProps<K> {
  /** From a bounded set; label of metrics and field of log lines. */
  readonly name: string;
  /** Identity of a key: two keys with one text are one piece of work. Shown in log lines. */
  readonly textOf: (key: K) => string;
  /**
   * Whose turn the work takes: groups are served in turn, so that many keys of one hold up no other.
   *
   * @default - one group, first come first served
   */
  readonly groupOf?: (key: K) => string;
  /** Does the work; called for one key never twice at a time. What it throws brings the key back later. */
  readonly handle: (key: K) => Promise<void>;
  /** Keys worked on at a time. */
  readonly workers: number;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter: Meter;
  /**
   * Spreads the waiting times; from 0 up to and without 1.
   *
   * @default Math.random
   */
  readonly random?: () => number;
}

/** First waiting time after a failure; doubles with each further one. */
const FIRST_BACKOFF_MS = 5;
const MAX_BACKOFF_MS = 300_000;
/** Beyond this many failures the waiting time is at its end anyway, and the power must not overflow. */
const MAX_DOUBLINGS = 17;

/** A key that waits for its time. */
interface Delay {
  readonly atMs: number;
  readonly cancel: () => void;
}

/**
 * Keys whose objects need a look, each once however often it was added. A key that is added while it is worked on is worked on
 * again afterwards, so that no change is missed. Failures wait longer and longer: 5 ms up to 5 minutes, of which between half
 * and all passes.
 *
 * Safe for parallel calls. Starts to work at the first `add`; `close()` ends it.
 */
export class WorkQueue<K> {
  readonly #props: WorkQueueProps<K>;
  readonly #random: () => number;
  readonly #line = new FairLine<K>();
  readonly #running = new Set<string>();
  /** Added while they were worked on. */
  readonly #again = new Map<string, K>();
  readonly #delays = new Map<string, Delay>();
  readonly #failures = new Map<string, number>();
  #closing: Promise<void> | undefined;
  #whenQuiet: (() => void) | undefined;

  /**
   * Makes an empty queue.
   *
   * @param props - handler and surroundings
   */
  constructor(props: WorkQueueProps<K>) {
    this.#props = props;
    this.#random = props.random ?? Math.random;
  }

  /**
   * Asks for work on a key as soon as a worker is free, whatever it was waiting for. After `close()` nothing happens.
   *
   * @param key - what to look at
   */
  add(key: K): void {
    if (this.#closing !== undefined) return;
    const text = this.#props.textOf(key);
    this.#cancelDelay(text);
    if (this.#running.has(text)) this.#again.set(text, key);
    else this.#line.push({ text, group: this.#props.groupOf?.(key) ?? '', item: key });
    this.#measureDepth();
    this.#startWork();
  }

  /**
   * Asks for work on a key later. A key that waits already is worked on at the earlier of the two times.
   *
   * @param key - what to look at
   * @param ms - milliseconds from now; not above 0: at once
   */
  addAfter(key: K, ms: number): void {
    if (this.#closing !== undefined) return;
    if (ms <= 0) {
      this.add(key);
      return;
    }
    const { clock, textOf } = this.#props;
    const text = textOf(key);
    const atMs = clock.nowMs() + ms;
    if ((this.#delays.get(text)?.atMs ?? Infinity) <= atMs) return;
    this.#cancelDelay(text);
    const cancel = clock.after(ms, () => {
      this.#delays.delete(text);
      this.add(key);
    });
    this.#delays.set(text, { atMs, cancel });
  }

  /**
   * Forgets the failures of a key and what it waits for: its object is gone.
   *
   * @param key - what needs no look any more; work under way goes on
   */
  forget(key: K): void {
    const text = this.#props.textOf(key);
    this.#cancelDelay(text);
    this.#failures.delete(text);
    this.#again.delete(text);
    this.#line.remove(text, this.#props.groupOf?.(key) ?? '');
    this.#measureDepth();
  }

  /**
   * Starts nothing more and waits for the work under way. Idempotent.
   *
   * @returns when the last handler has ended
   */
  close(): Promise<void> {
    this.#closing ??= new Promise((resolve) => {
      for (const { cancel } of this.#delays.values()) cancel();
      this.#delays.clear();
      this.#again.clear();
      this.#line.clear();
      this.#measureDepth();
      if (this.#running.size === 0) resolve();
      else this.#whenQuiet = resolve;
    });
    return this.#closing;
  }

  #startWork(): void {
    while (this.#running.size < this.#props.workers) {
      const next = this.#line.shift();
      if (next === undefined) return;
      this.#running.add(next.text);
      this.#measureDepth();
      void this.#work(next.text, next.item);
    }
  }

  async #work(text: string, key: K): Promise<void> {
    const { name, handle, clock, meter } = this.#props;
    const startedMs = clock.nowMs();
    let result = 'ok';
    try {
      await handle(key);
      this.#failures.delete(text);
    } catch (thrown) {
      result = 'failed';
      this.#retry(text, key, thrown);
    }
    meter.observe('queue_work_seconds', Math.max(0, clock.nowMs() - startedMs) / 1000, { queue: name, result });
    this.#running.delete(text);
    const again = this.#again.get(text);
    this.#again.delete(text);
    if (again !== undefined) this.add(again);
    this.#startWork();
    if (this.#running.size === 0) this.#whenQuiet?.();
  }

  #retry(text: string, key: K, thrown: unknown): void {
    const { name, logger, meter } = this.#props;
    const failures = (this.#failures.get(text) ?? 0) + 1;
    const told = isIpamError(thrown) ? (thrown.retryAfterSeconds ?? 0) * 1000 : 0;
    const waitMs = Math.max(told, this.#backoffMs(failures));
    // Only the code: messages may quote objects, and those of foreign errors anything.
    const code = isIpamError(thrown) ? thrown.code : 'internal';
    const trace = code === 'internal' ? traceOf(thrown) : undefined;
    logger.warn('work failed and is tried again', { queue: name, object: text, code, failures, waitMs, trace });
    if (this.#closing !== undefined) return;
    this.#failures.set(text, failures);
    meter.count('queue_retries_total', { queue: name });
    // Without a new change it waits; `add` meanwhile ends the waiting.
    if (!this.#again.has(text)) this.addAfter(key, waitMs);
  }

  #backoffMs(failures: number): number {
    const full = Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** Math.min(failures - 1, MAX_DOUBLINGS));
    return full * (0.5 + this.#random() / 2);
  }

  #cancelDelay(text: string): void {
    this.#delays.get(text)?.cancel();
    this.#delays.delete(text);
  }

  #measureDepth(): void {
    const { name, meter } = this.#props;
    meter.set('queue_depth', this.#line.size + this.#again.size, { queue: name });
  }
}
