import { mapOf, metadataOf, type JsonMap } from '../../contract/loose-json';
import type { ObjectFeed } from '../../ports/object-feed';
import type { NamespaceFeed, RelabelledNamespace } from '../../ports/namespace-feed';
import type { ApiClient } from '../api/api-client';
import { openObjectFeed, type FeedTools } from './object-feed';

/** The watch of Namespaces. */
export interface WatchedNamespaces extends NamespaceFeed {
  /** The Namespaces with their labels alone. */
  readonly objects: Pick<ObjectFeed, 'get' | 'onChange' | 'whenSynced'>;
  /** Ends the watch. Resolves when nothing is under way. */
  close(): Promise<void>;
}

/**
 * Starts to list and watch the Namespaces. Of each only what identifies it and its labels are kept.
 *
 * @param client - the API server
 * @param tools - clock and telemetry
 * @returns the feed, which begins empty and fills in the background
 */
export function openNamespaceFeed(client: ApiClient, tools: FeedTools): WatchedNamespaces {
  const resource = { apiVersion: 'v1', resource: 'namespaces' };
  const feed = openObjectFeed(client, { resource, trim: labelsOnly }, tools);
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

function labelsOnly(namespace: JsonMap): JsonMap {
  const { name, uid, resourceVersion, labels } = metadataOf(namespace);
  return { metadata: { name, uid, resourceVersion, labels } };
}

function labelsOf(namespace: JsonMap): RelabelledNamespace['before'] {
  const { labels } = metadataOf(namespace);
  return mapOf(labels) as RelabelledNamespace['before'];
}

function sameTexts(a: RelabelledNamespace['before'], b: RelabelledNamespace['before']): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}
