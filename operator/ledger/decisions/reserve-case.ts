import type { Zone, ZoneCatalogue } from '../../contract/zones';
import { serviceOwner } from '../../contract/service-identity';
import type { Refusal } from '../../errors/outcome';
import type { Address } from '../../addressing/address';
import type { ReserveRequest } from '../../ports/address-book';
import type { AddressRecord, NewHolder, SecretProof } from '../../ports/claims';
import { callersKey, claimKey } from '../records/claim-key';
import type { Claim } from '../records/claims';
import { newHolder } from '../records/holder-draft';
import type { ShownProof } from '../records/proof';

/** One reservation and all that its decision needs; decisions on it are pure. */
export interface ReserveCase {
  readonly request: ReserveRequest;
  readonly catalogue: ZoneCatalogue;
  /** Absent when no zone has the name. */
  readonly zone: Zone | undefined;
  readonly shown: ShownProof;
  readonly previous: ShownProof | undefined;
  readonly key: string | undefined;
  readonly nowMs: number;
  readonly leaseMs: number;
  /** Purpose of a standing claim. */
  readonly purpose?: string;
}

/** Step that a decision asks for. */
export type Step =
  | { readonly do: 'refuse'; readonly refusal: Refusal }
  | { readonly do: 'keep'; readonly claim: Claim }
  | {
      readonly do: 'write';
      readonly record: AddressRecord;
      readonly holderId?: string;
      readonly holder: NewHolder;
      readonly secret?: SecretProof;
      /** Zone whose limits stand against it as against a take, where the holder had only contested the address. */
      readonly from?: Zone;
    }
  | {
      readonly do: 'take';
      readonly zone: Zone;
      readonly address?: Address;
      readonly returningOver?: number;
      /** The claimant itself shows the address without a claim. */
      readonly ownUse?: true;
      readonly holder: NewHolder;
      /** Why it does not share an address with those of its sharing key. */
      readonly apart?: string;
    };

/**
 * Computes the key of a case.
 *
 * @param request - the reservation
 * @param shown - the shown secret
 * @returns the idempotency key
 */
export function keyOf(request: ReserveRequest, shown: SecretProof): string | undefined {
  const { claimant, zone, family, wish, key } = request;
  if (key !== undefined) return callersKey(claimant.service.clusterUid, key);
  return claimKey(claimant, { zone, family, wish, hash: shown.hash });
}

/**
 * Drafts the holder of a claimant that had nothing.
 *
 * @param on - the case
 * @param formerUid - UID under which the claimant left the address into quarantine, if it did
 * @returns what the store shall keep for it
 */
export function freshHolder(on: ReserveCase, formerUid?: string): NewHolder {
  const { claimant, options, sharing, writtenKeys, as } = on.request;
  const leased = as === 'lease';
  return newHolder({
    // the UID of a lease is kept as a mark that the address was in use: giving it up again needs a quarantine
    owner: serviceOwner({ ...claimant, serviceUid: leased ? formerUid : claimant.serviceUid }),
    state: leased ? 'reserved' : 'bound',
    key: on.key,
    options,
    sharing,
    writtenKeys,
    purpose: on.purpose,
    expiry: leased ? { kind: 'after', ms: on.leaseMs } : undefined,
  });
}

/**
 * Wraps a refusal as a step.
 *
 * @param code - code of the catalogue
 * @param message - one sentence
 * @param details - value at fault, waiting time
 * @returns the step
 */
export function refused(code: Refusal['code'], message: string, details: Omit<Refusal, 'code' | 'message'> = {}): Step {
  return { do: 'refuse', refusal: { code, message, ...details } };
}
