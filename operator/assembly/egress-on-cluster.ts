import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { addressClaimCodec } from '../backends/claim-objects/address-claim-codec';
import { openClaimObjects, type ClaimObjectStore } from '../backends/claim-objects/claim-objects';
import type { ApiClient } from '../cluster/api/api-client';
import { AccessReviews } from '../cluster/objects/access-reviews';
import { KubernetesEventReader } from '../cluster/objects/event-reader';
import { KubernetesEventRecorder } from '../cluster/objects/event-recorder';
import { KubernetesObjectWriter } from '../cluster/objects/object-writer';
import { openObjectFeed, type WatchedObjects } from '../cluster/watch/object-feed';
import type { KindDeclaration } from '../contract/crd-manifest';
import { NAMESPACE } from '../contract/egress';
import { CLOUD_PRIVATE_IP } from '../contract/egress-dataplanes';
import { ADDRESS_CLAIM } from '../contract/kinds/address-claim';
import { EGRESS_IPAM } from '../contract/kinds/egress-ipam';
import {
  EgressController,
  egressWork,
  registerEgressDoor,
  registerEgressPages,
  type EgressDoorParts,
} from '../front-doors/egress/index';
import type { EgressDataplanes } from '../ports/egress-dataplane';
import type { VersionedFeed } from '../ports/object-feed';
import type { Tools } from '../ports/tools';
import { followAddresses } from './addresses-in-use';
import { claimsBeside, type ClaimingDoors } from './claims-in-use';
import { clusterNetworks } from './cluster-networks';
import type { CommonParts, Door, DoorRoutes } from './door';
import { openEgressCloud, type EgressCloud, type EgressCloudOptions } from './egress-cloud';
import { openEgressDataplanes } from './egress-dataplanes';
import type { ClusterEnvironment } from './environment';
import { requireKinds, resourceOf, writerOf } from './kind-writer';
import { NO_DATAPLANES } from './no-dataplanes';
import { closed, openTogether, type OpenedParts } from './opened-parts';
import { shownByPlatform } from './showing-feeds';
import { watchCheck } from './watch-check';
import { zoneSpaces } from './zone-spaces';

/** Behaviour of the webhooks. */
interface AdmissionOptions {
  /** Whether rights to use an EgressIPAM are asked for. */
  readonly usePermission: boolean;
  /** What becomes of annotations of a Namespace while rights cannot be asked for. */
  readonly whenUnavailable: 'deny' | 'admit';
}

/** Options of the Egress door on a cluster. */
interface EgressOptions {
  /** Classes of load balancers whose Services show addresses in use. */
  readonly announcedClasses: readonly string[];
  /** Names of the dataplanes that are driven where the cluster has them. */
  readonly dataplanes: readonly string[];
  /** Cloud whose machines addresses are attached to. */
  readonly cloud: EgressCloudOptions;
  /** Seconds between two comparisons of everything. */
  readonly resyncSeconds: number;
  readonly admission: AdmissionOptions;
  /** Doors that have AddressClaims. */
  readonly claiming: ClaimingDoors;
}

/**
 * Opens the Egress door: watches, the AddressClaims as record, and the controller.
 *
 * @param parts - zones, tools
 * @param environment - client and cluster
 * @param options - classes, resync
 * @returns the door
 * @throws IpamError `settings/invalid` where the kinds are not installed, or of the cluster; what was opened is closed again
 */
export async function openEgressOnCluster(
  parts: CommonParts,
  environment: ClusterEnvironment,
  options: EgressOptions,
): Promise<Door> {
  await requireKinds(environment.client, '--egress', [EGRESS_IPAM, ADDRESS_CLAIM]);
  return openTogether((opened) => openDoor(parts, environment, { ...options, opened }));
}

