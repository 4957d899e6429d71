import type { ErrorCode } from '../../../errors/catalogue';
import type { Refusal } from '../../../errors/outcome';
import type { Clock } from '../../../ports/clock';
import type { Meter } from '../../../ports/meter';
import { accountForAnswers, SYSTEM_NAMES, type AwaitedSystem } from '../../../runtime/awaited-system';

/** System that answers a call of a run. */
type Answerer = 'store' | AwaitedSystem;

/** Place where a run tells whose answer it waits for. */
export interface Awaiting {
  /**
   * Set before each call that waits, since only the last one counts; the store where nothing is set. Counts where no call to a system
   * outside is under way.
   */
  awaits?: Answerer;
}

/** One run under a deadline. */
export interface Attempt extends Awaiting {
  /** True when the deadline ended: the answer is given, so nothing new may be begun. */
  over: boolean;
  /** Ends the pause that the run is in. */
  wake?: () => void;
  /** Reason for which the run waits besides an answer, so that the answer at the deadline names it. */
  cause?: Refusal;
}

const NAMES: Readonly<Record<Answerer, string>> = { store: 'the store of addresses', ...SYSTEM_NAMES };

/** End of work under a deadline: its result, or what it was waiting for when the time was over. */
type Timely<V> = { readonly kind: 'done'; readonly result: V } | Late;

/** Deadline that ended before the work. */
interface Late {
  readonly kind: 'late';
  readonly refusal: Refusal;
  /** Bounded word for what was waited for. */
  readonly awaited: Answerer | 'metallb-pool' | 'reservations';
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
export function withinDeadline<V>(
  clock: Clock,
  seconds: number,
  run: (attempt: Attempt) => Promise<V>,
): Promise<Timely<V>> {
  // no AbortSignal and no Promise.race: they cost more than all the rest here, and every review would pay
  const attempt: Attempt = { over: false };
  return accountForAnswers(
    (awaited) =>
      new Promise((resolve) => {
        const cancel = clock.after(seconds * 1000, () => {
          attempt.over = true;
          attempt.wake?.();
          const system = awaited();
          resolve(tooLate(system === undefined ? attempt : { ...attempt, awaits: system }, seconds));
        });
        const answer = run(attempt);
        // a rejection after the deadline has this handler too, so it cannot end the process
        answer.then(
          (result) => {
            cancel();
            resolve({ kind: 'done', result });
          },
          () => {
            cancel();
            resolve(answer as Promise<never>);
          },
        );
      }),
  );
}

/**
 * Counts a deadline that ended by what was waited for.
 *
 * @param meter - where to
 * @param late - the end
 * @returns its refusal
 */
export function refusalOfLate(meter: Meter, { refusal, awaited }: Late): Refusal {
  meter.count('admission_deadlines_total', { awaited });
  return refusal;
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

function tooLate({ awaits = 'store', cause }: Attempt, seconds: number): Late {
  if (cause !== undefined) {
    const awaited = cause.code === 'pool/unpublished' ? 'metallb-pool' : 'reservations';
    return { kind: 'late', refusal: cause, awaited };
  }
  const code: ErrorCode = awaits === 'api-server' ? 'cluster/unavailable' : 'store/deadline';
  const message = `${NAMES[awaits]} gave no answer within ${seconds} s; try again, what was reserved meanwhile is kept for this Service`;
  return { kind: 'late', refusal: { code, message }, awaited: awaits };
}
