import type { Claimant, ClaimantSecret } from '../../ports/address-book';
import type { AddressRecord, SecretProof } from '../../ports/claim-store';
import type { SecretHasher } from '../../ports/secret-hasher';
import { proveOwnership, type NamespacePlace, type Proof } from '../../rules/secrets';

/** A secret that somebody shows. */
export interface ShownProof extends SecretProof {
  /** The secret under every key, newest first. */
  readonly hashes: readonly string[];
}

/**
 * Turns a secret into the form in which it is stored and compared.
 *
 * @param hasher - keyed hash of this installation
 * @param secret - the secret as its owner sent it
 * @returns hash and scope, and the hashes under older keys
 */
export function proofOf(hasher: SecretHasher, secret: ClaimantSecret): ShownProof {
  const { value, scope } = secret;
  const hash = hasher.hash(value);
  const sealed = hasher.seal?.(value);
  return { hash, scope, hashes: hasher.hashes?.(value) ?? [hash], ...(sealed === undefined ? {} : { sealed }) };
}

/**
 * Finds the hash that can be compared with a stored one, which may have been made with an older key.
 *
 * @param hashes - the shown secret under every key, newest first
 * @param stored - as it is kept
 * @returns the one under the same key, else the newest
 */
export function comparableHash(hashes: readonly string[], stored: string): string {
  const keyId = stored.slice(0, stored.indexOf(':') + 1);
  return hashes.find((hash) => hash.startsWith(keyId)) ?? hashes[0] ?? '';
}

/**
 * Makes what is to be stored anew of a secret that was just proven: under the newest key, and sealed where that is wanted.
 *
 * @param kept - as it is kept
 * @param shown - the same secret, as its owner showed it
 * @returns the new proof, which keeps the scope; undefined where the kept one is as it should be
 */
export function refreshed(kept: SecretProof, shown: ShownProof): SecretProof | undefined {
  const { hash, sealed } = shown;
  const unsealed = sealed !== undefined && kept.sealed === undefined;
  if (kept.hash === hash && !unsealed) return undefined;
  return { hash, scope: kept.scope, ...(sealed === undefined ? {} : { sealed }) };
}

/**
 * Judges the shown secret against an address.
 *
 * @param record - the address
 * @param claimant - who shows it
 * @param shown - the shown secret
 * @returns whether it owns the address
 */
export function prove(record: AddressRecord, claimant: Claimant, shown: ShownProof): Proof {
  const former = record.quarantine?.former;
  const places = (former === undefined ? record.holders : [former]).map(placeOf);
  const hash = comparableHash(shown.hashes, record.secret.hash);
  return proveOwnership({ ...record.secret, places }, { hash, scope: shown.scope, place: placeOf(claimant) });
}

function placeOf({ service, namespace }: Pick<Claimant, 'service' | 'namespace'>): NamespacePlace {
  const { namespaceUid, clusterUid } = service;
  return { namespaceUid, clusterUid, namespace };
}
