import type { ApiClient } from '../api/api-client';
import { openObjectFeed, type FeedTools, type WatchedObjects } from './object-feed';
import { trimmedService } from './trimmed';

/**
 * Starts to list and watch the Services of all namespaces.
 *
 * @param client - the API server
 * @param tools - clock and telemetry
 * @returns the feed, which begins empty and fills in the background
 */
export function openServiceFeed(client: ApiClient, tools: FeedTools): WatchedObjects {
  return openObjectFeed(client, { resource: { apiVersion: 'v1', resource: 'services' }, trim: trimmedService }, tools);
}
