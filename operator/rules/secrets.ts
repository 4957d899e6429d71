import { SECRET_LENGTH } from '../contract/group';
import { accept, refuse, type Outcome } from '../errors/outcome';

/** `namespace`: proves ownership only inside the namespace that took the address (the cluster's default secret). */
type SecretScope = 'shared' | 'namespace';

/** One namespace of one cluster. */
export interface NamespacePlace {
  readonly namespaceUid: string;
  readonly clusterUid: string;
  /** Its name, where it is known: a namespace that was restored has a new UID. */
  readonly namespace?: string;
}

/** The secret under which an address is kept. */
export interface KeptSecret {
  readonly hash: string;
  readonly scope: SecretScope;
  /** Namespaces that have the address now, or had it last. */
  readonly places: readonly NamespacePlace[];
}

/** The secret that a claimant shows. */
export interface ShownSecret {
  readonly hash: string;
  readonly scope: SecretScope;
  readonly place: NamespacePlace;
}

/** `other-namespace`: the right value, but it counts only in the namespace that took the address. */
export type Proof = 'proven' | 'wrong' | 'other-namespace';

/**
 * Checks the length of a secret; the same rule for a first secret and for its successor, so that no claimant rotates to a
 * secret that every later request would be refused with.
 *
 * @param value - the secret; it never becomes part of the refusal
 * @param field - path of the field that holds it, for the refusal
 * @returns the secret, or refusal `secret/invalid`
 */
export function checkSecret(value: string, field: string): Outcome<string> {
  const length = Array.from(value).length; // characters, not UTF-16 units
  if (length >= SECRET_LENGTH.min && length <= SECRET_LENGTH.max) return accept(value);
  const allowed = `${SECRET_LENGTH.min} to ${SECRET_LENGTH.max}`;
  return refuse('secret/invalid', `the secret has ${length} characters; ${allowed} are allowed`, { field });
}

/**
 * Decides whether a shown secret owns a kept address.
 *
 * @param kept - hash and scope of the address, and where its holders live
 * @param shown - hash and scope of the claimant, and where it lives
 * @returns the proof; a value that is right on both sides counts everywhere only when both sides chose it themselves
 */
export function proveOwnership(kept: KeptSecret, shown: ShownSecret): Proof {
  if (!equalHashes(kept.hash, shown.hash)) return 'wrong';
  if (kept.scope === 'shared' && shown.scope === 'shared') return 'proven';
  return kept.places.some((place) => samePlace(place, shown.place)) ? 'proven' : 'other-namespace';
}

/**
 * Compares two places.
 *
 * @param a - one place
 * @param b - another place
 * @returns true for one namespace of one cluster
 */
export function samePlace(a: NamespacePlace, b: NamespacePlace): boolean {
  if (a.clusterUid !== b.clusterUid) return false;
  const sameName = a.namespace !== undefined && a.namespace !== '' && a.namespace === b.namespace;
  return a.namespaceUid === b.namespaceUid || sameName;
}

/**
 * Compares two hashes in a time that does not tell where they differ.
 *
 * @param a - one hash
 * @param b - another hash
 * @returns true when equal
 */
export function equalHashes(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let i = 0; i < a.length; i += 1) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}
