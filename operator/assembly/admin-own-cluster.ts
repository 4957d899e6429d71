import { refusalOf } from '../errors/ipam-error';
import type { Cluster } from '../ports/cluster';
import type { WebServer } from '../server/https-server';
import { sendProblem } from '../server/json-errors';

/** Path of the operator's own cluster, beside version 3 since of other clusters nobody knows their families. */
const PATH = '/own-cluster';

/**
 * Serves which families the Services of the operator's own cluster have, for `ipam plan`: the record does not know.
 *
 * @param server - of the admin socket
 * @param cluster - that the operator serves
 */
export function addOwnCluster({ app }: Pick<WebServer, 'app'>, cluster: Cluster): void {
  app.get(PATH, async (_request, reply) => {
    try {
      const [clusterUid, families] = await Promise.all([cluster.clusterUid(), cluster.families()]);
      return await reply.send({ clusterUid, families: families.map((family) => `ipv${family}`) });
    } catch (thrown) {
      return sendProblem(reply, refusalOf(thrown));
    }
  });
}
