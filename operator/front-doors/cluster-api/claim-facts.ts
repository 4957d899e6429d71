import {
  CLUSTER_API_KINDS,
  isClusterPaused,
  isPausedByKey,
  readIpAddress,
  type AddressClaimView,
  type PoolReference,
} from '../../contract/cluster-api';
import type { AddressPoolProvider } from '../../ports/address-pool-provider';
import type { Owner } from '../../ports/claims';
import type { ObjectName } from '../../ports/object-feed';
import type { ClaimFacts, ClusterState, PoolState } from '../../rules/cluster-api/decide-claim';
import type { ClusterApiParts } from './door-parts';

/**
 * Finds the door that offers the pools of a reference.
 *
 * @param parts - with the pools of every door
 * @param poolRef - as it is stored
 * @returns undefined for pools of other providers
 */
export function providerOf({ pools }: ClusterApiParts, poolRef: PoolReference): AddressPoolProvider | undefined {
  return pools.find(({ apiGroup, kind }) => apiGroup === poolRef.apiGroup && kind === poolRef.kind);
}

/**
 * Names a claim as the owner of an address.
 *
 * @param parts - for the version of the kind
 * @param claim - its name, and its UID where that is known
 * @returns the owner as the record has it
 */
export function ownerOf(
  { version }: Pick<ClusterApiParts, 'version'>,
  claim: ObjectName & { readonly uid?: string },
): Owner {
  const { namespace, name, uid } = claim;
  const { group, kind } = CLUSTER_API_KINDS.claim;
  const known = uid === undefined || uid === '' ? {} : { uid };
  return { cluster: '', apiVersion: `${group}/${version}`, kind, namespace, namespaceUid: '', name, ...known };
}

/**
 * Gathers everything that decides about a claim.
 *
 * @param parts - feeds and pools
 * @param claim - as it is stored
 * @param provider - of its pool
 * @returns the facts as the watches know them
 */
export function factsOf(parts: ClusterApiParts, claim: AddressClaimView, provider: AddressPoolProvider): ClaimFacts {
  const { namespace, name } = claim;
  return {
    claim,
    cluster: clusterState(parts, claim),
    pool: poolState(provider, claim.poolRef),
    address: readIpAddress(parts.addresses.get(namespace, name)),
    isHolding: provider.held(ownerOf(parts, claim)).length > 0,
  };
}

function clusterState({ clusters }: ClusterApiParts, { namespace, cluster }: AddressClaimView): ClusterState {
  if (cluster === '') return 'none';
  const raw = clusters?.get(namespace, cluster);
  if (raw === undefined) return 'missing';
  return isClusterPaused(raw) ? 'paused' : 'running';
}

function poolState(provider: AddressPoolProvider, { name }: PoolReference): PoolState {
  const pool = provider.pool({ namespace: '', name });
  if (pool === undefined) return 'missing';
  if (isPausedByKey(pool.annotations)) return 'paused';
  return pool.isDying ? 'dying' : 'ready';
}
