import { EGRESS_KEYS } from '../../contract/egress';
import { mapOf, metadataOf, type JsonMap } from '../../contract/loose-json';
import type { NamespaceFeed, RelabelledNamespace } from '../../ports/namespace-feed';
import type { ApiClient } from '../api/api-client';
import { openObjectFeed, type FeedTools, type WatchedObjects } from './object-feed';

/** The watch of Namespaces. */
export interface WatchedNamespaces extends NamespaceFeed {
  /** The Namespaces with their labels, the annotations of front doors, and the times of creation and deletion alone. */
  readonly objects: Omit<WatchedObjects, 'close'>;
  /** Ends the watch. Resolves when nothing is under way. */
  close(): Promise<void>;
}

/**
 * Starts to list and watch the Namespaces. Of each only what identifies it, its labels, its age, the annotations of front
 * doors and whether it is being deleted are kept.
 *
 * @param client - the API server
 * @param tools - clock and telemetry
 * @returns the feed, which begins empty and fills in the background
 */
export function openNamespaceFeed(client: ApiClient, tools: FeedTools): WatchedNamespaces {
  const resource = { apiVersion: 'v1', resource: 'namespaces' };
  const feed = openObjectFeed(client, { resource, trim }, tools);
  return {
    objects: feed,
    onRelabelled: (listener) =>
      feed.onChange(({ key: { name }, before, after }) => {
        if (before === undefined || after === undefined) return;
        const change: RelabelledNamespace = { name, before: labelsOf(before), after: labelsOf(after) };
        if (!sameTexts(change.before, change.after)) listener(change);
      }),
    close: () => feed.close(),
  };
}

function trim(namespace: JsonMap): JsonMap {
  const { name, uid, resourceVersion, creationTimestamp, labels, deletionTimestamp, annotations } =
    metadataOf(namespace);
  const all = mapOf(annotations);
  const own = Object.values(EGRESS_KEYS).filter((key) => key in all);
  return {
    metadata: {
      name,
      uid,
      resourceVersion,
      creationTimestamp,
      labels,
      ...(own.length === 0 ? {} : { annotations: Object.fromEntries(own.map((key) => [key, all[key]])) }),
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    },
  };
}

function labelsOf(namespace: JsonMap): RelabelledNamespace['before'] {
  const { labels } = metadataOf(namespace);
  return mapOf(labels) as RelabelledNamespace['before'];
}

function sameTexts(a: RelabelledNamespace['before'], b: RelabelledNamespace['before']): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}
