import type { LookAgain } from '../facts/door-parts';

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
