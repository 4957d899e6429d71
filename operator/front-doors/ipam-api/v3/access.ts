import type { Operation } from '../../../contract/ipam-api/v3/operation';
import type { Refusal } from '../../../errors/outcome';
import type { V3Client } from './parts';

/**
 * Tells why a client may not call an operation.
 *
 * @param client - the caller
 * @param operation - what is called
 * @param clusterUid - cluster of the path, where it has one
 * @returns the refusal; undefined when it may
 */
export function refuseAccess(
  client: V3Client,
  { roles = [], method }: Operation,
  clusterUid: string | undefined,
): Refusal | undefined {
  if (!roles.includes(client.role)) {
    const message = `client "${client.name}" has the role ${client.role}, but this operation is for ${roles.join(' and ')}`;
    return { code: 'api/forbidden', message };
  }
  if (clusterUid === undefined || (client.role === 'reader' && method === 'GET')) return undefined;
  return refuseForeign(client, clusterUid);
}

/**
 * Tells why a client may not act for a cluster.
 *
 * @param client - the caller
 * @param clusterUid - the cluster that is asked for
 * @returns the refusal; undefined when it may
 */
export function refuseForeign(client: V3Client, clusterUid: string): Refusal | undefined {
  if (client.role !== 'cluster' || client.clusterUids.includes(clusterUid)) return undefined;
  const message = `client "${client.name}" does not speak for this cluster`;
  return { code: 'api/forbidden', message, field: 'clusterUid', value: clusterUid };
}
