import type { Clock } from '../../ports/clock';

/** Longest delay that a Node timer takes; a longer one would fire at once. */
const MAX_TIMER_MS = 2_147_483_647;

/** The machine's clock and timers. Holds nothing; safe to share. */
export const SYSTEM_CLOCK: Clock = {
  nowMs: () => Date.now(),
  after: (ms, run) => {
    let timer: NodeJS.Timeout;
    const wait = (left: number): void => {
      timer = setTimeout(
        left > MAX_TIMER_MS
          ? () => {
              wait(left - MAX_TIMER_MS);
            }
          : run,
        Math.min(left, MAX_TIMER_MS),
      );
    };
    wait(Math.max(0, ms));
    return () => {
      clearTimeout(timer);
    };
  },
};
