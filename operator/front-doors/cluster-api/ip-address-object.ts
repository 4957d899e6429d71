import {
  ADDRESS_FINALIZERS,
  CLUSTER_API_KINDS,
  CLUSTER_NAME_LABEL,
  type AddressClaimView,
  type ClusterApiVersion,
  type IpAddressView,
  type OwnerReference,
} from '../../contract/cluster-api';
import { metadataOf, type JsonMap } from '../../contract/loose-json';
import type { OfferedPool, PoolGrant } from '../../ports/address-pool-provider';

/** Everything that an IPAddress is made of. */
export interface IpAddressParts {
  readonly version: ClusterApiVersion;
  readonly claim: AddressClaimView;
  readonly grant: PoolGrant;
  /** Absent where the pool is gone; the IPAddress goes on without it, and without one that is being deleted. */
  readonly pool: OfferedPool | undefined;
}

/**
 * Makes the IPAddress of a claim: of its name, owned by the claim and by the pool.
 *
 * @param parts - claim, address and pool
 * @returns the object, without API version and kind
 */
export function ipAddressObject(parts: IpAddressParts): JsonMap {
  const { claim, grant } = parts;
  const { namespace, name, poolRef } = claim;
  const { address, prefixLength, gateway } = grant;
  return {
    metadata: {
      namespace,
      name,
      labels: labelsOf(claim),
      finalizers: [ADDRESS_FINALIZERS.address],
      ownerReferences: ownersOf(parts),
    },
    spec: {
      address: address.toString(),
      prefix: prefixLength,
      ...(gateway === undefined ? {} : { gateway: gateway.toString() }),
      claimRef: { name },
      poolRef: { ...poolRef },
    },
  };
}

const labelsOf = ({ cluster }: AddressClaimView): Readonly<Record<string, string>> =>
  cluster === '' ? {} : { [CLUSTER_NAME_LABEL]: cluster };

function ownersOf({ version, claim, pool }: IpAddressParts): readonly OwnerReference[] {
  const { group, kind } = CLUSTER_API_KINDS.claim;
  const { name, uid, poolRef } = claim;
  const ofClaim = { apiVersion: `${group}/${version}`, kind, name, uid, controller: true, blockOwnerDeletion: true };
  // the garbage collector takes the owner away that is being deleted in the foreground, and would do so again and again
  if (pool === undefined || pool.isDying) return [ofClaim];
  const { apiVersion } = pool;
  const ofPool = { apiVersion, kind: poolRef.kind, name: poolRef.name, uid: pool.uid };
  return [ofClaim, { ...ofPool, controller: false, blockOwnerDeletion: true }];
}

/**
 * Puts owners, finalizer and label back on a stored IPAddress, as after a restore or a move to another management cluster, where the
 * objects have new UIDs. Owners of other kinds stay.
 *
 * @param stored - as it was read
 * @param parts - claim, address and pool
 * @returns the object to write; undefined where nothing is missing
 */
export function repairedIpAddress(stored: IpAddressView, parts: IpAddressParts): JsonMap | undefined {
  const wanted = ownersOf(parts);
  const labels = labelsOf(parts.claim);
  const hasOwners = wanted.every((each) => stored.owners.some(({ uid }) => uid === each.uid));
  const hasLabels = Object.entries(labels).every(([key, value]) => stored.labels[key] === value);
  const isProtected = stored.finalizers.includes(ADDRESS_FINALIZERS.address);
  // a finalizer cannot be added to what is being deleted
  if (stored.isDying || (hasOwners && hasLabels && isProtected)) return undefined;
  const others = stored.owners.filter(({ kind }) => !wanted.some((each) => each.kind === kind));
  return {
    ...stored.raw,
    metadata: {
      ...metadataOf(stored.raw),
      labels: { ...stored.labels, ...labels },
      finalizers: [...new Set([...stored.finalizers, ADDRESS_FINALIZERS.address])],
      ownerReferences: [...others, ...wanted],
    },
  };
}
