import type { Address, Family } from '../addressing/address';
import type { PrefixSet } from '../addressing/prefix-set';
import type { EntryFacts, EntryOwner, NetworkEntry } from '../contract/networks/entry';
import type { Outcome } from '../errors/outcome';

/** The object that owns a claim. Equal owners have equal values in every field but `uid`, which may be unknown yet. */
export type Owner = EntryOwner;

/** Options that a holder of the Services door carries; both survive until it changes them. */
export interface ClaimOptions {
  /** Days (0 to 30) that the address is retained after its release. */
  readonly retentionPeriodDays: number;
  readonly denyExternalCleanup: boolean;
}

/** Terms that decide whether two Services may share one address; absent where the caller knows none of them (IPAM-API). */
export interface SharingTerms {
  /** MetalLB's sharing key; empty: never shares. */
  readonly key: string;
  /** `port/protocol`, for example `53/UDP`. */
  readonly ports: readonly string[];
  readonly trafficPolicy: 'Cluster' | 'Local';
  /** Canonical text of the pod selector. */
  readonly selector: string;
}

/**
 * `reserved`: a lease, not yet stored; `bound`: has an owner; `retained`: the owner is gone, its secret may recall; `contested`: a
 * stored object shows the address although the record does not grant it: no secret, no recall, no veto.
 */
export type HolderState = 'reserved' | 'bound' | 'retained' | 'contested';

/** When a holder ends by itself: some milliseconds after the write by the store's clock, or when it did before the write. */
export type Expiry = { readonly kind: 'after'; readonly ms: number } | { readonly kind: 'unchanged' };

/** Parts of every holder, as it is written and as it is read. */
interface HolderParts {
  readonly owner: Owner;
  readonly state: HolderState;
  /** Idempotency key: at most one live holder has it. Absent for holders that need none. */
  readonly key?: string;
  /** Retention and clean-up; absent for doors that have none. */
  readonly options?: ClaimOptions;
  readonly sharing?: SharingTerms;
  /** Annotation keys that we wrote, in order to tell our results from the user's wishes; none are read back as absent. */
  readonly writtenKeys?: readonly string[];
  /** Purpose of a standing claim. */
  readonly purpose?: string;
  /** Egress dataplanes that may have the address. Kept by AddressClaims alone, and absent where there are none. */
  readonly dataplanes?: readonly string[];
  /** True: its pool is gone, and it is released once no dataplane has the address. Kept by AddressClaims alone. */
  readonly isEnding?: boolean;
}

/** One holder as a caller hands it in; the store gives it its id and its times. */
export interface NewHolder extends HolderParts {
  /** End of the lease (reserved) or of the retention (retained); absent: it does not end by itself. */
  readonly expiry?: Expiry;
}

