import type { Zone, ZoneCatalogue } from '../contract/zones';
import type { UsageTally, ZoneSpace } from '../ports/claim-archive';
import type { ZoneUsage } from '../ports/registry';
import type { LedgerContext } from './ledger-context';

/**
 * Counts every zone exactly; see `Registry.zones`.
 *
 * @param context - the ledger's parts
 * @returns by network, zone, family
 * @remarks one store call; costs nothing for the size of a zone
 */
export async function countZones(context: LedgerContext): Promise<readonly ZoneUsage[]> {
  const catalogue = context.zones.current();
  const tallies = await context.store.usage(spacesOf(catalogue), context.clock.nowMs());
  return tallies.map((tally) => {
    const zone = catalogue.zone(tally.zone);
    return usageOf(tally, zone?.network === tally.network ? zone : undefined);
  });
}

/**
 * Names what the zones may give, as a store counts it.
 *
 * @param catalogue - the zones
 * @returns one entry for each zone and family
 */
export function spacesOf({ zones }: Pick<ZoneCatalogue, 'zones'>): readonly ZoneSpace[] {
  return zones.flatMap(({ name, network, families, space }) =>
    families.map((family): ZoneSpace => ({ network, zone: name, family, space })),
  );
}

function usageOf({ occupied, foreign = 0n, ...tally }: UsageTally, zone: Zone | undefined): ZoneUsage {
  const capacity = zone?.space.count(tally.family) ?? 0n;
  const left = capacity - BigInt(occupied) - foreign;
  return {
    network: tally.network,
    zone: tally.zone,
    family: tally.family,
    capacity,
    reserved: BigInt(tally.reserved),
    bound: BigInt(tally.bound),
    retained: BigInt(tally.retained),
    quarantined: BigInt(tally.quarantined),
    outside: BigInt(tally.outside),
    foreign,
    // a store may count while others take
    free: left < 0n ? 0n : left,
    ...(zone?.quota === undefined ? {} : { quota: zone.quota }),
    // a zone that is gone gives nothing new
    draining: zone?.draining ?? true,
  };
}
