import { isMap, listOf, metadataOf, textOf, type JsonMap } from '../../contract/loose-json';
import { IpamError } from '../../errors/ipam-error';
import type { ApiAnswer, ApiClient } from '../api/api-client';

/** Objects of one page; the API server reads a whole list from its store at once otherwise. */
export const PAGE_LIMIT = 500;

const PAGE_TIMEOUT_MS = 30_000;

/** Objects to list. */
export interface ListSource {
  readonly client: ApiClient;
  readonly path: string;
  /** Selectors. */
  readonly query: Readonly<Record<string, string>>;
  /** Makes each object small while the rest is still to come, and gives it the type that the items of a list come without. */
  readonly trim: (object: JsonMap, type?: JsonMap) => JsonMap;
  readonly signal: AbortSignal;
}

/** A complete list at one version of the store, or what the API server said instead. */
export type Listed =
  | { readonly ok: true; readonly objects: readonly JsonMap[]; readonly resourceVersion: string }
  | { readonly ok: false; readonly answer: ApiAnswer & { readonly ok: false } };

/**
 * Lists all objects, page by page. A list whose continuation expired (410) starts over in pages once, then in one piece, which
 * cannot expire.
 *
 * @param source - what is listed
 * @returns the whole list, or the refusal
 * @throws IpamError `cluster/unavailable`
 */
export async function listAll(source: ListSource): Promise<Listed> {
  let listed = await listPages(source, PAGE_LIMIT);
  if (expired(listed)) listed = await listPages(source, PAGE_LIMIT);
  if (expired(listed)) listed = await listPages(source, undefined);
  return listed;
}

const expired = (listed: Listed): boolean => !listed.ok && listed.answer.status === 410;

async function listPages(
  { client, path, query, trim, signal }: ListSource,
  limit: number | undefined,
): Promise<Listed> {
  const objects: JsonMap[] = [];
  const paged = limit === undefined ? query : { ...query, limit: String(limit) };
  let from = '';
  for (;;) {
    const page = from === '' ? paged : { ...paged, continue: from };
    const answer = await client.request({ method: 'GET', path, query: page, signal, timeoutMs: PAGE_TIMEOUT_MS });
    if (!answer.ok) return { ok: false, answer };
    const metadata = metadataOf(answer.body);
    const type = typeOf(answer.body);
    for (const item of listOf(answer.body['items'])) if (isMap(item)) objects.push(trim(item, type));
    from = textOf(metadata['continue']);
    if (from !== '') continue;
    const resourceVersion = textOf(metadata['resourceVersion']);
    if (resourceVersion === '') throw new IpamError('cluster/unavailable', `GET ${path} gave a list without a version`);
    return { ok: true, objects, resourceVersion };
  }
}

// Items of a list come without kind and version, those of a watch with them.
function typeOf(list: JsonMap): JsonMap {
  return { apiVersion: textOf(list['apiVersion']), kind: textOf(list['kind']).replace(/List$/u, '') };
}
