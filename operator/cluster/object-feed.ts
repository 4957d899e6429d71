import type { JsonMap } from '../contract/loose-json';
import { IpamError } from '../errors/ipam-error';
import type { Clock } from '../ports/clock';
import type { Logger } from '../ports/logger';
import type { Meter } from '../ports/meter';
import type { ServiceFeed } from '../ports/service-feed';
import type { ApiClient } from './api-client';
import type { ResourcePath } from './api-path';

/** Stored objects of any kind; what {@link ServiceFeed} says of Services holds for them. */
export interface ObjectFeed extends ServiceFeed {
  /** Ends the watch; no listener is called any more. Resolves when nothing is under way. */
  close(): Promise<void>;
}

/** What is watched, and what is kept of it. */
export interface FeedSource {
  /** All objects of the resource, or those of one namespace. */
  readonly resource: Pick<ResourcePath, 'apiVersion' | 'resource' | 'namespace'>;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Makes the object smaller before it is kept; without `managedFields` by default. Metadata with name and UID must stay. */
  readonly trim?: (object: JsonMap) => JsonMap;
}

/** What a feed needs from the process. */
export interface FeedTools {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly meter?: Meter;
  /** From 0 to 1, for the jitter of reconnects. */
  readonly random?: () => number;
}

/**
 * Starts to list and watch objects.
 *
 * @param client - the API server
 * @param source - which objects
 * @param tools - clock and telemetry
 * @returns the feed, which begins empty and fills in the background
 */
export function openObjectFeed(client: ApiClient, source: FeedSource, tools: FeedTools): ObjectFeed {
  throw new IpamError('internal', `no feed yet of ${source.resource.resource} ${typeof client} ${typeof tools}`);
}
