import {
  ADDRESS_FINALIZERS,
  readAddressClaim,
  readIpAddress,
  type AddressClaimView,
  type IpAddressView,
} from '../../contract/cluster-api';
import { CATALOGUE } from '../../errors/catalogue';
import { IpamError } from '../../errors/ipam-error';
import { isOutage } from '../../errors/outage';
import type { Outcome, Refusal } from '../../errors/outcome';
import { faultFields } from '../../errors/trace';
import type { AddressPoolProvider, PoolGrant } from '../../ports/address-pool-provider';
import { isAddressOf, type ClaimFacts, type ClaimReason } from '../../rules/cluster-api/decide-claim';
import { claimedPool, ownerOf, providerOf } from './claim-facts';
import { writeClaimStatus } from './claim-status';
import type { ClusterApiParts } from './door-parts';
import { ipAddressObject, repairedIpAddress } from './ip-address-object';

/** How a claim stands after a look: served, waiting for its pool or for something else, gone, or to be looked at again. */
export type Served = 'done' | 'full' | 'waits' | 'gone' | 'again';

/**
 * Gives a claim its address. Finalizer, record, IPAddress and status are written in this order, so that each step finds what an earlier
 * process left; where all of it is there, nothing is written.
 *
 * @param parts - feeds and writers
 * @param facts - the claim, and its IPAddress as the watch knows it
 * @param provider - of its pool
 * @returns how it stands
 * @throws IpamError of record or cluster; then it is tried again
 */
export async function serveClaim(
  parts: ClusterApiParts,
  facts: ClaimFacts,
  provider: AddressPoolProvider,
): Promise<Served> {
  const { claim } = facts;
  if (!claim.finalizers.includes(ADDRESS_FINALIZERS.claim)) {
    const added = await parts.claimWriter.addFinalizer(claim, ADDRESS_FINALIZERS.claim);
    if (!added.ok) return afterRefusal(added.refusal);
  }
  if (!facts.isHolding && !(await isStored(parts, claim))) return 'gone';
  const taken = await takeFor(parts, facts, provider);
  if (!taken.ok) return explain(parts, claim, taken.refusal);
  const stored = await storeAddress(parts, facts, { provider, grant: taken.value });
  if (stored !== 'done') return stored;
  await releaseSurplus(parts, claim, { provider, grant: taken.value });
  const { kind, name } = claim.poolRef;
  const message = `${taken.value.address.toString()} from ${kind} ${name}`;
  await writeClaimStatus(parts, claim, { addressRef: claim.name, status: 'True', reason: 'Ready', message });
  return 'done';
}

// What would be taken for a claim that is gone would stay on record until the next comparison.
async function isStored(
  { claimWriter }: ClusterApiParts,
  { namespace, name, uid }: AddressClaimView,
): Promise<boolean> {
  const { object } = await claimWriter.read({ namespace, name });
  const now = readAddressClaim(object);
  return now?.uid === uid && !now.isDying;
}

function takeFor(
  parts: ClusterApiParts,
  { claim, address }: ClaimFacts,
  provider: AddressPoolProvider,
): Promise<Outcome<PoolGrant>> {
  const shown = address?.address;
  const request = { owner: ownerOf(parts, claim), ...(shown === undefined ? {} : { restored: shown }) };
  return provider.take(claimedPool(provider, claim), request);
}

function afterRefusal({ code, message }: Refusal): Served {
  if (code === 'claim/not-found') return 'gone';
  if (code === 'store/conflict') return 'again';
  throw new IpamError(code, message);
}

const REASONS: Readonly<Record<string, ClaimReason>> = {
  'pool/exhausted': 'PoolExhausted',
  'pool/not-ready': 'PoolNotReady',
};

// What no second try ends is told: any claim and any IPAddress may be written so that it can never be served.
function reasonOf(code: Refusal['code']): ClaimReason | undefined {
  return REASONS[code] ?? (CATALOGUE[code].retry === 'backoff' ? undefined : 'AllocationFailed');
}

