import { addressOf, type Address } from '../../../addressing/address';
import type { PrefixSet } from '../../../addressing/prefix-set';
import { IpamError } from '../../../errors/ipam-error';
import type { Outcome } from '../../../errors/outcome';
import {
  refuseExhausted,
  refuseHeld,
  refuseKeyInUse,
  refuseOutdated,
  refuseQuarantined,
  refuseQuota,
  refuseReservation,
  refuseShare,
  refuseUnclaimed,
  type NamedHolder,
} from '../../../errors/store-refusals';
import type { BindRequest, ClaimChange, ReleaseRequest, TakeRequest } from '../../../ports/claim-store';
import { toColumn } from '../shared/address-column';
import { holderCells, type ClaimRow } from '../shared/claim-row';

/** A request that changes something, with the verb that it is for. */
export type PostgresWrite =
  | { readonly verb: 'take'; readonly request: TakeRequest }
  | { readonly verb: 'bind'; readonly request: BindRequest }
  | { readonly verb: 'release'; readonly request: ReleaseRequest };

/** What stands against any take of the zone or the namespace. */
type LimitRefusal =
  | { readonly refused: 'exhausted'; readonly quarantined: number; readonly firstMs: number | null }
  | { readonly refused: 'reservation' | 'quota' | 'cluster' | 'namespace' };

/** Why a function of the database refused. */
export type WireRefusal =
  | { readonly refused: 'held' | 'quarantined'; readonly holder: NamedHolder; readonly untilMs: number | null }
  | { readonly refused: 'unclaimed' | 'outdated' | 'key' }
  | LimitRefusal;

/** What a function of the database answers to one request. */
export type WriteResult = WireRefusal | { readonly rows: readonly (readonly unknown[])[]; readonly created?: boolean };

/** What the database answers to a batch: results of the first requests, in order, and what changed. */
export interface BatchAnswer {
  readonly results: readonly WriteResult[];
  readonly changes: readonly (readonly [
    request: number,
    kind: ClaimChange['kind'],
    network: string,
    zone: string,
    address: string,
  ])[];
}

// where an address and a boolean stand in `CLAIM_COLUMNS`
const [ADDRESS, DENY] = [2, 21];

type JsonObject = Record<string, unknown>;

// Every space of a batch travels once.
class Spaces {
  readonly texts: unknown[] = [];
  private readonly known = new Map<string, number>();
  private readonly encoded = new Map<PrefixSet, Map<number, string>>();

  indexOf({ space, family }: TakeRequest): number {
    const byFamily = this.encoded.get(space) ?? new Map<number, string>();
    this.encoded.set(space, byFamily);
    let text = byFamily.get(family);
    if (text === undefined) {
      text = JSON.stringify(space.ranges(family).map(({ first, last }) => [first.toString(), last.toString()]));
      byFamily.set(family, text);
    }
    const known = this.known.get(text);
    if (known !== undefined) return known;
    this.known.set(text, this.texts.length);
    return this.texts.push(JSON.parse(text)) - 1;
  }
}

function takeJson(request: TakeRequest, spaces: Spaces): JsonObject {
  const { network, zone, family, address, secret, holder, nowMs } = request;
  return {
    ...{ verb: 'take', network, zone, family, nowMs },
    ...(address === undefined ? { space: spaces.indexOf(request) } : { address: address.toString() }),
    secret: [secret.hash, secret.scope, secret.sealed],
    holder: holderCells(holder),
    returningOver: request.returningOver,
    maxReservedInNamespace: request.maxReservedInNamespace,
    zoneQuota: request.zoneQuota,
    clusterQuota: request.clusterQuota,
    namespaceQuota: request.namespaceQuota,
  };
}

