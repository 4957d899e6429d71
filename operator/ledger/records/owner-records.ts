import type { AddressRecord, Owner } from '../../ports/claims';
import type { KnownClaims } from '../../ports/known-claims';

// The versions of one kind are one kind.
const groupOf = ({ apiVersion }: Owner): string => apiVersion.replace(/\/[^/]*$/u, '');

/**
 * Tells whether an owner on record is an object, or was one of its name before that was made anew.
 *
 * @param recorded - owner of a claim
 * @param owner - the object
 * @returns true by its UID, or by its name
 */
export function isByIdentityOrName(recorded: Owner, owner: Owner): boolean {
  if (recorded.kind !== owner.kind || groupOf(recorded) !== groupOf(owner)) return false;
  if (recorded.uid !== undefined && recorded.uid === owner.uid) return true;
  return recorded.namespace === owner.namespace && recorded.name === owner.name;
}

/**
 * Finds the claims that an object of this cluster may have.
 *
 * @param known - the claims
 * @param owner - the object
 * @returns each once, those by its UID first; those of other kinds of its name as well
 */
export function recordsOf(known: KnownClaims, { namespace, name, uid }: Owner): readonly AddressRecord[] {
  const byUid = uid === undefined ? [] : known.find({ by: 'uid', uid });
  return [...new Set([...byUid, ...known.find({ by: 'name', cluster: '', namespace, name })])];
}
