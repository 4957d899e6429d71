import { setTimeout as pause } from 'node:timers/promises';

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 200;
/** Enough for everything that a cluster does by itself on a machine that has ten times the work it was made for. */
export const PATIENCE_MS = 90_000;

/** Tells {@link eventually} that no repetition will help. */
export class Hopeless extends RangeError {}

/**
 * Repeats a check until it neither throws nor returns `undefined` or `false`. Where the API server tells of a change by
 * itself, `watchUntil` of the client is quicker and cheaper.
 */
export async function eventually<T>(
  check: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = PATIENCE_MS,
): Promise<T> {
  const deadline = performance.now() + timeoutMs;
  let last: unknown = 'the check was never true';
  for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, LONGEST_PAUSE_MS)) {
    try {
      const value = await check();
      if (value !== undefined && value !== false) return value;
    } catch (thrown) {
      if (thrown instanceof Hopeless) throw thrown;
      last = thrown;
    }
    if (performance.now() + wait > deadline) break;
    await pause(wait);
  }
  const why = last instanceof Error ? last.message : String(last);
  throw new RangeError(`not within ${timeoutMs} ms: ${why}`, { cause: last });
}

const TRIES = 3;

/**
 * Measures a time again, three times at most, until it is within a limit: a machine that is busy elsewhere lengthens one, and hardly
 * three in a row.
 *
 * @returns the shortest of them
 */
export async function shortestMs(limitMs: number, measure: (round: number) => Promise<number>): Promise<number> {
  let shortest = Infinity;
  for (let round = 1; round <= TRIES && shortest >= limitMs; round++)
    shortest = Math.min(shortest, await measure(round));
  return shortest;
}
