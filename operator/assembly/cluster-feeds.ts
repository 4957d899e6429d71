import type { ApiClient } from '../cluster/api/api-client';
import { NETWORK_INSTANCE } from '../contract/kinds/network-instance';
import { ADDRESS_CLAIM } from '../contract/kinds/address-claim';
import type { KindDeclaration } from '../contract/crd-manifest';
import { openNamespaceFeed, type WatchedNamespaces } from '../cluster/watch/namespace-feed';
import { openObjectFeed, type WatchedObjects } from '../cluster/watch/object-feed';
import { openNodeFeed } from '../cluster/watch/node-feed';
import { openOccupiedFeeds, type OccupiedFeeds } from '../cluster/watch/occupied-feeds';
import { openPlatformFeeds, type PlatformFeeds } from '../cluster/watch/platform-feeds';
import { openServiceFeed } from '../cluster/watch/service-feed';
import type { Tools } from '../ports/tools';
import { resourceOf } from './kind-writer';

/** Watches that several parts read, each opened when the first of them asks for it. Its readers do not close it. */
export interface ClusterFeeds {
  services(): Omit<WatchedObjects, 'close'>;
  namespaces(): Omit<WatchedNamespaces, 'close'>;
  /** Nodes, and what the API server is reached by. */
  machines(): Readonly<Record<keyof OccupiedFeeds, Omit<WatchedObjects, 'close'>>>;
  /** Nodes as they are stored, without their images. Asked for before {@link machines}, it is their watch of the Nodes too. */
  nodes(): Omit<WatchedObjects, 'close'>;
  /** Networks of the cluster, and addresses of OpenShift; those whose kind is not served are absent. */
  platform(): Promise<Readonly<Partial<Record<keyof PlatformFeeds, Omit<WatchedObjects, 'close'>>>>>;
  /** The record of every door that has claims as objects; its kind must be installed. */
  addressClaims(): Omit<WatchedObjects, 'close'>;
  /** NetworkInstances; their kind must be installed. */
  instances(): Omit<WatchedObjects, 'close'>;
}

/** The same as their owner has them. */
export interface OwnedClusterFeeds extends ClusterFeeds {
  /** Ends those that were opened; called once, after their readers ended. */
  close(): Promise<void>;
}

/**
 * Shares watches, so that no object is listed twice.
 *
 * @param client - the API server
 * @param tools - clock and telemetry
 * @returns the watches, none of which is open yet
 */
export function clusterFeeds(client: ApiClient, tools: Tools): OwnedClusterFeeds {
  let services: WatchedObjects | undefined;
  let namespaces: WatchedNamespaces | undefined;
  let machines: OccupiedFeeds | undefined;
  let nodes: WatchedObjects | undefined;
  let platform: Promise<PlatformFeeds> | undefined;
  let addressClaims: WatchedObjects | undefined;
  let instances: WatchedObjects | undefined;
  const watched = (kind: KindDeclaration<never>): WatchedObjects =>
    openObjectFeed(client, { resource: resourceOf(kind) }, tools);
  return {
    services: () => (services ??= openServiceFeed(client, tools)),
    namespaces: () => (namespaces ??= openNamespaceFeed(client, tools)),
    machines: () => (machines ??= openOccupiedFeeds(client, tools, nodes)),
    nodes: () => (nodes ??= openNodeFeed(client, tools)),
    platform: () => (platform ??= openPlatformFeeds(client, tools)),
    addressClaims: () => (addressClaims ??= watched(ADDRESS_CLAIM)),
    instances: () => (instances ??= watched(NETWORK_INSTANCE)),
    close: async () => {
      const all = [
        services,
        namespaces,
        machines?.nodes,
        machines?.apiServer,
        nodes,
        addressClaims,
        instances,
        ...Object.values((await platform?.catch(() => undefined)) ?? {}),
      ];
      const opened = [...new Set(all)].filter((feed) => feed !== undefined);
      await Promise.all(opened.map((feed) => feed.close()));
    },
  };
}
