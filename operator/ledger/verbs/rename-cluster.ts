import { renamedNote } from '../../contract/renamed-note';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import { refuseKnownCluster } from '../../errors/store-refusals';
import type { ClusterRenames } from '../../ports/cluster-renames';
import type { ClusterReports } from '../../ports/cluster-reports';
import type { Notes } from '../../ports/notes';
import { clusterPrefixes } from '../records/claim-key';

/** Which cluster gets which identity. */
export interface RenameCluster {
  readonly from: string;
  readonly to: string;
  /** True: only tells. */
  readonly dryRun: boolean;
}

/**
 * Gives the claims of a cluster to another identity, in one transaction. The same again succeeds.
 *
 * @param record - makes the rename, and counts
 * @param request - both identities
 * @returns how many claims are renamed; or refusal `api/malformed`, `api/not-found`, `cluster/known`
 */
export async function renameCluster(
  record: RenameRecord,
  { from, to, dryRun }: RenameCluster,
): Promise<Outcome<{ readonly claims: number }>> {
  if (from === '' || to === '' || from === to) {
    return refuse('api/malformed', 'two identities that differ are needed, and neither may be empty');
  }
  const known = await record.clusters();
  const claimsOf = (uid: string): number | undefined => known.find(({ cluster }) => cluster === uid)?.claims;
  const [claims, others = 0] = [claimsOf(from), claimsOf(to)];
  // a caller that lost the answer asks again
  if (isOver(claims, others) && (await record.note({ name: renamedNote(from) })) === to) {
    return accept({ claims: others });
  }
  if (claims === undefined) {
    const message = `no cluster "${from}" is on record; "ipam clusters" lists those that are`;
    return refuse('api/not-found', message, { value: from });
  }
  if (others > 0) return refuseKnownCluster(to, others);
  if (dryRun) return accept({ claims });
  const before = clusterPrefixes(from);
  const keys = clusterPrefixes(to).map((next, i) => ({ from: before[i] ?? next, to: next }));
  return record.renameCluster({ from, to, keys });
}

function isOver(claims: number | undefined, others: number): boolean {
  return claims === undefined || (claims === 0 && others > 0);
}

/** Record that tells the present name of a cluster. */
type RenameRecord = ClusterRenames & Pick<ClusterReports, 'clusters'> & Notes;
