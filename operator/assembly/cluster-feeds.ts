import type { ApiClient } from '../cluster/api/api-client';
import { openNamespaceFeed, type WatchedNamespaces } from '../cluster/watch/namespace-feed';
import type { WatchedObjects } from '../cluster/watch/object-feed';
import { openOccupiedFeeds, type OccupiedFeeds } from '../cluster/watch/occupied-feeds';
import { openServiceFeed } from '../cluster/watch/service-feed';
import type { Tools } from '../ports/tools';

/** Watches that several parts read, each opened when the first of them asks for it. Its readers do not close it. */
export interface ClusterFeeds {
  services(): Omit<WatchedObjects, 'close'>;
  namespaces(): Omit<WatchedNamespaces, 'close'>;
  /** Nodes, and what the API server is reached by. */
  machines(): Readonly<Record<keyof OccupiedFeeds, Omit<WatchedObjects, 'close'>>>;
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
  return {
    services: () => (services ??= openServiceFeed(client, tools)),
    namespaces: () => (namespaces ??= openNamespaceFeed(client, tools)),
    machines: () => (machines ??= openOccupiedFeeds(client, tools)),
    close: async () => {
      const opened = [services, namespaces, machines?.nodes, machines?.apiServer].filter((feed) => feed !== undefined);
      await Promise.all(opened.map((feed) => feed.close()));
    },
  };
}
