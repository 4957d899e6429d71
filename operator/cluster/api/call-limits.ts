import type { Clock } from '../../ports/clock';
import { pause } from '../../runtime/token-bucket';

/** Signals that can end a call from outside. */
export interface CallEnds {
  readonly caller?: AbortSignal | undefined;
  /** Aborted when the client is closed. */
  readonly client: AbortSignal;
}

/** The time of one call with all its retries. Call `release` at its end, whatever that was. */
export class CallLimits {
  readonly signal: AbortSignal;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #endMs: number;
  readonly #release: (() => void)[] = [];
  #cancelDeadline: () => void;
  #ended: string | undefined;

  /**
   * Starts the time.
   *
   * @param clock - whose time counts
   * @param timeoutMs - whole time
   * @param ends - signals that end the call before
   */
  constructor(clock: Clock, timeoutMs: number, ends: CallEnds) {
    const controller = new AbortController();
    this.signal = controller.signal;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#endMs = clock.nowMs() + timeoutMs;
    const end = (why: string): void => {
      this.#ended ??= why;
      controller.abort();
    };
    this.#cancelDeadline = clock.after(timeoutMs, () => {
      end(`got no answer within ${timeoutMs} ms`);
    });
    this.#listen(ends.caller, () => {
      end('was ended by its caller');
    });
    this.#listen(ends.client, () => {
      end('was ended, since the client is closed');
    });
  }

  /**
   * Tells why the call was ended from outside.
   *
   * @returns part of a sentence; undefined while it was not
   */
  whyEnded(): string | undefined {
    return this.#ended;
  }

  /**
   * Words why a call gives up after {@link CallLimits.pause} gave false.
   *
   * @returns part of a sentence
   */
  whyNoMore(): string {
    return this.#ended ?? `got no answer within ${this.#timeoutMs} ms`;
  }

  /**
   * Waits for something that no signal can end.
   *
   * @param work - what may hang, for example a plugin
   * @returns what the work gives; rejects with an `AbortError` when the call ends first
   */
  async within<V>(work: Promise<V>): Promise<V> {
    const { signal } = this;
    signal.throwIfAborted();
    let abort = (): void => undefined;
    const aborted = new Promise<never>((_resolve, reject) => {
      abort = () => {
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', abort, { once: true });
    });
    try {
      return await Promise.race([work, aborted]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /**
   * Waits between two tries.
   *
   * @param ms - how long
   * @returns false when the wait would not end in time, at once then, or was ended from outside
   */
  async pause(ms: number): Promise<boolean> {
    if (this.#clock.nowMs() + ms >= this.#endMs) return false;
    return pause(this.#clock, ms, this.signal);
  }

  /** Lets the call go on without end, for a stream that has begun. */
  dropDeadline(): void {
    this.#cancelDeadline();
    this.#cancelDeadline = () => undefined;
  }

  /** Lets go of timers and signals. */
  release(): void {
    this.#cancelDeadline();
    for (const release of this.#release) release();
  }

  #listen(signal: AbortSignal | undefined, end: () => void): void {
    if (signal === undefined) return;
    if (signal.aborted) {
      end();
      return;
    }
    signal.addEventListener('abort', end, { once: true });
    this.#release.push(() => {
      signal.removeEventListener('abort', end);
    });
  }
}
