import type { Outcome } from '../../../errors/outcome';
import { refuseQuota, refuseReservation, refuseShare, type NamedHolder } from '../../../errors/store-refusals';
import type { HolderCells } from '../shared/claim-row';
import type { ClaimTables } from './claim-tables';
import type { WirePeek, WireTake } from './take-wire';

/**
 * Names the holder of a message.
 *
 * @param cells - the encoded holder
 * @returns its owner, as refusals name it
 */
export function ownerOf(cells: HolderCells): NamedHolder {
  const [name, namespaceUid, cluster, namespace] = cells;
  return { kind: cells[14], name, namespace, namespaceUid, cluster };
}

/**
 * Finds the limit that a take would go over.
 *
 * @param tables - the store
 * @param request - the take with its limits
 * @param more - how many spaces it would get
 * @returns the refusal; undefined when so many more may be taken
 */
export function overLimit(tables: ClaimTables, request: WireTake | WirePeek, more: number): Outcome<never> | undefined {
  const { maxReservedInNamespace: limit, poolQuota: quota, clusterQuota, namespaceQuota } = request;
  const [{ holder }] = request.wants;
  const [, namespaceUid, , , , state] = holder;
  if (limit !== undefined && state === 'reserved' && tables.reserved.areOver(namespaceUid, more, limit))
    return refuseReservation(ownerOf(holder), limit);
  if (quota !== undefined && tables.counts.heldIn(request.network, request.pool) + more > quota) {
    return refuseQuota(request.pool, quota, ownerOf(holder).kind);
  }
  if (clusterQuota === undefined && namespaceQuota === undefined) return undefined;
  return overShare(tables, request, { owner: ownerOf(holder), more });
}

function overShare(
  { statements }: ClaimTables,
  { clusterQuota, namespaceQuota }: WireTake | WirePeek,
  { owner, more }: { readonly owner: NamedHolder; readonly more: number },
): Outcome<never> | undefined {
  const { cluster, namespaceUid } = owner;
  const limits = {
    ...(clusterQuota === undefined ? {} : { clusterQuota }),
    ...(namespaceQuota === undefined ? {} : { namespaceQuota }),
  };
  const refused = { holder: { owner }, limits };
  if (clusterQuota !== undefined) {
    const held = statements.heldByCluster.get(cluster)?.['n'] as number;
    if (held + more > clusterQuota) return refuseShare('cluster', refused);
  }
  if (namespaceQuota === undefined) return undefined;
  const held = statements.heldByNamespace.get(cluster, namespaceUid)?.['n'] as number;
  return held + more <= namespaceQuota ? undefined : refuseShare('namespace', refused);
}
