const AT_ONCE = 32;

/**
 * Reads how many IPAllocations a test makes.
 *
 * @param few - without `NETWORKS_MANY`, which `npm run test:networks-many` sets
 * @returns the count
 */
export function allocationCount(few: number): number {
  return Number(process.env['NETWORKS_MANY'] ?? few);
}

/**
 * Tells how long a test waits for so many IPAllocations, on a machine that has ten times the work it was made for.
 *
 * @param count - of IPAllocations
 * @returns milliseconds
 */
export const patienceFor = (count: number): number => 300_000 + 300 * count;

/**
 * Does something with each of many things, some of them at once.
 *
 * @param all - the things
 * @param work - with one of them
 */
export async function forEachAtOnce<T>(all: readonly T[], work: (each: T) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < all.length; from += AT_ONCE) await Promise.all(all.slice(from, from + AT_ONCE).map(work));
}
