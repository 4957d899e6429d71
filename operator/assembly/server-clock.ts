import { FollowedClock, WHOLE_SECOND_MS } from '../runtime/followed-clock';
import type { ApiClient } from '../cluster/api/api-client';
import { apiPath } from '../cluster/api/api-path';
import { INTENT_SECRETS } from '../contract/group';
import type { Clock } from '../ports/clock';

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
 * @param connection - to the cluster
 * @returns the clock, right from the start
 * @throws IpamError `cluster/unavailable`
 */
export async function openServerClock(
  own: Clock,
  { client, namespace }: { readonly client: Pick<ApiClient, 'request'>; readonly namespace: string },
): Promise<ServerClock> {
  const clock = new FollowedClock(own, WHOLE_SECOND_MS);
  const [name = ''] = INTENT_SECRETS;
  const path = apiPath({ apiVersion: 'v1', resource: 'secrets', namespace, name });
  // any answer tells the time, also one that refuses
  const ask = async (): Promise<number> => {
    const { serverTimeMs } = await client.request({ method: 'GET', path });
    // without a date there is no other clock than the own one
    return serverTimeMs === undefined ? own.nowMs() : serverTimeMs + HALF_SECOND_MS;
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
