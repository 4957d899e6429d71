import type { ApiClient, ApiRequest } from '../../cluster/api/api-client';
import { isMap, listOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { accept, refuse, type Outcome } from '../../errors/outcome';

/** Objects of one answer. */
const PAGE = '500';

/**
 * Lists objects page by page.
 *
 * @param client - the API server
 * @param path - of the list
 * @returns all of them
 */
export async function listed(client: ApiClient, path: string): Promise<Outcome<readonly JsonMap[]>> {
  const items: JsonMap[] = [];
  let after = '';
  do {
    const request: ApiRequest = {
      method: 'GET',
      path,
      query: { limit: PAGE, ...(after === '' ? {} : { continue: after }) },
    };
    const page = await client.request(request);
    if (!page.ok) return refuseUnlisted(path, page.message);
    items.push(...listOf(page.body['items']).filter(isMap));
    after = textOf(metadataOf(page.body)['continue']);
  } while (after !== '');
  return accept(items);
}

/**
 * Refuses what the API server does not show.
 *
 * @param what - in the words of users
 * @param message - of the API server
 * @returns the refusal
 */
export const refuseUnlisted = (what: string, message: string): Outcome<never> =>
  refuse('cluster/refused', `the API server does not show ${what}: ${message}`);
