import { isMap, listOf, textOf, type JsonMap } from '../../contract/loose-json';
import { failed, type NetBoxAnswer, type NetBoxFault } from './netbox-answer';
import type { NetBoxClient } from './netbox-client';

/** Every record of a list, or what kept us from reading all of it. */
export type Listing =
  { readonly ok: true; readonly records: readonly JsonMap[] } | { readonly ok: false; readonly fault: NetBoxFault };

/** Records that are asked for at once; NetBox gives fewer where its own limit is lower. */
const PAGE = 500;
/** Most pages of one list: more than any list of a zone has, so a list that never ends is noticed. */
const MOST_PAGES = 2_000;
/** Readings of a list that gives fewer records than it says. */
const MOST_READINGS = 3;
/** Times that one page is asked for, where pages before it were read; the client repeats each call once by itself. */
const MOST_TRIES_OF_PAGE = 3;
/** Steps back of one reading, each by half a page: a list that shifts faster than that is given up. */
const MOST_STEPS_BACK = 50;

/**
 * Reads a whole list. Each page but the first begins with a record that was read before, so nothing that is in the list all the time
 * can slip from one page to another unseen, whatever comes and goes meanwhile.
 *
 * @param client - of NetBox
 * @param path - of the list
 * @param filter - what narrows it; records that do not fit must be expected all the same, since NetBox ignores filters that it does
 *   not know
 * @returns records without duplicates, in the order of their ids; one that was removed while the list was read may be among them
 */
export async function readAll(
  client: NetBoxClient,
  path: string,
  filter: Readonly<Record<string, string | number>>,
): Promise<Listing> {
  let last: Read = { again: true, ...failed('unavailable', `cannot be read: ${path}`) };
  for (let reading = 0; reading < MOST_READINGS; reading++) {
    last = await new Reading(client, path, filter).all();
    if (last.ok || !last.again) break;
  }
  return last.ok ? last : { ok: false, fault: last.fault };
}

type Read = Extract<Listing, { ok: true }> | (Extract<Listing, { ok: false }> & { readonly again: boolean });

/** One reading of a list, from its begin to its end. */
class Reading {
  readonly #client: NetBoxClient;
  readonly #path: string;
  readonly #filter: Readonly<Record<string, string | number>>;
  readonly #found = new Map<number, JsonMap>();
  #offset = 0;
  #stepsBack = 0;
  /** Records of the longest page. */
  #longest = 0;

  constructor(client: NetBoxClient, path: string, filter: Readonly<Record<string, string | number>>) {
    this.#client = client;
    this.#path = path;
    this.#filter = filter;
  }

  async all(): Promise<Read> {
    for (let pages = 0; pages < MOST_PAGES; pages++) {
      const answer = await this.#ask();
      if (!answer.ok) return { ...answer, again: false };
      const page = pageOf(answer.body);
      if (page === undefined) return this.#odd('is no list with results');
      const step = this.#take(page);
      if (step !== undefined) return step;
    }
    return this.#odd('never ends');
  }

  // What was read before stays: a page that fails is asked for again, not the whole list.
  async #ask(): Promise<NetBoxAnswer> {
    for (let tries = 1; ; tries++) {
      const answer = await this.#client.call({ method: 'GET', path: this.#path, query: this.#query() });
      const mayHelp = !answer.ok && answer.fault.kind === 'unavailable' && answer.fault.retryAfterSeconds === undefined;
      if (!mayHelp || tries === MOST_TRIES_OF_PAGE || this.#offset === 0) return answer;
    }
  }

  // Undefined while there is more to read.
  #take(page: Page): Read | undefined {
    if (!this.#joins(page)) return this.#stepBack();
    this.#longest = Math.max(this.#longest, page.records.length);
    for (const record of page.records) this.#found.set(record['id'] as number, record);
    if (page.next === '') return this.#end(page);
    if (!this.#leadsOn(page)) return this.#odd('has a link to its next page that leads elsewhere');
    if (page.records.length < 2) return this.#odd('does not go on');
    this.#offset += page.records.length - 1;
    return undefined;
  }

  // The first record was read before, so no place between both pages is left out.
  #joins({ records: [first] }: Page): boolean {
    return this.#offset === 0 || (first !== undefined && this.#found.has(first['id'] as number));
  }

  // Records before this page went, so those behind them moved forward.
  #stepBack(): Read | undefined {
    if (++this.#stepsBack > MOST_STEPS_BACK) return this.#odd('changes faster than it can be read', true);
    this.#offset = Math.max(0, this.#offset - Math.ceil(this.#longest / 2));
    return undefined;
  }

  // Records that went since they were read make it more than the list has now.
  #end({ count }: Page): Read {
    const { size } = this.#found;
    if (size < count || (this.#offset === 0 && size > count))
      return this.#odd('does not hold as many records as it says', true);
    const records = [...this.#found.values()].sort((a, b) => Number(a['id']) - Number(b['id']));
    return { ok: true, records };
  }

  // The link tells that there is more and must be one of this list, but is not followed: behind a proxy its scheme and host are often
  // not the ones that we may call, and a token must never follow a link to somewhere else.
  #leadsOn({ next }: Page): boolean {
    if (!URL.canParse(next) || !new URL(next).pathname.endsWith(this.#path)) return false;
    const offset = Number(new URL(next).searchParams.get('offset') ?? Number.NaN);
    return Number.isInteger(offset) && offset > this.#offset;
  }

  #query(): URLSearchParams {
    const query = new URLSearchParams({ limit: String(PAGE), offset: String(this.#offset), ordering: 'id' });
    for (const [name, value] of Object.entries(this.#filter)) query.append(name, String(value));
    return query;
  }

  #odd(what: string, again = false): Read {
    return { ...failed('unavailable', `gives a list that ${what} (${this.#path})`), again };
  }
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
