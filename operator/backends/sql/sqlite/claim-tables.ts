import type { SQLOutputValue } from 'node:sqlite';
import { familyBits } from '../../../addressing/address';
import type { NamedHolder } from '../../../errors/store-refusals';
import { blockOf } from '../../../addressing/space-text';
import {
  columnFamily,
  fromColumn,
  toColumn,
  type AddressColumn,
  type AddressParameter,
} from '../shared/address-column';
import { isService, SERVICE_CELLS, type ClaimRow, type HolderCells } from '../shared/claim-row';
import { FreePools } from './free-pools';
import { spaceOf, type AddressRow, type HolderRow, type NewClaim, type RowSpace } from './live-rows';
import { PoolCounts, type PrefixCount, type StateCount } from './pool-counts';
import { ReservedBounds } from './reserved-bounds';
import type { Statements } from './statements';
import type { NewPlace } from './take-wire';
import type { WireChange } from './wire';

/**
 * The two tables together with what is kept beside them in memory: free space, numbers, the counter of changes.
 *
 * Works inside a transaction that its caller begins and ends; one caller at a time. After a rollback, {@link reload}.
 */
export class ClaimTables {
  readonly statements: Statements;
  readonly pools: FreePools;
  readonly counts = new PoolCounts();
  readonly reserved: ReservedBounds;
  /** Counts the changes of the whole store; the version of a record is the count at its newest change. */
  revision = 0;
  /** Whether a cluster was ever renamed: most stores need not look. */
  hasRenames = false;
  #changes: WireChange[] = [];

  /**
   * Starts on the rows as they are.
   *
   * @param statements - compiled statements
   */
  constructor(statements: Statements) {
    this.statements = statements;
    this.pools = new FreePools(statements, this.counts);
    this.reserved = new ReservedBounds((namespaceUid) => statements.reservedIn.get(namespaceUid)?.['n'] as number);
    this.reload();
  }

  /** Reads again what is kept in memory, after a rollback. */
  reload(): void {
    const { setting, counts, prefixCounts, useCounts } = this.statements;
    this.revision = setting.get('revision')?.['value'] as number;
    this.counts.load(
      counts.all() as unknown as readonly StateCount[],
      prefixCounts.all() as unknown as readonly PrefixCount[],
      useCounts.all() as unknown as readonly PrefixCount[],
    );
    this.hasRenames = this.statements.anyRename.get() !== undefined;
    this.pools.forget();
    this.reserved.forget();
    this.#changes = [];
  }

  /**
   * Hands over what changed since the last call.
   *
   * @returns changes in the order in which they were made
   */
  takeChanges(): readonly WireChange[] {
    const made = this.#changes;
    this.#changes = [];
    return made;
  }

  /**
   * Notes a change for the watchers. The caller has raised the revision for it: from the difference of the two numbers a reader learns
   * whether something changed that was not told.
   *
   * @param kind - what happened
   * @param at - the space and its pool
   */
  tell(kind: WireChange[0], { network, pool, address, length }: RowSpace & Pick<AddressRow, 'network' | 'pool'>): void {
    this.#changes.push([kind, network, pool, address, length]);
  }

  /**
   * Finds the live row at an address; one whose quarantine ran out is found as well.
   *
   * @param network - its network
   * @param address - its address, or the first one of a prefix
   * @returns the row, if there is one
   */
  find(network: string, address: AddressParameter): AddressRow | undefined {
    return this.statements.liveAddress.get(network, address) as unknown as AddressRow | undefined;
  }

  /**
   * Finds live rows that share an address with a space.
   *
   * @param network - where
   * @param space - the wanted space
   * @returns the lowest two or three of them, lowest first; none where the space is free
   */
  overlapping(network: string, space: RowSpace & { readonly address: AddressParameter }): readonly AddressRow[] {
    const { address, length } = space;
    if (length === null) {
      const row = this.find(network, address) ?? this.#covering(network, address);
      return row === undefined ? [] : [row];
    }
    const last = toColumn(blockOf({ address: fromColumn(address), length }).last);
    const inside = this.statements.liveInside.all(network, address, last) as unknown as readonly AddressRow[];
    const covering = this.#covering(network, address);
    return covering === undefined || covering.id === inside[0]?.id ? inside : [covering, ...inside];
  }

