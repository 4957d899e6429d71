import type { Address, Family } from '../../../addressing/address';
import type { Refusal } from '../../../errors/outcome';
import type { ServiceIdentity } from '../../../ports/address-book';
import type { ClaimOptions } from '../../../ports/claims';

/** Subject of one call of version 2. Holds secrets: never to be logged. */
export interface V2Call {
  readonly secret: string;
  readonly zone: string;
  readonly family: Family;
  /** Absent: the IPAM-API chooses, or finds what the service has. */
  readonly address?: Address;
  readonly service: ServiceIdentity;
  readonly options: ClaimOptions;
  /** The secret that is to follow. */
  readonly newSecret?: string;
}

/**
 * Effects that a failed call may have left behind: `no`: nothing; `done`: it ended there, perhaps with an effect; `cut`: the connection
 * broke, so it may go on for a moment; `running`: it was still at work when we stopped waiting.
 */
export type Doubt = 'no' | 'done' | 'cut' | 'running';

/** Result of a call. */
export type V2Result =
  | {
      readonly as: 'done';
      /** Absent in the answer to a release that names none. */
      readonly address?: Address;
      /** False when the service had it already, or joined. */
      readonly fresh: boolean;
    }
  /** The IPAM-API will say so again: nothing was changed. */
  | { readonly as: 'refused'; readonly refusal: Refusal }
  | {
      readonly as: 'failed';
      readonly refusal: Refusal;
      readonly doubt: Doubt;
      /** One zone alone cannot be served: the IPAM-API is not away for others. */
      readonly ofZone?: true;
    };

/**
 * Tells whether a call left everything as it was.
 *
 * @param result - of the call
 * @returns false too where that is not known
 */
export function changedNothing(result: V2Result): boolean {
  return result.as === 'refused' || (result.as === 'failed' && result.doubt === 'no');
}

/** The two operations of version 2. Neither throws for what the IPAM-API or the network does. */
export interface V2Calls {
  /** Registers, confirms, joins or rotates, within `budgetMs`. */
  register(call: V2Call, budgetMs: number): Promise<V2Result>;
  /** Puts an expiry on the service, within `budgetMs`. */
  release(call: V2Call & { readonly address: Address }, budgetMs: number): Promise<V2Result>;
  /** Why no call is made now; absent while calls are made. */
  closedBecause(): Refusal | undefined;
  /** True from some failures in a row until the IPAM-API answers again; absent: it is not looked at. */
  away?(): boolean;
}
