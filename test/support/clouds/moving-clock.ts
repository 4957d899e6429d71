import { ManualClock } from '../manual-clock';

/** A clock whose short pauses are over at once, and whose deadlines are as far away as ever. */
export class MovingClock extends ManualClock {
  override after(ms: number, run: () => void): () => void {
    if (ms > 10_000) return super.after(ms, run);
    let isCancelled = false;
    setImmediate(() => {
      if (!isCancelled) run();
    });
    return () => {
      isCancelled = true;
    };
  }
}
