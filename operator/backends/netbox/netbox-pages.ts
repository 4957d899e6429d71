import { isMap, listOf, textOf, type JsonMap } from '../../contract/loose-json';
import { failed, type NetBoxFault } from './netbox-answer';
import type { NetBoxClient } from './netbox-client';

/** Every record of a list, or what kept us from reading all of it. */
export type Listing =
  { readonly ok: true; readonly records: readonly JsonMap[] } | { readonly ok: false; readonly fault: NetBoxFault };

/** Records that are asked for at once; NetBox gives fewer where its own limit is lower. */
const PAGE = 500;
/** Most pages of one list: more than any list of a zone has, so a list that never ends is noticed. */
const MOST_PAGES = 2_000;
/** Readings of a list that changes while it is read. */
const MOST_READINGS = 3;

/**
 * Reads a whole list. A list that changed while its pages were read is read again, so no record is missing for having moved from one
 * page to another.
 *
 * @param client - of NetBox
 * @param path - of the list
 * @param filter - what narrows it; records that do not fit must be expected all the same, since NetBox ignores filters that it does
 *   not know
 * @returns records without duplicates, in the order of their ids
 */
export async function readAll(
  client: NetBoxClient,
  path: string,
  filter: Readonly<Record<string, string | number>>,
): Promise<Listing> {
  let last: Reading = { again: true, ...failed('unavailable', `cannot be read: ${path}`) };
  for (let reading = 0; reading < MOST_READINGS; reading++) {
    last = await readOnce(client, path, filter);
    if (last.ok || !last.again) break;
  }
  return last.ok ? last : { ok: false, fault: last.fault };
}

type Reading = Extract<Listing, { ok: true }> | (Extract<Listing, { ok: false }> & { readonly again: boolean });

async function readOnce(
  client: NetBoxClient,
  path: string,
  filter: Readonly<Record<string, string | number>>,
): Promise<Reading> {
  const found = new Map<number, JsonMap>();
  let query: URLSearchParams | undefined = firstQuery(filter);
  let count: number | undefined;
  let seen = 0;
  for (let pages = 0; query !== undefined; pages++) {
    const answer = await client.call({ method: 'GET', path, query });
    if (!answer.ok) return { ...answer, again: false };
    const page = pageOf(answer.body);
    if (page === undefined || pages >= MOST_PAGES) return odd(path, 'is no list with results', false);
    if (page.count !== (count ?? page.count)) return odd(path, 'changes while it is read', true);
    count = page.count;
    seen += page.records.length;
    for (const record of page.records) found.set(record['id'] as number, record);
    const next = nextQuery(page, query, path);
    if (next === 'odd') return odd(path, 'has a link to its next page that leads elsewhere', false);
    query = next;
  }
  if (new Set([found.size, seen, count]).size > 1) return odd(path, 'does not hold as many records as it says', true);
  return { ok: true, records: [...found.values()].sort((a, b) => Number(a['id']) - Number(b['id'])) };
}

function odd(path: string, what: string, again: boolean): Reading {
  return { ...failed('unavailable', `gives a list that ${what} (${path})`), again };
}

function firstQuery(filter: Readonly<Record<string, string | number>>): URLSearchParams {
  const query = new URLSearchParams({ limit: String(PAGE), offset: '0', ordering: 'id' });
  for (const [name, value] of Object.entries(filter)) query.append(name, String(value));
  return query;
}

interface Page {
  readonly count: number;
  readonly next: string;
  readonly records: readonly JsonMap[];
}

function pageOf(body: JsonMap): Page | undefined {
  const { count, results, next } = body;
  if (typeof count !== 'number' || !Array.isArray(results)) return undefined;
  const records = listOf(results).filter(isMap);
  if (records.length !== results.length || records.some(({ id }) => typeof id !== 'number')) return undefined;
  return { count, next: textOf(next), records };
}

// Only the place in the list is taken from the link: behind a proxy its scheme and host are often not the ones that we may call,
// and a token must never follow a link to somewhere else.
function nextQuery(
  { next, records }: Page,
  before: URLSearchParams,
  path: string,
): URLSearchParams | 'odd' | undefined {
  if (next === '' || records.length === 0) return undefined;
  if (!URL.canParse(next) || !new URL(next).pathname.endsWith(path)) return 'odd';
  const told = new URL(next).searchParams;
  const offset = Number(told.get('offset') ?? Number.NaN);
  if (!Number.isInteger(offset) || offset <= Number(before.get('offset'))) return 'odd';
  const query = new URLSearchParams(before);
  query.set('offset', String(offset));
  query.set('limit', told.get('limit') ?? String(PAGE));
  return query;
}
