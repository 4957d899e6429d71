import type { Refusal } from '../../errors/outcome';
import type { Clock } from '../../ports/clock';

/** One run under a deadline. */
export interface Attempt {
  /** Aborted when the deadline ended: the answer is given, so nothing new may be begun. */
  readonly signal: AbortSignal;
  /** What the run is waiting for, so that the answer at the deadline names it. */
  cause?: Refusal;
}

/**
 * Runs work under a deadline. Work that ends late goes on undisturbed and is not lost: what it reserves is a lease under
 * the claimant's key, which the next try finds.
 *
 * @param clock - tells when the time is over
 * @param seconds - until the answer is due
 * @param run - the work
 * @returns its result, or at the deadline what it was waiting for
 */
export async function withinDeadline<V>(
  clock: Clock,
  seconds: number,
  run: (attempt: Attempt) => Promise<V>,
): Promise<{ readonly result: V } | { readonly late: Refusal }> {
  const controller = new AbortController();
  const attempt: Attempt = { signal: controller.signal };
  let cancel = (): void => undefined;
  const late = new Promise<{ late: Refusal }>((resolve) => {
    cancel = clock.after(seconds * 1000, () => {
      controller.abort();
      resolve({ late: attempt.cause ?? tooSlow(seconds) });
    });
  });
  try {
    // a rejection after the race is lost has a handler already, so it cannot end the process
    return await Promise.race([run(attempt).then((result) => ({ result })), late]);
  } finally {
    cancel();
  }
}

/**
 * Waits a while.
 *
 * @param clock - whose time counts
 * @param ms - how long
 * @param signal - of the attempt
 * @returns false when the deadline ended meanwhile
 */
export async function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return false;
  await new Promise<void>((resolve) => {
    const cancel = clock.after(ms, resolve);
    signal.addEventListener(
      'abort',
      () => {
        cancel();
        resolve();
      },
      { once: true },
    );
  });
  return !isAborted(signal);
}

// apart, since the compiler takes a signal for unchanged across an await
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

function tooSlow(seconds: number): Refusal {
  return {
    code: 'store/deadline',
    message: `the store of addresses gave no answer within ${seconds} s; try again, what was reserved meanwhile is kept for this Service`,
  };
}
