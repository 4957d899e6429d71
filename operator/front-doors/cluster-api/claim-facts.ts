import {
  CLUSTER_API_KINDS,
  isClusterPaused,
  readIpAddress,
  type AddressClaimView,
  type PoolReference,
} from '../../contract/cluster-api';
import { textOf } from '../../contract/loose-json';
import type { AddressPoolProvider, ClaimedPool } from '../../ports/address-pool-provider';
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
  return pools.find(({ apiGroup, kinds }) => apiGroup === poolRef.apiGroup && kinds.includes(poolRef.kind));
}

/** A claim, or an IPAddress, with the pool that it refers to. */
type Referring = Pick<AddressClaimView, 'namespace' | 'annotations' | 'poolRef'>;

/**
 * Names the pool of a claim as its door does.
 *
 * @param provider - door that offers it
 * @param referring - a claim or an IPAddress that has a reference
 * @returns kind, namespace, name and part
 */
export function claimedPool(
  { isNamespaced, partAnnotation }: AddressPoolProvider,
  { namespace, annotations, poolRef: { kind, name } }: Referring,
): ClaimedPool {
  const part = partAnnotation === undefined ? '' : textOf(annotations[partAnnotation]);
  return { kind, name, namespace: isNamespaced ? namespace : '', part };
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
    pool: poolState(provider, claim),
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

function poolState(provider: AddressPoolProvider, claim: AddressClaimView): PoolState {
  const pool = provider.pool(claimedPool(provider, claim));
  if (pool === undefined) return 'missing';
  if (pool.isPaused) return 'paused';
  return pool.isDying ? 'dying' : 'ready';
}
