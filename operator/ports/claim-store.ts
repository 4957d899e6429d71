import type { Address, Family } from '../addressing/address';
import type { PrefixSet } from '../addressing/prefix-set';
import type { Outcome } from '../errors/outcome';
import type { ClaimArchive } from './claim-archive';

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

/** Result of {@link ClaimStore.take}. */
export interface Taken {
  readonly record: AddressRecord;
  /** False when a live holder with the same key existed already: then its record, unchanged. */
  readonly created: boolean;
}

/** Adds a holder to a held address, or replaces the one with `holderId`, which keeps its `id` and `sinceMs`. */
export interface BindRequest {
  readonly network: string;
  readonly address: Address;
  /** Version of the record that the decision was made on. */
  readonly version: number;
  readonly holderId?: string;
  readonly holder: NewHolder;
  /** New proof of ownership (rotation). */
  readonly secret?: SecretProof;
  readonly nowMs: number;
}

/** Ends one holder. With the last one the address ends: quarantined until a time, or free at once. */
export interface ReleaseRequest {
  readonly network: string;
  readonly address: Address;
  readonly version: number;
  readonly holderId: string;
  /** End of the quarantine; absent or not after `nowMs`: free at once. */
  readonly quarantineUntilMs?: number;
  readonly nowMs: number;
}

/** Which live records {@link ClaimStore.list} returns; a former holder in quarantine counts for `service`, `name` and
 * `uid`. */
export type ClaimQuery =
  | { readonly by: 'service'; readonly service: ServiceIdentity }
  | { readonly by: 'name'; readonly clusterUid: string; readonly namespace: string; readonly serviceName: string }
  | { readonly by: 'uid'; readonly serviceUid: string }
  | { readonly by: 'key'; readonly key: string }
  | { readonly by: 'zone'; readonly network: string; readonly zone: string }
  | { readonly by: 'cluster'; readonly clusterUid: string }
  | { readonly by: 'expired'; readonly state: 'reserved' | 'retained'; readonly beforeMs: number };

/**
 * One change of a live address, told after it is durable. `freed` also when the end of a quarantine is noticed: by a take
 * that needs the address.
 */
export interface ClaimChange {
  readonly kind: 'taken' | 'changed' | 'freed';
  readonly network: string;
  readonly zone: string;
  readonly address: Address;
}

/** Numbers of one zone and family. */
export interface ZoneTally {
  readonly network: string;
  readonly zone: string;
  readonly family: Family;
  readonly held: number;
  readonly quarantined: number;
}

/**
 * The durable record of who holds what. Every verb is atomic and durable when it answers; uniqueness of
 * (network, address) over live records rests on the store's own index, never on a cache or on leadership.
 *
 * Safe for parallel calls. After `close()` every call throws `store/closed`.
 */
export interface ClaimStore extends ClaimArchive {
  /**
   * Takes an address that nobody holds. Looked at in this order: the key, `maxReservedInNamespace` (for reserved holders),
   * `zoneQuota`, `clusterQuota`, `namespaceQuota`, the address.
   *
   * @returns the record; or refusal `address/held`, `address/quarantined` (with `retryAfterSeconds`), `pool/exhausted`,
   *   `reservation/limit`, `zone/quota`, `cluster/quota`, `namespace/quota`
   * @throws IpamError `store/unavailable`, `store/closed`
   */
  take(request: TakeRequest): Promise<Outcome<Taken>>;
  /**
   * Puts a holder on a held address: join, bind, option change, retention, recall, rotation.
   *
   * @returns the new record; or refusal `store/conflict` (the version is not the newest, or the key is taken), `claim/not-found`
   */
  bind(request: BindRequest): Promise<Outcome<AddressRecord>>;
  /**
   * Ends a holder.
   *
   * @returns the new record, undefined when the address became free; or refusal `store/conflict`, `claim/not-found`
   */
  release(request: ReleaseRequest): Promise<Outcome<AddressRecord | undefined>>;
  /** Reads one live record; expired quarantines are not live. */
  get(network: string, address: Address, nowMs: number): Promise<AddressRecord | undefined>;
  /** Reads the live records of a query, lowest address first. O(result) with an index for each query. */
  list(query: ClaimQuery, nowMs: number): Promise<readonly AddressRecord[]>;
  /** Counts the live records of every zone. */
  tally(nowMs: number): Promise<readonly ZoneTally[]>;
  /** Tells each change of this process after it is durable; returns the function that stops it. */
  watch(listener: (change: ClaimChange) => void): () => void;
  /**
   * Reads or, in a store where nobody holds anything, writes the fingerprint of the secret key (`ports/secret-hasher`).
   * Without a candidate it only reads.
   *
   * @returns what is stored; empty text when no fingerprint was ever written
   */
  keyFingerprint(candidate?: string): Promise<string>;
  /**
   * Tries whether the store serves, writes included; costs the same however many addresses are held.
   *
   * @throws IpamError `store/unavailable`, `store/closed`
   */
  ping(): Promise<void>;
  /** Finishes what runs, then lets go of files and connections. Idempotent. */
  close(): Promise<void>;
}
