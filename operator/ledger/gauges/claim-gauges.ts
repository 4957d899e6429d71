import { SILENT_MS } from '../../contract/durations';
import { spacesOf } from '../views/count-zones';
import type { ClaimCounts, RecordPage } from '../../ports/claim-counts';
import type { AddressRecord } from '../../ports/claims';
import type { ClusterReports, ClusterTally } from '../../ports/cluster-reports';
import type { Meter } from '../../ports/meter';
import type { ZoneSource } from '../../ports/zone-source';

/** Parts of {@link claimGauges}. */
export interface ClaimGaugeParts {
  readonly meter: Meter;
  /** Without `clusters` where the claims are elsewhere, and without `page` where another operator keeps the record. */
  readonly store: Pick<ClaimCounts, 'usage'> & Partial<Pick<ClaimCounts, 'page'> & Pick<ClusterReports, 'clusters'>>;
  readonly zones: ZoneSource;
}

/** Time between two counts: they walk over the live records, which a scrape every few seconds need not do. */
export const COUNT_PAUSE_MS = 60_000;
/** Records of one read. */
const PAGE = 1_000;

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
    for (const { pool: zone, family, ...count } of await store.usage(spacesOf(zones.current()))) {
      const { reserved, bound, retained, contested } = count;
      for (const [state, value] of Object.entries({ reserved, bound, retained, contested }))
        if (value !== undefined) meter.set('zone_claims', value, { zone, family: `ipv${family}`, state });
    }
    meter.set('clusters_silent', await silentClusters(store, nowMs));
  };
}

async function silentClusters(store: ClaimGaugeParts['store'], nowMs: number): Promise<number> {
  const known = await store.clusters?.();
  // a record elsewhere hears of no reports, but a lease of ours that ran out shows that nothing is swept
  if (known === undefined) return (await overdue(store, nowMs)).length;
  const clusters = known.filter(({ claims }) => claims > 0);
  const never = new Set(clusters.filter(({ reportedAtMs }) => reportedAtMs === undefined).map(uidOf));
  const silent = clusters.filter(({ reportedAtMs = nowMs }) => nowMs - reportedAtMs > SILENT_MS).length;
  return silent + (never.size === 0 ? 0 : (await overdue(store, nowMs)).filter((uid) => never.has(uid)).length);
}

function uidOf({ cluster }: ClusterTally): string {
  return cluster;
}

// Clusters with a lease that ran out. One that never reported may speak version 2, which knows neither reports nor leases.
async function overdue(store: ClaimGaugeParts['store'], nowMs: number): Promise<readonly string[]> {
  const uids = new Set<string>();
  let after: AddressRecord | undefined;
  do {
    const page: RecordPage = { limit: PAGE, ...(after === undefined ? {} : { after }) };
    const records = (await store.page?.({ state: 'reserved' }, page)) ?? [];
    for (const { owner, state, expiresAtMs = nowMs } of records.flatMap(({ holders }) => holders))
      if (state === 'reserved' && expiresAtMs < nowMs) uids.add(owner.cluster);
    after = records.length < PAGE ? undefined : records.at(-1);
  } while (after !== undefined);
  return [...uids];
}
