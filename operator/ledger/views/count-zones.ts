import type { Zone, ZoneCatalogue } from '../../contract/zones';
import type { ClaimCounts, PoolSpace, PoolUsage } from '../../ports/claim-counts';
import type { ZoneUsage } from '../../ports/registry';
import type { LedgerContext } from '../records/ledger-context';
import { edgeSpaces, zoneOfEdges } from '../records/edge-addresses';

/**
 * Counts every zone exactly; see `Registry.zones`.
 *
 * @param context - the ledger's parts
 * @returns by network, zone, family
 * @remarks one store call; costs nothing for the size of a zone
 */
export async function countZones(context: LedgerContext): Promise<readonly ZoneUsage[]> {
  const catalogue = context.zones.current();
  const tallies = await usageOfZones(context.counts, catalogue);
  return tallies.map((tally) => usageOf(catalogue, tally));
}

/** Count of one zone and family. */
export interface ZoneTally extends PoolUsage {
  /** Edge addresses that the zone avoids and something has; they take nothing from what it may choose. */
  readonly occupiedEdges?: number;
}

/**
 * Counts the zones with what is held of their edges.
 *
 * @param counts - of the store
 * @param catalogue - names the zones to count
 * @returns what the store counts, by network, zone, family
 */
export async function usageOfZones(
  counts: Pick<ClaimCounts, 'usage'>,
  catalogue: Pick<ZoneCatalogue, 'zones'>,
): Promise<readonly ZoneTally[]> {
  const edges = catalogue.zones.flatMap(edgeSpaces);
  const tallies = await counts.usage([...spacesOf(catalogue), ...edges]);
  if (edges.length === 0) return tallies;
  const keyOf = (pool: string, { network, family }: PoolUsage): string => JSON.stringify([network, pool, family]);
  const occupied = new Map<string, number>();
  for (const tally of tallies) {
    const zone = zoneOfEdges(tally.pool);
    if (zone !== undefined) occupied.set(keyOf(zone, tally), tally.occupied + Number(tally.foreign ?? 0n));
  }
  return tallies
    .filter(({ pool }) => zoneOfEdges(pool) === undefined)
    .map((tally) => {
      const occupiedEdges = occupied.get(keyOf(tally.pool, tally));
      return occupiedEdges === undefined ? tally : { ...tally, occupiedEdges };
    });
}

/**
 * Names what the zones may give, as a store counts it.
 *
 * @param catalogue - the zones
 * @returns one entry for each zone and family
 */
export function spacesOf({ zones }: Pick<ZoneCatalogue, 'zones'>): readonly PoolSpace[] {
  return zones.flatMap(({ name, network, families, space }) =>
    families.map((family): PoolSpace => ({ network, pool: name, family, space })),
  );
}

/**
 * Tells what a zone has left, once its count is there; what lies outside of it takes nothing from it.
 *
 * @param catalogue - the zones
 * @param tally - count of one zone and family
 * @returns how many addresses the zone has, and how many are free; nothing where the zone is gone
 */
export function roomOf(
  catalogue: Pick<ZoneCatalogue, 'zone'>,
  { network, pool: name, family, occupied, occupiedEdges = 0, foreign = 0n }: ZoneTally,
): { readonly zone: Zone | undefined; readonly capacity: bigint; readonly free: bigint } {
  const named = catalogue.zone(name);
  const zone = named?.network === network ? named : undefined;
  const capacity = zone?.choosable.count(family) ?? 0n;
  const left = capacity - BigInt(occupied - occupiedEdges) - foreign;
  // a store may count while others take
  return { zone, capacity, free: left < 0n ? 0n : left };
}

function usageOf(catalogue: ZoneCatalogue, tally: ZoneTally): ZoneUsage {
  const { retained, quarantined, contested } = tally;
  const { zone, capacity, free } = roomOf(catalogue, tally);
  return {
    network: tally.network,
    zone: tally.pool,
    family: tally.family,
    capacity,
    reserved: BigInt(tally.reserved),
    bound: BigInt(tally.bound),
    ...(retained === undefined ? {} : { retained: BigInt(retained) }),
    ...(quarantined === undefined ? {} : { quarantined: BigInt(quarantined) }),
    ...(contested === undefined ? {} : { contested: BigInt(contested) }),
    outside: BigInt(tally.outside),
    foreign: (tally.foreign ?? 0n) + BigInt(tally.inUse ?? 0),
    free,
    ...(zone?.quota === undefined ? {} : { quota: zone.quota }),
    // a zone that is gone gives nothing new
    draining: zone?.draining ?? true,
  };
}
