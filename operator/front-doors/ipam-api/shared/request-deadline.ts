import { isIpamError, refusalOf } from '../../../errors/ipam-error';
import { refuse, type Outcome } from '../../../errors/outcome';
import type { Clock } from '../../../ports/clock';
import { accountForAnswers, SYSTEM_NAMES, type AwaitedSystem } from '../../../runtime/awaited-system';

/** Whose time counts, and how long. */
export interface Deadline {
  readonly clock: Clock;
  readonly deadlineSeconds: number;
}

/**
 * Answers in time. The work itself goes on behind the answer; that is harmless, since asking again finds what it did.
 *
 * @param limits - clock and seconds
 * @param work - begins what is waited for
 * @returns its outcome, refusal `store/deadline`, or the refusal of an error of ours that it threw
 */
export function withDeadline<V>(limits: Deadline, work: () => Promise<Outcome<V>>): Promise<Outcome<V>> {
  return accountForAnswers((awaited) => raced(limits, work, awaited));
}

async function raced<V>(
  { clock, deadlineSeconds }: Deadline,
  work: () => Promise<Outcome<V>>,
  awaited: () => AwaitedSystem | undefined,
): Promise<Outcome<V>> {
  let stop: (() => void) | undefined;
  const late = new Promise<Outcome<V>>((resolve) => {
    stop = clock.after(deadlineSeconds * 1_000, () => {
      const system = awaited();
      const name = system === undefined ? 'the store' : SYSTEM_NAMES[system];
      const message = `${name} gave no answer within ${deadlineSeconds} s; ask again, nothing is taken twice`;
      resolve(refuse('store/deadline', message));
    });
  });
  try {
    return await Promise.race([work(), late]);
  } catch (error) {
    if (!isIpamError(error)) throw error;
    return { ok: false, refusal: refusalOf(error) };
  } finally {
    stop?.();
  }
}
