import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { addressClaimCodec } from '../backends/claim-objects/address-claim-codec';
import { openClaimObjects } from '../backends/claim-objects/claim-objects';
import type { ApiClient } from '../cluster/api/api-client';
import { KubernetesEventReader } from '../cluster/objects/event-reader';
import { KubernetesEventRecorder } from '../cluster/objects/event-recorder';
import { KubernetesOwnerReader } from '../cluster/objects/owner-reader';
import { openObjectFeed, type WatchedObjects } from '../cluster/watch/object-feed';
import type { KindDeclaration } from '../contract/crd-manifest';
import { ADDRESS_CLAIM } from '../contract/kinds/address-claim';
import { ADDRESS_TABLE } from '../contract/kinds/address-table';
import { IP_ALLOCATION } from '../contract/kinds/ip-allocation';
import { IP_PREFIX } from '../contract/kinds/ip-prefix';
import { NETWORK_INSTANCE } from '../contract/kinds/network-instance';
import {
  NetworksController,
  networksWork,
  registerNetworksPages,
  type NetworksDoorParts,
  type NetworksDoorSettings,
} from '../front-doors/networks/index';
import type { Tools } from '../ports/tools';
import { together } from '../runtime/leadership';
import { followAddresses } from './addresses-in-use';
import type { CommonParts, Door, DoorRoutes } from './door';
import type { ClusterEnvironment } from './environment';
import { requireKinds, resourceOf, writerOf } from './kind-writer';
import { openNetworksGrpc, type NetworksGrpcOptions } from './networks-grpc';
import { closed, openTogether, type OpenedParts } from './opened-parts';
import { watchCheck } from './watch-check';
import { zoneSpaces } from './zone-spaces';

/** Options of the Networks door on a cluster. */
interface NetworksOptions {
  readonly behaviour: NetworksDoorSettings;
  /** Resources that IPAllocations may name as owners, such as `services` or `deployments.apps`. */
  readonly ownerKinds: readonly string[];
  /** Classes of load balancers whose Services show addresses in use. */
  readonly announcedClasses: readonly string[];
  /** Seconds between two comparisons of everything. */
  readonly resyncSeconds: number;
  /** The gRPC API for clients without objects. */
  readonly grpc: NetworksGrpcOptions;
}

const KINDS = [NETWORK_INSTANCE, IP_PREFIX, IP_ALLOCATION, ADDRESS_CLAIM, ADDRESS_TABLE];

/**
 * Opens the Networks door: watches, the AddressClaims as record, and the controller.
 *
 * @param parts - zones, tools
 * @param environment - client and cluster
 * @param options - resync, behaviour
 * @returns the door
 * @throws IpamError `settings/invalid` where the kinds are not installed, or of the cluster; what was opened is closed again
 */
export async function openNetworksOnCluster(
  parts: CommonParts,
  environment: ClusterEnvironment,
  options: NetworksOptions,
): Promise<Door> {
  await requireKinds(environment.client, '--networks', KINDS);
  return openTogether((opened) => openDoor(parts, environment, { ...options, opened }));
}

async function openDoor(
  { tools, zones, spaces }: CommonParts,
  environment: ClusterEnvironment,
  {
    behaviour,
    ownerKinds,
    announcedClasses,
    resyncSeconds,
    grpc: grpcOptions,
    opened,
  }: NetworksOptions & { readonly opened: OpenedParts },
): Promise<Door> {
  const { client } = environment;
  const feeds = openFeeds(environment, tools, opened);
  const claims = opened.add(await openRecord(client, feeds, tools), closed);
  const shown = followAddresses(feeds, announcedClasses, opened);
  const { instances, prefixes, allocations } = feeds;
  const doorParts: NetworksDoorParts = {
    ...tools,
    tables: claims,
    claims,
    known: claims.known,
    instances,
    prefixes,
    allocations,
    namespaces: feeds.namespaces.objects,
    instanceWriter: writerOf(client, NETWORK_INSTANCE),
    prefixWriter: writerOf(client, IP_PREFIX),
    allocationWriter: writerOf(client, IP_ALLOCATION),
    owners: new KubernetesOwnerReader(client, ownerKinds),
    events: new KubernetesEventRecorder({ client, ...tools, identity: hostname() }),
    shown: shown.view,
    strongerPools: [zoneSpaces(zones), ...spaces()],
    settings: behaviour,
  };
  const controller = opened.add(new NetworksController(doorParts), closed);
  shown.onChanged((block) => {
    controller.othersChanged({ block });
  });
  const watched = [instances, prefixes, allocations, feeds.addressClaims, feeds.tables];
  const work = networksWork({ parts: doorParts, controller, resyncSeconds });
  const grpc = await openNetworksGrpc(grpcOptions, { parts: doorParts, controller, environment, opened });
  return {
    checks: [...(grpc?.checks ?? []), watchCheck('networks', watched)],
    pools: [controller.pools],
    routes: [pagesOf(client, doorParts, controller.view)],
    leaderWork: grpc === undefined ? work : together(work, grpc.leaderWork),
    close: () => opened.end(),
  };
}

function pagesOf(client: ApiClient, parts: NetworksDoorParts, view: NetworksController['view']): DoorRoutes {
  const recordedEvents = new KubernetesEventReader({ client, logger: parts.logger });
  return {
    listener: 'adminSocket',
    tls: {},
    register: (app) => {
      registerNetworksPages(app, { ...parts, recordedEvents, view });
    },
  };
}

function openFeeds({ client, feeds }: ClusterEnvironment, tools: Tools, opened: OpenedParts) {
  const watched = (kind: KindDeclaration<never>): WatchedObjects =>
    opened.add(openObjectFeed(client, { resource: resourceOf(kind) }, tools), closed);
  return {
    ...feeds.machines(),
    services: feeds.services(),
    namespaces: feeds.namespaces(),
    addressClaims: feeds.addressClaims(),
    instances: feeds.instances(),
    prefixes: watched(IP_PREFIX),
    allocations: watched(IP_ALLOCATION),
    tables: watched(ADDRESS_TABLE),
  };
}

// Moments that are stored come from the API server; pauses pass by the clock of the machine.
function openRecord(client: ApiClient, { addressClaims, tables }: ReturnType<typeof openFeeds>, tools: Tools) {
  return openClaimObjects({
    codec: addressClaimCodec('networks'),
    claims: { feed: addressClaims, writer: writerOf(client, ADDRESS_CLAIM) },
    tables: { feed: tables, writer: writerOf(client, ADDRESS_TABLE) },
    network: () => ({ nested: true }),
    clock: tools.clock,
    writer: randomUUID(),
  });
}
