import { columnFamily, fromColumn, toColumn, type AddressParameter } from './address-column';
import { IpamError } from '../../errors/ipam-error';
import { accept, type Outcome } from '../../errors/outcome';
import {
  refuseExhausted,
  refuseHeld,
  refuseQuarantined,
  refuseQuota,
  refuseReservation,
} from '../../errors/store-refusals';
import type { ClaimRow } from './claim-row';
import type { AddressRow, ClaimTables } from './claim-tables';
import type { WireResults, WireTake } from './wire';

function overLimit(tables: ClaimTables, request: WireTake): Outcome<never> | undefined {
  const { maxReservedInNamespace: limit, zoneQuota: quota, holder } = request;
  const [serviceName, namespaceUid, clusterUid, namespace, , state] = holder;
  if (limit !== undefined && state === 'reserved') {
    const reserved = tables.statements.reservedIn.get(namespaceUid)?.['n'] as number;
    if (reserved >= limit) return refuseReservation({ serviceName, namespaceUid, clusterUid, namespace }, limit);
  }
  if (quota === undefined || tables.counts.heldIn(request.network, request.zone) < quota) return undefined;
  return refuseQuota(request.zone, quota);
}

// Ends a quarantine that does not bind the caller, else says who is in the way.
function clear(tables: ClaimTables, request: WireTake, row: AddressRow): Outcome<never> | undefined {
  const text = fromColumn(row.address).toString();
  if (row.untilMs === null) return refuseHeld(text, tables.someHolder(row.id));
  const waitMs = row.untilMs - request.nowMs;
  if (waitMs <= 0) tables.expire(row);
  else if (request.returningOver === row.version) tables.endQuarantine(row, request.nowMs);
  else {
    const end = { at: new Date(row.untilMs).toISOString(), seconds: Math.ceil(waitMs / 1000) };
    return refuseQuarantined(text, tables.someHolder(row.id), end);
  }
  return undefined;
}

function takeNamed(tables: ClaimTables, request: WireTake, address: AddressParameter): Outcome<readonly ClaimRow[]> {
  const row = tables.find(request.network, address);
  const refusal = row === undefined ? undefined : clear(tables, request, row);
  if (refusal !== undefined) return refusal;
  const taken = tables.insert({ ...request, address });
  if (taken === undefined)
    throw new IpamError('internal', 'the unique index of the store knows a row that a look-up did not find');
  tables.pools.taken({ ...request, family: columnFamily(address) }, fromColumn(address));
  return accept([taken]);
}

function exhausted(tables: ClaimTables, request: WireTake): Outcome<never> {
  const { zone, family } = request;
  const waiting = tables.statements.quarantinedIn.get(request.network, zone, family);
  const first = waiting?.['firstMs'] as number | null;
  const firstFreeAt = first === null ? {} : firstFree(first, request.nowMs);
  return refuseExhausted({ zone, family, quarantined: waiting?.['n'] as number, ...firstFreeAt });
}

function takeLowest(tables: ClaimTables, request: WireTake): Outcome<readonly ClaimRow[]> {
  if (tables.counts.hasQuarantined(request.network)) {
    const expired = tables.statements.expired.all(request.network, request.nowMs) as unknown as readonly AddressRow[];
    for (const row of expired) tables.expire(row);
  }
  for (;;) {
    const address = tables.pools.takeLowest(request);
    if (address === undefined) return exhausted(tables, request);
    // undefined: the index knows better than the pool, for somebody named this address under another zone
    const taken = tables.insert({ ...request, address: toColumn(address) });
    if (taken !== undefined) return accept([taken]);
  }
}

/**
 * `take` of the port.
 *
 * @param tables - the store
 * @param request - whose key, limits, quota and address are looked at in this order
 * @returns rows of the record, or the refusal
 */
export function takeClaim(tables: ClaimTables, request: WireTake): WireResults['take'] {
  if (request.space !== undefined) tables.pools.setSpace(request, request.space);
  const same = tables.withKeyOf(request.holder);
  if (same !== undefined) return accept({ rows: tables.rows(same.addressId), created: false });
  const limited = overLimit(tables, request);
  if (limited !== undefined) return limited;
  const { address } = request;
  const taken = address === undefined ? takeLowest(tables, request) : takeNamed(tables, request, address);
  return taken.ok ? accept({ rows: taken.value, created: true }) : taken;
}

function firstFree(atMs: number, nowMs: number): { readonly firstFreeAt: string; readonly firstFreeInSeconds: number } {
  return { firstFreeAt: new Date(atMs).toISOString(), firstFreeInSeconds: Math.ceil((atMs - nowMs) / 1000) };
}
