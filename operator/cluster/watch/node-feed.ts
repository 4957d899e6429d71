import { mapOf, type JsonMap } from '../../contract/loose-json';
import type { ApiClient } from '../api/api-client';
import { openObjectFeed, type FeedTools, type WatchedObjects } from './object-feed';
import { withoutManagedFields } from './trimmed';

/**
 * Starts to list and watch the Nodes. Everything that decides about the addresses which they carry is kept: metadata, spec, addresses and
 * conditions.
 *
 * @param client - the API server
 * @param tools - clock and telemetry
 * @returns the feed, which begins empty and fills in the background
 */
export const openNodeFeed = (client: ApiClient, tools: FeedTools): WatchedObjects =>
  openObjectFeed(client, { resource: { apiVersion: 'v1', resource: 'nodes' }, trim: withoutImages }, tools);

// The images of a node are most of its object.
function withoutImages(node: JsonMap, type?: JsonMap): JsonMap {
  const { addresses, conditions } = mapOf(node['status']);
  return { ...withoutManagedFields(node, type), status: { addresses, conditions } };
}
