import { networksOf } from '../contract/platform-networks';
import type { PlatformFeeds } from '../cluster/watch/platform-feeds';
import type { ClusterNetworks } from '../ports/cluster-networks';
import type { ObjectFeed } from '../ports/object-feed';

/**
 * Reads the networks of Pods and Services.
 *
 * @param nodes - with their Pod networks
 * @param platform - ServiceCIDRs, and the Network of OpenShift
 * @returns the networks as they are known by now
 */
export function clusterNetworks(
  nodes: ObjectFeed,
  platform: Partial<Record<keyof PlatformFeeds, ObjectFeed>>,
): ClusterNetworks {
  const sources = [
    { kind: 'Node', feed: nodes },
    { kind: 'ServiceCIDR', feed: platform.serviceCidrs },
    { kind: 'Network', feed: platform.networks },
  ] as const;
  const textOf = (
    kind: (typeof sources)[number]['kind'],
    object: Parameters<typeof networksOf>[1] | undefined,
  ): string =>
    object === undefined
      ? ''
      : networksOf(kind, object)
          .map(({ prefix }) => prefix.toString())
          .join();
  return {
    list: () => sources.flatMap(({ kind, feed }) => feed?.list().flatMap((object) => networksOf(kind, object)) ?? []),
    onChange: (listener) => {
      const stops = sources.map(({ kind, feed }) =>
        feed?.onChange(({ before, after }) => {
          if (textOf(kind, before) !== textOf(kind, after)) listener();
        }),
      );
      return () => {
        for (const stop of stops) stop?.();
      };
    },
  };
}