  // The live prefix that an address lies in.
  #covering(network: string, address: AddressParameter): AddressRow | undefined {
    if (!this.counts.hasPrefixes(network)) return undefined;
    const row = this.statements.prefixBelow.get(network, address) as unknown as AddressRow | undefined;
    if (row === undefined || row.length === null || row.family !== columnFamily(address)) return undefined;
    const block = blockOf({ address: fromColumn(row.address), length: row.length });
    return block.last.compareTo(fromColumn(address)) < 0 ? undefined : row;
  }

  /**
   * Lists the holders of a row.
   *
   * @param addressId - id of the row
   * @returns live holders, oldest first
   */
  holders(addressId: number): readonly HolderRow[] {
    return this.statements.liveHolders.all(addressId) as unknown as readonly HolderRow[];
  }

  /**
   * Names the holder that stands in the way.
   *
   * @param addressId - id of the row
   * @returns the oldest holder, or the former one when quarantined
   */
  someHolder(addressId: number): NamedHolder {
    return this.statements.someHolder.get(addressId) as unknown as NamedHolder;
  }

  /**
   * Reads a row with its holders in the form that leaves the worker.
   *
   * @param addressId - id of the row
   * @returns one row for each holder
   */
  rows(addressId: number): readonly ClaimRow[] {
    return this.statements.claimById.all(addressId) as unknown as readonly ClaimRow[];
  }

  /**
   * Finds the live holder with a key.
   *
   * @param holder - holder whose key is looked for
   * @returns where that key is, if anywhere
   */
  withKeyOf(holder: HolderCells): { readonly id: number; readonly addressId: number } | undefined {
    const key = holder[6];
    if (key === null) return undefined;
    return this.statements.holderByKey.get(key) as unknown as { id: number; addressId: number } | undefined;
  }

  /**
   * Takes space for its first holder. The unique index judges single addresses; whatever a prefix is about, the caller looked
   * for {@link overlapping} rows before, in this transaction.
   *
   * @param claim - what to write
   * @returns where the new row is; undefined when a live row begins there already
   */
  insert(claim: NewClaim): NewPlace | undefined {
    const { network, address, length, pool, secret, holder, nowMs } = claim;
    const family = columnFamily(address);
    const version = this.revision + 1;
    const { hash = null, scope = null, sealed = null } = secret ?? {};
    const cells = [network, address, length, family, pool, hash, scope, sealed, version, nowMs];
    const inserted = this.statements.insertAddress.run(...cells);
    if (inserted.changes === 0) return undefined;
    this.revision = version;
    const id = Number(inserted.lastInsertRowid);
    this.addHolder(id, { id: version, sinceMs: nowMs, movedAtMs: null }, holder);
    this.counts.change({ network, pool, family, held: 1 });
    if (length !== null) this.#countPrefix(network, 1);
    this.tell('taken', claim);
    return [id, address, version];
  }

  /**
   * Writes one state of a holder.
   *
   * @param addressId - id of the address row
   * @param row - id of the holder, which stays when it is replaced, and since when it is there
   * @param holder - the rest
   */
  addHolder(addressId: number, row: Omit<HolderRow, 'expiresAtMs'>, holder: HolderCells): void {
    const { insertHolder, insertService } = this.statements;
    if (holder[5] === 'reserved') this.reserved.added(holder[1]);
    if (row.movedAtMs === null && isService(holder)) {
      insertService.run(row.id, addressId, row.sinceMs, ...holder.slice(0, SERVICE_CELLS));
    } else {
      insertHolder.run(row.id, addressId, row.sinceMs, row.movedAtMs, ...holder);
    }
  }

  /**
   * Ends a held row; its space is free from here on.
   *
   * @param row - held until now
   * @param atMs - when
   */
  free(row: AddressRow, atMs: number): void {
    this.statements.endAddress.run(atMs, row.id);
    this.counts.change({ network: row.network, pool: row.pool, family: row.family, held: -1 });
    if (row.length !== null) this.#countPrefix(row.network, -1);
    this.#leave(row, atMs);
  }

  /**
   * Starts a quarantine.
   *
   * @param row - the row, whose last holder was ended as the former one
   * @param untilMs - end of the quarantine
   */
  quarantine(row: AddressRow, untilMs: number): void {
    this.statements.quarantine.run(untilMs, this.revision, row.id);
    this.counts.change({ network: row.network, pool: row.pool, family: row.family, held: -1, quarantined: 1 });
    this.tell('changed', row);
  }

  /**
   * Ends a quarantine without giving the space to the pools: the caller takes it at once.
   *
   * @param row - a row in quarantine
   * @param atMs - when
   */
  endQuarantine(row: AddressRow, atMs: number): void {
    this.statements.endAddress.run(atMs, row.id);
    this.statements.forgetFormer.run(row.id);
    this.counts.change({ network: row.network, pool: row.pool, family: row.family, quarantined: -1 });
    if (row.length !== null) this.#countPrefix(row.network, -1);
  }

  /**
   * Ends a quarantine; the space is free from here on.
   *
   * @param row - the quarantined row
   * @param atMs - when; the time that was set, where it ran out
   */
  expire(row: AddressRow, atMs: number): void {
    this.endQuarantine(row, atMs);
    this.revision++;
    this.#leave(row, atMs);
  }

  /**
   * Ends a row of an address in use, without giving it to the pools: the caller takes it at once.
   *
   * @param row - of state `foreign`
   * @param atMs - when
   */
  endForeign(row: AddressRow, atMs: number): void {
    this.statements.endAddress.run(atMs, row.id);
  }

  /**
   * Tells whether an address is to be chosen last.
   *
   * @param network - where
   * @param address - its value for the database
   * @returns true while a cluster shows it as one that its tenants may claim
   */
  isAvoided(network: string, address: AddressParameter): boolean {
    return this.counts.hasUses(network) && this.statements.isAvoided.get(network, address) !== undefined;
  }

  /**
   * Tells whether a cluster shows the address of a row by something that counts.
   *
   * @param row - a live row
   * @returns true when it does
   */
  isUsed({ network, address, length }: AddressRow): boolean {
    return (
      length === null && this.counts.hasUses(network) && this.statements.someUse.get(network, address) !== undefined
    );
  }

  /**
   * Brings the row of an address in use in line with what clusters show there.
   *
   * @param network - where
   * @param address - its value for the database
   * @param atMs - the present
   */
  settleUse(network: string, address: AddressParameter, atMs: number): void {
    const [row] = this.overlapping(network, { address, length: null });
    const use = this.statements.someUse.get(network, address);
    if (use === undefined) this.#endUse({ network, address, row }, atMs);
    else if (row === undefined) this.#insertForeign({ network, address, use }, atMs);
    else if (row.length !== null) return;
    else if (row.state === 'foreign')
      this.statements.nameForeign.run(use['cluster'] ?? null, use['source'] ?? null, row.id);
    // what is in use now is not kept for a former holder
    else if (row.state === 'quarantined') this.expire(row, Math.min(row.untilMs ?? atMs, atMs));
  }

  #endUse(
    { network, address, row }: { network: string; address: AddressParameter; row: AddressRow | undefined },
    atMs: number,
  ): void {
    if (row === undefined) {
      if (!this.isAvoided(network, address)) this.pools.freed(network, spaceOf({ address, length: null }));
      return;
    }
    if (row.state !== 'foreign') return;
    this.endForeign(row, atMs);
    this.revision++;
    this.pools.freed(network, spaceOf(row));
    this.tell('freed', row);
  }

  #insertForeign(
    { network, address, use }: { network: string; address: AddressParameter; use: Record<string, SQLOutputValue> },
    atMs: number,
  ): void {
    const { cluster = null, source = null } = use;
    this.revision++;
    const family = columnFamily(address);
    this.statements.insertForeign.run(network, address, family, cluster, source, this.revision, atMs);
  }

  // A claim ended: what clusters show of its space is in use from now on, the rest is free.
  #leave(row: AddressRow, atMs: number): void {
    this.pools.freed(row.network, spaceOf(row));
    this.tell('freed', row);
    if (!this.counts.hasUses(row.network)) return;
    const { address, length } = spaceOf(row);
    const block = blockOf({ address, length: length ?? familyBits(address.family) });
    const range = [toColumn(block.first), toColumn(block.last)] as const;
    for (const { address: column } of this.statements.usedInside.all(row.network, ...range)) {
      const used = fromColumn(column as AddressColumn);
      this.settleUse(row.network, toColumn(used), atMs);
    }
  }

  #countPrefix(network: string, by: 1 | -1): void {
    if (!this.counts.hasPrefixes(network)) this.pools.expectPrefix(network);
    this.counts.changePrefixes(network, by);
  }
}
