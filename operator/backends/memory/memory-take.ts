import type { Address } from '../../addressing/address';
import { blockOf, spaceText } from '../../addressing/space-text';
import { overLimit } from '../../claim-store/take-limits';
import { accept, type Outcome } from '../../errors/outcome';
import {
  refuseExhausted,
  refuseForeign,
  refuseHeld,
  refuseQuarantined,
  type Obstacle,
} from '../../errors/store-refusals';
import type { AddressRecord, Place, TakeRequest, Want } from '../../ports/claims';
import type { MemoryRecords } from './memory-records';
import { term } from './record-index';
import { isLiveAt } from '../../claim-store/record-terms';

/** Target of one want of a take: a record that is there under its key, or a space. */
export type Target =
  | { readonly want: Want; readonly known: AddressRecord }
  | {
      readonly want: Want;
      readonly known?: undefined;
      readonly address: Address;
      /** Records in the wished space that end: the caller's own use, and quarantines that it may end before their time. */
      readonly over: readonly AddressRecord[];
    };

/**
 * Decides a take without taking anything; only quarantines that are over end on the way.
 *
 * @param records - what is live
 * @param request - what is asked for
 * @param nowMs - the present
 * @returns one target for each want, or the refusal of all
 */
export function planTake(records: MemoryRecords, request: TakeRequest, nowMs: number): Outcome<readonly Target[]> {
  const known = request.wants.map(({ key }) => (key === undefined ? undefined : records.index.one(term.key(key))));
  const more = known.filter((record) => record === undefined).length;
  const refusal = more === 0 ? undefined : overLimit(records.index, request, more);
  if (refusal !== undefined) return refusal;
  // before the first want: no target may hold a record that the search for a later want ends
  if (more > 0) endQuarantines(records, request.network, nowMs);
  const targets: Target[] = [];
  for (const [index, want] of request.wants.entries()) {
    const record = known[index];
    const target =
      record === undefined ? findSpace(records, { request, want, nowMs }) : accept({ want, known: record });
    if (!target.ok) return target;
    targets.push(target.value);
  }
  return accept(targets);
}

function endQuarantines(records: MemoryRecords, network: string, nowMs: number): void {
  for (const record of records.index.all(term.quarantined(network))) {
    if (!isLiveAt(record, nowMs)) records.expire(record, nowMs);
  }
}

/**
 * Names the place of a target.
 *
 * @param network - of the take
 * @param target - what the take does for one want
 * @returns the place that it has, or gets
 */
export function placeOf(network: string, target: Target): Place {
  if (target.known === undefined) {
    const { length } = target.want;
    return { network, address: target.address, ...(length === undefined ? {} : { length }) };
  }
  const { address, length } = target.known;
  return { network: target.known.network, address, ...(length === blockOf({ address }).length ? {} : { length }) };
}

interface Search {
  readonly request: TakeRequest;
  readonly want: Want;
  readonly nowMs: number;
}

function findSpace(records: MemoryRecords, search: Search): Outcome<Target> {
  const { want } = search;
  return want.address === undefined ? chosen(records, search) : wished(records, search, want.address);
}

function wished(records: MemoryRecords, search: Search, address: Address): Outcome<Target> {
  const { request, want } = search;
  const { length } = want;
  const wanted = { address, ...(length === undefined ? {} : { length }) };
  const over = records.index.overlapping(request.network, blockOf(wanted));
  for (const record of over) {
    const problem = inTheWay(records, search, { wanted: spaceText(wanted), record });
    if (problem !== undefined) return problem;
  }
  return accept({ want, address, over });
}

// What has the space, unless its quarantine is over or may be ended by the caller.
function inTheWay(
  records: MemoryRecords,
  { request, want, nowMs }: Search,
  { wanted, record }: { readonly wanted: string; readonly record: AddressRecord },
): Outcome<never> | undefined {
  const { quarantine, holders } = record;
  const obstacle: Omit<Obstacle, 'holder'> = { wanted, space: spaceText(record), askedBy: request.holder.owner };
  if (record.state === 'foreign') {
    const use = records.uses.occupying(record, request.holder.owner);
    return use === undefined ? undefined : refuseForeign(obstacle, use);
  }
  const [oldest] = holders;
  if (oldest !== undefined) return refuseHeld({ ...obstacle, holder: oldest.owner });
  const waitMs = (quarantine?.untilMs ?? nowMs) - nowMs;
  if (quarantine === undefined || want.returningOver === record.version) return undefined;
  const end = { at: new Date(quarantine.untilMs).toISOString(), seconds: Math.ceil(waitMs / 1000) };
  return refuseQuarantined({ ...obstacle, holder: quarantine.former.owner }, end);
}

function chosen(records: MemoryRecords, { request, want, nowMs }: Search): Outcome<Target> {
  const { network, pool } = request;
  const { family, length, space } = want;
  const address = records.lowest({ network, pool, family, space, ...(length === undefined ? {} : { length }) });
  if (address !== undefined) return accept({ want, address, over: [] });
  const quarantined = records.index.all(term.quarantined(network));
  const waiting = quarantined.filter((record) => record.pool === pool && record.family === family);
  const ends = waiting.map((record) => record.quarantine?.untilMs ?? 0);
  return refuseExhausted({
    pool,
    family,
    askedBy: request.holder.owner.kind,
    quarantined: waiting.length,
    ...(length === undefined ? {} : { length }),
    ...(ends.length === 0 ? {} : firstFree(Math.min(...ends), nowMs)),
  });
}

function firstFree(atMs: number, nowMs: number): { readonly firstFreeAt: string; readonly firstFreeInSeconds: number } {
  return { firstFreeAt: new Date(atMs).toISOString(), firstFreeInSeconds: Math.ceil((atMs - nowMs) / 1000) };
}
