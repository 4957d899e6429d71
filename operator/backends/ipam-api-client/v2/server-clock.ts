import { FollowedClock, WHOLE_SECOND_MS } from '../../../runtime/followed-clock';
import type { Clock } from '../../../ports/clock';

/** Pause between two looks; a timer that no change of the machine's clock moves counts in between. */
const LOOK_MS = 60_000;
/** The server leaves the fraction of the second out. */
const HALF_SECOND_MS = 500;

/** Clock of the API server, for what is kept in its objects. */
export interface ServerClock {
  readonly clock: Clock;
  close(): void;
}

/**
 * Follows the clock of the API server by the dates of its answers, so that every process judges what is kept in objects by one time.
 *
 * @param own - clock of this process
 * @param date - asks for the date of the server, milliseconds since 1970; undefined where it tells none
 * @returns the clock, right from the start
 * @throws IpamError as the first question does
 */
export async function openServerClock(own: Clock, date: () => Promise<number | undefined>): Promise<ServerClock> {
  const clock = new FollowedClock(own, WHOLE_SECOND_MS);
  const ask = async (): Promise<number> => {
    const dateMs = await date();
    // without a date there is no other clock than the own one
    return dateMs === undefined ? own.nowMs() : dateMs + HALF_SECOND_MS;
  };
  let closed = false;
  let stop: () => void = () => undefined;
  const later = (): void => {
    if (closed) return;
    stop = own.after(LOOK_MS, () => {
      void clock
        .follow(ask)
        .catch(() => undefined) // away: the time goes on as it was known
        .finally(later);
    });
  };
  await clock.follow(ask);
  later();
  return {
    clock,
    close: () => {
      closed = true;
      stop();
    },
  };
}
