import type { Family } from '../../../addressing/address';
import type { AddressRecord, SecretProof } from '../../../ports/claims';
import { fromColumn, type AddressColumn, type AddressParameter } from '../shared/address-column';
import type { HolderCells } from '../shared/claim-row';
import type { Space } from './free-pools';

/** Where a live row stands. */
export interface AddressRow {
  readonly id: number;
  readonly network: string;
  readonly address: AddressColumn;
  /** Bits of a prefix; null for one address. */
  readonly length: number | null;
  readonly family: Family;
  readonly pool: string;
  readonly state: AddressRecord['state'];
  readonly untilMs: number | null;
  readonly version: number;
}

/** One live holder of a row. */
export interface HolderRow {
  readonly id: number;
  readonly sinceMs: number;
  /** When an exchange brought it here. */
  readonly movedAtMs: number | null;
  readonly expiresAtMs: number | null;
}

/** A claim of which both rows are new. */
export interface NewClaim {
  readonly network: string;
  readonly pool: string;
  readonly address: AddressParameter;
  readonly length: number | null;
  readonly secret?: SecretProof;
  readonly holder: HolderCells;
  readonly nowMs: number;
}

/** A space of a network, as a row has it. */
export type RowSpace = Pick<AddressRow, 'length'> & { readonly address: AddressColumn | AddressParameter };

/**
 * Decodes the space of a row.
 *
 * @param row - a row, or what is to become one
 * @returns its address and length
 */
export function spaceOf({ address, length }: RowSpace): Space {
  return { address: fromColumn(address), length };
}
