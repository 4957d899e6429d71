import type { FastifyInstance } from 'fastify';
import type { JsonMap } from '../../contract/loose-json';
import type { ServiceView } from '../../contract/service';
import { ADMIN_PATHS } from '../../contract/ipam-api/admin-paths';
import { refusalOf } from '../../errors/ipam-error';
import type { Cluster } from '../../ports/cluster';
import type { ServiceCondition } from '../../ports/service-writer';
import { sendProblem } from '../../contract/ipam-api/v3/problem';

/** Path of a stored Service, beside version 3 since only the operator's own cluster is meant. */
const PATH = `${ADMIN_PATHS.storedServices}/:namespace/:name`;

/** Reads a stored Service; undefined for an object without metadata. */
type StoredServiceReader = (
  raw: JsonMap,
) => { readonly view: ServiceView; readonly condition?: ServiceCondition } | undefined;

/** Parts of the page that shows a stored Service. */
export interface StoredServiceParts {
  /** The cluster that the operator serves. */
  readonly cluster: Pick<Cluster, 'clusterUid' | 'service'>;
  readonly readStored: StoredServiceReader;
}

/** A Service as the operator's own cluster has stored it. */
interface StoredServiceAnswer {
  readonly clusterUid: string;
  /** Absent where the cluster has no such Service. */
  readonly stored?: {
    readonly type: string;
    /** True when it is being deleted. */
    readonly dying: boolean;
    /** Our condition: the last one that the operator wrote. */
    readonly condition?: {
      readonly status: string;
      readonly reason: string;
      readonly message: string;
      readonly since: string;
    };
  };
}

/**
 * Serves the state of a Service of the operator's own cluster, for `ipam explain`: the record does not know which Services wait.
 *
 * @param app - server of the admin socket
 * @param parts - cluster, and the reader of a stored Service
 */
export function addStoredService(app: FastifyInstance, parts: StoredServiceParts): void {
  app.get<{ Params: { readonly namespace: string; readonly name: string } }>(PATH, async ({ params }, reply) => {
    try {
      const answer = await storedService(parts, params);
      return await reply.send(answer);
    } catch (thrown) {
      return sendProblem(reply, refusalOf(thrown));
    }
  });
}

async function storedService(
  { cluster, readStored }: StoredServiceParts,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<StoredServiceAnswer> {
  const clusterUid = await cluster.clusterUid();
  const raw = await cluster.service(namespace, name);
  const found = raw === undefined ? undefined : readStored(raw);
  if (found === undefined) return { clusterUid };
  const { view, condition } = found;
  return {
    clusterUid,
    stored: {
      type: view.type,
      dying: view.dying,
      ...(condition === undefined ? {} : { condition: conditionOf(condition) }),
    },
  };
}

function conditionOf({ status, reason, message, lastTransitionTime: since }: ServiceCondition) {
  return { status, reason, message, since };
}
