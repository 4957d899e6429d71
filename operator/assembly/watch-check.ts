import type { ObjectFeed } from '../ports/object-feed';
import type { HealthCheck } from '../server/health';

/**
 * Makes the check of the watches of a door.
 *
 * @param name - of the door
 * @param feeds - its watches
 * @returns a check that tells the first problem of them
 */
export const watchCheck = (name: string, feeds: readonly Pick<ObjectFeed, 'problem'>[]): HealthCheck => ({
  name,
  run: () => feeds.map((feed) => feed.problem()).find((problem) => problem !== undefined),
});
