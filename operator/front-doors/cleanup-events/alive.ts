import { SILENT_MS } from '../../contract/durations';
import type { Clock } from '../../ports/clock';
import type { ClusterRegister } from '../../ports/registry';

/** Parts that tell whether a cluster that an event calls gone is alive all the same. */
export interface AliveParts {
  readonly registry: Pick<ClusterRegister, 'clusters'>;
  /** Identity of the cluster that the operator runs in; absent where it runs in none. */
  readonly ownCluster?: () => Promise<string>;
  readonly clock: Clock;
}

/**
 * Judges by what the cluster itself says whether it can be gone.
 *
 * @param clusterUid - which one
 * @param parts - reports, own identity, clock
 * @returns `own`: it runs this operator; `reporting`: it reported its Services a short time ago; `silent`: nothing speaks against it
 */
export async function lifeOf(clusterUid: string, parts: AliveParts): Promise<'own' | 'reporting' | 'silent'> {
  const { registry, ownCluster, clock } = parts;
  if ((await ownCluster?.()) === clusterUid) return 'own';
  const clusters = await registry.clusters();
  // a record without reports says nothing against it
  const found = clusters.ok ? clusters.value.find((each) => each.clusterUid === clusterUid) : undefined;
  const reportedAtMs = found?.reportedAtMs;
  return reportedAtMs !== undefined && clock.nowMs() - reportedAtMs < SILENT_MS ? 'reporting' : 'silent';
}
