import { openOccupiedFeeds } from '../cluster/watch/occupied-feeds';
import { followShown } from '../ledger/occupied/follow-shown';
import { ShownIndex } from '../ledger/occupied/shown-index';
import type { Tools } from '../ports/tools';
import type { DoorOccupancy } from './door';
import type { ClusterEnvironment } from './environment';
import type { InUse } from './in-use';
import { shownByMachines } from './showing-feeds';

/**
 * Follows what the own cluster shows, where the claims are kept by an IPAM-API elsewhere, which learns nothing of it.
 *
 * @param parts - cluster, tools, the doors that watch objects
 * @param parts.tools - clock, logger, meter
 * @param parts.environment - the client
 * @param parts.occupancy - what the doors watch
 * @returns what shows an address
 */
export function openShownHere(parts: {
  readonly tools: Tools;
  readonly environment: ClusterEnvironment;
  readonly occupancy: DoorOccupancy;
}): InUse {
  const { tools, environment, occupancy } = parts;
  const feeds = openOccupiedFeeds(environment.client, tools);
  const index = new ShownIndex(() => undefined);
  const shows = [...shownByMachines(feeds), ...occupancy.shows];
  const stop = followShown(shows, index);
  const isSynced = (): boolean => shows.every(({ feed }) => feed.synced());
  const problem = (): string | undefined =>
    isSynced() ? undefined : 'Nodes and Services of the cluster are still being listed';
  return {
    shownHere: (address) => index.at(address),
    problem: () => (occupancy.isAdopted() ? problem() : undefined),
    checks: [{ name: 'occupied', run: () => feeds.nodes.problem() ?? feeds.apiServer.problem() ?? problem() }],
    close: async () => {
      stop();
      await Promise.all([feeds.nodes.close(), feeds.apiServer.close()]);
    },
  };
}
