import { accept } from '../../../errors/outcome';
import { IpamError } from '../../../errors/ipam-error';
import { fromColumn, toColumn, type AddressColumn, type AddressParameter } from '../shared/address-column';
import type { ClaimRow, HolderCells } from '../shared/claim-row';
import type { ArchiveResults, WireFound } from './archive-wire';
import type { ClaimTables } from './claim-tables';
import { spaceOf } from './live-rows';
import { exhausted, expireAll, giveBack, keyOf, planTake, type Spot } from './plan-take';
import { renamedProblem } from './renamed-clusters';
import type { PoolKey } from './free-pools';
import { lastResort } from './occupied-uses';
import { overLimit } from './take-limits';
import type { NewPlace, WireFirstTake, WirePeek, WireTake, WireUnless, WireWant } from './take-wire';
import type { WireResults } from './wire';

function isSpotOf(row: Parameters<typeof spaceOf>[0], { address, want }: Spot): boolean {
  return row.length === want.length && fromColumn(row.address).equals(fromColumn(address));
}

function fill(tables: ClaimTables, request: WireTake, spot: Spot): NewPlace {
  const { want, address } = spot;
  for (const row of spot.ends) {
    if (row.state === 'foreign') {
      tables.endForeign(row, request.nowMs);
      continue;
    }
    // a former holder that comes back to its very space never left it
    if (isSpotOf(row, spot)) tables.endQuarantine(row, request.nowMs);
    else tables.expire(row, request.nowMs);
  }
  const { network, pool, secret, nowMs } = request;
  const { length, holder } = want;
  const taken = tables.insert({ network, pool, nowMs, address, length, holder, ...(secret && { secret }) });
  if (taken === undefined)
    throw new IpamError('internal', 'the unique index of the store knows a row that a look-up did not find');
  if (want.address !== undefined) tables.pools.taken(keyOf(request, spot), spaceOf({ address, length }));
  return taken;
}

// The lowest address that seems to be free; what is avoided comes last.
function lowestAddress(tables: ClaimTables, key: PoolKey): AddressParameter | undefined {
  for (;;) {
    const first = tables.pools.takeLowest(key, null);
    if (first === undefined) break;
    const address = toColumn(first);
    if (!tables.isAvoided(key.network, address)) return address;
  }
  const last = lastResort(tables, key);
  return last === undefined ? undefined : toColumn(fromColumn(last));
}

// Any address of a pool in a network without prefixes: the unique index alone tells whether it is free.
function takeLowest(tables: ClaimTables, request: WireTake, want: WireWant): WireResults['take'] {
  const { network, pool, secret, nowMs } = request;
  const { holder, family } = want;
  const same = tables.withKeyOf(holder);
  if (same !== undefined) return accept([{ kind: 'known', rows: tables.rows(same.addressId) }]);
  const limited = overLimit(tables, request, 1);
  if (limited !== undefined) return limited;
  expireAll(tables, request);
  for (;;) {
    const address = lowestAddress(tables, { network, pool, family });
    if (address === undefined) return exhausted(tables, request, want);
    // undefined: the index knows better than the pool, for this address was taken under another one
    const taken = tables.insert({ network, pool, nowMs, address, length: null, holder, ...(secret && { secret }) });
    if (taken !== undefined) return accept([{ kind: 'made', place: taken }]);
  }
}

/**
 * Keeps the spaces that came with a request.
 *
 * @param tables - the store
 * @param request - whose wants without address may bring a space
 */
export function keepSpaces(
  { pools }: ClaimTables,
  { network, pool, wants }: Pick<WireTake, 'network' | 'pool' | 'wants'>,
): void {
  for (const { family, space } of wants) if (space !== undefined) pools.setSpace({ network, pool, family }, space);
}

/**
 * `take` of the port.
 *
 * @param tables - the store
 * @param request - of whose wants the key, the limits and the space are looked at in this order
 * @returns rows of each record, or the refusal
 */
export function takeClaim(tables: ClaimTables, request: WireTake): WireResults['take'] {
  keepSpaces(tables, request);
  const [want, ...others] = request.wants;
  const isPlain = want.address === undefined && want.length === null && others.length === 0;
  if (isPlain && !tables.counts.hasPrefixes(request.network)) return takeLowest(tables, request, want);
  const plan = planTake(tables, request);
  if (!plan.ok) return plan;
  return accept(
    plan.value.map((each) =>
      each.kind === 'same'
        ? { kind: 'known', rows: tables.rows(each.addressId) }
        : { kind: 'made', place: fill(tables, request, each) },
    ),
  );
}

/**
 * `takeFirst` of the port.
 *
 * @param tables - the store
 * @param request - the take, and by what its owner is known
 * @returns what {@link takeClaim} answers; undefined where the owner is known
 */
export function takeFirst(tables: ClaimTables, request: WireFirstTake): WireResults['takeFirst'] {
  // a space travels once
  keepSpaces(tables, request);
  return isKnown(tables, request) ? undefined : takeClaim(tables, { ...request, verb: 'take' });
}

function isKnown(tables: ClaimTables, request: WireFirstTake): boolean {
  const { unless, wants, network, nowMs: now } = request;
  if (unless.every(isByOwnNames) && !hasTrace(tables, wants[0].holder)) return false;
  const { list } = tables.statements;
  for (const each of unless) {
    const { by, parameters } = isByOwnNames(each) ? ownQuery(each, wants[0].holder) : each;
    const rows = list[by].all({ ...parameters, now }) as unknown as readonly ClaimRow[];
    if (rows.some(([, , , , family]) => wants.some((want) => want.family === family))) return true;
  }
  return wants.some((want) => hadAddress(tables, network, want));
}

function isByOwnNames(query: WireUnless): query is Extract<WireUnless, string> {
  return typeof query === 'string';
}

function ownQuery(by: Extract<WireUnless, string>, [name, namespaceUid, cluster, namespace]: HolderCells) {
  return { by, parameters: by === 'owner' ? { cluster, namespaceUid, name } : { cluster, namespace, name } };
}

// Most owners were never heard of, which costs one statement.
function hasTrace({ statements }: ClaimTables, [name, namespaceUid, cluster, namespace]: HolderCells): boolean {
  return name === '' || statements.anyTrace.get(cluster, namespaceUid, name, namespace) !== undefined;
}

// An owner that comes back gets what it had if it can, which the caller decides.
function hadAddress(tables: ClaimTables, network: string, { family, holder }: WireWant): boolean {
  const [name, namespaceUid, cluster, namespace] = holder;
  if (name === '') return false;
  const owner = { cluster, apiVersion: holder[13], kind: holder[14], namespace, namespaceUid, name };
  return tables.statements.archive.lastAddress.get({ network, family, ...owner }) !== undefined;
}

/**
 * `peek` of the port.
 *
 * @param tables - the store
 * @param request - what {@link takeClaim} would be asked
 * @returns the spaces that it would take or find, or its refusal
 */
export function peekClaim(tables: ClaimTables, request: WirePeek): ArchiveResults['peek'] {
  keepSpaces(tables, request);
  const renamed = renamedProblem(tables, request);
  if (renamed !== undefined) return renamed;
  const plan = planTake(tables, request);
  if (!plan.ok) return plan;
  giveBack(tables, request.network, plan.value);
  return accept(
    plan.value.map((each): WireFound => {
      if (each.kind === 'spot') return [request.network, each.address, each.want.length];
      const [, network = '', first, length = null] = tables.rows(each.addressId)[0] ?? [];
      return [network, first as AddressColumn, length];
    }),
  );
}
