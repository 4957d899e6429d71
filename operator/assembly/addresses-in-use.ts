import type { Address } from '../addressing/address';
import type { Prefix } from '../addressing/prefix';
import { followShown } from '../ledger/occupied/follow-shown';
import { ShownIndex } from '../ledger/occupied/shown-index';
import type { ObjectFeed } from '../ports/object-feed';
import type { ShowingFeed } from '../ports/showing-feed';
import type { ClusterFeeds } from './cluster-feeds';
import type { OpenedParts } from './opened-parts';
import { shownByMachines, shownByServices } from './showing-feeds';

/** Feeds that are followed. */
interface FollowedFeeds extends Readonly<Record<keyof ReturnType<ClusterFeeds['machines']>, ObjectFeed>> {
  readonly services: ObjectFeed;
  /** What else shows addresses, such as claims of other doors; nothing by default. */
  readonly others?: readonly ShowingFeed[];
  /** What else has to be readable before all uses are known; nothing by default. */
  readonly needed?: readonly ObjectFeed[];
}

/**
 * Follows the addresses that Nodes, the API server, Services and claims of other doors of a cluster have.
 *
 * @param feeds - their watches
 * @param classes - of load balancers whose Services show addresses in use
 * @param opened - ends it
 * @returns the addresses as they are now, and how to be told of each one or prefix that changes
 */
export function followAddresses(
  { others = [], needed = [], ...feeds }: FollowedFeeds,
  classes: readonly string[],
  opened: OpenedParts,
) {
  let listener: (block: Prefix) => void = () => undefined;
  const index = new ShownIndex((block) => {
    listener(block);
  });
  const shows = [...shownByMachines(feeds), shownByServices(feeds.services, classes), ...others];
  const sources = [...shows.map(({ feed }) => feed), ...needed];
  opened.add(followShown(shows, index), (stop) => {
    stop();
  });
  return {
    view: {
      at: (address: Address) => index.at(address),
      addresses: () => index.addresses(),
      blocks: () => index.blocks(),
      whenKnown: async () => {
        await Promise.all(sources.map((feed) => feed.whenSynced()));
      },
      problem: () => sources.map(problemOf).find((problem) => problem !== undefined),
    },
    onChanged: (told: (block: Prefix) => void) => {
      listener = told;
    },
  };
}

function problemOf(feed: ObjectFeed): string | undefined {
  return feed.problem() ?? (feed.synced() ? undefined : 'objects that show addresses are still being listed');
}
