import type { FastifyInstance } from 'fastify';
import { readAddressClaim, type AddressClaimView } from '../../contract/cluster-api';
import { ADMIN_PATHS } from '../../contract/ipam-api/admin-paths';
import { firstFindings, type DoorFinding, type DoorFindings } from '../../contract/ipam-api/door-pages';
import { PageSender } from '../../contract/ipam-api/v3/page-sender';
import { providerOf } from './claim-facts';
import type { ClusterApiParts } from './door-parts';
import { FIRST_CONDITION_MS } from '../../contract/durations';

/**
 * Serves what the Cluster API door finds fault with, for `ipam doctor`.
 *
 * @param app - server of the admin socket
 * @param parts - watches and pools
 */
export function registerClusterApiPages(app: FastifyInstance, parts: ClusterApiParts): void {
  const pages = new PageSender(() => parts.claims.whenSynced());
  app.get(ADMIN_PATHS.clusterApiFindings, (_request, reply) => pages.send(reply, () => findingsPage(parts)));
}

function findingsPage(parts: ClusterApiParts): DoorFindings {
  const claims = parts.claims.list().flatMap((raw) => readAddressClaim(raw) ?? []);
  const ours = claims.filter(({ poolRef }) => providerOf(parts, poolRef) !== undefined);
  return {
    check: 'IPAddressClaims',
    well: `${String(ours.length)} IPAddressClaims of our pools are ready`,
    counted: 'ipam_cluster_api_',
    findings: firstFindings(ours.flatMap((claim) => waiting(parts, claim))),
  };
}

function waiting({ clock }: ClusterApiParts, claim: AddressClaimView): readonly DoorFinding[] {
  const { namespace, name, ready, createdAt } = claim;
  if (ready?.status === 'True') return [];
  const check = `IPAddressClaim ${namespace}/${name}`;
  if (ready?.status === 'False') {
    const finding = `waits since ${ready.since} (${ready.reason}): ${ready.message}`;
    return [{ verdict: 'bad', check, finding }];
  }
  if (clock.nowMs() - Date.parse(createdAt) <= FIRST_CONDITION_MS) return [];
  const finding = 'has no condition yet: it is paused, or its Cluster is paused or not stored';
  return [{ verdict: 'watch', check, finding }];
}
