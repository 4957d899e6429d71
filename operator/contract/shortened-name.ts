import { createHash } from 'node:crypto';

const HASH_DIGITS = 32;

/**
 * Fits a name into a length, so that different names stay different.
 *
 * @param full - of any length
 * @param options - `most`: characters that it may have; `separator`: stands before the hash, `-` by default
 * @returns the name as it is, or its beginning and a hash where it is longer
 */
export function shortenedName(
  full: string,
  { most, separator = '-' }: { readonly most: number; readonly separator?: string },
): string {
  if (full.length <= most) return full;
  const hash = createHash('sha256').update(full).digest('hex').slice(0, HASH_DIGITS);
  return `${full.slice(0, most - HASH_DIGITS - separator.length)}${separator}${hash}`;
}
