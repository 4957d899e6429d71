import type { Zone, ZoneProps } from '../../operator/contract/zones';
import type { OperatorZone } from '../ipam-operator-props';
import type { IpFamily } from '../ipam-service-props';

/** Families of a cluster of which nothing is said. */
export const BOTH_FAMILIES: readonly IpFamily[] = ['IPv4', 'IPv6'];

/**
 * Takes off what is meant for MetalLB, which the zones document does not know.
 *
 * @param zone - as given to the operator
 * @returns the rest as it is, so that a mistyped key is still found
 */
export function withoutAdvertise({ advertise: _advertise, ...zone }: OperatorZone): ZoneProps {
  return zone;
}

/**
 * Chooses what the MetalLB pool of a zone holds.
 *
 * @param zone - a valid zone
 * @param clusterFamilies - families of the cluster; undefined means both
 * @returns prefixes of these families in canonical text, IPv4 first
 */
export function poolPrefixes(zone: Zone, clusterFamilies: readonly IpFamily[] = BOTH_FAMILIES): readonly string[] {
  return zone.prefixes
    .filter(({ family }) => clusterFamilies.includes(`IPv${family}`))
    .toSorted((a, b) => a.first.compareTo(b.first))
    .map((prefix) => prefix.toString());
}
