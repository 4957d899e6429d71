import { claimGauges } from '../ledger/gauges/claim-gauges';
import { setZoneGauges } from '../ledger/gauges/zone-gauges';
import type { CertificateSource } from '../ports/certificates';
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

/**
 * Puts together readiness, liveness and metrics of the process.
 *
 * @param parts - claims, zones, certificate, doors
 * @returns what the health paths show
 */
export function openHealth({ tools, opened, certificate, running }: HealthParts): HealthPaths {
  const { clock, meter } = tools;
  const { claims, zones } = opened;
  const store = recordView(claims);
  const fileProblem = claims.kind === 'own' ? claims.fileProblem : undefined;
  const checks: readonly HealthCheck[] = [
    {
      name: 'store',
      run: async () => {
        await store.ping();
        return fileProblem?.();
      },
    },
    { name: 'certificate', run: () => certificate.problem() },
    ...opened.checks,
    ...running.checks,
  ];
  const setClaimGauges = claimGauges({ meter, store, zones });
  return {
    health: new Health(clock, checks, running.liveness),
    exposition: async () => {
      await setZoneGauges({ meter, store, zones });
      await setClaimGauges(clock.nowMs());
      return meter.exposition();
    },
  };
}
