import { familyBits } from '../../../addressing/address';
import { spaceText } from '../../../addressing/space-text';
import { accept, type Outcome } from '../../../errors/outcome';
import { refuseKeyInUse, refuseOutdated, refuseUnclaimed } from '../../../errors/store-refusals';
import { EXPIRES_AT, type HolderCells } from '../shared/claim-row';
import type { ClaimTables } from './claim-tables';
import { spaceOf, type AddressRow, type HolderRow } from './live-rows';
import type { WireBind, WirePlace, WireRelease, WireResults } from './wire';

/** A held row, and what of it a request names. */
export interface FoundHeld {
  readonly row: AddressRow;
  readonly holders: readonly HolderRow[];
  /** The one with the id of the request. */
  readonly holder: HolderRow | undefined;
}

/** The record that a decision was made on. */
interface Decided extends WirePlace {
  readonly version: number;
  readonly holderId?: string;
  readonly nowMs: number;
}

/**
 * Writes the space of a request.
 *
 * @param place - address and length
 * @returns canonical text
 */
export function textOf(place: Pick<WirePlace, 'address' | 'length'>): string {
  const { address, length } = spaceOf(place);
  return spaceText({ address, length: length ?? familyBits(address.family) });
}

/**
 * Finds the held record, if it is the one that the caller decided on and still has the holder that the caller names.
 *
 * @param tables - the store
 * @param request - place, version and holder
 * @returns the row with its holders; or refusal `claim/not-found`, `store/conflict`
 */
export function findHeld(tables: ClaimTables, request: Decided): Outcome<FoundHeld> {
  const row = tables.find(request.network, request.address);
  const isLive = row?.length === request.length && (row.untilMs === null || row.untilMs > request.nowMs);
  if (row === undefined || !isLive) return refuseUnclaimed(textOf(request));
  if (row.version !== request.version) return refuseOutdated(textOf(request));
  const holders = tables.holders(row.id);
  const holder = holders.find(({ id }) => String(id) === request.holderId);
  const missing = request.holderId !== undefined && holder === undefined;
  if (row.state !== 'held' || missing) return refuseUnclaimed(textOf(request));
  return accept({ row, holders, holder });
}

function cellsOf({ holder, keepsExpiry }: WireBind, before: HolderRow | undefined): HolderCells {
  if (keepsExpiry !== true) return holder;
  return holder.with(EXPIRES_AT, before?.expiresAtMs ?? null) as unknown as HolderCells;
}

/**
 * `bind` of the port.
 *
 * @param tables - the store
 * @param request - a new holder, or the new state of one
 * @returns rows of the record, or the refusal
 */
export function bindClaim(tables: ClaimTables, request: WireBind): WireResults['bind'] {
  const found = findHeld(tables, request);
  if (!found.ok) return found;
  const { row, holder } = found.value;
  const { statements } = tables;
  const same = tables.withKeyOf(request.holder);
  // ids are unique in the whole store, so the id alone tells whose key it is
  if (same !== undefined && same.id !== holder?.id) return refuseKeyInUse(textOf(request));
  tables.revision++;
  if (holder !== undefined) statements.endHolder.run(request.nowMs, row.id, holder.id);
  const next = holder ?? { id: tables.revision, sinceMs: request.nowMs, movedAtMs: null };
  tables.addHolder(row.id, next, cellsOf(request, holder));
  statements.setVersion.run(tables.revision, row.id);
  if (request.secret !== undefined) {
    const { hash, scope, sealed = null } = request.secret;
    statements.setSecret.run(hash, scope, sealed, row.id);
  }
  tables.tell('changed', row);
  return accept(tables.rows(row.id));
}

interface Pause {
  readonly untilMs: number;
  /** The one that may return: the last holder, or the row of one that left before. */
  readonly former: 'last' | number;
}

// Undefined where the space is free at once.
function pauseAfter(tables: ClaimTables, row: AddressRow, request: WireRelease): Pause | undefined {
  const { quarantineMs = 0, nowMs, holderId } = request;
  // what a cluster shows all the same is in use, not paused
  if (quarantineMs <= 0 || tables.isUsed(row)) return undefined;
  const { stateOfHolder, leftBefore } = tables.statements;
  if (stateOfHolder.get(row.id, holderId)?.['state'] !== 'contested') {
    return { untilMs: nowMs + quarantineMs, former: 'last' };
  }
  const left = leftBefore.get(row.id, holderId) as unknown as { rowId: number; leftAtMs: number } | undefined;
  if (left === undefined || left.leftAtMs + quarantineMs <= nowMs) return undefined;
  return { untilMs: left.leftAtMs + quarantineMs, former: left.rowId };
}

/**
 * `release` of the port.
 *
 * @param tables - the store
 * @param request - the holder that ends
 * @returns rows of the record, none when the space became free; or the refusal
 */
export function releaseClaim(tables: ClaimTables, request: WireRelease): WireResults['release'] {
  const found = findHeld(tables, request);
  if (!found.ok) return found;
  const { row, holders } = found.value;
  const { statements } = tables;
  const { nowMs } = request;
  const last = holders.length === 1;
  const pause = last ? pauseAfter(tables, row, request) : undefined;
  tables.revision++;
  const end = pause?.former === 'last' ? statements.endLastHolder : statements.endHolder;
  end.run(nowMs, row.id, request.holderId);
  if (last && pause === undefined) {
    tables.free(row, nowMs);
    return accept([]);
  }
  if (pause !== undefined) {
    if (pause.former !== 'last') statements.markFormer.run(pause.former);
    tables.quarantine(row, pause.untilMs);
  } else {
    statements.setVersion.run(tables.revision, row.id);
    tables.tell('changed', row);
  }
  return accept(tables.rows(row.id));
}
