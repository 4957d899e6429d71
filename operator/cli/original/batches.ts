import type { Converted } from './convert';

/** Addresses in one call. */
const MOST = 250;
/** Bytes of claims in one call, a quarter of what it takes; an address with every service that it may have fits always. */
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * Divides an import into calls: an address can have so many services that a few of them fill what one call takes.
 *
 * @param all - what is imported
 * @returns the same in the same order, in batches of at most 250 addresses and 4 MiB
 */
export function batchesOf(all: readonly Converted[]): readonly (readonly Converted[])[] {
  const batches: Converted[][] = [];
  let bytes = 0;
  for (const each of all) {
    const size = Buffer.byteLength(JSON.stringify(each.claim)) + 1;
    const last = batches.at(-1);
    if (last === undefined || last.length === MOST || bytes + size > MOST_BYTES) {
      batches.push([each]);
      bytes = size;
    } else {
      last.push(each);
      bytes += size;
    }
  }
  return batches;
}
