import type { Family } from '../../../addressing/address';
import type { NamedHolder } from '../../../errors/store-refusals';
import type { AddressRecord, SecretProof } from '../../../ports/claim-store';
import { columnFamily, fromColumn, type AddressColumn, type AddressParameter } from '../shared/address-column';
import type { ClaimRow, HolderCells } from '../shared/claim-row';
import { FreePools } from './free-pools';
import type { Statements } from './statements';
import type { WireChange } from './wire';
import { ZoneCounts, type StateCount } from './zone-counts';

/** Where a live address stands. */
export interface AddressRow {
  readonly id: number;
  readonly network: string;
  readonly address: AddressColumn;
  readonly family: Family;
  readonly zone: string;
  readonly state: AddressRecord['state'];
  readonly untilMs: number | null;
  readonly version: number;
}

/** One live holder of an address. */
export interface HolderRow {
  readonly id: number;
  readonly sinceMs: number;
}

/** What {@link ClaimTables.insert} writes. */
export interface NewClaim {
  readonly network: string;
  readonly zone: string;
  readonly address: AddressParameter;
  readonly secret: SecretProof;
  readonly holder: HolderCells;
  readonly nowMs: number;
}

/**
 * The two tables together with what is kept beside them in memory: free addresses, numbers, the counter of changes.
 *
 * Works inside a transaction that somebody else begins and ends; one caller at a time. After a rollback, {@link reload}.
 */
export class ClaimTables {
  readonly statements: Statements;
  readonly pools: FreePools;
  readonly counts = new ZoneCounts();
  /** Counts the changes of the whole store; the version of a record is the count at its newest change. */
  revision = 0;
  private changes: WireChange[] = [];

  /**
   * Starts on the rows as they are.
   *
   * @param statements - compiled statements
   */
  constructor(statements: Statements) {
    this.statements = statements;
    this.pools = new FreePools(statements);
    this.reload();
  }

  /** Reads again what is kept in memory, after a rollback. */
  reload(): void {
    this.revision = this.statements.setting.get('revision')?.['value'] as number;
    this.counts.load(this.statements.counts.all() as unknown as readonly StateCount[]);
    this.pools.forget();
    this.changes = [];
  }

  /**
   * Hands over what changed since the last call.
   *
   * @returns changes in the order in which they were made
   */
  takeChanges(): readonly WireChange[] {
    const made = this.changes;
    this.changes = [];
    return made;
  }

  /**
   * Notes a change for the watchers.
   *
   * @param kind - what happened
   * @param at - the address and its zone
   */
  tell(kind: WireChange['kind'], at: Omit<WireChange, 'kind'>): void {
    this.changes.push({ kind, network: at.network, zone: at.zone, address: at.address });
  }

  /**
   * Finds a live address; one whose quarantine ran out is found as well.
   *
   * @param network - its network
   * @param address - its value
   * @returns the row, if there is one
   */
  find(network: string, address: AddressParameter): AddressRow | undefined {
    return this.statements.liveAddress.get(network, address) as unknown as AddressRow | undefined;
  }

  /**
   * Lists who holds an address.
   *
   * @param addressId - id of the row
   * @returns live holders, oldest first
   */
  holders(addressId: number): readonly HolderRow[] {
    return this.statements.liveHolders.all(addressId) as unknown as readonly HolderRow[];
  }

  /**
   * Names who stands in the way.
   *
   * @param addressId - id of the row
   * @returns the oldest holder, or the former one when quarantined
   */
  someHolder(addressId: number): NamedHolder {
    return this.statements.someHolder.get(addressId) as unknown as NamedHolder;
  }

  /**
   * Reads an address with its holders in the form that leaves the worker.
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
   * Takes an address for its first holder; the unique index is the judge.
   *
   * @param claim - what to write
   * @returns the new row; undefined when the address is live already
   */
  insert(claim: NewClaim): ClaimRow | undefined {
    const { network, address, zone, secret, holder, nowMs } = claim;
    const family = columnFamily(address);
    const version = this.revision + 1;
    const { hash, scope, sealed = null } = secret;
    const cells = [network, address, family, zone, hash, scope, sealed, version, nowMs];
    const inserted = this.statements.insertAddress.run(...cells);
    if (inserted.changes === 0) return undefined;
    this.revision = version;
    const id = Number(inserted.lastInsertRowid);
    this.addHolder(id, { id: version, sinceMs: nowMs }, holder);
    this.counts.change({ network, zone, family, held: 1 });
    this.tell('taken', claim);
    const start = [id, network, address, family, zone, hash, scope, 'held', null, version, nowMs] as const;
    return [...start, version, nowMs, ...holder, sealed];
  }

  /**
   * Writes one state of a holder.
   *
   * @param addressId - id of the address row
   * @param row - id of the holder, which stays when it is replaced, and since when it is there
   * @param holder - the rest
   */
  addHolder(addressId: number, row: HolderRow, holder: HolderCells): void {
    this.statements.insertHolder.run(row.id, addressId, row.sinceMs, ...holder);
  }

  /**
   * Ends a held address; it is free from here on.
   *
   * @param row - the address
   * @param atMs - when
   */
  free(row: AddressRow, atMs: number): void {
    this.statements.endAddress.run(atMs, row.id);
    this.counts.change({ network: row.network, zone: row.zone, family: row.family, held: -1 });
    this.pools.freed(row.network, fromColumn(row.address));
    this.tell('freed', row);
  }

  /**
   * Starts a quarantine.
   *
   * @param row - the address, whose last holder was ended as the former one
   * @param untilMs - end of the quarantine
   */
  quarantine(row: AddressRow, untilMs: number): void {
    this.statements.quarantine.run(untilMs, this.revision, row.id);
    this.counts.change({ network: row.network, zone: row.zone, family: row.family, held: -1, quarantined: 1 });
    this.tell('changed', row);
  }

  /**
   * Ends a quarantine without giving the address to the pools: the caller takes it at once.
   *
   * @param row - the quarantined address
   * @param atMs - when
   */
  endQuarantine(row: AddressRow, atMs: number): void {
    this.statements.endAddress.run(atMs, row.id);
    this.statements.forgetFormer.run(row.id);
    this.counts.change({ network: row.network, zone: row.zone, family: row.family, quarantined: -1 });
  }

  /**
   * Ends a quarantine that ran out; the address is free from here on.
   *
   * @param row - the quarantined address
   */
  expire(row: AddressRow): void {
    this.endQuarantine(row, row.untilMs ?? 0);
    this.pools.freed(row.network, fromColumn(row.address));
    this.tell('freed', row);
  }
}
