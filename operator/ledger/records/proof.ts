import type { Claimant, ClaimantSecret } from '../../ports/address-book';
import type { AddressRecord, Owner, SecretProof } from '../../ports/claims';
import type { SecretHasher } from '../../ports/secret-hasher';
import { grantedHolders, ownerOf } from './claims';
import { rotatedKey } from './claim-key';
import { proveOwnership, type NamespacePlace, type Proof } from '../../rules/secrets';

/** A secret that a claimant shows. */
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
export function refreshed(kept: SecretProof | undefined, shown: ShownProof): SecretProof | undefined {
  const { hash, sealed } = shown;
  if (kept === undefined) return undefined;
  const unsealed = sealed !== undefined && kept.sealed === undefined;
  if (kept.hash === hash && !unsealed) return undefined;
  return { hash, scope: kept.scope, ...(sealed === undefined ? {} : { sealed }) };
}

/**
 * Moves a key of a holder to a new secret.
 *
 * @param key - key of the holder, if it has one
 * @param kept - secret of its address until now
 * @param next - secret from now on; undefined where it stays
 * @returns the key; unchanged unless it depends on the secret
 */
export function keyUnder(
  key: string | undefined,
  kept: SecretProof | undefined,
  next: SecretProof | undefined,
): string | undefined {
  return kept === undefined || next === undefined ? key : rotatedKey(key, kept.hash, next.hash);
}

/**
 * Judges the shown secret against an address.
 *
 * @param record - the address
 * @param claimant - the one that shows it
 * @param shown - the shown secret
 * @returns whether it owns the address
 */
export function prove(record: AddressRecord, claimant: Claimant, shown: ShownProof): Proof {
  const { secret } = record;
  // other doors and contested rows: no secret proves them
  if (secret === undefined) return 'wrong';
  const former = record.quarantine?.former;
  const places = (former === undefined ? grantedHolders(record) : [former]).map(({ owner }) => placeOf(owner));
  const hash = comparableHash(shown.hashes, secret.hash);
  return proveOwnership({ ...secret, places }, { hash, scope: shown.scope, place: placeOf(ownerOf(claimant)) });
}

function placeOf({ cluster: clusterUid, namespace, namespaceUid }: Owner): NamespacePlace {
  return { namespaceUid, clusterUid, namespace };
}
