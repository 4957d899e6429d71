import type { WatchedObjects } from '../../operator/cluster/watch/object-feed';
import { openServiceFeed } from '../../operator/cluster/watch/service-feed';
import type { JsonMap } from '../../operator/contract/loose-json';
import { startClusterWorld, type ClusterWorld } from './cluster-world';
import type { FakeWatch } from './fake-api-server';
import { Heard } from './heard-changes';

/** A feed of Services on a simulated API server. */
export interface FeedWorld {
  readonly world: ClusterWorld;
  readonly feed: WatchedObjects;
  /** Changes that the feed told. */
  readonly heard: Heard;
  /** Answers the list and the watch, so that the feed is up. */
  up(items?: readonly JsonMap[]): Promise<FakeWatch>;
  stop(): Promise<void>;
}

/**
 * Makes a stored Service.
 *
 * @param name - in namespace `a`
 * @param version - its `resourceVersion`
 * @param uid - of the object
 * @returns its metadata alone
 */
export const feedService = (name: string, version: string, uid = `uid-${name}`): JsonMap => ({
  metadata: { name, namespace: 'a', uid, resourceVersion: version },
});

/**
 * Opens a feed that never waits by chance.
 *
 * @returns the feed, before its first list is answered
 */
export async function startFeedWorld(): Promise<FeedWorld> {
  const world = await startClusterWorld();
  const { client, clock, logger, meter } = world;
  const feed = openServiceFeed(client, { clock, logger, meter, random: () => 0 });
  const heard = new Heard(feed);
  return {
    world,
    feed,
    heard,
    up: async (items = [feedService('one', '10')]) => {
      (await world.server.next()).list(items);
      const watch = await world.server.next();
      expect(watch.query).toMatchObject({ watch: '1', resourceVersion: '100' });
      await heard.count(items.length);
      return watch.watch();
    },
    stop: async () => {
      await feed.close();
      await world.stop();
    },
  };
}
