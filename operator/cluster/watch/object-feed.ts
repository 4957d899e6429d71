import type { JsonMap } from '../../contract/loose-json';
import { IpamError } from '../../errors/ipam-error';
import type { RenewableFeed, VersionedFeed } from '../../ports/object-feed';
import type { Tools } from '../../ports/tools';
import type { ApiClient } from '../api/api-client';
import { apiPath, type ResourcePath } from '../api/api-path';
import { ListWatch } from './list-watch';
import { madeChange } from './object-store';
import { withoutManagedFields } from './trimmed';

/** The watch of objects of any kind. */
export interface WatchedObjects extends VersionedFeed, RenewableFeed {
  /** Ends the watch; no listener is called any more. Resolves when nothing is under way. */
  close(): Promise<void>;
}

/** Objects to watch, and the fields that are kept of them. */
export interface FeedSource {
  /** All objects of the resource, or those of one namespace. */
  readonly resource: Pick<ResourcePath, 'apiVersion' | 'resource' | 'namespace'>;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Makes the object smaller before it is kept; without `managedFields` by default. Metadata with name and UID must stay. */
  readonly trim?: (object: JsonMap, type?: JsonMap) => JsonMap;
}

/** Tools of a feed. */
export interface FeedTools extends Pick<Tools, 'clock' | 'logger'>, Partial<Pick<Tools, 'meter'>> {
  /** From 0 to 1, for the jitter of reconnects. */
  readonly random?: () => number;
}

/**
 * Starts to list and watch objects. A listener that comes after the first list is told each known object at once, as if it were new.
 *
 * @param client - the API server
 * @param source - which objects
 * @param tools - clock and telemetry
 * @returns the feed, which begins empty and fills in the background
 */
export function openObjectFeed(client: ApiClient, source: FeedSource, tools: FeedTools): WatchedObjects {
  const { resource, labelSelector, fieldSelector, trim = withoutManagedFields } = source;
  const watch = new ListWatch({
    client,
    path: apiPath(resource),
    resource: resource.resource,
    query: {
      ...(labelSelector === undefined ? {} : { labelSelector }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
    },
    trim,
    ...tools,
  });
  let failWaiting: (reason: IpamError) => void = () => undefined;
  const closed = new Promise<never>((_resolve, reject) => {
    failWaiting = reject;
  });
  // there may be no waiting caller when the feed is closed
  closed.catch(() => undefined);
  const whenSynced = (): Promise<void> => {
    const synced = Promise.race([watch.whenSynced(), closed]);
    synced.catch(() => undefined);
    return synced;
  };

  return {
    synced: () => watch.synced(),
    whenSynced,
    get: (namespace, name) => watch.store.get(namespace, name),
    list: () => watch.store.list(),
    onChange: (listener) => watch.listeners.add(listener, watch.store.list().flatMap(madeChange)),
    problem: () => watch.problem(),
    version: () => watch.version(),
    relist: () => Promise.race([watch.relist(), closed]),
    onReset: (listener) => watch.resets.add(listener),
    isCurrent: () => watch.isCurrent(),
    close: async () => {
      failWaiting(new IpamError('cluster/unavailable', `the watch of ${resource.resource} was closed`));
      await watch.stop();
    },
  };
}
