import type { ApiClient } from '../../../operator/cluster/api/api-client';
import type { Clock } from '../../../operator/ports/clock';

/**
 * Shows a server with a clock that the test moves.
 *
 * @param server - the client of the server; closed by its owner
 * @param clock - whose time the answers tell
 * @returns a client of the same server
 */
export function timedClient(server: ApiClient, clock: Pick<Clock, 'nowMs'>): ApiClient {
  return {
    request: async (request) => ({ ...(await server.request(request)), serverTimeMs: clock.nowMs() }),
    stream: (request) => server.stream(request),
    close: () => Promise.resolve(),
  };
}
