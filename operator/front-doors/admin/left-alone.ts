import type { FastifyInstance } from 'fastify';
import { ADMIN_PATHS } from '../../contract/ipam-api/admin-paths';
import { refusalOf } from '../../errors/ipam-error';
import { sendProblem } from '../../contract/ipam-api/v3/problem';

/** Lists the stored Services that are left alone although something asks for an address of ours. */
export type LeftAloneReader = () => Promise<readonly object[]>;

/**
 * Serves the Services of the operator's own cluster that are left alone, for `ipam doctor`: nothing is written on them.
 *
 * @param app - server of the admin socket
 * @param read - lists them
 */
export function addLeftAlone(app: FastifyInstance, read: LeftAloneReader): void {
  app.get(ADMIN_PATHS.leftAlone, async (_request, reply) => {
    try {
      return await reply.send({ services: await read() });
    } catch (thrown) {
      return sendProblem(reply, refusalOf(thrown));
    }
  });
}
