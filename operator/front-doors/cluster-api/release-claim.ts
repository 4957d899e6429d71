import { ADDRESS_FINALIZERS, readAddressClaim, readIpAddress, type IpAddressView } from '../../contract/cluster-api';
import { IpamError } from '../../errors/ipam-error';
import type { Outcome } from '../../errors/outcome';
import type { ObjectKey } from '../../ports/object-feed';
import { ownerOf, providerOf } from './claim-facts';
import type { ClusterApiParts } from './door-parts';

/**
 * Ends what a claim has: its IPAddress first, then the address on record, then the finalizer, so that no address is free while an
 * IPAddress shows it.
 *
 * @param parts - writers and pools
 * @param key - of a claim that is being deleted, or is gone
 * @returns false where the IPAddress is still there, since others hold it; then it is looked at again
 * @throws IpamError of record or cluster; then it is tried again
 */
export async function releaseClaim(parts: ClusterApiParts, key: ObjectKey): Promise<boolean> {
  if (!(await endAddress(parts, key))) return false;
  const grants = parts.pools.flatMap((pool) => pool.held(ownerOf(parts, key)).map((grant) => ({ pool, grant })));
  for (const { pool, grant } of grants)
    if ((grant.owner.uid ?? '') === key.uid || grant.owner.uid === undefined) await pool.release(grant);
  needed(await parts.claimWriter.removeFinalizer(key, ADDRESS_FINALIZERS.claim));
  return true;
}

async function endAddress(parts: ClusterApiParts, key: ObjectKey): Promise<boolean> {
  const { addressWriter } = parts;
  const { namespace, name } = key;
  const stored = readIpAddress((await addressWriter.read({ namespace, name })).object);
  if (stored === undefined || !(await isAddressOfKey(parts, stored, key))) return true;
  const address = { namespace, name, uid: stored.uid };
  needed(await addressWriter.removeFinalizer(address, ADDRESS_FINALIZERS.address));
  needed(await addressWriter.delete(address));
  const left = readIpAddress((await addressWriter.read({ namespace, name })).object);
  return left?.uid !== stored.uid;
}

// By its owner, or by its name where that owner is of before a restore; then it is not that of a claim made anew under the name.
async function isAddressOfKey(parts: ClusterApiParts, stored: IpAddressView, { namespace, name, uid }: ObjectKey) {
  if (stored.claim !== name || providerOf(parts, stored.poolRef) === undefined) return false;
  if (stored.owners.some((owner) => owner.uid === uid)) return true;
  const now = readAddressClaim((await parts.claimWriter.read({ namespace, name })).object);
  return now === undefined || now.uid === uid;
}

function needed(outcome: Outcome<void>): void {
  if (!outcome.ok && outcome.refusal.code !== 'claim/not-found')
    throw new IpamError(outcome.refusal.code, outcome.refusal.message);
}

/**
 * Tells whether a claim is stored, as the API server has it now.
 *
 * @param parts - with the writer of claims
 * @param key - of the claim; without a UID any claim of the name counts
 * @returns true for the same object
 */
export async function isClaimStored(
  { claimWriter }: ClusterApiParts,
  { namespace, name, uid }: ObjectKey,
): Promise<boolean> {
  const now = readAddressClaim((await claimWriter.read({ namespace, name })).object);
  return now !== undefined && (uid === '' || now.uid === uid);
}
