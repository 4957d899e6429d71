/** Milliseconds for which a stored write proves that the next one can be stored. */
export const FRESH_WRITE_MS = 10_000;
