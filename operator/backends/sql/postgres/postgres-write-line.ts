import { isIpamError, IpamError } from '../../../errors/ipam-error';
import type { Clock } from '../../../ports/clock';
import { PostgresFailure } from './postgres-connections';
import type { PostgresFault } from './postgres-fault';
import type { BatchAnswer, PostgresWrite, WriteResult } from './postgres-wire';

/** Most requests in one transaction: bounds how long the first of them waits for the last one. */
const MAX_BATCH = 64;
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 500;

// One request and its waiting caller.
class Asked {
  readonly write: PostgresWrite;
  readonly deadlineMs: number;
  /** Ends when it was answered. */
  readonly done: Promise<WriteResult | IpamError>;
  // answers; only the first answer counts
  settle: (result: WriteResult | IpamError) => void = () => undefined;

  constructor(write: PostgresWrite, deadlineMs: number) {
    this.write = write;
    this.deadlineMs = deadlineMs;
    this.done = new Promise((resolve) => {
      this.settle = resolve;
    });
  }
}

interface Batch {
  readonly number: number;
  readonly asked: readonly Asked[];
  /** An attempt got no answer, so the database may have run it: its content must not change any more. */
  unknown: boolean;
}

/** Calls and times that a line of writes works with. */
export interface WriteLineParts {
  readonly clock: Clock;
  /** How long a request is tried again. */
  readonly patienceMs: number;
  /** Runs a batch in one transaction; throws {@link PostgresFailure}. */
  readonly run: (number: number, writes: readonly PostgresWrite[]) => Promise<BatchAnswer>;
  /** Called with each answer before its requests are answered. */
  readonly answered: (answer: BatchAnswer) => void;
  /** Called when a batch was given up that the database may have run, or may still run. */
  readonly abandoned: (number: number) => void;
  /** Says what is wrong to a caller. */
  readonly explain: (fault: PostgresFault) => IpamError;
}

/**
 * All writes of one process, in the order of the calls. Whatever arrives while a transaction runs goes into the next one.
 *
 * A batch has a number that the database remembers, so it can be sent again after a lost answer without being run twice.
 * Safe for parallel calls.
 */
export class WriteLine {
  readonly #parts: WriteLineParts;
  #waiting: Asked[] = [];
  #number = 0;
  #working = false;
  /** So many of the next requests run alone, since one of them broke their batch. */
  #alone = 0;
  #failures = 0;

  /**
   * Starts empty.
   *
   * @param parts - what it needs
   */
  constructor(parts: WriteLineParts) {
    this.#parts = parts;
  }

  /**
   * Asks for a change.
   *
   * @param write - the request
   * @returns its result, durable
   * @throws {@link IpamError} `store/unavailable` after the patience
   */
  async ask(write: PostgresWrite): Promise<WriteResult> {
    const deadlineMs = this.#parts.clock.nowMs() + this.#parts.patienceMs;
    const asked = new Asked(write, deadlineMs);
    this.#waiting.push(asked);
    if (!this.#working) {
      this.#working = true;
      // not a microtask: then each webhook call, being an event of its own, would make a transaction of its own
      setImmediate(() => void this.#work());
    }
    const result = await asked.done;
    if (result instanceof Error) throw result;
    return result;
  }

  /**
   * Waits for what was asked before.
   *
   * @returns when all of it was answered
   */
  async drained(): Promise<void> {
    await this.#waiting.at(-1)?.done;
  }

  async #work(): Promise<void> {
    while (this.#waiting.length > 0) {
      const most = this.#alone > 0 ? 1 : MAX_BATCH;
      await this.#finish({ number: ++this.#number, asked: this.#waiting.slice(0, most), unknown: false });
    }
    this.#working = false;
  }

  // Sends a batch until it was answered, must be put together anew, or no caller waits for it any more.
  async #finish(batch: Batch): Promise<void> {
    for (;;) {
      const outcome = await this.#send(batch);
      if (!(outcome instanceof Error)) {
        this.#failures = 0;
        this.#accept(batch, outcome);
        return;
      }
      if (!this.#goOn(batch, outcome)) return;
      await this.#pause();
      if (!batch.unknown) return;
    }
  }

  async #send({ number, asked }: Batch): Promise<BatchAnswer | PostgresFailure | IpamError> {
    try {
      return await this.#parts.run(
        number,
        asked.map(({ write }) => write),
      );
    } catch (error) {
      if (error instanceof PostgresFailure || isIpamError(error)) return error;
      return new IpamError('internal', `the PostgreSQL store failed: ${String(error)}`);
    }
  }

  #accept({ asked }: Batch, answer: BatchAnswer): void {
    const done = asked.slice(0, answer.results.length);
    this.#leave(done);
    if (this.#alone > 0) this.#alone--;
    this.#parts.answered(answer);
    for (const [index, result] of answer.results.entries()) done[index]?.settle(result);
  }

  // False where the batch is over.
  #goOn(batch: Batch, error: PostgresFailure | IpamError): boolean {
    const fault = error instanceof PostgresFailure ? error.fault : undefined;
    batch.unknown ||= fault?.unknown === true;
    if (fault?.again !== true) {
      this.#breakUp(batch, fault === undefined ? (error as IpamError) : this.#parts.explain(fault));
      return false;
    }
    const nowMs = this.#parts.clock.nowMs();
    const late = batch.asked.filter(({ deadlineMs }) => deadlineMs <= nowMs);
    for (const each of late) each.settle(this.#parts.explain({ ...fault, unknown: batch.unknown }));
    if (!batch.unknown) this.#leave(late);
    else if (late.length === batch.asked.length) {
      this.#leave(late);
      this.#parts.abandoned(batch.number);
      return false;
    }
    return true;
  }

  // One request that the database cannot take must not cost the others their answer.
  #breakUp({ asked }: Batch, error: IpamError): void {
    if (asked.length > 1) {
      this.#alone = asked.length;
      return;
    }
    if (this.#alone > 0) this.#alone--;
    this.#leave(asked);
    for (const each of asked) each.settle(error);
  }

  #leave(gone: readonly Asked[]): void {
    if (gone.length > 0) this.#waiting = this.#waiting.filter((each) => !gone.includes(each));
  }

  async #pause(): Promise<void> {
    const ms = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures++);
    // not the same for all: two processes that got in each other's way would do so again
    await new Promise<void>((resolve) => this.#parts.clock.after(ms * (0.5 + Math.random() / 2), resolve));
  }
}
