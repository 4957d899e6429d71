import type { Zone, ZoneCatalogue } from '../../../operator/contract/zones';
import type { Refusal } from '../../../operator/errors/outcome';
import { WHY_ADMIT_NEEDS_CLAIMS } from '../../../operator/settings/options';
import { advertisementProblems, invalid } from '../../metallb/advertisement-problems';
import { servesServices, type ServicesDoorOwner } from '../services-door/services-process';
import { poolPrefixes, zoneEntries, type ZonesOwner } from './zone-pools';
import type { OperatorZone } from './zone-pools-props';
import { BOTH_FAMILIES } from '../../service/family-number';

/** Zones, and the props that decide what their pools may hold. */
interface ZonesContext extends ZonesOwner, Pick<ServicesDoorOwner, 'whenUnavailable'> {
  readonly netbox?: object;
}

const refused = (field: string, value: string, text: string): Refusal => ({
  code: 'settings/invalid',
  field,
  value,
  message: `${field}: ${text}`,
});

function modeProblems({ zonePools = 'prefixes', whenUnavailable = 'deny' }: ZonesContext): readonly Refusal[] {
  if (!['prefixes', 'claims'].includes(zonePools)) {
    return [refused('zonePools', zonePools, `"${zonePools}" is not allowed; allowed is prefixes or claims`)];
  }
  if (whenUnavailable !== 'admit' || zonePools === 'claims') return [];
  return [
    refused(
      'whenUnavailable',
      'admit',
      `"admit" needs zonePools "claims", since ${WHY_ADMIT_NEEDS_CLAIMS}; set zonePools, or leave "deny"`,
    ),
  ];
}

function clusterFamiliesProblems({ clusterFamilies }: ZonesContext): readonly Refusal[] {
  if (clusterFamilies === undefined) return [];
  const known = clusterFamilies.every((family) => BOTH_FAMILIES.includes(family));
  if (known && clusterFamilies.length > 0 && new Set(clusterFamilies).size === clusterFamilies.length) return [];
  const value = clusterFamilies.join(',');
  const allowed = 'allowed is IPv4, IPv6 or both, each once, the primary one first';
  return [refused('clusterFamilies', value, `"${value}" is not allowed; ${allowed}`)];
}

// Without NetBox such a zone would stay empty for ever.
function originProblem(
  { fromNetBox }: OperatorZone,
  { at, netbox }: { readonly at: string; readonly netbox: object | undefined },
): readonly Refusal[] {
  if (fromNetBox !== true || netbox !== undefined) return [];
  return [
    refused(
      `${at}.fromNetBox`,
      'true',
      'true is not possible without netbox; give it, or list the prefixes of the zone',
    ),
  ];
}

function familyProblem(zone: Zone, clusterFamilies: ZonesContext['clusterFamilies']): readonly Refusal[] {
  if (zone.fromNetBox === true) return []; // its prefixes are known at run time
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

// A pool of single addresses: MetalLB aggregates nothing that is longer than the aggregation, and then freezes.
function claimsProblems({ bgp = [] }: OperatorZone, at: string): readonly Refusal[] {
  return bgp.flatMap(({ aggregationLength = 32, aggregationLengthV6 = 128 }, j) => {
    const lengths = { aggregationLength: aggregationLength < 32, aggregationLengthV6: aggregationLengthV6 < 128 };
    return Object.entries(lengths).flatMap(([key, shortened]) =>
      shortened
        ? [
            invalid(
              `${at}.bgp[${String(j)}].${key}`,
              'zonePools "claims" makes pools of single addresses, which MetalLB does not aggregate; leave it out',
            ),
          ]
        : [],
    );
  });
}

/**
 * Checks what the zones document does not say: pools, families and advertisements.
 *
 * @param props - as given to the operator
 * @param zones - none while they are not valid
 * @returns every problem at once
 */
export function zonePoolProblems(props: ZonesContext, zones: ZoneCatalogue): readonly Refusal[] {
  const ofFamilies = clusterFamiliesProblems(props);
  return [
    ...modeProblems(props),
    ...ofFamilies,
    ...props.zones.flatMap((zone, i) => {
      const at = `zones[${String(i)}]`;
      const valid = zones.zones[i];
      const told = advertisementProblems(zone, at, valid === undefined ? [] : zoneEntries(valid, i));
      return [
        ...originProblem(zone, { at, netbox: props.netbox }),
        ...told,
        ...(props.zonePools === 'claims' ? claimsProblems(zone, at) : []),
      ];
    }),
    // without Services there are no pools, and the zones are for the clusters that ask
    ...(servesServices(props)
      ? [
          // of families that are wrong themselves no zone has any
          ...(ofFamilies.length > 0 ? [] : zones.zones.flatMap((zone) => familyProblem(zone, props.clusterFamilies))),
          ...poolOverlaps(zones),
        ]
      : []),
  ];
}
