import { accept, type Outcome } from '../../../errors/outcome';
import { refuseKeyInUse, refuseOutdated, refuseUnclaimed } from '../../../errors/store-refusals';
import { fromColumn } from '../shared/address-column';
import type { AddressRow, ClaimTables, HolderRow } from './claim-tables';
import type { WireBind, WireRelease, WireResults } from './wire';

interface Found {
  readonly row: AddressRow;
  readonly holders: readonly HolderRow[];
  /** The one with the id of the request. */
  readonly holder: HolderRow | undefined;
}

// The held record, if it is the one that the caller decided on and still has the holder that the caller names.
function findHeld(tables: ClaimTables, request: WireBind | WireRelease): Outcome<Found> {
  const text = fromColumn(request.address).toString();
  const row = tables.find(request.network, request.address);
  if (row === undefined || (row.untilMs !== null && row.untilMs <= request.nowMs)) return refuseUnclaimed(text);
  if (row.version !== request.version) return refuseOutdated(text);
  const holders = tables.holders(row.id);
  const holder = holders.find(({ id }) => String(id) === request.holderId);
  const missing = request.holderId !== undefined && holder === undefined;
  if (row.state === 'quarantined' || missing) return refuseUnclaimed(text);
  return accept({ row, holders, holder });
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
  if (same !== undefined && same.id !== holder?.id) return refuseKeyInUse(fromColumn(request.address).toString());
  tables.revision++;
  if (holder !== undefined) statements.endHolder.run(request.nowMs, row.id, holder.id);
  tables.addHolder(row.id, holder ?? { id: tables.revision, sinceMs: request.nowMs }, request.holder);
  statements.setVersion.run(tables.revision, row.id);
  if (request.secret !== undefined) {
    const { hash, scope, sealed = null } = request.secret;
    statements.setSecret.run(hash, scope, sealed, row.id);
  }
  tables.tell('changed', row);
  return accept(tables.rows(row.id));
}

/**
 * `release` of the port.
 *
 * @param tables - the store
 * @param request - the holder that ends
 * @returns rows of the record, none when the address became free; or the refusal
 */
export function releaseClaim(tables: ClaimTables, request: WireRelease): WireResults['release'] {
  const found = findHeld(tables, request);
  if (!found.ok) return found;
  const { row, holders } = found.value;
  const { statements } = tables;
  const untilMs = request.quarantineUntilMs ?? 0;
  const last = holders.length === 1;
  const paused = last && untilMs > request.nowMs;
  tables.revision++;
  const end = paused ? statements.endLastHolder : statements.endHolder;
  end.run(request.nowMs, row.id, request.holderId);
  if (last && !paused) {
    tables.free(row, request.nowMs);
    return accept([]);
  }
  if (paused) tables.quarantine(row, untilMs);
  else {
    statements.setVersion.run(tables.revision, row.id);
    tables.tell('changed', row);
  }
  return accept(tables.rows(row.id));
}
