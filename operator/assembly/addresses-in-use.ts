import type { Address } from '../addressing/address';
import { followShown } from '../ledger/occupied/follow-shown';
import { ShownIndex } from '../ledger/occupied/shown-index';
import type { ObjectFeed } from '../ports/object-feed';
import type { ClusterFeeds } from './cluster-feeds';
import type { OpenedParts } from './opened-parts';
import { shownByMachines, shownByServices } from './showing-feeds';

type Feeds = ReturnType<ClusterFeeds['machines']> & { readonly services: ObjectFeed };

/**
 * Follows the addresses that Nodes, the API server and Services of a cluster have.
 *
 * @param feeds - their watches
 * @param classes - of load balancers whose Services show addresses in use
 * @param opened - ends it
 * @returns the addresses as they are now, and how to be told of each that changes
 */
export function followAddresses(feeds: Feeds, classes: readonly string[], opened: OpenedParts) {
  let listener: (address: Address) => void = () => undefined;
  const index = new ShownIndex((address) => {
    listener(address);
  });
  const shows = [...shownByMachines(feeds), shownByServices(feeds.services, classes)];
  opened.add(followShown(shows, index), (stop) => {
    stop();
  });
  return {
    view: {
      at: (address: Address) => index.at(address),
      addresses: () => index.addresses(),
      whenKnown: async () => {
        await Promise.all([feeds.nodes, feeds.apiServer, feeds.services].map((feed) => feed.whenSynced()));
      },
    },
    onChanged: (told: (address: Address) => void) => {
      listener = told;
    },
  };
}
