/** Length of a day in milliseconds. */
export const DAY_MS = 86_400_000;

/** Milliseconds without a report after which a cluster counts as silent; one that reports does so every minute. */
export const SILENT_MS = 900_000;