async function openDoor(
  { tools, zones, spaces }: CommonParts,
  environment: ClusterEnvironment,
  options: EgressOptions & { readonly opened: OpenedParts },
): Promise<Door> {
  const { announcedClasses, dataplanes, resyncSeconds, claiming, admission, opened } = options;
  const { client } = environment;
  const feeds = openFeeds(environment, tools, opened);
  const platform = await environment.feeds.platform();
  const claims = opened.add(await openRecord(client, feeds.addressClaims, tools), closed);
  const shown = followAddresses(
    {
      ...feeds,
      others: [...claimsBeside(claiming, environment.feeds, 'egress'), ...shownByPlatform(platform)],
      needed: Object.values(platform),
    },
    announcedClasses,
    opened,
  );
  const { egressIpams, namespaces, wholeNodes: nodes } = feeds;
  const { known } = claims;
  const cloud = await openEgressCloud(options.cloud, { client, tools, egressIpams, nodes, known });
  if (cloud !== undefined) opened.add(cloud, closed);
  const parts: EgressDoorParts = {
    ...tools,
    claims,
    known,
    egressIpams,
    namespaces,
    egressIpamWriter: writerOf(client, EGRESS_IPAM),
    namespaceWriter: new KubernetesObjectWriter(client, { ...NAMESPACE, resource: 'namespaces' }),
    events: new KubernetesEventRecorder({ client, ...tools, identity: hostname() }),
    shown: shown.view,
    cloud: cloud?.view,
    nodes,
    dataplanes: openDataplanes(environment, tools, { names: dataplanes, opened, cloud }),
    networks: clusterNetworks(feeds.nodes, platform),
    strongerPools: [zoneSpaces(zones), ...spaces()],
  };
  const controller = opened.add(new EgressController(parts), closed);
  shown.onChanged((block) => {
    controller.shownChanged(block);
  });
  const watched = [egressIpams, namespaces, feeds.addressClaims, feeds.wholeNodes];
  return {
    checks: [watchCheck('egress', watched)],
    spaces: [controller.spaces],
    routes: [pagesOf(client, parts), webhookRoutes(tools, environment, { ...admission, state: controller.viewed })],
    leaderWork: egressWork({ parts, controller, resyncSeconds }),
    close: () => opened.end(),
  };
}

function pagesOf(client: ApiClient, parts: EgressDoorParts): DoorRoutes {
  const recordedEvents = new KubernetesEventReader({ client, logger: parts.logger });
  return {
    listener: 'adminSocket',
    tls: {},
    register: (app) => {
      registerEgressPages(app, { ...parts, recordedEvents });
    },
  };
}

function webhookRoutes(
  tools: Tools,
  { client, certificate }: ClusterEnvironment,
  { usePermission, whenUnavailable, state }: AdmissionOptions & { readonly state: EgressController['viewed'] },
): DoorRoutes {
  const access = usePermission ? new AccessReviews(client) : undefined;
  return {
    listener: 'webhooks',
    tls: { certificate },
    register: (app) => {
      registerEgressDoor(app, { tools, state, access, whenUnavailable });
    },
  };
}

interface DataplaneOptions {
  readonly names: readonly string[];
  readonly opened: OpenedParts;
  readonly cloud: EgressCloud | undefined;
}

function openDataplanes(
  environment: ClusterEnvironment,
  tools: Tools,
  { names, opened, cloud }: DataplaneOptions,
): EgressDataplanes {
  if (names.length === 0) return NO_DATAPLANES;
  const isPlatformAttaching = (): boolean => dataplanes.isInstalled(CLOUD_PRIVATE_IP);
  const isAttaching = (): boolean => cloud !== undefined && !isPlatformAttaching();
  const dataplanes = opened.add(openEgressDataplanes(environment, tools, { names, isAttaching }), closed);
  return cloud === undefined ? dataplanes : cloud.around(dataplanes, isPlatformAttaching);
}

function openFeeds({ client, feeds }: ClusterEnvironment, tools: Tools, opened: OpenedParts) {
  const watched = (kind: KindDeclaration<never>): WatchedObjects =>
    opened.add(openObjectFeed(client, { resource: resourceOf(kind) }, tools), closed);
  // before the watch of the machines, which becomes the same one
  const wholeNodes = feeds.nodes();
  return {
    ...feeds.machines(),
    wholeNodes,
    services: feeds.services(),
    namespaces: feeds.namespaces().objects,
    egressIpams: watched(EGRESS_IPAM),
    addressClaims: feeds.addressClaims(),
  };
}

// Moments that are stored come from the API server; pauses pass by the clock of the machine.
function openRecord(client: ApiClient, feed: VersionedFeed, tools: Tools): Promise<ClaimObjectStore> {
  return openClaimObjects({
    codec: addressClaimCodec('egress'),
    claims: { feed, writer: writerOf(client, ADDRESS_CLAIM) },
    network: () => ({ nested: false }),
    clock: tools.clock,
    writer: randomUUID(),
  });
}
