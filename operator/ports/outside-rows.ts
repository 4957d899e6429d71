import type { Address } from '../addressing/address';

/**
 * `pending`: the outside source shall get the address, or may have it already; `confirmed`: it has it; `leaving`: it shall lose
 * it, so no claimant may take the address before the row is gone.
 */
export type OutsideState = 'pending' | 'confirmed' | 'leaving';

/** One address that an outside source is to know: the intention, written down before the source is called. */
export interface OutsideRow {
  readonly network: string;
  readonly address: Address;
  readonly zone: string;
  /** Mark on the record of the outside source that shows that it is ours; another one in each life of the row. */
  readonly mark: string;
  readonly state: OutsideState;
  /** Id of the record in the outside source, as far as it is known. */
  readonly externalId?: number;
  /** Tries in a row that failed. */
  readonly attempts: number;
  /** When the row needs a look, milliseconds since 1970; absent: not before the next comparison. */
  readonly nextAtMs?: number;
  /** Why the newest try failed, one sentence without any secret; empty when it did not. */
  readonly fault: string;
  /** Since when the source has been known not to be as the row says, milliseconds since 1970; 0 while it is. */
  readonly differsSinceMs: number;
  /** The source has the address for another owner, as of the newest try that it answered. */
  readonly foreign: boolean;
  /** Grows with each change; guards {@link OutsideRows.change} and {@link OutsideRows.end}. */
  readonly revision: number;
}

/** A row that is not there yet; it begins as `pending`. */
export type NewOutsideRow = Pick<OutsideRow, 'network' | 'address' | 'zone' | 'mark' | 'nextAtMs'>;

/** Fields that {@link OutsideRows.change} replaces; those that are left out are kept, but for `nextAtMs`, which is then absent. */
export type OutsideChange = Partial<
  Pick<OutsideRow, 'state' | 'mark' | 'zone' | 'externalId' | 'attempts' | 'fault' | 'differsSinceMs' | 'foreign'>
> & { readonly nextAtMs?: number | undefined };

/**
 * Rows that an outside source is to know, beside the claims in the same store. Every verb is atomic and durable when it answers. Safe
 * for parallel calls, of several processes too. After the store is closed every call throws `store/closed`.
 */
export interface OutsideRows {
  /** Writes a row, unless the address has one already; returns the one that is there now. */
  begin(row: NewOutsideRow): Promise<OutsideRow>;
  /** Changes a row that is as the caller read it; undefined when it is not any more: read it again. */
  change(row: OutsideRow, change: OutsideChange): Promise<OutsideRow | undefined>;
  /** Removes a row that is as the caller read it; false when it is not any more. */
  end(row: OutsideRow): Promise<boolean>;
  get(network: string, address: Address): Promise<OutsideRow | undefined>;
  /** Rows whose look is due, the longest waiting first. */
  due(nowMs: number, limit: number): Promise<readonly OutsideRow[]>;
  /** Every row of a zone, lowest address first. O(result). */
  ofZone(zone: string): Promise<readonly OutsideRow[]>;
  /** Names of the zones that have rows. */
  zones(): Promise<readonly string[]>;
  /** Reads a text that was kept under a name; empty when none was. */
  note(name: string): Promise<string>;
  /** Keeps a text under a name. */
  keep(name: string, text: string): Promise<void>;
  /** Keeps a text under a name that has none, and returns the one that is kept: two processes agree on one. */
  agree(name: string, text: string): Promise<string>;
}

/** A store that keeps {@link OutsideRows} beside its claims. */
export interface OutsideRowsHost {
  outsideRows(): OutsideRows;
}
