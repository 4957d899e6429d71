import { isMap, listOf, mapOf, metadataOf, type JsonMap } from '../../contract/loose-json';
import { NODE_ADDRESS_KEYS } from '../../contract/shown-addresses';
import type { ApiClient } from '../api/api-client';
import { openObjectFeed, type FeedTools, type WatchedObjects } from './object-feed';

/** Watches of what occupies addresses of the cluster beside its Services. */
export interface OccupiedFeeds {
  readonly nodes: WatchedObjects;
  /** EndpointSlice `default/kubernetes` alone. */
  readonly apiServer: WatchedObjects;
}

/**
 * Starts to list and watch the Nodes, and the EndpointSlice of the API server. Of a Node only its addresses and the networks of its Pods are kept.
 *
 * @param client - the API server
 * @param tools - clock and telemetry
 * @param known - a watch of the Nodes that is open already
 * @returns the feeds, which begin empty and fill in the background
 */
export function openOccupiedFeeds(client: ApiClient, tools: FeedTools, known?: WatchedObjects): OccupiedFeeds {
  const nodes = { resource: { apiVersion: 'v1', resource: 'nodes' }, trim: addressesOnly };
  const slices = { apiVersion: 'discovery.k8s.io/v1', resource: 'endpointslices', namespace: 'default' };
  return {
    nodes: known ?? openObjectFeed(client, nodes, tools),
    // by name, so that no right on other slices is needed
    apiServer: openObjectFeed(client, { resource: slices, fieldSelector: 'metadata.name=kubernetes' }, tools),
  };
}

function addressesOnly(node: JsonMap): JsonMap {
  const { name, uid, resourceVersion, annotations } = metadataOf(node);
  const addresses = listOf(mapOf(node['status'])['addresses']).filter(isMap);
  const kept = Object.entries(mapOf(annotations)).filter(([key]) => NODE_ADDRESS_KEYS.includes(key));
  const { podCIDRs } = mapOf(node['spec']);
  return {
    metadata: {
      name,
      uid,
      resourceVersion,
      ...(kept.length === 0 ? {} : { annotations: Object.fromEntries(kept) }),
    },
    ...(podCIDRs === undefined ? {} : { spec: { podCIDRs } }),
    status: { addresses },
  };
}
