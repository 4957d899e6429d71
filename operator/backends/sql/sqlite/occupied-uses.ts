import { sourceOf } from '../../../contract/occupied-source';
import { fromColumn, type AddressColumn, type AddressParameter } from '../shared/address-column';
import type { HolderCells } from '../shared/claim-row';
import type { ClaimTables } from './claim-tables';
import type { AddressRow } from './live-rows';
import type { UsesRequest, UsesResults, WireUse } from './occupied-wire';
import type { PoolKey } from './free-pools';
import { newNameOf } from './renamed-clusters';

/** By what a cluster shows an address. */
export interface ForeignUse {
  readonly cluster: string;
  readonly source: string;
}

type Ask<V extends UsesRequest['verb']> = Extract<UsesRequest, { verb: V }>;

/**
 * Finds the use that stands against a holder: one that is not its own.
 *
 * @param tables - the store
 * @param row - of state `foreign`
 * @param holder - the one that wants its space
 * @returns the use; undefined where nothing stands against it
 */
export function useAgainst(
  { statements }: ClaimTables,
  { id, network, address }: Pick<AddressRow, 'id' | 'network' | 'address'>,
  holder: HolderCells,
): ForeignUse | undefined {
  const [name, , cluster, namespace] = holder;
  const source = sourceOf({ kind: holder[14], namespace, name });
  const named = statements.foreignUse.get(id) as unknown as ForeignUse;
  if (named.cluster !== cluster || named.source !== source) return named;
  return statements.otherUse.get(network, address, cluster, source) as unknown as ForeignUse | undefined;
}

/**
 * Finds the lowest address of a pool that is avoided and free; for a choice that found nothing else.
 *
 * @param tables - the store
 * @param key - network, pool and family
 * @returns the address; undefined when there is none
 */
export function lastResort(tables: ClaimTables, key: PoolKey): AddressColumn | undefined {
  if (!tables.counts.hasUses(key.network)) return undefined;
  for (const [first, last] of tables.pools.spaceOf(key)) {
    const found = tables.statements.avoidedFree.get(key.network, first, last) as unknown as
      { readonly address: AddressColumn } | undefined;
    const column = found?.address;
    if (column === undefined) continue;
    const address = typeof column === 'number' ? BigInt(column) : column;
    // a prefix may cover it
    if (tables.overlapping(key.network, { address, length: null }).length === 0) return column;
  }
  return undefined;
}

/**
 * `write` of the port.
 *
 * @param tables - the store
 * @param request - one difference
 * @returns nothing
 */
function writeUse(tables: ClaimTables, request: WireUse): undefined {
  const { statements } = tables;
  const { cluster, network, address, use } = request;
  const place = [network, address, cluster] as const;
  const before = statements.use.get(...place) as unknown as { source: string; avoided: number } | undefined;
  if (before?.source === use?.source && before?.avoided === use?.avoided) return undefined;
  if (use === undefined) statements.dropUse.run(...place);
  else statements.putUse.run(...place, use.source, use.avoided);
  tables.counts.changeUses(network, Number(use !== undefined) - Number(before !== undefined));
  tables.settleUse(network, address, request.nowMs);
  return undefined;
}

function forget(tables: ClaimTables, { cluster, nowMs }: Ask<'forgetUses'>): number {
  const { statements } = tables;
  const rows = statements.uses.ofCluster.all(cluster) as unknown as readonly (readonly unknown[])[];
  for (const [network, column] of rows) {
    const place = { cluster, network: network as string, address: parameterOf(column as AddressColumn) };
    writeUse(tables, { verb: 'writeUse', ...place, nowMs });
  }
  statements.forgetComplete.run(cluster);
  return new Set(rows.map(([, column]) => fromColumn(column as AddressColumn).toString())).size;
}

// What a cluster shows is put on record under its name of now alone.
function writeOwnUse(tables: ClaimTables, request: WireUse): boolean {
  if (request.use !== undefined && newNameOf(tables, request.cluster) !== undefined) return false;
  writeUse(tables, request);
  return true;
}

function complete(tables: ClaimTables, { cluster, networks, nowMs }: Ask<'completeUses'>): undefined {
  if (newNameOf(tables, cluster) !== undefined) return undefined;
  for (const network of networks) tables.statements.completeUses.run(cluster, network, nowMs);
  return undefined;
}

function parameterOf(column: AddressColumn): AddressParameter {
  return typeof column === 'number' ? BigInt(column) : column;
}

/**
 * Gives what a cluster shows to another identity; where both show an address, what the new one shows stays.
 *
 * @param tables - the store
 * @param rename - both identities, and the moment of the store's clock
 */
export function renameUses(
  tables: ClaimTables,
  { from, to, nowMs }: { readonly from: string; readonly to: string; readonly nowMs: number },
): void {
  const { statements } = tables;
  const rows = statements.uses.ofCluster.all(from) as unknown as readonly (readonly [string, AddressColumn])[];
  for (const [network, column] of rows) {
    const place = { verb: 'writeUse', network, address: parameterOf(column), nowMs } as const;
    const use = statements.use.get(network, place.address, from) as unknown as Required<WireUse>['use'];
    // first the new use: the address is in use without a break
    if (statements.use.get(network, place.address, to) === undefined) writeUse(tables, { ...place, cluster: to, use });
    writeUse(tables, { ...place, cluster: from });
  }
  statements.renameComplete.run({ from, to });
  statements.forgetComplete.run(from);
}

/** Serves requests on uses, by verb. */
export const SERVE_USES: {
  readonly [V in UsesRequest['verb']]: (tables: ClaimTables, request: Ask<V>) => UsesResults[V];
} = {
  writeUse: writeOwnUse,
  uses: ({ statements }, { statement, values }) =>
    statements.uses[statement].all(...values) as unknown as UsesResults['uses'],
  completeUses: complete,
  forgetUses: forget,
};
