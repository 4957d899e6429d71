import { OPENSHIFT_OBJECT, PLATFORM_KINDS } from '../../contract/platform-networks';
import type { ApiClient } from '../api/api-client';
import { isServedKind } from '../api/served-kind';
import { openObjectFeed, type FeedTools, type WatchedObjects } from './object-feed';

/** Watches of what a cluster tells about itself; one whose kind is not served is absent. */
export type PlatformFeeds = Readonly<Partial<Record<keyof typeof PLATFORM_KINDS, WatchedObjects>>>;

/**
 * Starts to list and watch the networks of the cluster, and the addresses that OpenShift has on that of the nodes.
 *
 * @param client - the API server
 * @param tools - clock and telemetry
 * @returns the feeds of the kinds that are served now
 * @throws IpamError `cluster/unavailable`
 */
export async function openPlatformFeeds(client: ApiClient, tools: FeedTools): Promise<PlatformFeeds> {
  const names = Object.keys(PLATFORM_KINDS) as (keyof typeof PLATFORM_KINDS)[];
  const served = await Promise.all(names.map((name) => isServedKind(client, PLATFORM_KINDS[name])));
  const feeds = names
    .filter((_, index) => served[index] === true)
    .map((name) => {
      // by name, so that no right on other objects is needed
      const one = name === 'serviceCidrs' ? {} : { fieldSelector: `metadata.name=${OPENSHIFT_OBJECT}` };
      return [name, openObjectFeed(client, { resource: PLATFORM_KINDS[name], ...one }, tools)] as const;
    });
  return Object.fromEntries(feeds);
}
