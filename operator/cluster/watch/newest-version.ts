import { metadataOf, textOf } from '../../contract/loose-json';
import { IpamError } from '../../errors/ipam-error';
import type { ListSource } from './listing';

const TIMEOUT_MS = 10_000;

/**
 * Compares two versions of one store, which are numbers that grow.
 *
 * @param version - resource version
 * @param than - another one
 * @returns true when the first is below the second; false where one of them is no number
 */
export function isOlder(version: string, than: string): boolean {
  return Number(version) < Number(than);
}

/**
 * Asks the API server for the newest version of a resource, by a list of one that no cache answers.
 *
 * @param source - the resource
 * @returns its resource version
 * @throws IpamError `cluster/unavailable`
 */
export async function newestVersion({ client, path, query, signal }: Omit<ListSource, 'trim'>): Promise<string> {
  const one = { ...query, limit: '1' };
  const answer = await client.request({ method: 'GET', path, query: one, signal, timeoutMs: TIMEOUT_MS });
  const version = answer.ok ? textOf(metadataOf(answer.body)['resourceVersion']) : '';
  if (version !== '') return version;
  throw new IpamError('cluster/unavailable', `the API server did not tell its version of ${path}`);
}
