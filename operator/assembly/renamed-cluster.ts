import { bearsOurKeys } from '../front-doors/services/index';
import { LOAD_BALANCER, type ServiceView } from '../contract/service';
import { renamedText } from '../contract/renamed-note';
import { IpamError } from '../errors/ipam-error';
import type { Claims } from '../ports/claims';
import type { Cluster } from '../ports/cluster';
import type { ClusterReports } from '../ports/cluster-reports';
import type { Notes } from '../ports/notes';
import { newNameOf, type RenameRecord } from '../identity/rename-watch';

/** Services that are looked up at once. */
const AT_ONCE = 32;

/** Record and cluster that a start compares. */
export interface RenamedClusterParts {
  readonly claims: Pick<Claims, 'list'>;
  readonly reports: Pick<ClusterReports, 'clusters'>;
  /** Absent where the record keeps no notes of renames. */
  readonly notes?: Notes | undefined;
  readonly cluster: Pick<Cluster, 'clusterUid' | 'services'>;
}

/**
 * Refuses to go on where the record knows this cluster by another name: its stored Services are bound, by their UIDs, under another
 * identity, and none of them under the present one; or the present identity was given another name. Costs two small reads where no other
 * cluster is on record.
 *
 * @param parts - record and cluster
 * @throws IpamError `cluster/renamed`, and what store and cluster throw
 */
export async function refuseRenamedCluster(parts: RenamedClusterParts): Promise<void> {
  const { claims, reports, cluster, notes } = parts;
  const identity = await cluster.clusterUid();
  const renamed = notes && (await newNameOf(renameRecord(notes, reports), identity));
  if (renamed !== undefined) throw new IpamError('cluster/renamed', renamedText(identity, renamed));
  const others = (await reports.clusters()).filter((each) => each.cluster !== identity && each.claims > 0);
  if (others.length === 0) return;
  const stored = (await cluster.services()).filter(mayHaveClaims);
  const uids = new Set(stored.map(({ uid }) => uid));
  const ours = await claims.list({ by: 'cluster', cluster: identity });
  const isBoundHere = ours.some(({ holders }) =>
    holders.some(({ owner, state }) => state === 'bound' && owner.cluster === identity && uids.has(owner.uid ?? '')),
  );
  if (isBoundHere) return;
  const former = await formerName(claims, uids);
  if (former === undefined) return;
  const message = `the Services of this cluster are on record under "${former}", and this start calls it "${identity}"; start it as "${former}" again (--cluster-id), or rename it on record first: ipam rename-cluster ${former} ${identity} (never while another cluster that is alive goes by "${former}")`;
  throw new IpamError('cluster/renamed', message);
}

/**
 * Puts together what tells of renames.
 *
 * @param notes - where a rename is noted
 * @param reports - which clusters are known
 * @returns both as one record
 */
export function renameRecord(notes: Notes, reports: Pick<ClusterReports, 'clusters'>): RenameRecord {
  return { note: (note) => notes.note(note), clusters: () => reports.clusters() };
}

function mayHaveClaims(view: ServiceView): boolean {
  return view.type === LOAD_BALANCER && bearsOurKeys(view);
}

async function formerName(claims: Pick<Claims, 'list'>, uids: ReadonlySet<string>): Promise<string | undefined> {
  const line = uids.values();
  let found: string | undefined;
  const work = async (): Promise<void> => {
    for (const uid of line) {
      if (found !== undefined) return;
      const records = await claims.list({ by: 'uid', uid });
      const holders = records.flatMap((record) => record.holders);
      found ??= holders.find(({ owner, state }) => state === 'bound' && owner.uid === uid)?.owner.cluster;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}
