import type { ApiClient } from '../cluster/api/api-client';
import { openNamespaceFeed, type WatchedNamespaces } from '../cluster/watch/namespace-feed';
import type { WatchedObjects } from '../cluster/watch/object-feed';
import { openServiceFeed } from '../cluster/watch/service-feed';
import type { Tools } from '../ports/tools';

/** Watches that several doors read, each opened when the first door asks for it. The doors end together, and each may close them. */
export interface ClusterFeeds {
  services(): WatchedObjects;
  namespaces(): WatchedNamespaces;
}

/**
 * Shares watches between doors, so that no object is listed twice.
 *
 * @param client - the API server
 * @param tools - clock and telemetry
 * @returns the watches, none of which is open yet
 */
export function clusterFeeds(client: ApiClient, tools: Tools): ClusterFeeds {
  let services: WatchedObjects | undefined;
  let namespaces: WatchedNamespaces | undefined;
  return {
    services: () => (services ??= openServiceFeed(client, tools)),
    namespaces: () => (namespaces ??= openNamespaceFeed(client, tools)),
  };
}
