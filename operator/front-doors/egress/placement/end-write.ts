import type { Written } from '../../../errors/after-write';
import type { LookAgain } from '../facts/door-parts';
import type { PlacementContext } from './placement-context';
import type { PlacementKey } from './placement-key';
import { DECIDE_AGAIN_MS } from '../../../runtime/decision-rounds';

/**
 * Writes to a dataplane, and wakes what waited for that, whether it succeeds or not.
 *
 * @param context - of the placement
 * @param key - whose work this is
 * @param write - to one dataplane
 * @returns when the key is to be looked at again by itself
 * @throws whatever the write throws
 */
export async function endWrite(
  context: PlacementContext,
  key: PlacementKey,
  write: () => Promise<Written>,
): Promise<LookAgain> {
  try {
    return (await write()) === 'changed' ? { requeueAfterMs: DECIDE_AGAIN_MS } : {};
  } finally {
    for (const each of context.waits.ended(key)) context.wake(each);
    context.changed();
  }
}

/**
 * Does the same in several dataplanes. A failure in one of them does not keep the others from being tried.
 *
 * @param all - where
 * @param work - what
 * @returns the earliest time of another look
 * @throws the first failure, once all were tried
 */
export async function afterAll<T>(all: readonly T[], work: (each: T) => Promise<LookAgain>): Promise<LookAgain> {
  const results = await Promise.allSettled(all.map(work));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  const pauses = results.flatMap((result) =>
    result.status === 'fulfilled' && result.value.requeueAfterMs !== undefined ? [result.value.requeueAfterMs] : [],
  );
  return pauses.length === 0 ? {} : { requeueAfterMs: Math.min(...pauses) };
}
