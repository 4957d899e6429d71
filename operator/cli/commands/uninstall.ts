import type { ApiClient } from '../../cluster/api/api-client';
import { apiPath } from '../../cluster/api/api-path';
import type { KindDeclaration } from '../../contract/crd-manifest';
import { LEASE, OPERATOR_NAMESPACE } from '../../contract/group';
import { IP_ALLOCATION } from '../../contract/kinds/ip-allocation';
import { IP_GROUP } from '../../contract/kinds/ip-group';
import { IP_PREFIX } from '../../contract/kinds/ip-prefix';
import { NETWORK_INSTANCE } from '../../contract/kinds/network-instance';
import { listOf, mapOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { NETWORKS_FINALIZER } from '../../contract/nephio';
import { GROUP_FINALIZER, OLD_LEASE, OLD_SERVICE_FINALIZERS } from '../../contract/paas';
import { SERVICE } from '../../contract/service-identity';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import { YES, type CommandParts } from '../arguments/command-parts';
import { openCluster, withClusterOptions, type ClusterOptions } from '../calls/cluster';
import { listed } from '../calls/listed';
import { EXIT } from '../output/exit-codes';
import type { Report } from '../output/report';

/** A kind with finalizers of a door. */
interface HeldKind {
  readonly kind: string;
  readonly apiVersion: string;
  readonly resource: string;
  readonly finalizers: readonly string[];
}

/** One door as it is taken away. */
interface LeavingDoor {
  readonly command: string;
  readonly description: string;
  /** Kinds with finalizers, those that use the others first. */
  readonly kinds: readonly HeldKind[];
  /** Leases of other operators that put the finalizers back. */
  readonly leases: readonly LeaseName[];
  /** Said as long as nothing is changed. */
  readonly note: string;
}

/** Lease by which an operator runs. */
interface LeaseName {
  readonly namespace: string;
  readonly name: string;
}

const held = (
  { kind, group, version, plural }: Pick<KindDeclaration<never>, 'kind' | 'group' | 'version' | 'plural'>,
  finalizer: string,
): HeldKind => ({ kind, apiVersion: `${group}/${version}`, resource: plural, finalizers: [finalizer] });

const NETWORKS: LeavingDoor = {
  command: 'uninstall-networks',
  description:
    'take the finalizer off NetworkInstances, IPPrefixes and IPAllocations once their operator is gone, so that they can be deleted',
  kinds: [IP_ALLOCATION, IP_PREFIX, NETWORK_INSTANCE].map((kind) => held(kind, NETWORKS_FINALIZER)),
  leases: [],
  note: 'nothing was changed; with --yes the finalizer goes, and nothing waits for users of a deleted prefix any more',
};

const VIPS: LeavingDoor = {
  command: 'uninstall-vips',
  description:
    'take the finalizer off IPGroups, and that of the older operator off Services, once both operators are gone, so that they can be deleted',
  kinds: [{ ...SERVICE, resource: 'services', finalizers: OLD_SERVICE_FINALIZERS }, held(IP_GROUP, GROUP_FINALIZER)],
  leases: [OLD_LEASE],
  note: 'nothing was changed; with --yes the finalizers go, and no deleted IPGroup waits for its Services any more',
};

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
  /** Finalizers that stay. */
  readonly others: readonly unknown[];
}

/**
 * Adds `ipam uninstall-networks` and `ipam uninstall-vips`.
 *
 * @param parts - program and how to run
 */
export function addUninstall(parts: CommandParts): void {
  for (const door of [NETWORKS, VIPS]) addFor(parts, door);
}

function addFor({ program, runHere, env }: CommandParts, door: LeavingDoor): void {
  const command = program.command(door.command).description(door.description);
  withClusterOptions(command)
    .option('--operator-namespace <name>', 'namespace in which the operator ran', OPERATOR_NAMESPACE)
    .option(...YES)
    .action((options: UninstallOptions) =>
      runHere(async () => {
        const client = await openCluster(options, env);
        try {
          return await uninstall(client, door, options);
        } finally {
          await client.close();
        }
      }),
    );
}

async function uninstall(client: ApiClient, door: LeavingDoor, options: UninstallOptions): Promise<Outcome<Report>> {
  for (const lease of [{ namespace: options.operatorNamespace, name: LEASE }, ...door.leases]) {
    const running = await leaderBy(client, lease);
    if (!running.ok) return running;
  }
  const objects = await heldObjects(client, door);
  if (!objects.ok) return objects;
  const rows: (readonly string[])[] = [];
  for (const each of objects.value) {
    const outcome = options.yes ? await freed(client, each) : 'would be freed';
    rows.push([each.kind, [each.namespace, each.name].filter((part) => part !== '').join('/'), outcome]);
  }
  const isPartly = options.yes && rows.some(([, , outcome]) => outcome !== FREED);
  return accept({
    value: rows.map(([kind, object, outcome]) => ({ kind, object, outcome })),
    table: { columns: ['kind', 'object', 'outcome'], rows },
    notes: options.yes ? [] : [door.note],
    ...(isPartly ? { exit: EXIT.partly } : {}),
  });
}

const FREED = 'freed';

// An operator that runs puts the finalizer back, and needs it.
async function leaderBy(client: ApiClient, { namespace, name }: LeaseName): Promise<Outcome<void>> {
  const path = apiPath({ apiVersion: 'coordination.k8s.io/v1', resource: 'leases', namespace, name });
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

async function heldObjects(client: ApiClient, { kinds }: LeavingDoor): Promise<Outcome<readonly HeldObject[]>> {
  const objects: HeldObject[] = [];
  for (const { kind, apiVersion, resource, finalizers } of kinds) {
    const all = await listed(client, apiPath({ apiVersion, resource }));
    if (!all.ok) return all;
    for (const object of all.value) {
      const stored = listOf(metadataOf(object)['finalizers']);
      const others = stored.filter((each) => !finalizers.some((own) => own === each));
      if (others.length === stored.length) continue;
      const [namespace, name] = [textOf(metadataOf(object)['namespace']), textOf(metadataOf(object)['name'])];
      const path = apiPath({ apiVersion, resource, name, ...(namespace === '' ? {} : { namespace }) });
      objects.push({ kind, path, namespace, name, object, others });
    }
  }
  return accept(objects);
}

async function freed(client: ApiClient, { path, object, others }: HeldObject): Promise<string> {
  const { resourceVersion } = metadataOf(object);
  const body = { metadata: { resourceVersion, finalizers: others } };
  const contentType = 'application/merge-patch+json';
  const answer = await client.request({ method: 'PATCH', path, contentType, body });
  return answer.ok || answer.status === 404 ? FREED : `not freed: ${answer.message}`;
}
