/** How much a bench does: `tiny` proves that it runs to its end, and nothing else. */
export type BenchSize = 'full' | 'quick' | 'tiny';

/** One measured figure and its gate (`performance.md` part 4). */
export interface BenchResult {
  readonly id: string;
  readonly measured: number;
  /** NaN for a figure that is reported and not judged. */
  readonly gate: number;
  /** Which side of the gate passes. */
  readonly better: 'higher' | 'lower';
  readonly verdict: 'pass' | 'fail' | 'skipped' | 'reported';
  /** Comparison, absolute figures, or why it was skipped. */
  readonly note?: string;
}

/** A figure with its gate. */
export interface Judged {
  readonly value: number;
  readonly gate: number;
  readonly better: BenchResult['better'];
  readonly note: string;
}

/** Compares a figure with its gate. */
export function judged(id: string, { value, gate, better, note }: Judged): BenchResult {
  const passes = better === 'lower' ? value <= gate : value >= gate;
  return { id, measured: value, gate, better, verdict: passes ? 'pass' : 'fail', note };
}

/** Tells a figure that has no gate. */
export const reported = (id: string, { value, better, note }: Omit<Judged, 'gate'>): BenchResult => ({
  id,
  measured: value,
  gate: NaN,
  better,
  verdict: 'reported',
  note,
});
