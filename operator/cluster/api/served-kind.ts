import { isMap, listOf } from '../../contract/loose-json';
import type { ApiClient } from './api-client';
import { unavailable } from './api-refusal';

/**
 * Asks the API server whether it serves a kind. Discovery needs no right of its own, so a list that is refused because the Role is
 * missing is not taken for a kind that is missing.
 *
 * @param client - the API server
 * @param kind - of a group, such as those of CRDs
 * @returns false where its CRD is not installed
 * @throws IpamError `cluster/unavailable`
 */
export async function isServedKind(
  client: ApiClient,
  { apiVersion, resource }: { readonly apiVersion: string; readonly resource: string },
): Promise<boolean> {
  const answer = await client.request({ method: 'GET', path: `/apis/${apiVersion}` });
  if (answer.ok) return listOf(answer.body['resources']).some((each) => isMap(each) && each['name'] === resource);
  if (answer.status === 404) return false;
  throw unavailable(`tell the kinds of ${apiVersion}`, answer);
}
