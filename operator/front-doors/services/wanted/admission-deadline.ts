import type { Refusal } from '../../../errors/outcome';
import type { Clock } from '../../../ports/clock';

/** One run under a deadline. */
export interface Attempt {
  /** True when the deadline ended: the answer is given, so nothing new may be begun. */
  over: boolean;
  /** Ends the pause that the run is in. */
  wake?: () => void;
  /** What the run is waiting for, so that the answer at the deadline names it. */
  cause?: Refusal;
}

/** End of work under a deadline: its result, or what it was waiting for when the time was over. */
type Timely<V> = { readonly kind: 'done'; readonly result: V } | { readonly kind: 'late'; readonly refusal: Refusal };

/**
 * Runs work under a deadline. Work that ends late goes on undisturbed and is not lost: what it reserves is a lease under
 * the claimant's key, which the next try finds.
 *
 * @param clock - tells when the time is over
 * @param seconds - until the answer is due
 * @param run - the work
 * @returns its result, or at the deadline what it was waiting for
 */
export function withinDeadline<V>(
  clock: Clock,
  seconds: number,
  run: (attempt: Attempt) => Promise<V>,
): Promise<Timely<V>> {
  // no AbortSignal and no Promise.race: they cost more than all the rest here, and every review would pay
  const attempt: Attempt = { over: false };
  return new Promise((resolve, reject) => {
    const cancel = clock.after(seconds * 1000, () => {
      attempt.over = true;
      attempt.wake?.();
      resolve({ kind: 'late', refusal: attempt.cause ?? tooSlow(seconds) });
    });
    // a rejection after the deadline has this handler too, so it cannot end the process
    run(attempt)
      .finally(cancel)
      .then((result) => {
        resolve({ kind: 'done', result });
      }, reject);
  });
}

/**
 * Waits a while.
 *
 * @param clock - whose time counts
 * @param ms - how long
 * @param attempt - which waits; one pause at a time
 * @returns false when the deadline ended meanwhile
 */
export async function pause(clock: Clock, ms: number, attempt: Attempt): Promise<boolean> {
  if (isOver(attempt)) return false;
  await new Promise<void>((resolve) => {
    const cancel = clock.after(ms, resolve);
    attempt.wake = () => {
      cancel();
      resolve();
    };
  });
  delete attempt.wake;
  return !isOver(attempt);
}

// apart, since the compiler takes the field for unchanged across an await
function isOver(attempt: Attempt): boolean {
  return attempt.over;
}

function tooSlow(seconds: number): Refusal {
  return {
    code: 'store/deadline',
    message: `the store of addresses gave no answer within ${seconds} s; try again, what was reserved meanwhile is kept for this Service`,
  };
}
