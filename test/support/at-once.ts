/** As many as one busy tool sends at the same time. */
const CALLERS = 32;

/**
 * Does something with each of many things, some of them at the same time.
 *
 * @param all - the things
 * @param work - with one of them
 * @param callers - how many at the same time; 32 by default
 */
export async function forEachAtOnce<T>(
  all: readonly T[],
  work: (each: T) => Promise<unknown>,
  callers = CALLERS,
): Promise<void> {
  const rest = all.values();
  const caller = async (): Promise<void> => {
    for (const each of rest) await work(each);
  };
  await Promise.all(Array.from({ length: callers }, caller));
}
