/** Length of a day in milliseconds. */
export const DAY_MS = 86_400_000;

/** Milliseconds without a report after which a cluster counts as silent; one that reports does so every minute. */
export const SILENT_MS = 900_000;

/** Longest quarantine that a pool which is an object can ask for, in seconds. */
export const MAX_QUARANTINE_SECONDS = 86_400;

/** Time in which a new object gets its first condition, also while another process begins to lead, in milliseconds. */
export const FIRST_CONDITION_MS = 60_000;
