import type { FastifyInstance } from 'fastify';
import { ADMIN_PATHS } from '../../contract/ipam-api/admin-paths';
import { sendProblem } from '../../contract/ipam-api/v3/problem';

const { backup, leftAlone, storedServices, evictions, forgottenClusters, renamedClusters } = ADMIN_PATHS;

/** Paths of everything that reads or changes the record. */
const PATHS = [
  ...['/v3', '/v3/*', backup, leftAlone],
  ...[storedServices, evictions, forgottenClusters, renamedClusters].map((path) => `${path}/*`),
];

/**
 * Refuses everything that needs a record of zones.
 *
 * @param app - server of the admin socket
 * @param why - there is none here, a sentence
 */
export function addMissingRecord(app: FastifyInstance, why: string): void {
  for (const path of PATHS)
    app.all(path, (_request, reply) => sendProblem(reply, { code: 'store/no-zones', message: why }));
}
