import type { ManualClock } from './manual-clock';
import type { StoreClock } from './store-under-test';

/**
 * Lets a test move the clock of a store that asks this process for the time.
 *
 * @param clock - what the store was opened with
 * @returns the clock as contracts move it
 */
export function storeClock(clock: ManualClock): StoreClock {
  return {
    nowMs: () => clock.nowMs(),
    advance: (ms) => {
      clock.advance(ms);
      return Promise.resolve();
    },
  };
}
