import { mapOf, metadataOf, type JsonMap } from '../../contract/loose-json';
import type { ObjectFeed } from '../../ports/object-feed';
import type { NamespaceFeed, RelabelledNamespace } from '../../ports/namespace-feed';
import type { ApiClient } from '../api/api-client';
import { openObjectFeed, type FeedTools } from './object-feed';

/** The watch of Namespaces. */
export interface WatchedNamespaces extends NamespaceFeed {
  /** The Namespaces with their labels alone, and the time of their deletion. */
  readonly objects: Pick<ObjectFeed, 'get' | 'onChange' | 'whenSynced'>;
  /** Ends the watch. Resolves when nothing is under way. */
  close(): Promise<void>;
}

/**
 * Starts to list and watch the Namespaces. Of each only what identifies it, its labels and whether it is being deleted are kept.
 *
 * @param client - the API server
 * @param tools - clock and telemetry
 * @returns the feed, which begins empty and fills in the background
 */
export function openNamespaceFeed(client: ApiClient, tools: FeedTools): WatchedNamespaces {
  const resource = { apiVersion: 'v1', resource: 'namespaces' };
  const feed = openObjectFeed(client, { resource, trim: identityAndLabels }, tools);
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

function identityAndLabels(namespace: JsonMap): JsonMap {
  const { name, uid, resourceVersion, labels, deletionTimestamp } = metadataOf(namespace);
  const ending = deletionTimestamp === undefined ? {} : { deletionTimestamp };
  return { metadata: { name, uid, resourceVersion, labels, ...ending } };
}

function labelsOf(namespace: JsonMap): RelabelledNamespace['before'] {
  const { labels } = metadataOf(namespace);
  return mapOf(labels) as RelabelledNamespace['before'];
}

function sameTexts(a: RelabelledNamespace['before'], b: RelabelledNamespace['before']): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}
