import type { Zone, ZoneCatalogue } from '../../operator/contract/zones';
import type { Refusal } from '../../operator/errors/outcome';
import type { IpamOperatorProps, OperatorZone } from '../ipam-operator-props';
import { BOTH_FAMILIES, poolPrefixes } from './zone-pools';

function replicaProblems({ replicas = 1 }: IpamOperatorProps): readonly Refusal[] {
  if (replicas === 1) return [];
  const message = `replicas: ${String(replicas)} is not possible with the SQLite store, whose file has one owner; leave it at 1`;
  return [{ code: 'settings/invalid', field: 'replicas', message, value: String(replicas), suggestion: '1' }];
}

function advertiseProblem({ advertise = 'l2' }: OperatorZone, i: number): readonly Refusal[] {
  if (['l2', 'none'].includes(advertise)) return [];
  const field = `zones[${String(i)}].advertise`;
  return [
    {
      code: 'zone/invalid',
      field,
      value: advertise,
      message: `${field}: "${advertise}" is not allowed; allowed is l2 or none`,
    },
  ];
}

function familyProblem(zone: Zone, clusterFamilies: IpamOperatorProps['clusterFamilies']): readonly Refusal[] {
  if (poolPrefixes(zone, clusterFamilies).length > 0) return [];
  const has = (clusterFamilies ?? BOTH_FAMILIES).join(' and ');
  const message = `zone "${zone.name}" has no prefix that this cluster can use: clusterFamilies is ${has}; add a prefix or remove the zone`;
  return [{ code: 'zone/no-family', field: 'clusterFamilies', message, value: zone.name }];
}

// Zones of different networks may hold the same numbers, but their pools meet in one MetalLB, which refuses its whole
// configuration where two pools overlap.
function poolOverlaps({ zones }: ZoneCatalogue): readonly Refusal[] {
  const sorted = zones
    .flatMap((zone) => zone.prefixes.map((prefix) => ({ zone, prefix })))
    .toSorted((a, b) => a.prefix.first.compareTo(b.prefix.first) || a.prefix.length - b.prefix.length);
  const problems: Refusal[] = [];
  let widest = sorted[0];
  for (const entry of sorted.slice(1)) {
    if (widest?.prefix.overlaps(entry.prefix) !== true) {
      widest = entry;
      continue;
    }
    const [mine, theirs] = [entry, widest].map(
      ({ zone, prefix }) => `"${prefix.toString()}" of zone "${zone.name}" (network "${zone.network}")`,
    );
    const message = `${String(mine)} overlaps ${String(theirs)}; the MetalLB of one cluster cannot hold both, use two clusters or other prefixes`;
    problems.push({ code: 'zone/overlap', field: 'zones', message, value: entry.prefix.toString() });
  }
  return problems;
}

/**
 * Checks what the zones document does not say: pools, families and shape.
 *
 * @param props - as given to the construct
 * @param zones - none while they are not valid
 * @returns every problem at once
 */
export function operatorProblems(props: IpamOperatorProps, zones: ZoneCatalogue): readonly Refusal[] {
  return [
    ...replicaProblems(props),
    ...props.zones.flatMap(advertiseProblem),
    ...zones.zones.flatMap((zone) => familyProblem(zone, props.clusterFamilies)),
    ...poolOverlaps(zones),
  ];
}
