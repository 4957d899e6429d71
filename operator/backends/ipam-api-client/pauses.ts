const FIRST_MS = 100;
const MOST_MS = 2_000;

/**
 * Tells how long to wait before the next try.
 *
 * @param failures - tries that failed in a row, 1 and above
 * @param random - from 0 to 1
 * @returns milliseconds: doubled with each failure, then 50 % to 100 % of it, so that clients that failed together come back apart
 */
export function pauseMs(failures: number, random: number): number {
  return Math.min(MOST_MS, FIRST_MS * 2 ** Math.min(failures - 1, 20)) * (0.5 + random / 2);
}

/**
 * Tells how long to wait where the server may have said it.
 *
 * @param askedMs - milliseconds that it asked for, 0 and above; undefined: it said nothing
 * @param failures - tries that failed in a row, 1 and above
 * @param random - from 0 to 1
 * @returns milliseconds: never less than it asked for nor than the pause of {@link pauseMs}, so that "0" is no endless loop; up to a
 *   quarter more, since it tells every client the same time
 */
export function askedPauseMs(askedMs: number | undefined, failures: number, random: number): number {
  return askedMs === undefined
    ? pauseMs(failures, random)
    : Math.max(askedMs * (1 + random / 4), pauseMs(failures, random));
}

/**
 * Reads the header `Retry-After` (RFC 9110 section 10.2.3).
 *
 * @param header - seconds, or a date
 * @param nowMs - present time
 * @returns milliseconds from now; undefined when there is none or it cannot be read
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/u.test(text)) return Number(text) * 1_000;
  const atMs = /[a-z]/iu.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}
