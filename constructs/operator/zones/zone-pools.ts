import { Construct } from 'constructs';

import { METALLB_NAMESPACE } from '../../../operator/contract/group';
import type { Zone, ZoneCatalogue, ZoneProps } from '../../../operator/contract/zones';
import type { Refusal } from '../../../operator/errors/outcome';
import { clashesWithEarlierPools, registerPool } from '../../metallb/app-pools';
import { entryOfPrefix, type PoolEntry } from '../../metallb/pool-entries';
import { declareZonePool } from '../../metallb/pool-objects';
import type { IpFamily } from '../../service/ipam-service-props';
import { servesServices, type ServicesDoorOwner } from '../services-door/services-process';
import type { OperatorZone, ZonePoolsProps } from './zone-pools-props';
import { BOTH_FAMILIES } from '../../service/family-number';

/**
 * Takes off what is meant for MetalLB, which the zones document does not know.
 *
 * @param zone - as given to the operator
 * @returns the rest as it is, so that a mistyped key is still found
 */
export function withoutAdvertise({ advertise: _advertise, l2: _l2, bgp: _bgp, ...zone }: OperatorZone): ZoneProps {
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

/**
 * Lists the prefixes of a zone as entries of a pool.
 *
 * @param zone - a valid zone
 * @param i - its place in the props
 * @returns one entry per prefix, both families
 */
export function zoneEntries(zone: Zone, i: number): readonly PoolEntry[] {
  return zone.prefixes.map((prefix, j) => entryOfPrefix(prefix, `zones[${String(i)}].prefixes[${String(j)}]`));
}

/** Props that zones and pools read. */
export interface ZonesOwner extends ZonePoolsProps, Pick<ServicesDoorOwner, 'services'> {
  readonly zones: readonly OperatorZone[];
  readonly clusterFamilies?: readonly IpFamily[];
}

/** Props of {@link ZonePools}. */
export interface OperatorZonePoolsProps {
  readonly operator: ZonesOwner;
  readonly zones: ZoneCatalogue;
}

/** Pools and advertisements of all zones. */
export class ZonePools extends Construct {
  /**
   * Declares what `zonePools` asks for, and makes the zones known to the other pools of the app.
   *
   * @param scope - the operator
   * @param id - id within `scope`
   * @param props - props of the operator, and its zones
   */
  constructor(scope: Construct, id: string, { operator, zones }: OperatorZonePoolsProps) {
    super(scope, id);
    if (!servesServices(operator)) return; // MetalLB is that of the clusters that ask
    const emitted = operator.zonePools !== 'claims';
    zones.zones.forEach((zone, i) => {
      const { advertise, l2, bgp }: Partial<OperatorZone> = operator.zones[i] ?? {};
      const prefixes = poolPrefixes(zone, operator.clusterFamilies);
      registerPool({
        construct: scope,
        label: `zone "${zone.name}"`,
        name: zone.name,
        namespace: METALLB_NAMESPACE,
        entries: zoneEntries(zone, i),
        operator: scope,
        cluster: operator.cluster,
      });
      // refused at synth, and MetalLB takes no empty pool; that of a zone of NetBox is written at run time
      if (prefixes.length === 0 && (emitted || zone.fromNetBox !== true)) return;
      declareZonePool(new Construct(this, zone.name), {
        zone: zone.name,
        ...(emitted ? { prefixes } : {}),
        ...(advertise === undefined ? {} : { advertise }),
        ...(l2 === undefined ? {} : { l2 }),
        ...(bgp === undefined ? {} : { bgp }),
      });
    });
    scope.node.addValidation({ validate: () => messagesOf(clashesWithEarlierPools(scope)) });
  }
}

const messagesOf = (problems: readonly Refusal[]): string[] => problems.map(({ message }) => message);
