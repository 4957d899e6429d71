import type { OccupiedFeeds } from '../cluster/watch/occupied-feeds';
import { followShown } from '../ledger/occupied/follow-shown';
import { ShownIndex } from '../ledger/occupied/shown-index';
import type { DoorOccupancy } from './door';
import type { InUseSource } from './in-use';

/**
 * Follows what the own cluster shows, where the claims are kept by an IPAM-API elsewhere, which may have no place for that.
 *
 * @param classes - that announcers serve
 * @param parts - Nodes and API server, the door that watches the Services
 * @param parts.feeds - Nodes and API server
 * @param parts.occupancy - the Services
 * @returns what shows an address
 */
export function openShownHere(
  classes: readonly string[],
  { feeds, occupancy }: { readonly feeds: OccupiedFeeds; readonly occupancy: DoorOccupancy },
): InUseSource {
  const index = new ShownIndex(() => undefined);
  const stop = followShown({ ...feeds, services: occupancy.services }, classes, index);
  const isSynced = (): boolean => feeds.nodes.synced() && feeds.apiServer.synced() && occupancy.services.synced();
  const unready = (): string | undefined =>
    isSynced() ? undefined : 'Nodes and Services of the cluster are still being listed';
  return {
    shownHere: (address) => index.at(address),
    problem: () => (occupancy.isAdopted() ? unready() : undefined),
    unready,
    close: stop,
  };
}
