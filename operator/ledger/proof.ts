import type { Claimant, ClaimantSecret } from '../ports/address-book';
import type { AddressRecord, SecretProof } from '../ports/claim-store';
import type { SecretHasher } from '../ports/secret-hasher';
import { proveOwnership, type Proof } from '../rules/secrets';

/**
 * Turns a secret into the form in which it is stored and compared.
 *
 * @param hasher - keyed hash of this installation
 * @param secret - the secret as its owner sent it
 * @returns hash and scope
 */
export function proofOf(hasher: SecretHasher, secret: ClaimantSecret): SecretProof {
  return { hash: hasher.hash(secret.value), scope: secret.scope };
}

/**
 * Judges the shown secret against an address.
 *
 * @param record - the address
 * @param claimant - who shows it
 * @param shown - the shown secret
 * @returns whether it owns the address
 */
export function prove(record: AddressRecord, claimant: Claimant, shown: SecretProof): Proof {
  const former = record.quarantine?.former;
  const places = (former === undefined ? record.holders : [former]).map((holder) => holder.service);
  return proveOwnership({ ...record.secret, places }, { ...shown, place: claimant.service });
}
