import { isIpamError, refusalOf } from '../../../errors/ipam-error';
import { refuse, type Outcome } from '../../../errors/outcome';
import type { Clock } from '../../../ports/clock';

/** Whose time counts, and how long. */
export interface Deadline {
  readonly clock: Clock;
  readonly deadlineSeconds: number;
}

/**
 * Answers in time. The work itself goes on behind the answer; that is harmless, since asking again finds what it did.
 *
 * @param limits - clock and seconds
 * @param work - what is waited for
 * @returns its outcome, refusal `store/deadline`, or the refusal of an error of ours that it threw
 */
export async function withDeadline<V>(limits: Deadline, work: Promise<Outcome<V>>): Promise<Outcome<V>> {
  const { clock, deadlineSeconds } = limits;
  let stop: (() => void) | undefined;
  const late = new Promise<Outcome<V>>((resolve) => {
    stop = clock.after(deadlineSeconds * 1_000, () => {
      resolve(
        refuse(
          'store/deadline',
          `no answer of the store within ${deadlineSeconds} s; ask again, nothing is taken twice`,
        ),
      );
    });
  });
  try {
    return await Promise.race([work, late]);
  } catch (error) {
    if (!isIpamError(error)) throw error;
    return { ok: false, refusal: refusalOf(error) };
  } finally {
    stop?.();
  }
}
