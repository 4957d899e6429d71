import { followShown } from '../ledger/occupied/follow-shown';
import { ShownIndex } from '../ledger/occupied/shown-index';
import type { ShowingFeed } from '../ports/showing-feed';
import type { ClusterFeeds } from './cluster-feeds';
import type { DoorOccupancy } from './door';
import type { InUseSource } from './in-use';
import { shownByMachines } from './showing-feeds';

/**
 * Follows what the own cluster shows, where the claims are kept by an IPAM-API elsewhere, which may have no place for that.
 *
 * @param parts - Nodes and API server, the doors that watch objects
 * @param parts.feeds - Nodes and API server
 * @param parts.occupancy - what the doors watch
 * @param parts.claimsOfOthers - claims of doors without a record of zones
 * @returns what shows an address
 */
export function openShownHere({
  feeds,
  occupancy,
  claimsOfOthers,
}: {
  readonly feeds: ReturnType<ClusterFeeds['machines']>;
  readonly occupancy: DoorOccupancy;
  readonly claimsOfOthers: readonly ShowingFeed[];
}): InUseSource {
  const index = new ShownIndex(() => undefined);
  const shows = [...shownByMachines(feeds), ...occupancy.shows, ...claimsOfOthers];
  const stop = followShown(shows, index);
  const isSynced = (): boolean => shows.every(({ feed }) => feed.synced());
  const unready = (): string | undefined =>
    isSynced() ? undefined : 'Nodes, Services and claims of the cluster are still being listed';
  return {
    shownHere: (address) => index.at(address),
    problem: () => (occupancy.isAdopted() ? unready() : undefined),
    unready,
    close: stop,
  };
}
