/** Wall clock and timers, injected so that tests move time themselves. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  nowMs(): number;
  /** Calls `run` once after `ms` milliseconds; returns the function that cancels it. */
  after(ms: number, run: () => void): () => void;
}
