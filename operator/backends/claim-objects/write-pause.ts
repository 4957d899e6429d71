import type { Clock } from '../../ports/clock';

/** Longest pause before a table is written again that another process wrote at the same time, in milliseconds. */
const LONGEST_MS = 40;

/** Tools of a pause. */
interface PauseTools {
  readonly clock: Pick<Clock, 'after'>;
  /** From 0 to 1, so that two processes do not write at the same time again. */
  readonly random: () => number;
}

/**
 * Waits a moment before a table that another process wrote is written again.
 *
 * @param tools - clock and chance
 * @returns once the pause is over
 */
export function writePause({ clock, random }: PauseTools): Promise<void> {
  return new Promise((resolve) => {
    clock.after(random() * LONGEST_MS, resolve);
  });
}
