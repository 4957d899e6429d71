import { hostname } from 'node:os';
import { KubernetesEventRecorder } from '../../cluster/objects/event-recorder';
import { KubernetesObjectWriter } from '../../cluster/objects/object-writer';
import { isServedKind } from '../../cluster/api/served-kind';
import { openObjectFeed, type WatchedObjects } from '../../cluster/watch/object-feed';
import type { ApiClient } from '../../cluster/api/api-client';
import { CLUSTER_API_KINDS, CLUSTER_API_VERSIONS, type ClusterApiVersion } from '../../contract/cluster-api';
import { mapOf, metadataOf, type JsonMap } from '../../contract/loose-json';
import { IpamError } from '../../errors/ipam-error';
import { ClusterApiController, clusterApiWork, registerClusterApiPages } from '../../front-doors/cluster-api/index';
import type { Settings } from '../../settings/options';
import type { CommonParts, Door, ObjectDoorKind } from '../door';
import type { ClusterEnvironment } from '../environment';
import { closed, openTogether, type OpenedParts } from '../opened-parts';
import { watchCheck } from '../watch-check';

type ClusterApiSettings = Pick<
  Settings,
  'vips' | 'vipsOrphanGraceSeconds' | 'networks' | 'networksOrphanGraceSeconds' | 'resyncSeconds'
>;
type Kind = (typeof CLUSTER_API_KINDS)[keyof typeof CLUSTER_API_KINDS];

/** The Cluster API door: IPAddressClaims that refer to pools of doors which were opened before. */
export const CLUSTER_API_DOOR: ObjectDoorKind = {
  name: 'cluster-api',
  needsRecord: false,
  holdsOwnClaims: false,
  isOn: ({ clusterApi }) => clusterApi,
  open: openClusterApiDoor,
};

async function openClusterApiDoor(settings: ClusterApiSettings, parts: CommonParts): Promise<Door> {
  const { environment } = parts;
  if (environment.kind === 'standalone') throw new IpamError('settings/invalid', '--cluster-api needs a cluster');
  const version = await servedVersion(environment.client);
  return openTogether((opened) => openOnCluster({ ...settings, version }, { ...parts, environment }, opened));
}

async function servedVersion(client: ApiClient): Promise<ClusterApiVersion> {
  const { claim, address } = CLUSTER_API_KINDS;
  for (const version of CLUSTER_API_VERSIONS)
    if ((await isServed(client, claim, version)) && (await isServed(client, address, version))) return version;
  const { kind, group } = claim;
  throw new IpamError(
    'settings/invalid',
    `--cluster-api needs the kinds ${kind} and ${address.kind} of ${group} (${CLUSTER_API_VERSIONS.join(' or ')}), which are not installed`,
  );
}

const resourceOf = ({ group, plural }: Kind, version: ClusterApiVersion) => ({
  apiVersion: `${group}/${version}`,
  resource: plural,
});

const isServed = (client: ApiClient, kind: Kind, version: ClusterApiVersion): Promise<boolean> =>
  isServedKind(client, resourceOf(kind, version));

async function openOnCluster(
  { version, resyncSeconds, ...settings }: ClusterApiSettings & { readonly version: ClusterApiVersion },
  { tools, environment, pools }: CommonParts & { readonly environment: ClusterEnvironment },
  opened: OpenedParts,
): Promise<Door> {
  const { client } = environment;
  const watched = (kind: Kind, trim?: (object: JsonMap) => JsonMap): WatchedObjects => {
    const source = { resource: resourceOf(kind, version), ...(trim === undefined ? {} : { trim }) };
    return opened.add(openObjectFeed(client, source, tools), closed);
  };
  const writer = (kind: Kind): KubernetesObjectWriter =>
    new KubernetesObjectWriter(client, { ...resourceOf(kind, version), kind: kind.kind, custom: true });
  const { claim, address, cluster } = CLUSTER_API_KINDS;
  const feeds = {
    claims: watched(claim),
    addresses: watched(address),
    ...((await isServed(client, cluster, version)) ? { clusters: watched(cluster, onlyPaused) } : {}),
  };
  const door = {
    ...tools,
    ...feeds,
    version,
    claimWriter: writer(claim),
    addressWriter: writer(address),
    events: new KubernetesEventRecorder({ client, ...tools, identity: hostname() }),
    pools: pools(),
    orphanGraceMs: 1000 * graceSeconds(settings),
  };
  const controller = opened.add(new ClusterApiController(door), closed);
  return {
    checks: [watchCheck('cluster-api', Object.values(feeds))],
    routes: [
      {
        listener: 'adminSocket',
        tls: {},
        register: (app) => {
          registerClusterApiPages(app, door);
        },
      },
    ],
    leaderWork: clusterApiWork({ parts: door, controller, resyncSeconds }),
    close: () => opened.end(),
  };
}

// The longest one of the doors whose record has the addresses: after a restore any of them may come back late.
function graceSeconds(settings: Omit<ClusterApiSettings, 'resyncSeconds'>): number {
  const { vips, vipsOrphanGraceSeconds, networks, networksOrphanGraceSeconds } = settings;
  return Math.max(vips ? vipsOrphanGraceSeconds : 0, networks ? networksOrphanGraceSeconds : 0);
}

// A Cluster with its topology is large, and all that counts of it is whether it is paused.
function onlyPaused(object: JsonMap): JsonMap {
  const { name, namespace, uid, resourceVersion, annotations } = metadataOf(object);
  const { paused } = mapOf(object['spec']);
  return { metadata: { name, namespace, uid, resourceVersion, annotations }, spec: { paused } };
}