function changeJson({ verb, request }: Exclude<PostgresWrite, { verb: 'take' }>): JsonObject {
  const { network, address, version, nowMs, holderId } = request;
  const common = { verb, network, address: address.toString(), version, nowMs, holderId };
  if (verb === 'release') return { ...common, quarantineUntilMs: request.quarantineUntilMs };
  const { secret, holder } = request;
  return {
    ...common,
    holder: holderCells(holder),
    ...(secret === undefined ? {} : { secret: [secret.hash, secret.scope, secret.sealed] }),
  };
}

/**
 * Encodes a batch for the function of the database.
 *
 * @param writes - in the order in which they were asked for
 * @returns JSON text
 */
export function batchText(writes: readonly PostgresWrite[]): string {
  const spaces = new Spaces();
  const requests = writes.map((write) => (write.verb === 'take' ? takeJson(write.request, spaces) : changeJson(write)));
  const networks = [...new Set(writes.map(({ request }) => request.network))];
  return JSON.stringify({ networks, spaces: spaces.texts, requests });
}

/**
 * Turns what the driver read into the form of the SQLite store.
 *
 * @param cells - in the order of `CLAIM_COLUMNS`
 * @returns the same cells, for `recordsOf`
 */
export function claimRow(cells: readonly unknown[]): ClaimRow {
  const row = [...cells];
  row[ADDRESS] = toColumn(addressOf(cells[ADDRESS] as string));
  row[DENY] = cells[DENY] === true ? 1 : 0;
  return row as unknown as ClaimRow;
}

/**
 * Decodes a change.
 *
 * @param change - an entry of a batch's answer
 * @returns the same for watchers
 */
export function changeOf([, kind, network, zone, address]: BatchAnswer['changes'][number]): ClaimChange {
  return { kind, network, zone, address: addressOf(address) };
}

function refuseFull({ zone, family, nowMs }: TakeRequest, quarantined: number, firstMs: number | null): Outcome<never> {
  const first =
    firstMs === null
      ? {}
      : { firstFreeAt: new Date(firstMs).toISOString(), firstFreeInSeconds: Math.ceil((firstMs - nowMs) / 1000) };
  return refuseExhausted({ zone, family, quarantined, ...first });
}

function refuseLimit(request: TakeRequest, result: LimitRefusal): Outcome<never> {
  const { holder, zone, maxReservedInNamespace = 0, zoneQuota = 0 } = request;
  if (result.refused === 'exhausted') return refuseFull(request, result.quarantined, result.firstMs);
  if (result.refused === 'quota') return refuseQuota(zone, zoneQuota);
  if (result.refused !== 'reservation') return refuseShare(result.refused, request);
  return refuseReservation({ ...holder.service, namespace: holder.namespace }, maxReservedInNamespace);
}

function refuseTaken(
  address: Address | undefined,
  result: Extract<WireRefusal, { holder: NamedHolder }>,
  nowMs: number,
) {
  const text = String(address);
  if (result.untilMs === null) return refuseHeld(text, result.holder);
  const end = { at: new Date(result.untilMs).toISOString(), seconds: Math.ceil((result.untilMs - nowMs) / 1000) };
  return refuseQuarantined(text, result.holder, end);
}

/**
 * Puts a refusal into words.
 *
 * @param write - what was asked for
 * @param result - what the database said
 * @returns one sentence, as the SQLite store says it
 */
export function refusalFor(write: PostgresWrite, result: WireRefusal): Outcome<never> {
  const { request } = write;
  const text = String(request.address);
  if (isLimit(result)) {
    if (write.verb === 'take') return refuseLimit(write.request, result);
    throw new IpamError('internal', `the store refused a ${write.verb} as "${result.refused}"`);
  }
  switch (result.refused) {
    case 'unclaimed':
      return refuseUnclaimed(text);
    case 'outdated':
      return refuseOutdated(text);
    case 'key':
      return refuseKeyInUse(text);
    case 'held':
    case 'quarantined':
      return refuseTaken(request.address, result, request.nowMs);
  }
}

function isLimit(result: WireRefusal): result is LimitRefusal {
  return ['exhausted', 'reservation', 'quota', 'cluster', 'namespace'].includes(result.refused);
}
