import { refusalOf } from '../errors/ipam-error';
import { readStored } from '../front-doors/services/controller/stored-object';
import type { Cluster } from '../ports/cluster';
import type { WebServer } from '../server/https-server';
import { sendProblem } from '../server/json-errors';

/** Path of a stored Service, beside version 3 since only the operator's own cluster is meant. */
const PATH = '/stored-services/:namespace/:name';

/** What the operator's own cluster has stored of one Service. */
interface StoredServiceAnswer {
  readonly clusterUid: string;
  /** Absent where the cluster has no such Service. */
  readonly stored?: {
    readonly type: string;
    /** True when it is being deleted. */
    readonly dying: boolean;
    /** Our condition: what the operator told of it last. */
    readonly condition?: {
      readonly status: string;
      readonly reason: string;
      readonly message: string;
      readonly since: string;
    };
  };
}

/**
 * Serves how a Service of the operator's own cluster stands, for `ipam explain`: the record does not know who waits.
 *
 * @param server - of the admin socket
 * @param cluster - that the operator serves
 */
export function addStoredService({ app }: Pick<WebServer, 'app'>, cluster: Cluster): void {
  app.get<{ Params: { readonly namespace: string; readonly name: string } }>(PATH, async ({ params }, reply) => {
    try {
      const answer = await storedService(cluster, params);
      return await reply.send(answer);
    } catch (thrown) {
      return sendProblem(reply, refusalOf(thrown));
    }
  });
}

async function storedService(
  cluster: Cluster,
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
      ...{ type: view.type, dying: view.dying },
      ...(condition === undefined ? {} : { condition: conditionOf(condition) }),
    },
  };
}

function conditionOf({
  status,
  reason,
  message,
  lastTransitionTime: since,
}: NonNullable<NonNullable<ReturnType<typeof readStored>>['condition']>) {
  return { status, reason, message, since };
}
