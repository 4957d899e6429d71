import { claimGauges } from '../ledger/gauges/claim-gauges';
import { setZoneGauges } from '../ledger/gauges/zone-gauges';
import { isIpamError } from '../errors/ipam-error';
import type { CertificateSource } from '../ports/certificates';
import type { RecordView } from '../ports/store';
import { Health, type HealthCheck, type HealthPaths } from '../server/health';
import { recordView } from './claims';
import type { Telemetry } from './telemetry';
import type { OpenedZones } from './zones';

/** Parts whose health is shown. */
interface HealthParts {
  readonly tools: Pick<Telemetry, 'clock' | 'meter'>;
  readonly opened: OpenedZones;
  readonly certificate: CertificateSource;
  /** Those of the doors, for readiness and for liveness. */
  readonly running: { readonly checks: readonly HealthCheck[]; readonly liveness: readonly HealthCheck[] };
}

// Messages of ours are whole sentences without secrets; those of other errors may hold one.
async function pingProblem(store: Pick<RecordView, 'ping'>): Promise<string | undefined> {
  try {
    await store.ping();
    return undefined;
  } catch (thrown) {
    if (isIpamError(thrown)) return thrown.message;
    throw thrown;
  }
}

// Other numbers are told although this one cannot be had.
async function setStoreBytes(meter: Telemetry['meter'], claims: OpenedZones['claims']): Promise<void> {
  const bytes = claims.kind === 'own' ? await claims.bytes?.().catch(() => undefined) : undefined;
  if (bytes !== undefined) meter.set('store_bytes', bytes);
}

/**
 * Puts together readiness, liveness and metrics of the process.
 *
 * @param parts - claims, zones, certificate, doors
 * @returns what the health paths show
 */
export function openHealth({ tools, opened, certificate, running }: HealthParts): HealthPaths {
  const { clock, meter } = tools;
  const { claims, zones } = opened;
  const store = claims.kind === 'none' ? undefined : recordView(claims);
  const fileProblem = claims.kind === 'own' ? claims.fileProblem : undefined;
  const checks: readonly HealthCheck[] = [
    ...(store === undefined ? [] : [{ name: 'store', run: async () => fileProblem?.() ?? (await pingProblem(store)) }]),
    { name: 'certificate', run: () => certificate.problem() },
    ...opened.checks,
    ...running.checks,
  ];
  const setClaimGauges = store && claimGauges({ meter, store, zones });
  return {
    health: new Health(clock, checks, running.liveness),
    exposition: async () => {
      if (store !== undefined) await setZoneGauges({ meter, store, zones });
      await setClaimGauges?.(clock.nowMs());
      await setStoreBytes(meter, claims);
      return meter.exposition();
    },
  };
}
