import {
  columnFamily,
  fromColumn,
  toColumn,
  type AddressColumn,
  type AddressParameter,
} from '../shared/address-column';
import type { ArchiveResults, WirePeek } from './archive-wire';
import { IpamError } from '../../../errors/ipam-error';
import { accept, type Outcome } from '../../../errors/outcome';
import {
  refuseExhausted,
  refuseHeld,
  refuseQuarantined,
  refuseQuota,
  refuseReservation,
  refuseShare,
} from '../../../errors/store-refusals';
import type { ClaimRow } from '../shared/claim-row';
import type { AddressRow, ClaimTables } from './claim-tables';
import type { WireTake } from './take-wire';
import type { WireResults } from './wire';

function overLimit(tables: ClaimTables, request: WireTake | WirePeek): Outcome<never> | undefined {
  const { maxReservedInNamespace: limit, zoneQuota: quota, holder } = request;
  const [serviceName, namespaceUid, clusterUid, namespace, , state] = holder;
  if (limit !== undefined && state === 'reserved') {
    const reserved = tables.statements.reservedIn.get(namespaceUid)?.['n'] as number;
    if (reserved >= limit) return refuseReservation({ serviceName, namespaceUid, clusterUid, namespace }, limit);
  }
  if (quota !== undefined && tables.counts.heldIn(request.network, request.zone) >= quota) {
    return refuseQuota(request.zone, quota);
  }
  return overShare(tables, request);
}

function overShare(tables: ClaimTables, request: WireTake | WirePeek): Outcome<never> | undefined {
  const { clusterQuota, namespaceQuota } = request;
  const [serviceName, namespaceUid, clusterUid, namespace] = request.holder;
  const holder = { service: { serviceName, namespaceUid, clusterUid }, namespace };
  const quotas = {
    ...(clusterQuota === undefined ? {} : { clusterQuota }),
    ...(namespaceQuota === undefined ? {} : { namespaceQuota }),
  };
  const { heldByCluster, heldByNamespace } = tables.statements;
  if (clusterQuota !== undefined && (heldByCluster.get(clusterUid)?.['n'] as number) >= clusterQuota) {
    return refuseShare('cluster', { holder, ...quotas });
  }
  if (namespaceQuota === undefined) return undefined;
  const held = heldByNamespace.get(clusterUid, namespaceUid)?.['n'] as number;
  return held < namespaceQuota ? undefined : refuseShare('namespace', { holder, ...quotas });
}

// Ends a quarantine that does not bind the caller, else says who is in the way.
function clear(tables: ClaimTables, request: WireTake, row: AddressRow): Outcome<never> | undefined {
  if (row.untilMs !== null && row.untilMs <= request.nowMs) tables.expire(row);
  else if (row.untilMs !== null && request.returningOver === row.version) tables.endQuarantine(row, request.nowMs);
  else return standsAgainst(tables, request, row);
  return undefined;
}

function standsAgainst(tables: ClaimTables, { nowMs }: { nowMs: number }, row: AddressRow): Outcome<never> {
  const text = fromColumn(row.address).toString();
  if (row.untilMs === null) return refuseHeld(text, tables.someHolder(row.id));
  const end = { at: new Date(row.untilMs).toISOString(), seconds: Math.ceil((row.untilMs - nowMs) / 1000) };
  return refuseQuarantined(text, tables.someHolder(row.id), end);
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

function exhausted(tables: ClaimTables, request: WireTake | WirePeek): Outcome<never> {
  const { zone, family } = request;
  const waiting = tables.statements.quarantinedIn.get(request.network, zone, family);
  const first = waiting?.['firstMs'] as number | null;
  const firstFreeAt = first === null ? {} : firstFree(first, request.nowMs);
  return refuseExhausted({ zone, family, quarantined: waiting?.['n'] as number, ...firstFreeAt });
}

function expireAll(tables: ClaimTables, { network, nowMs }: { network: string; nowMs: number }): void {
  if (!tables.counts.hasQuarantined(network)) return;
  const expired = tables.statements.expired.all(network, nowMs) as unknown as readonly AddressRow[];
  for (const row of expired) tables.expire(row);
}

function takeLowest(tables: ClaimTables, request: WireTake): Outcome<readonly ClaimRow[]> {
  expireAll(tables, request);
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

function peekNamed(tables: ClaimTables, request: WirePeek, address: AddressParameter): ArchiveResults['peek'] {
  const row = tables.find(request.network, address);
  const untilMs = row?.untilMs ?? 0;
  const ends = row?.untilMs !== null && (untilMs <= request.nowMs || request.returningOver === row?.version);
  const refusal = row === undefined || ends ? undefined : standsAgainst(tables, request, row);
  return refusal ?? accept(address);
}

function peekLowest(tables: ClaimTables, request: WirePeek): ArchiveResults['peek'] {
  expireAll(tables, request);
  for (;;) {
    const address = tables.pools.takeLowest(request);
    if (address === undefined) return exhausted(tables, request);
    const column = toColumn(address);
    if (tables.find(request.network, column) !== undefined) continue;
    tables.pools.freed(request.network, address);
    return accept(column);
  }
}

/**
 * `peek` of the port.
 *
 * @param tables - the store
 * @param request - what {@link takeClaim} would be asked
 * @returns the address that it would take or find, or its refusal
 */
export function peekClaim(tables: ClaimTables, request: WirePeek): ArchiveResults['peek'] {
  if (request.space !== undefined) tables.pools.setSpace(request, request.space);
  const same = tables.withKeyOf(request.holder);
  if (same !== undefined) return accept(tables.rows(same.addressId)[0]?.[2] as AddressColumn);
  const limited = overLimit(tables, request);
  if (limited !== undefined) return limited;
  const { address } = request;
  return address === undefined ? peekLowest(tables, request) : peekNamed(tables, request, address);
}

function firstFree(atMs: number, nowMs: number): { readonly firstFreeAt: string; readonly firstFreeInSeconds: number } {
  return { firstFreeAt: new Date(atMs).toISOString(), firstFreeInSeconds: Math.ceil((atMs - nowMs) / 1000) };
}