async function explain(parts: ClusterApiParts, claim: AddressClaimView, refusal: Refusal): Promise<Served> {
  const { code, message } = refusal;
  if (code === 'store/conflict' || code === 'store/not-ready') return 'again';
  const reason = reasonOf(code);
  if (reason === undefined) throw new IpamError(code, message);
  await writeClaimStatus(parts, claim, { addressRef: claim.addressRef, status: 'False', reason, message });
  return code === 'pool/exhausted' ? 'full' : 'waits';
}

interface Granted {
  readonly provider: AddressPoolProvider;
  readonly grant: PoolGrant;
}

async function storeAddress(parts: ClusterApiParts, facts: ClaimFacts, { provider, grant }: Granted): Promise<Served> {
  const { claim, address } = facts;
  const pool = provider.pool(claimedPool(provider, claim));
  const made = { version: parts.version, claim, grant, pool };
  if (address === undefined) {
    const created = await parts.addressWriter.create(ipAddressObject(made));
    return created.ok ? 'done' : afterRefusal(created.refusal);
  }
  const repaired = repairedIpAddress(address, made);
  if (repaired === undefined) return 'done';
  const replaced = await parts.addressWriter.replace(repaired);
  return replaced.ok ? 'done' : afterRefusal(replaced.refusal);
}

// Two processes may each have taken an address for the claim; the IPAddress, of which there is one, decides which of them stays.
async function releaseSurplus(
  parts: ClusterApiParts,
  claim: AddressClaimView,
  { provider, grant }: Granted,
): Promise<void> {
  const surplus = provider.held(ownerOf(parts, claim)).filter(({ address }) => !address.equals(grant.address));
  if (surplus.length === 0) return;
  const stored = readIpAddress((await parts.addressWriter.read(claim)).object);
  if (stored === undefined || !isAddressOf(stored, claim) || stored.address?.equals(grant.address) !== true) return;
  for (const each of surplus) await provider.release(each);
}

/**
 * Puts the addresses on record that stored IPAddresses have from pools of ours, and that are missing there: after a restore, and in the
 * management cluster that a cluster was moved to.
 *
 * @param parts - feeds and writers
 * @throws IpamError of record or cluster
 */
export async function restoreAddresses(parts: ClusterApiParts): Promise<void> {
  await Promise.all([parts.claims.whenSynced(), parts.addresses.whenSynced()]);
  for (const raw of parts.addresses.list()) await tryRestore(parts, readIpAddress(raw));
}

// One IPAddress must not keep the others from being put on record, nor the door of its pool from giving anything.
async function tryRestore(parts: ClusterApiParts, listed: IpAddressView | undefined): Promise<void> {
  try {
    await restoreAddress(parts, listed);
  } catch (thrown) {
    if (isOutage(thrown)) throw thrown;
    const { namespace, name } = listed ?? {};
    const fields = { namespace, name, ...faultFields(thrown) };
    parts.logger.warn('the address of an IPAddress was not put on record and is tried again', fields);
  }
}

async function restoreAddress(parts: ClusterApiParts, listed: IpAddressView | undefined): Promise<void> {
  if (listed?.address === undefined || listed.claim !== listed.name) return;
  const { namespace, name, address, poolRef } = listed;
  const provider = providerOf(parts, poolRef);
  const uid = readAddressClaim(parts.claims.get(namespace, name))?.uid ?? '';
  const owner = ownerOf(parts, { namespace, name, uid });
  if (provider === undefined || provider.held(owner).some((each) => each.address.equals(address))) return;
  // the list is a moment old
  const stored = readIpAddress((await parts.addressWriter.read({ namespace, name })).object);
  if (stored?.uid !== listed.uid) return;
  const taken = await provider.take(claimedPool(provider, listed), { owner, restored: address });
  tellRestored(parts, { namespace, name, address: address.toString() }, taken);
}

function tellRestored(
  { logger }: ClusterApiParts,
  fields: Readonly<Record<string, string>>,
  taken: Outcome<PoolGrant>,
): void {
  if (taken.ok) logger.warn('the address of an IPAddress was put on record', fields);
  else logger.warn('the address of an IPAddress is not its own by the record', { ...fields, code: taken.refusal.code });
}
