import type { FastifyInstance } from 'fastify';
import { ADMIN_PATHS } from '../../contract/ipam-api/admin-paths';
import { refusalOf } from '../../errors/ipam-error';
import type { Cluster } from '../../ports/cluster';
import { sendProblem } from '../../contract/ipam-api/v3/problem';

/**
 * Serves the address families of the operator's own cluster, for `ipam plan`: the record does not know them.
 *
 * @param app - server of the admin socket
 * @param cluster - the cluster that the operator serves
 */
export function addOwnCluster(app: FastifyInstance, cluster: Pick<Cluster, 'clusterUid' | 'families'>): void {
  app.get(ADMIN_PATHS.ownCluster, async (_request, reply) => {
    try {
      const [clusterUid, families] = await Promise.all([cluster.clusterUid(), cluster.families()]);
      return await reply.send({ clusterUid, families: families.map((family) => `ipv${family}`) });
    } catch (thrown) {
      return sendProblem(reply, refusalOf(thrown));
    }
  });
}
