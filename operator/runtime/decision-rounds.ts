/** Rounds in which an object is decided again at once, since something else changed at the same time. */
export const DECISION_ROUNDS = 5;

/** Pause before an object is looked at again that something else wrote at the same time, in milliseconds. */
export const DECIDE_AGAIN_MS = 250;
