import type { Address, Family } from '../addressing/address';
import type { PrefixSet } from '../addressing/prefix-set';

/** Who a service is, on every cluster: the identity triple of the IPAM-API. */
export interface ServiceIdentity {
  readonly serviceName: string;
  /** UID of the namespace object. */
  readonly namespaceUid: string;
  /** UID of the namespace `kube-system` of the cluster. */
  readonly clusterUid: string;
}

/** Options that a holder carries; both survive until it changes them. */
export interface ClaimOptions {
  /** Days (0 to 30) that the address is retained after its release. */
  readonly retentionPeriodDays: number;
  readonly denyExternalCleanup: boolean;
}

/** What decides whether two Services may share one address; absent where the caller knows none of it (IPAM-API). */
export interface SharingTerms {
  /** MetalLB's sharing key; empty: never shares. */
  readonly key: string;
  /** `port/protocol`, for example `53/UDP`. */
  readonly ports: readonly string[];
  readonly trafficPolicy: 'Cluster' | 'Local';
  /** Canonical text of the pod selector. */
  readonly selector: string;
}

/** `reserved`: a lease, not yet stored; `bound`: has an owner; `retained`: owner gone, its secret may recall. */
export type HolderState = 'reserved' | 'bound' | 'retained';

/** One holder as a caller hands it in; the store gives it its id. */
export interface NewHolder {
  readonly service: ServiceIdentity;
  /** Name of the namespace, empty where only the UID is known. */
  readonly namespace: string;
  /**
   * UID of the stored Service; absent until bound by a controller. A reserved or retained holder that has one belonged to
   * that object before, so giving its address up needs a quarantine.
   */
  readonly serviceUid?: string;
  readonly state: HolderState;
  /** Idempotency key: at most one live holder has it. Absent for holders that need none. */
  readonly key?: string;
  readonly options: ClaimOptions;
  readonly sharing?: SharingTerms;
  /** Annotation keys that we wrote, in order to tell our results from the user's wishes. */
  readonly writtenKeys: readonly string[];
  /** What a standing claim is for. */
  readonly purpose?: string;
  /**
   * End of the lease (reserved) or of the retention (retained), milliseconds since 1970. Absent when bound, except while a
   * Service of the same name is about to take the address over: then the end of that one's lease.
   */
  readonly expiresAtMs?: number;
}

/** One stored holder. */
export interface Holder extends NewHolder {
  readonly id: string;
  readonly sinceMs: number;
}

/** Proof of ownership as stored. */
export interface SecretProof {
  /** Keyed hash, see `ports/secret-hasher`. */
  readonly hash: string;
  /** `namespace`: proves ownership only inside the namespace that took the address (the cluster's default secret). */
  readonly scope: 'shared' | 'namespace';
  /** The secret encrypted, where the installation keeps it recoverable. */
  readonly sealed?: string;
}

/** One live address: held by at least one holder, or quarantined. */
export interface AddressRecord {
  readonly network: string;
  readonly address: Address;
  readonly zone: string;
  readonly family: Family;
  readonly secret: SecretProof;
  readonly state: 'held' | 'quarantined';
  /** In the order in which they came, which is that of their ids; empty when quarantined. */
  readonly holders: readonly Holder[];
  /** Who left and until when nobody else may come; only when quarantined. */
  readonly quarantine?: { readonly untilMs: number; readonly former: Holder };
  /** Grows with each change of this record and never comes back for its address; guards every verb that changes it. */
  readonly version: number;
  readonly takenAtMs: number;
}

/** What {@link ClaimStore.take} needs. */
export interface TakeRequest {
  readonly network: string;
  readonly zone: string;
  readonly family: Family;
  /** The wished address; absent: the lowest free one of `space`. */
  readonly address?: Address;
  /** What may be given out now: prefixes of the zone without exclusions. Ignored when `address` is given. */
  readonly space: PrefixSet;
  readonly secret: SecretProof;
  readonly holder: NewHolder;
  /** Version of a quarantined record that this holder may end, since it is the former holder. */
  readonly returningOver?: number;
  /** Most reserved holders of `holder.service.namespaceUid`; above: `reservation/limit`. */
  readonly maxReservedInNamespace?: number;
  /** Most held addresses of the zone, both families; above: `zone/quota`. */
  readonly zoneQuota?: number;
  /** Most addresses on which the cluster of the holder has a holder; above: `cluster/quota`. */
  readonly clusterQuota?: number;
  /** The same for its namespace in that cluster; above: `namespace/quota`. */
  readonly namespaceQuota?: number;
  readonly nowMs: number;
}
