import type { ApiClient } from '../../cluster/api/api-client';
import { LEASE, OPERATOR_NAMESPACE } from '../../contract/group';
import { IP_ALLOCATION } from '../../contract/kinds/ip-allocation';
import { IP_PREFIX } from '../../contract/kinds/ip-prefix';
import { NETWORK_INSTANCE } from '../../contract/kinds/network-instance';
import { listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { NETWORKS_FINALIZER } from '../../contract/nephio';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import { YES, type CommandParts } from '../arguments/command-parts';
import { openCluster, withClusterOptions, type ClusterOptions } from '../calls/cluster';
import { listed, pathOf } from '../networks/read-instance';
import { EXIT } from '../output/exit-codes';
import type { Report } from '../output/report';

/** Kinds with the finalizer, those that use the others first. */
const KINDS = [IP_ALLOCATION, IP_PREFIX, NETWORK_INSTANCE] as const;
/** Time after which an operator that did not renew its Lease does not run; it renews it every few seconds. */
const SILENT_MS = 60_000;

type UninstallOptions = ClusterOptions & { readonly yes: boolean; readonly operatorNamespace: string };

/** One object with the finalizer. */
interface HeldObject {
  readonly kind: string;
  readonly path: string;
  readonly namespace: string;
  readonly name: string;
  readonly object: JsonMap;
}

/**
 * Adds `ipam uninstall-networks`.
 *
 * @param parts - program and how to run
 */
export function addUninstallNetworks({ program, runHere, env }: CommandParts): void {
  const command = program
    .command('uninstall-networks')
    .description(
      'take the finalizer off NetworkInstances, IPPrefixes and IPAllocations once their operator is gone, so that they can be deleted',
    );
  withClusterOptions(command)
    .option('--operator-namespace <name>', 'namespace in which the operator ran', OPERATOR_NAMESPACE)
    .option(...YES)
    .action((options: UninstallOptions) =>
      runHere(async () => {
        const client = await openCluster(options, env);
        try {
          return await uninstall(client, options);
        } finally {
          await client.close();
        }
      }),
    );
}

async function uninstall(client: ApiClient, options: UninstallOptions): Promise<Outcome<Report>> {
  const running = await leaderIn(client, options.operatorNamespace);
  if (!running.ok) return running;
  const held = await heldObjects(client);
  if (!held.ok) return held;
  const rows: (readonly string[])[] = [];
  for (const each of held.value) {
    const outcome = options.yes ? await freed(client, each) : 'would be freed';
    rows.push([each.kind, `${each.namespace}/${each.name}`, outcome]);
  }
  const isPartly = options.yes && rows.some(([, , outcome]) => outcome !== FREED);
  return accept({
    value: rows.map(([kind, object, outcome]) => ({ kind, object, outcome })),
    table: { columns: ['kind', 'object', 'outcome'], rows },
    notes: options.yes
      ? []
      : [
          'nothing was changed; with --yes the finalizer goes, and nothing waits for users of a deleted prefix any more',
        ],
    ...(isPartly ? { exit: EXIT.partly } : {}),
  });
}

const FREED = 'freed';

// An operator that runs puts the finalizer back, and needs it.
async function leaderIn(client: ApiClient, namespace: string): Promise<Outcome<void>> {
  const path = `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(namespace)}/leases/${LEASE}`;
  const read = await client.request({ method: 'GET', path });
  if (!read.ok && read.status === 404) return accept(undefined);
  if (!read.ok)
    return refuse('cluster/refused', `the API server does not show the Lease of the operator: ${read.message}`);
  const { holderIdentity, renewTime } = mapOf(read.body['spec']);
  const renewedMs = Date.parse(textOf(renewTime));
  const nowMs = read.serverTimeMs ?? Date.now();
  if (textOf(holderIdentity) === '' || !(nowMs - renewedMs < SILENT_MS)) return accept(undefined);
  const message = `the operator ${textOf(holderIdentity)} still runs in namespace ${namespace}; take it away first, and wait for a minute`;
  return refuse('cluster/refused', message);
}

async function heldObjects(client: ApiClient): Promise<Outcome<readonly HeldObject[]>> {
  const held: HeldObject[] = [];
  for (const kind of KINDS) {
    const all = await listed(client, pathOf(kind, {}));
    if (!all.ok) return all;
    for (const object of all.value) {
      const of = { namespace: textOf(metadataOf(object)['namespace']), name: textOf(metadataOf(object)['name']) };
      if (!finalizersOf(object).includes(NETWORKS_FINALIZER)) continue;
      held.push({ kind: kind.kind, path: pathOf(kind, of), ...of, object });
    }
  }
  return accept(held);
}

const finalizersOf = (object: JsonMap): readonly unknown[] => listOf(metadataOf(object)['finalizers']);

async function freed(client: ApiClient, { path, object }: HeldObject): Promise<string> {
  const finalizers = finalizersOf(object).filter((each) => each !== NETWORKS_FINALIZER);
  const { resourceVersion } = metadataOf(object);
  const body = { metadata: { resourceVersion, finalizers } };
  const contentType = 'application/merge-patch+json';
  const answer = await client.request({ method: 'PATCH', path, contentType, body });
  return answer.ok || answer.status === 404 ? FREED : `not freed: ${answer.message}`;
}
