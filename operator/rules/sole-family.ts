import type { Family } from '../addressing/address';
import type { ZoneCatalogue } from '../contract/zones';
import { otherFamily, wishedFamily, type FamilyFacts, type FamilyPlan } from './family-facts';

/**
 * Plans a Service that prefers two families beside a zone that has one: it gets that one. The API server gives PreferDualStack two cluster
 * IPs on a cluster of both families, and MetalLB announces no single address for those, so the policy becomes SingleStack at admission,
 * each time the same manifest is applied.
 *
 * @param facts - spec, annotation, wished addresses, families of cluster and zone
 * @param named - families that the spec names, or that are stored; the first one cannot change
 * @returns the plan; undefined where the zone has both families, or something of the Service asks for more than a preference
 */
export function planSoleFamily(facts: FamilyFacts, named: readonly Family[]): FamilyPlan | undefined {
  const only = soleFamily(facts);
  const [first = only] = named;
  if (only === undefined || first !== only || !isContent(facts, only)) return undefined;
  const setFamilies = saysMore(facts, { named, only }) ? { setFamilies: [only] } : {};
  return { families: [only], setPolicy: 'SingleStack', ...setFamilies, lacking: otherFamily(only) };
}

function soleFamily({ spec, clusterFamilies, zoneFamilies = [] }: FamilyFacts): Family | undefined {
  if (spec.ipFamilyPolicy !== 'PreferDualStack' || clusterFamilies.length < 2) return undefined;
  return zoneFamilies.length === 1 ? zoneFamilies[0] : undefined;
}

// Where the spec names no family, the API server chooses that of the cluster IP, else the first one of the cluster.
function saysMore(
  { spec, clusterFamilies }: FamilyFacts,
  { named, only }: { readonly named: readonly Family[]; readonly only: Family },
): boolean {
  if (spec.ipFamilies.length > 0) return spec.ipFamilies.length > 1;
  return named.length === 0 && clusterFamilies[0] !== only;
}

// Cluster IPs are never changed by us, and a wish is more than a preference.
function isContent({ spec, wish, addresses }: FamilyFacts, only: Family): boolean {
  const { clusterIpFamilies } = spec;
  if (clusterIpFamilies.length > 1 || clusterIpFamilies.some((family) => family !== only)) return false;
  if (wish !== undefined && (wish === 'dual' || wishedFamily(wish) !== only)) return false;
  return addresses.every(({ family }) => family === only);
}

/**
 * Reads which families a zone has, for {@link FamilyFacts}.
 *
 * @param zones - the catalogue; absent where it is not known
 * @param name - that a Service names
 * @returns its families, or nothing where there is no such zone
 */
export function familiesOfZone(
  zones: ZoneCatalogue | undefined,
  name: string | undefined,
): Pick<FamilyFacts, 'zoneFamilies'> {
  const zone = name === undefined ? undefined : zones?.zone(name);
  return zone === undefined ? {} : { zoneFamilies: zone.families };
}
