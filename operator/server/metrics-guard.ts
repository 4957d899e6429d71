import type { FastifyInstance } from 'fastify';

import { IpamError } from '../errors/ipam-error';
import type { Outcome } from '../errors/outcome';

/** Judges the callers of the metrics. */
export interface MetricsCallers {
  /**
   * Judges a request.
   *
   * @param authorization - header of that name
   * @param peer - address of the other end of the connection
   * @returns nothing; or `api/unauthenticated`, `api/forbidden`, `api/busy`
   * @throws IpamError where the cluster does not answer
   */
  judge(authorization: string | undefined, peer: string): Promise<Outcome<void>>;
}

/**
 * Refuses every request of an instance whose caller may not read the metrics.
 *
 * @param app - instance without routes so far
 * @param callers - judge of the callers
 */
export function guardMetrics(app: FastifyInstance, callers: MetricsCallers): void {
  app.addHook('onRequest', async (request, reply) => {
    const may = await callers.judge(request.headers.authorization, request.ip);
    if (may.ok) return;
    const { code, message } = may.refusal;
    if (code === 'api/unauthenticated') reply.header('www-authenticate', 'Bearer realm="metrics"');
    throw new IpamError(code, message);
  });
}
