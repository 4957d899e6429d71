/** Growth of the pauses between tries. */
export interface Backoff {
  readonly firstMs: number;
  readonly mostMs: number;
}

/**
 * Tells how long to wait before the next try.
 *
 * @param backoff - first and longest pause
 * @param failures - tries that failed in a row, 1 and above
 * @param random - from 0 to 1
 * @returns milliseconds: doubled with each failure, then 50 % to 100 % of it, so that clients that failed together come back apart
 */
export function backoffMs({ firstMs, mostMs }: Backoff, failures: number, random: number): number {
  const whole = Math.min(mostMs, firstMs * 2 ** Math.min(failures - 1, 30));
  return whole * (0.5 + random / 2);
}

/**
 * Reads the header `Retry-After` (RFC 9110 section 10.2.3).
 *
 * @param header - seconds, or a date
 * @param nowMs - present time
 * @returns seconds from now; undefined when there is none or it cannot be read
 */
export function retryAfterSeconds(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/u.test(text)) return Number(text);
  const atMs = /[a-z]/iu.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, Math.ceil((atMs - nowMs) / 1000));
}
