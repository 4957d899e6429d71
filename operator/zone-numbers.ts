import type { RecordView } from './ports/record-view';
import type { Meter } from './ports/meter';
import type { ZoneSource } from './ports/zone-source';

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
      return { zones: catalogue.zones, names: catalogue.names, zone: (name) => catalogue.zone(name), defaultZone };
    },
  };
}

/** What {@link setZoneGauges} reads and writes. */
export interface ZoneGaugeParts {
  readonly meter: Meter;
  readonly store: Pick<RecordView, 'tally'>;
  readonly zones: ZoneSource;
  readonly nowMs: number;
}

/**
 * Sets the gauge `zone_addresses` of every zone and family. Free addresses are exact up to 2^53, enough for a gauge.
 *
 * @param parts - meter, store, zones and the time
 */
export async function setZoneGauges({ meter, store, zones, nowMs }: ZoneGaugeParts): Promise<void> {
  const tallies = await store.tally(nowMs);
  for (const { name, network, space, families } of zones.current().zones) {
    for (const family of families) {
      const tally = tallies.find((each) => each.network === network && each.zone === name && each.family === family);
      const { held = 0, quarantined = 0 } = tally ?? {};
      // Holders of a shrunk zone may be more than its space.
      const free = Math.max(0, Number(space.count(family)) - held - quarantined);
      for (const [state, value] of Object.entries({ held, quarantined, free })) {
        meter.set('zone_addresses', value, { zone: name, family: `ipv${family}`, state });
      }
    }
  }
}
