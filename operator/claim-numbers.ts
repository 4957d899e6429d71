import type { Family } from './addressing/address';
import type { ClaimStore } from './ports/claim-store';
import type { Meter } from './ports/meter';
import type { ZoneSource } from './ports/zone-source';

/** What {@link claimGauges} reads and writes. */
export interface ClaimGaugeParts {
  readonly meter: Meter;
  readonly store: Pick<ClaimStore, 'usage' | 'clusters'>;
  readonly zones: ZoneSource;
}

/** Time between two counts: they walk over the live records, which a scrape every few seconds need not do. */
export const COUNT_PAUSE_MS = 60_000;
/** A cluster that reports does so every minute. */
const SILENT_MS = 900_000;

/**
 * Makes the gauges of claims by state and of clusters that fell silent.
 *
 * @param parts - meter, store and zones
 * @returns sets them, at most once a minute; given the time in milliseconds since 1970
 */
export function claimGauges({ meter, store, zones }: ClaimGaugeParts): (nowMs: number) => Promise<void> {
  let countedAtMs = Number.NEGATIVE_INFINITY;
  return async (nowMs) => {
    if (nowMs - countedAtMs < COUNT_PAUSE_MS) return;
    countedAtMs = nowMs;
    const spaces = zones
      .current()
      .zones.flatMap(({ name, network, space, families }) =>
        families.map((family: Family) => ({ network, zone: name, family, space })),
      );
    for (const { zone, family, reserved, bound, retained } of await store.usage(spaces, nowMs)) {
      for (const [state, value] of Object.entries({ reserved, bound, retained }))
        meter.set('zone_claims', value, { zone, family: `ipv${family}`, state });
    }
    const clusters = await store.clusters();
    const silent = clusters.filter(
      ({ claims, reportedAtMs }) => claims > 0 && reportedAtMs !== undefined && nowMs - reportedAtMs > SILENT_MS,
    );
    meter.set('clusters_silent', silent.length);
  };
}
