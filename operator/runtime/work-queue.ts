import { isIpamError } from '../errors/ipam-error';
import { traceOf } from '../errors/trace';
import { FairLine } from './fair-line';
import type { Tools } from '../ports/tools';

/** Options of a {@link WorkQueue}. */
export interface WorkQueueProps<K> extends Tools {
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
  /**
   * Longest waiting time after a failure, in milliseconds.
   *
   * @default - five minutes
   */
  readonly mostBackoffMs?: number;
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

/**
 * Of so many looks one is a routine look while both kinds wait, so that routine comes to its end under any load; and of so many workers
 * one does them at most, so that thousands of them leave the store to those that are waited for.
 */
const ROUTINE_SHARE = 4;

/** Whether a caller waits for the look (`due`), or it is to find out that nothing is to be done (`routine`). */
type Urgency = 'due' | 'routine';

/** A key that waits for its time. */
interface Delay {
  readonly atMs: number;
  readonly urgency: Urgency;
  readonly cancel: () => void;
}

/** One piece of work under way. */
interface Job<K> {
  readonly text: string;
  readonly key: K;
  readonly urgency: Urgency;
}

/**
 * Keys whose objects need a look, each once however often it was added. A key that is added while it is worked on is worked on
 * again afterwards, so that no change is missed. Failures wait longer and longer: 5 ms up to 5 minutes or `mostBackoffMs`, of which between
 * half and all passes.
 *
 * Safe for parallel calls. Starts to work at the first `add`; `close()` ends it.
 */
export class WorkQueue<K> {
  readonly #props: WorkQueueProps<K>;
  readonly #random: () => number;
  readonly #line = new FairLine<K>();
  /** Keys whose look can wait for those of the line. */
  readonly #routine = new FairLine<K>();
  readonly #routineWorkers: number;
  #routineRunning = 0;
  #turns = 0;
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
   * @param props - handler and tools
   */
  constructor(props: WorkQueueProps<K>) {
    this.#props = props;
    this.#random = props.random ?? Math.random;
    this.#routineWorkers = Math.ceil(props.workers / ROUTINE_SHARE);
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
    const group = this.#groupOf(key);
    this.#routine.remove(text, group);
    if (this.#running.has(text)) this.#again.set(text, key);
    else this.#line.push({ text, group, item: key });
    this.#measureDepth();
    this.#startWork();
  }

  /**
   * Asks for a look without a waiting caller, as soon as a worker has nothing better to do. A quarter of the workers does these, and every
   * fourth look is one of them, however much there is to do. A key that is in the line already stays there.
   *
   * @param key - what to look at
   */
  addRoutine(key: K): void {
    if (this.#closing !== undefined) return;
    const text = this.#props.textOf(key);
    const group = this.#groupOf(key);
    if (this.#running.has(text)) this.#again.set(text, key);
    else if (!this.#line.has(text, group)) this.#routine.push({ text, group, item: key });
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
    this.#delay(key, ms, 'due');
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
    const group = this.#groupOf(key);
    this.#line.remove(text, group);
    this.#routine.remove(text, group);
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
      this.#routine.clear();
      this.#measureDepth();
      if (this.#running.size === 0) resolve();
      else this.#whenQuiet = resolve;
    });
    return this.#closing;
  }

  #groupOf(key: K): string {
    return this.#props.groupOf?.(key) ?? '';
  }

  #delay(key: K, ms: number, urgency: Urgency): void {
    const { clock, textOf } = this.#props;
    const text = textOf(key);
    const nowMs = clock.nowMs();
    const known = this.#delays.get(text);
    const atMs = Math.min(nowMs + ms, known?.atMs ?? Infinity);
    const isDue = urgency === 'due' || known?.urgency === 'due';
    if (known?.atMs === atMs && (known.urgency === 'due') === isDue) return;
    this.#cancelDelay(text);
    const cancel = clock.after(atMs - nowMs, () => {
      this.#delays.delete(text);
      if (isDue) this.add(key);
      else this.addRoutine(key);
    });
    this.#delays.set(text, { atMs, urgency: isDue ? 'due' : 'routine', cancel });
  }

  #startWork(): void {
    while (this.#running.size < this.#props.workers) {
      const next = this.#next();
      if (next === undefined) return;
      this.#running.add(next.text);
      if (next.urgency === 'routine') this.#routineRunning += 1;
      this.#measureDepth();
      void this.#work(next);
    }
  }

  #next(): Job<K> | undefined {
    this.#turns = (this.#turns + 1) % ROUTINE_SHARE;
    const order: readonly Urgency[] = this.#turns === 0 ? ['routine', 'due'] : ['due', 'routine'];
    for (const urgency of order) {
      const isFull = urgency === 'routine' && this.#routineRunning >= this.#routineWorkers;
      const place = isFull ? undefined : (urgency === 'due' ? this.#line : this.#routine).shift();
      if (place !== undefined) return { text: place.text, key: place.item, urgency };
    }
    return undefined;
  }

  async #work(job: Job<K>): Promise<void> {
    const { text, key } = job;
    const { name, handle, clock, meter } = this.#props;
    const startedMs = clock.nowMs();
    let result = 'ok';
    try {
      await handle(key);
      this.#failures.delete(text);
    } catch (thrown) {
      result = 'failed';
      this.#retry(job, thrown);
    }
    meter.observe('queue_work_seconds', Math.max(0, clock.nowMs() - startedMs) / 1000, { queue: name, result });
    this.#running.delete(text);
    if (job.urgency === 'routine') this.#routineRunning -= 1;
    const again = this.#again.get(text);
    this.#again.delete(text);
    if (again !== undefined) this.add(again);
    this.#startWork();
    if (this.#running.size === 0) this.#whenQuiet?.();
  }

  #retry({ text, key, urgency }: Job<K>, thrown: unknown): void {
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
    if (!this.#again.has(text)) this.#delay(key, waitMs, urgency);
  }

  #backoffMs(failures: number): number {
    const { mostBackoffMs = MAX_BACKOFF_MS } = this.#props;
    const full = Math.min(mostBackoffMs, FIRST_BACKOFF_MS * 2 ** Math.min(failures - 1, MAX_DOUBLINGS));
    return full * (0.5 + this.#random() / 2);
  }

  #cancelDelay(text: string): void {
    this.#delays.get(text)?.cancel();
    this.#delays.delete(text);
  }

  #measureDepth(): void {
    const { name, meter } = this.#props;
    meter.set('queue_depth', this.#line.size + this.#routine.size + this.#again.size, { queue: name });
  }
}
