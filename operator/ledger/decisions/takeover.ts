import type { Refusal } from '../../errors/outcome';
import type { ReserveRequest } from '../../ports/address-book';
import { timeText } from '../records/holder-words';
import type { LedgerContext } from '../records/ledger-context';

/** How long the first comparison of a cluster may last: Services are adopted one by one, and the first is on record at once. */
const TAKEOVER_MS = 3_600_000;
/** Clusters that are remembered; each entry only saves reading a list. */
const MOST_REMEMBERED = 1_000;

/**
 * Checks the claim of a caller that nothing of its cluster is on record. What its take-over itself put there does not count, so
 * claims younger than an hour do not: that is the same for every process over the store, and after a restart.
 *
 * @param context - the ledger's parts
 * @param request - an address that is to be adopted
 * @param nowMs - current time, milliseconds since 1970
 * @returns refusal `api/forbidden` with the field; undefined where it may
 * @remarks reads the claims of the cluster, once in an hour where it may
 */
export async function takeoverProblem(
  { claims, takeovers }: LedgerContext,
  { claimant, adopt, assertedBy }: ReserveRequest,
  nowMs: number,
): Promise<Refusal | undefined> {
  if (adopt !== 'takeover' || assertedBy === 'admin') return undefined;
  const { clusterUid } = claimant.service;
  if (nowMs < (takeovers.get(clusterUid) ?? 0)) return undefined;
  const records = await claims.list({ by: 'cluster', cluster: clusterUid });
  const own = records.flatMap(({ holders }) => holders.filter(({ owner }) => owner.cluster === clusterUid));
  const firstMs = own.reduce((least, { sinceMs }) => Math.min(least, sinceMs), nowMs);
  const endMs = firstMs + TAKEOVER_MS;
  if (nowMs >= endMs) {
    const message = `adopt: "takeover" is for a cluster of which nothing is on record, but this one has claims since ${timeText(firstMs)}; say "announced" of an address that a stored Service shows`;
    return { code: 'api/forbidden', field: 'adopt', value: 'takeover', message };
  }
  if (takeovers.size >= MOST_REMEMBERED) takeovers.clear();
  takeovers.set(clusterUid, endMs);
  return undefined;
}