/** One stored holder. Times are those of the store's clock, milliseconds since 1970. */
export interface Holder extends HolderParts {
  readonly id: string;
  readonly sinceMs: number;
  /** End of the lease or of the retention. */
  readonly expiresAtMs?: number;
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

/** A space of a network: one address, or the prefix of `length` bits that begins there. */
export interface Place {
  readonly network: string;
  /** The address, or the first one of the prefix. */
  readonly address: Address;
  /** Bits of the prefix; absent: one address. */
  readonly length?: number;
}

/** Front doors whose claims are objects of the cluster. */
export type ClaimDoor = NetworkEntry['door'];

/** One live row: held by at least one holder, quarantined, or in use by a cluster without a claim of ours (`foreign`). */
export interface AddressRecord {
  readonly network: string;
  /** The address, or the first one of the prefix. */
  readonly address: Address;
  /** Bits of the prefix; 32 or 128 for one address. */
  readonly length: number;
  /** Name of the pool that the space was given from: a zone, for Services. */
  readonly pool: string;
  readonly family: Family;
  /** Absent where no secret proves the ownership: other doors, `contested` and `foreign` rows. */
  readonly secret?: SecretProof;
  readonly state: 'held' | 'quarantined' | 'foreign';
  /** In the order in which they came, which is that of their ids; empty unless held. Behind the holder of an entry its user. */
  readonly holders: readonly Holder[];
  /** The holder that left, and until when no other one may come; only when quarantined. */
  readonly quarantine?: { readonly untilMs: number; readonly former: Holder };
  /** Cluster that shows the address and by what it is shown, for example `Node/worker-1`; only when foreign. */
  readonly foreign?: { readonly cluster: string; readonly source: string };
  /** Grows with each change of this record and never comes back for its address; guards every verb that changes it. */
  readonly version: number;
  readonly takenAtMs: number;
  /** Front door that the claim was made through; absent in records of the Services door. */
  readonly door?: ClaimDoor;
  /** What the claim stands for in a network whose space nests; absent elsewhere, and in claims that were declared by hand. */
  readonly entry?: EntryFacts;
  /** Labels by which requests select the space; absent where there are none. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** One space that a take asks for. */
export interface Want {
  readonly family: Family;
  /** Bits of the wanted prefix; absent: one address. */
  readonly length?: number;
  /** The wished address, or the first one of the wished prefix; absent: the lowest free space of `space`. */
  readonly address?: Address;
  /** Space that may be given out now: the pool without exclusions. Ignored when `address` is given. */
  readonly space: PrefixSet;
  /** Version of a quarantined record that this holder may end, since it is the former holder. */
  readonly returningOver?: number;
  /** Idempotency key of the holder of this space; in a take of two families each has its own. */
  readonly key?: string;
}

/** Limits of a take, each absent where it does not count. */
export interface TakeLimits {
  /** Most reserved holders of the owner's namespace; above: `reservation/limit`. */
  readonly maxReservedInNamespace?: number;
  /** Most held addresses of the pool, both families; above: `zone/quota`. */
  readonly poolQuota?: number;
  /** Most addresses on which the cluster of the owner has a holder; above: `cluster/quota`. */
  readonly clusterQuota?: number;
  /** The same for its namespace in that cluster; above: `namespace/quota`. */
  readonly namespaceQuota?: number;
}

/** Request of {@link Claims.take}: one space, or one of each family, given all or none. */
export interface TakeRequest {
  readonly network: string;
  readonly pool: string;
  readonly wants: readonly [Want] | readonly [Want, Want];
  readonly secret?: SecretProof;
  /** Holder of each space, but for its key. */
  readonly holder: Omit<NewHolder, 'key'>;
  readonly limits?: TakeLimits;
}

/** A take for an owner that may have something already. */
export interface FirstTake extends TakeRequest {
  /** Queries that find what the owner has, or left into quarantine. */
  readonly unless: readonly OwnerQuery[];
}

/** A query for what one owner has. */
export type OwnerQuery = Extract<ClaimQuery, { readonly by: 'owner' | 'name' | 'uid' }>;

/** Result of {@link Claims.take} for one want. */
export interface Taken {
  readonly record: AddressRecord;
  /** False when a live holder with the same key existed already: then its record, unchanged. */
  readonly created: boolean;
}

/** Adds a holder to a held address, or replaces the one with `holderId`, which keeps its `id` and `sinceMs`. */
export interface BindRequest extends Place {
  /** Version of the record that the decision was made on. */
  readonly version: number;
  readonly holderId?: string;
  readonly holder: NewHolder;
  /** New proof of ownership (rotation). */
  readonly secret?: SecretProof;
}

/** Ends one holder. With the last one the claim ends: quarantined for a time, or free at once. */
export interface ReleaseRequest extends Place {
  readonly version: number;
  readonly holderId: string;
  /**
   * Length of the quarantine in milliseconds, in which only the former holder may take the space; absent or 0: free at once. Where the last
   * holder is `contested`, the former holder is the newest one that was released before it, and its release begins the quarantine; without
   * such a holder the space is free at once.
   */
  readonly quarantineMs?: number;
}

/** One holder that goes to the space of another one. */
export interface Move {
  readonly from: Place & { readonly version: number; readonly holderId: string };
  /** A space of another move of the same request. */
  readonly to: Place;
}

/** Which live records {@link Claims.list} returns; a former holder in quarantine counts for `owner`, `name` and `uid`. */
export type ClaimQuery =
  | { readonly by: 'owner'; readonly owner: Pick<Owner, 'cluster' | 'namespaceUid' | 'name'> }
  | { readonly by: 'name'; readonly cluster: string; readonly namespace: string; readonly name: string }
  | { readonly by: 'uid'; readonly uid: string }
  | { readonly by: 'key'; readonly key: string }
  | { readonly by: 'pool'; readonly network: string; readonly pool: string }
  | { readonly by: 'cluster'; readonly cluster: string }
  /** Holders whose lease or retention was over more than some milliseconds ago, by the store's clock; or, below 0, will be within so many. */
  | { readonly by: 'expired'; readonly state: 'reserved' | 'retained'; readonly sinceMs: number };

/**
 * One change of a live record, told after it is durable. `freed` also when the end of a quarantine is noticed: by a take
 * that needs the space.
 */
export interface ClaimChange {
  readonly kind: 'taken' | 'changed' | 'freed';
  readonly network: string;
  readonly pool: string;
  readonly address: Address;
  /** Bits of the prefix; 32 or 128 for one address. */
  readonly length: number;
}

/** Looks at what a take would do. */
export interface Previews {
  /** Tells what `take` would answer now: the spaces to take, those that the key has, or the refusal. Takes nothing. */
  peek(request: TakeRequest): Promise<Outcome<readonly Place[]>>;
}

/**
 * The durable record of claims. Every verb is atomic and durable when it answers; in one network no two live records overlap, which
 * rests on the store's own index or lock, never on a cache or on leadership. Times are those of the store's clock: requests
 * carry durations.
 *
 * Safe for parallel calls, and for several processes where the store is shared. After it was closed every call throws `store/closed`.
 * Looks at a take are absent where the record learns by the take alone what is free, and where no door plans one.
 */
export interface Claims extends Partial<Previews> {
  /**
   * Takes space that no live record overlaps. Looked at in this order: the key, `maxReservedInNamespace` (for reserved holders),
   * `poolQuota`, `clusterQuota`, `namespaceQuota`, the space.
   *
   * @returns one result for each want, in their order; or refusal `address/held`, `address/quarantined` (with `retryAfterSeconds`), `pool/exhausted`,
   *   `reservation/limit`, `zone/quota`, `cluster/quota`, `namespace/quota`
   * @throws IpamError `store/unavailable`, `store/closed`
   */
  take(request: TakeRequest): Promise<Outcome<readonly Taken[]>>;
  /**
   * Takes like {@link take}, unless a query finds a live record of a wanted family, or the owner, once stored, gave up an address of the
   * network in one before: a look and a take in one message. Absent where the protocol of the store has no such verb.
   *
   * @returns what the take answers; undefined where the owner is known: nothing was taken then
   */
  takeFirst?(request: FirstTake): Promise<Outcome<readonly Taken[]> | undefined>;
  /**
   * Puts a holder on a held space: join, bind, option change, retention, recall, rotation.
   *
   * @returns the new record; or refusal `store/conflict` (the version is not the newest, or the key is taken), `claim/not-found`
   */
  bind(request: BindRequest): Promise<Outcome<AddressRecord>>;
  /**
   * Ends a holder.
   *
   * @returns the new record, undefined when the space became free; or refusal `store/conflict`, `claim/not-found`
   */
  release(request: ReleaseRequest): Promise<Outcome<AddressRecord | undefined>>;
  /** Reads one live record; expired quarantines are not live. */
  get(place: Place): Promise<AddressRecord | undefined>;
  /** Reads the live records of a query, lowest address first. O(result) with an index for each query. */
  list(query: ClaimQuery): Promise<readonly AddressRecord[]>;
  /** Tells each change that this process sees, after it is durable; returns the function that stops it. */
  watch(listener: (change: ClaimChange) => void): () => void;
}

/** Changes of places among holders, where the record can make them in one piece. */
export interface Exchanges {
  /**
   * Lets holders change places in a circle: each one goes to the space that another one of the request leaves, all or none. A
   * holder keeps everything, its id too; a space counts as taken now and keeps its pool. The secret goes along with a holder that is
   * the only one of both spaces; else it stays, so only shared spaces of one secret are exchanged.
   *
   * @returns the new records of the places that the moves lead to, in the order of the moves; or refusal `store/conflict`, `claim/not-found`
   */
  exchange(moves: readonly Move[]): Promise<Outcome<readonly AddressRecord[]>>;
}
