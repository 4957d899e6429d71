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
