import { objectText } from '../../contract/object-name';
import type { Address } from '../../addressing/address';
import { refuse, type Outcome } from '../../errors/outcome';
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

/** An address that is on record for a former object of a name, and both pools in words. */
interface FormerAddress {
  readonly address: Address;
  readonly owner: Owner;
  /** Pool that has the address. */
  readonly from: string;
  /** Pool that the object of the name refers to now. */
  readonly pool: string;
}

/**
 * Refuses to go on with the address of a former object of the same name that had it from another pool.
 *
 * @param former - what is on record
 * @returns `pool/not-ready`: the address is free as soon as the end of the former object is known
 */
export function refuseOfOtherPool({ address, owner, from, pool }: FormerAddress): Outcome<never> {
  const had = `a former ${objectText(owner)} had ${address.toString()} from ${from}, which is still on record`;
  return refuse('pool/not-ready', `${had} and is none of ${pool}; wait until it is free, or use another name`);
}
