import type { OccupiedFeeds } from '../cluster/watch/occupied-feeds';
import { shownByApiServer, shownByNode, shownByService } from '../contract/shown-addresses';
import { shownByInfrastructure } from '../contract/platform-networks';
import { SERVICE } from '../contract/service-identity';
import type { ObjectFeed } from '../ports/object-feed';
import type { ShowingFeed } from '../ports/showing-feed';

/**
 * Reads what the machines of a cluster show.
 *
 * @param feeds - Nodes, and the EndpointSlice of the API server
 * @param feeds.nodes - with their addresses
 * @param feeds.apiServer - `default/kubernetes` alone
 * @returns one entry for each
 */
export function shownByMachines({
  nodes,
  apiServer,
}: Readonly<Record<keyof OccupiedFeeds, ObjectFeed>>): readonly ShowingFeed[] {
  return [
    { kind: 'Node', feed: nodes, shownBy: shownByNode },
    { kind: 'EndpointSlice', feed: apiServer, shownBy: shownByApiServer },
  ];
}

/**
 * Reads what OpenShift has on the network of its nodes beside them.
 *
 * @param platform - feeds of the kinds that are served
 * @param platform.infrastructures - the Infrastructure of OpenShift
 * @returns nothing where the cluster is another one
 */
export function shownByPlatform({
  infrastructures: feed,
}: {
  readonly infrastructures?: ObjectFeed;
}): readonly ShowingFeed[] {
  return feed === undefined ? [] : [{ kind: 'Infrastructure', feed, shownBy: shownByInfrastructure }];
}

/**
 * Reads what the Services of a cluster show.
 *
 * @param feed - a watch of every namespace
 * @param classes - values of `spec.loadBalancerClass` that a running announcer serves
 * @returns the Services with what they show
 */
export function shownByServices(feed: ObjectFeed, classes: readonly string[]): ShowingFeed {
  return { kind: SERVICE.kind, feed, shownBy: (service) => shownByService(service, classes) };
}
