import { roomOf, usageOfZones } from '../views/count-zones';
import type { ClaimCounts } from '../../ports/claim-counts';
import type { Meter } from '../../ports/meter';
import type { ZoneSource } from '../../ports/zone-source';

/**
 * Puts another default zone over the one of the zones document.
 *
 * @param source - where the zones come from
 * @param defaultZone - name of a zone; empty: as the document says. A name that no zone has is refused at each Service,
 *   with the names that exist
 * @returns the source with that default
 */
export function withDefaultZone(source: ZoneSource, defaultZone: string): ZoneSource {
  if (defaultZone === '') return source;
  return {
    ...(source.onChange === undefined
      ? {}
      : { onChange: (listener) => source.onChange?.(listener) ?? (() => undefined) }),
    current: () => {
      const catalogue = source.current();
      const { zones, names, edgeAddresses } = catalogue;
      return { zones, names, edgeAddresses, zone: (name) => catalogue.zone(name), defaultZone };
    },
  };
}

/** Parts of {@link setZoneGauges}. */
export interface ZoneGaugeParts {
  readonly meter: Meter;
  readonly store: Pick<ClaimCounts, 'usage'>;
  readonly zones: ZoneSource;
}

/**
 * Sets the gauge `zone_addresses` of every zone and family, and of every zone that is gone but has holders. What lies outside of
 * a zone, as after it shrank, is held and takes nothing from its free addresses. Those are exact up to 2^53, enough for a gauge. A state that
 * the record does not count has no sample.
 *
 * @param parts - meter, store and zones
 */
export async function setZoneGauges({ meter, store, zones }: ZoneGaugeParts): Promise<void> {
  const catalogue = zones.current();
  const tallies = await usageOfZones(store, catalogue);
  meter.clear('zone_addresses');
  for (const tally of tallies) {
    const { reserved, bound, retained = 0, contested = 0, quarantined, inUse = 0 } = tally;
    const held = reserved + bound + retained + contested;
    const foreign = inUse + Number(tally.foreign ?? 0n);
    const states = { held, quarantined, foreign, free: Number(roomOf(catalogue, tally).free) };
    for (const [state, value] of Object.entries(states))
      if (value !== undefined)
        meter.set('zone_addresses', value, { zone: tally.pool, family: `ipv${tally.family}`, state });
  }
}
