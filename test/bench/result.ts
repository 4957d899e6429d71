/** How much a bench does: `tiny` proves that it runs to its end, and nothing else. */
export type BenchSize = 'full' | 'quick' | 'tiny';

/** One measured ratio and its gate (`performance.md` part 4). */
export interface BenchResult {
  readonly id: string;
  readonly measured: number;
  readonly gate: number;
  /** Which side of the gate passes. */
  readonly better: 'higher' | 'lower';
  readonly verdict: 'pass' | 'fail' | 'skipped';
  /** Comparison, absolute figures, or why it was skipped. */
  readonly note?: string;
}
