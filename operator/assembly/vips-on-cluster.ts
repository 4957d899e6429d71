import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { openClaimObjects, type ClaimObjectStore } from '../backends/claim-objects/claim-objects';
import { ipCodec } from '../backends/claim-objects/ip-codec';
import type { ApiClient } from '../cluster/api/api-client';
import { KubernetesEventReader } from '../cluster/objects/event-reader';
import { KubernetesEventRecorder } from '../cluster/objects/event-recorder';
import { KubernetesObjectWriter } from '../cluster/objects/object-writer';
import { openObjectFeed, type WatchedObjects } from '../cluster/watch/object-feed';
import type { KindDeclaration } from '../contract/crd-manifest';
import { IP } from '../contract/kinds/ip';
import { VIRTUAL_IP } from '../contract/kinds/virtual-ip';
import { IP_GROUP } from '../contract/kinds/ip-group';
import { SERVICE } from '../contract/service-identity';
import {
  createVipsController,
  registerVipsPages,
  vipsWork,
  type MigrationSettings,
  type VipsDoorParts,
  type VipsDoorSettings,
} from '../front-doors/vips/index';
import type { Tools } from '../ports/tools';
import type { OwnerSettings } from '../rules/service-owner';
import { together } from '../runtime/leadership';
import { followAddresses } from './addresses-in-use';
import { claimsBeside, type ClaimingDoors } from './claims-in-use';
import type { CommonParts, Door, DoorRoutes } from './door';
import type { ClusterEnvironment } from './environment';
import { requireKinds, resourceOf, writerOf } from './kind-writer';
import { closed, openTogether, type OpenedParts } from './opened-parts';
import { watchCheck } from './watch-check';
import { openMigration } from './vips-migration';
import { zoneSpaces } from './zone-spaces';

/** Options of the VIPs door on a cluster. */
interface VipsOptions {
  readonly behaviour: VipsDoorSettings;
  /** Classes of load balancers whose Services show addresses in use, those of this door included. */
  readonly announcedClasses: readonly string[];
  /** Seconds between two comparisons of everything. */
  readonly resyncSeconds: number;
  readonly owners: () => OwnerSettings;
  /** Doors that have AddressClaims. */
  readonly claiming: ClaimingDoors;
  /** Absent where VirtualIPs are not migrated. */
  readonly migration?: MigrationSettings;
}

/**
 * Opens the VIPs door: watches, the IPs as claims, and the controller.
 *
 * @param parts - zones, tools
 * @param environment - client and cluster
 * @param options - classes, resync, behaviour
 * @returns the door
 * @throws IpamError `settings/invalid` where the kinds are not installed, or of the cluster; what was opened is closed again
 */
export async function openVipsOnCluster(
  parts: CommonParts,
  environment: ClusterEnvironment,
  options: VipsOptions,
): Promise<Door> {
  const { tools } = parts;
  const { client } = environment;
  await requireKinds(client, '--vips', [IP_GROUP, IP, ...(options.migration === undefined ? [] : [VIRTUAL_IP])]);
  return openTogether(async (opened) => {
    const feeds = openFeeds(parts, environment, opened);
    const claims = opened.add(await openIps(client, feeds.ips, tools), closed);
    const claimsOfOthers = claimsBeside(options.claiming, environment.feeds);
    const shown = followAddresses({ ...feeds, others: claimsOfOthers }, options.announcedClasses, opened);
    const events = new KubernetesEventRecorder({ client, ...tools, identity: hostname() });
    const serviceWriter = new KubernetesObjectWriter(client, { ...SERVICE, resource: 'services' });
    const { migration: settings } = options;
    const migration =
      settings && opened.add(openMigration(client, { ...tools, claims, serviceWriter, events, settings }), closed);
    const doorParts = {
      ...tools,
      claims,
      known: claims.known,
      services: feeds.services,
      groups: feeds.groups,
      namespaces: feeds.namespaces.objects,
      cluster: environment.cluster,
      serviceWriter,
      groupWriter: writerOf(client, IP_GROUP),
      events,
      shown: shown.view,
      strongerPools: [zoneSpaces(parts.zones)],
      owners: options.owners,
      settings: options.behaviour,
      ...(migration === undefined ? {} : { migration }),
    };
    const controller = opened.add(createVipsController(doorParts), closed);
    shown.onChanged((block) => {
      controller.shownChanged(block);
    });
    const { services, groups, ips } = feeds;
    const work = { services, groups, controller, resyncSeconds: options.resyncSeconds };
    return {
      checks: [watchCheck('vips', [services, groups, ips])],
      pools: [controller.pools],
      spaces: [controller.spaces],
      routes: [pagesOf(client, doorParts, migration)],
      leaderWork: together(vipsWork({ ...tools, ...work }), ...(migration === undefined ? [] : [migration.work(work)])),
      close: () => opened.end(),
    };
  });
}

function pagesOf(
  client: ApiClient,
  parts: VipsDoorParts,
  migration: Pick<ReturnType<typeof openMigration>, 'halted'> | undefined,
): DoorRoutes {
  const recordedEvents = new KubernetesEventReader({ client, logger: parts.logger });
  return {
    listener: 'adminSocket',
    tls: {},
    register: (app) => {
      registerVipsPages(app, {
        ...parts,
        recordedEvents,
        ...(migration === undefined ? {} : { halted: () => migration.halted() }),
      });
    },
  };
}

function openFeeds({ tools }: CommonParts, { client, feeds }: ClusterEnvironment, opened: OpenedParts) {
  const watched = (kind: KindDeclaration<never>): WatchedObjects =>
    opened.add(openObjectFeed(client, { resource: resourceOf(kind) }, tools), closed);
  return {
    ...feeds.machines(),
    services: feeds.services(),
    namespaces: feeds.namespaces(),
    groups: watched(IP_GROUP),
    ips: watched(IP),
  };
}

// Moments that are stored come from the API server; pauses pass by the clock of the machine.
function openIps(client: ApiClient, feed: WatchedObjects, tools: Tools): Promise<ClaimObjectStore> {
  return openClaimObjects({
    codec: ipCodec(),
    claims: { feed, writer: writerOf(client, IP) },
    network: () => ({ nested: false }),
    clock: tools.clock,
    writer: randomUUID(),
  });
}
