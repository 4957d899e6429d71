import { problemOf, PROBLEM_TYPE } from './contract/ipam-api/v3/problem';
import { refusalOf } from './errors/ipam-error';
import type { Cluster } from './ports/cluster';
import type { WebServer } from './server/https-server';

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
      const problem = problemOf(refusalOf(thrown));
      return reply.code(problem.status).type(PROBLEM_TYPE).send(problem.body);
    }
  });
}
