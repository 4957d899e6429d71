import { familyBits } from '../../../addressing/address';
import { spaceText } from '../../../addressing/space-text';
import { accept, type Outcome } from '../../../errors/outcome';
import { refuseExhausted, refuseForeign, refuseHeld, refuseQuarantined } from '../../../errors/store-refusals';
import { columnFamily, fromColumn, toColumn, type AddressParameter } from '../shared/address-column';
import type { ClaimTables } from './claim-tables';
import { spaceOf, type AddressRow } from './live-rows';
import { lastResort, useAgainst } from './occupied-uses';
import { overLimit, ownerOf } from './take-limits';
import type { WirePeek, WireTake, WireWant } from './take-wire';

/** Where a want gets its space. */
export interface Spot {
  readonly kind: 'spot';
  readonly want: WireWant;
  readonly address: AddressParameter;
  /** Rows that end first: the caller's own use, and quarantines that it may end before their time. */
  readonly ends: readonly AddressRow[];
}

/** Space of a want: new space, or the row of the holder that has its key. */
export type Planned = Spot | { readonly kind: 'same'; readonly addressId: number };

type Request = WireTake | WirePeek;

function textOf(row: { readonly address: AddressRow['address'] | AddressParameter; readonly length: number | null }) {
  const { address, length } = spaceOf(row);
  return spaceText({ address, length: length ?? familyBits(address.family) });
}

// Says what is in the way of a wished space.
function refuseBy(tables: ClaimTables, { nowMs }: Request, spot: Spot & { readonly row: AddressRow }): Outcome<never> {
  const { want, row } = spot;
  const wanted = textOf({ address: spot.address, length: want.length });
  const place = { wanted, space: textOf(row), askedBy: ownerOf(want.holder) };
  if (row.state === 'foreign') {
    const use = useAgainst(tables, row, want.holder) ?? { cluster: '', source: '' };
    return refuseForeign(place, use);
  }
  const obstacle = { ...place, holder: tables.someHolder(row.id) };
  if (row.untilMs === null) return refuseHeld(obstacle);
  const end = { at: new Date(row.untilMs).toISOString(), seconds: Math.ceil((row.untilMs - nowMs) / 1000) };
  return refuseQuarantined(obstacle, end);
}

function wishedSpot(
  tables: ClaimTables,
  request: Request,
  { want, address }: { readonly want: WireWant; readonly address: AddressParameter },
): Outcome<Spot> {
  const ends = tables.overlapping(request.network, { address, length: want.length });
  const spot: Spot = { kind: 'spot', want, address, ends };
  const isOwnUse = (each: AddressRow): boolean =>
    each.state === 'foreign' && useAgainst(tables, each, want.holder) === undefined;
  const row = ends.find((each) => {
    const { untilMs, version } = each;
    return untilMs === null ? !isOwnUse(each) : version !== want.returningOver;
  });
  return row === undefined ? accept(spot) : refuseBy(tables, request, { ...spot, row });
}

/**
 * Refuses a choice out of a pool that has nothing left.
 *
 * @param tables - the store
 * @param request - what is asked for
 * @param want - the one that gets nothing
 * @returns refusal `pool/exhausted`
 */
export function exhausted(tables: ClaimTables, { network, pool, nowMs }: Request, want: WireWant): Outcome<never> {
  const { family, length } = want;
  const waiting = tables.statements.quarantinedIn.get(network, pool, family);
  const firstMs = waiting?.['firstMs'] as number | null;
  const first =
    firstMs === null
      ? {}
      : { firstFreeAt: new Date(firstMs).toISOString(), firstFreeInSeconds: Math.ceil((firstMs - nowMs) / 1000) };
  const quarantined = waiting?.['n'] as number;
  const asked = { pool, family, ...(length === null ? {} : { length }), askedBy: ownerOf(want.holder).kind };
  return refuseExhausted({ ...asked, quarantined, ...first });
}

/**
 * Ends the quarantines of a network that ran out.
 *
 * @param tables - the store
 * @param request - the network and the time
 */
export function expireAll(tables: ClaimTables, { network, nowMs }: Pick<Request, 'network' | 'nowMs'>): void {
  if (!tables.counts.hasQuarantined(network)) return;
  const expired = tables.statements.expired.all(network, nowMs) as unknown as readonly AddressRow[];
  for (const row of expired) tables.expire(row, row.untilMs ?? nowMs);
}

function lowestSpot(tables: ClaimTables, request: Request, want: WireWant): Outcome<Spot> {
  const { network, pool } = request;
  const { family, length } = want;
  const key = { network, pool, family };
  for (;;) {
    const first = tables.pools.takeLowest(key, length);
    if (first === undefined) return lastSpot(tables, request, want);
    const address = toColumn(first);
    if (length === null && tables.isAvoided(network, address)) continue;
    const [row] = tables.overlapping(network, { address, length });
    if (row === undefined) return accept({ kind: 'spot', want, address, ends: [] });
    // taken under another pool
    tables.pools.learn(key, { address: first, length }, spaceOf(row));
  }
}

function lastSpot(tables: ClaimTables, request: Request, want: WireWant): Outcome<Spot> {
  const { network, pool } = request;
  const { family, length } = want;
  const column = length === null ? lastResort(tables, { network, pool, family }) : undefined;
  if (column === undefined) return exhausted(tables, request, want);
  return accept({ kind: 'spot', want, address: toColumn(fromColumn(column)), ends: [] });
}

/**
 * Finds the space of every want without writing anything but ends of quarantines that ran out. What was chosen counts as taken
 * in the index of free space: {@link giveBack} it where the plan is not carried out.
 *
 * @param tables - the store
 * @param request - what is asked for
 * @returns what each want gets, in their order; or the first refusal
 */
export function planTake(tables: ClaimTables, request: Request): Outcome<readonly Planned[]> {
  const same = request.wants.map((want) => tables.withKeyOf(want.holder));
  const more = same.filter((holder) => holder === undefined).length;
  const refused = more === 0 ? undefined : overLimit(tables, request, more);
  if (refused !== undefined) return refused;
  // before the first want: no plan may hold a row that the search for a later want ends
  if (more > 0) expireAll(tables, request);
  const planned: Planned[] = [];
  for (const [index, want] of request.wants.entries()) {
    const holder = same[index];
    if (holder !== undefined) {
      planned.push({ kind: 'same', addressId: holder.addressId });
      continue;
    }
    const spot = findSpot(tables, request, want);
    if (!spot.ok) {
      giveBack(tables, request.network, planned);
      return spot;
    }
    planned.push(spot.value);
  }
  return accept(planned);
}

function findSpot(tables: ClaimTables, request: Request, want: WireWant): Outcome<Spot> {
  const { address } = want;
  return address === undefined ? lowestSpot(tables, request, want) : wishedSpot(tables, request, { want, address });
}

/**
 * Drops a plan.
 *
 * @param tables - the store
 * @param network - of the take
 * @param planned - what {@link planTake} found
 */
export function giveBack(tables: ClaimTables, network: string, planned: readonly Planned[]): void {
  for (const each of planned) {
    if (each.kind === 'same' || each.want.address !== undefined) continue;
    tables.pools.freed(network, { address: fromColumn(each.address), length: each.want.length });
  }
}

/**
 * Tells where a spot is in the index of free space.
 *
 * @param request - what is asked for
 * @param spot - one of its spots
 * @returns network, pool and family
 */
export function keyOf({ network, pool }: Request, { address }: Spot) {
  return { network, pool, family: columnFamily(address) };
}
