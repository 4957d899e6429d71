import { parseAddress } from '../../addressing/address';
import { MAX_PAGE } from '../../contract/ipam-api/v3/pieces';
import { quoteValue } from '../../contract/quote';
import { serviceIdentity } from '../../contract/service-identity';
import { IpamError } from '../../errors/ipam-error';
import { accept, refuse, type Outcome } from '../../errors/outcome';
import type { RecordFilter, RecordPage } from '../../ports/claim-counts';
import type { PastClaim } from '../../ports/claim-history';
import type { AddressRecord } from '../../ports/claims';
import type { ClaimFilter, HistoryEntry, Page, PageRequest } from '../../ports/registry';
import type { Address } from '../../addressing/address';
import type { LedgerContext } from '../records/ledger-context';

/**
 * Lists live records page by page; see `Registry.claims`.
 *
 * @param context - the ledger's parts
 * @param filter - what one holder must have
 * @param page - how many, after which
 * @returns the entries, and where to go on
 * @throws {@link IpamError} `api/malformed` when `after` is not from a page before, or the limit is none
 */
export async function listClaims(
  context: LedgerContext,
  filter: ClaimFilter,
  page: PageRequest,
): Promise<Page<AddressRecord>> {
  const after = page.after === undefined ? {} : { after: recordAfter(page.after) };
  const limit = checkedLimit(page);
  const records = await context.counts.page(recordFilter(filter), { limit: limit + 1, ...after });
  return pageOf(records, limit, ({ network, address }) => `${network} ${address.toString()}`);
}

/**
 * Tells the former holders of an address, page by page; see `Registry.history`.
 *
 * @param context - the ledger's parts
 * @param at - the address
 * @param page - how many, after which
 * @returns the spans, newest first; `store/no-history` where the record keeps none
 * @throws {@link IpamError} `api/malformed` when `after` is not from a page before, or the limit is none
 */
export async function listHistory(
  context: LedgerContext,
  at: { readonly network: string; readonly address: Address },
  page: PageRequest,
): Promise<Outcome<Page<HistoryEntry>>> {
  const { history } = context;
  if (history === undefined) return refuse('store/no-history', 'the record keeps nothing of what ended');
  const before = page.after === undefined ? {} : { before: placeAfter(page.after) };
  const limit = checkedLimit(page);
  const past = await history.history(at, { limit: limit + 1, ...before });
  const { entries, ...next } = pageOf(past, limit, ({ place }) => String(place));
  return accept({ entries: entries.flatMap((span) => historyEntries(at, span)), ...next });
}

function recordFilter({ zone, clusterUid, serviceName, ...filter }: ClaimFilter): RecordFilter {
  return {
    ...filter,
    ...(zone === undefined ? {} : { pool: zone }),
    ...(clusterUid === undefined ? {} : { cluster: clusterUid }),
    ...(serviceName === undefined ? {} : { name: serviceName }),
  };
}

// A span in which an owner showed an address without a claim is none of the claims of the address.
function historyEntries(
  at: Pick<HistoryEntry, 'network' | 'address'>,
  { owner, pool: zone, state, fromMs, untilMs }: PastClaim,
): readonly HistoryEntry[] {
  if (state === 'contested') return [];
  const { uid: serviceUid, namespace } = owner;
  const service = {
    service: serviceIdentity(owner),
    namespace,
    ...(serviceUid === undefined ? {} : { serviceUid }),
  };
  return [{ ...at, zone, ...service, state, fromMs, ...(untilMs === undefined ? {} : { untilMs }) }];
}

// One more than the limit was asked for, to see whether there is more.
function pageOf<T>(found: readonly T[], limit: number, cursorOf: (entry: T) => string): Page<T> {
  const entries = found.slice(0, limit);
  const last = entries.at(-1);
  return found.length <= limit || last === undefined ? { entries } : { entries, next: cursorOf(last) };
}

function checkedLimit({ limit }: PageRequest): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_PAGE) return limit;
  throw new IpamError('api/malformed', `limit "${limit}" is not a whole number from 1 to ${MAX_PAGE}`);
}

function recordAfter(after: string): NonNullable<RecordPage['after']> {
  const [network = '', text = '', ...more] = after.split(' ');
  const address = parseAddress(text);
  if (network === '' || more.length > 0 || !address.ok) throw strangeCursor(after);
  return { network, address: address.value };
}

function placeAfter(after: string): number {
  if (!/^[0-9]{1,15}$/.test(after)) throw strangeCursor(after);
  return Number(after);
}

function strangeCursor(after: string): IpamError {
  return new IpamError('api/malformed', `after ${quoteValue(after)} is not the "next" of a page of this list`);
}
