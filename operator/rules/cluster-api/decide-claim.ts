import { ADDRESS_FINALIZERS, type AddressClaimView, type IpAddressView } from '../../contract/cluster-api';

/** State of the Cluster that a claim names. */
export type ClusterState = 'none' | 'running' | 'paused' | 'missing';

/** State of the pool that a claim names. */
export type PoolState = 'ready' | 'dying' | 'paused' | 'missing';

/** Everything that decides about one claim of a pool of ours. */
export interface ClaimFacts {
  readonly claim: AddressClaimView;
  readonly cluster: ClusterState;
  readonly pool: PoolState;
  /** The IPAddress of the name of the claim; undefined where there is none. */
  readonly address: IpAddressView | undefined;
  /** True where the record has an address for the claim. */
  readonly isHolding: boolean;
}

/** Reason of the condition of a claim, as Cluster API names them. */
export type ClaimReason = 'Ready' | 'PoolExhausted' | 'PoolNotReady' | 'AllocationFailed';

/** Decision about one claim. */
export type ClaimDecision =
  /** Nothing, not even a write of the status. */
  | { readonly act: 'rest' }
  /** It waits for a change of pool or IPAddress. */
  | { readonly act: 'wait'; readonly reason: ClaimReason; readonly message: string }
  /** IPAddress, record and finalizer end, in this order. */
  | { readonly act: 'release' }
  /** It gets an address, exactly that of its IPAddress where there is one, or keeps it. */
  | { readonly act: 'serve' };

/**
 * Tells whether an IPAddress is that of a claim: by the claim that it names, from the same pool.
 *
 * @param address - of the name of the claim
 * @param claim - as it is stored
 * @returns false for one that another provider made, or that names another claim
 */
export function isAddressOf(address: IpAddressView, { name, poolRef }: AddressClaimView): boolean {
  const { apiGroup, kind, name: pool } = address.poolRef;
  return address.claim === name && apiGroup === poolRef.apiGroup && kind === poolRef.kind && pool === poolRef.name;
}

/**
 * Decides what happens to one claim. What it has is never taken away before it is deleted.
 *
 * @param facts - the claim, its Cluster, its pool, its IPAddress
 * @returns what is done now
 */
export function decideClaim(facts: ClaimFacts): ClaimDecision {
  const { claim, cluster, pool } = facts;
  if (claim.isPaused || cluster === 'paused' || pool === 'paused') return { act: 'rest' };
  if (claim.isDying) return isEnding(facts) ? { act: 'release' } : { act: 'rest' };
  // whether it is paused cannot be told
  if (cluster === 'missing') return { act: 'rest' };
  return decideLiving(facts);
}

function isEnding({ claim, isHolding }: ClaimFacts): boolean {
  return isHolding || claim.finalizers.includes(ADDRESS_FINALIZERS.claim);
}

function decideLiving({ claim, pool, address, isHolding }: ClaimFacts): ClaimDecision {
  const { kind, name } = claim.poolRef;
  if (address !== undefined && !isAddressOf(address, claim))
    return waiting('AllocationFailed', `IPAddress ${address.name} exists already, and is none of this claim`);
  if (address !== undefined && address.address === undefined)
    return waiting('AllocationFailed', `spec.address of IPAddress ${address.name} is no IP address`);
  if (isHolding || address !== undefined) return { act: 'serve' };
  if (pool === 'missing') return waiting('PoolNotReady', `${kind} ${name} does not exist`);
  if (pool === 'dying') return waiting('PoolNotReady', `${kind} ${name} is being deleted and gives nothing new`);
  return { act: 'serve' };
}

const waiting = (reason: ClaimReason, message: string): ClaimDecision => ({ act: 'wait', reason, message });
