import type { Address, Family } from '../addressing/address';
import type { Outcome } from '../errors/outcome';
import type { ClaimOptions, HolderState, SharingTerms } from './claims';

/** Identity of a Service on every cluster: the triple of the IPAM-API. */
export interface ServiceIdentity {
  readonly serviceName: string;
  /** UID of the namespace object. */
  readonly namespaceUid: string;
  /** UID of the namespace `kube-system` of the cluster. */
  readonly clusterUid: string;
}

/** State of a claim that the record grants. */
export type ClaimState = Exclude<HolderState, 'contested'>;

/** The claimant: a Service that may not be stored yet. */
export interface Claimant {
  /** `serviceName` is empty for `generateName`. */
  readonly service: ServiceIdentity;
  /** Name of the namespace, empty where only the UID is known (IPAM-API). */
  readonly namespace: string;
  /** UID of the stored Service, on UPDATE. */
  readonly serviceUid?: string;
  /**
   * True where this operator itself read `serviceUid` from the API server: no two clusters have an object of one UID, so what is
   * held under it is the claimant's, by whatever name the cluster goes. Absent where a caller says so.
   */
  readonly isSeen?: true;
  /** Random id that the webhook wrote into a `generateName` Service; counts until its claim has a name. */
  readonly reservation?: string;
}

/**
 * Why an address counts as held before it is on record. A draining zone, the quota of the zone and the limit of reservations do
 * not stand against any of them; an exclusion only where the cluster alone says so. An address that is unusable or
 * of another zone is never adopted.
 *
 * `announced`: the status of the stored object shows it. `served`: the object bears our condition, so it had the address from
 * us: the zone may have lost it since. `takeover`: the same of an installation that was here before, while nothing of the
 * cluster is on record.
 */
export type Adoption = 'announced' | 'served' | 'takeover';

/** Proof of ownership as the claimant has it; `value` must never be logged. */
export interface ClaimantSecret {
  readonly value: string;
  readonly scope: 'shared' | 'namespace';
}

/** Condition of a caller on a claim before it changes it; compared beside the write. */
export interface Expectation {
  /** Versions of which the claim must have one; `any`: it must exist. */
  readonly match?: 'any' | readonly number[];
  /** Versions of which the claim must have none; `any`: it must not exist. */
  readonly noneMatch?: 'any' | readonly number[];
}

/** Asks for one address of one family. */
export interface ReserveRequest {
  readonly claimant: Claimant;
  readonly zone: string;
  readonly family: Family;
  /** The wished address; absent: the one that the claimant holds already, else the lowest free one. */
  readonly wish?: Address;
  readonly secret: ClaimantSecret;
  /** Secret named by the stored object, when it differs: a kept address is rotated to `secret`. */
  readonly previousSecret?: ClaimantSecret;
  /**
   * A stored object keeps what is bound to it whatever its Secret says now: the Secret may have been edited or made anew
   * since. What it shows counts from its next bind on. Others must prove.
   */
  readonly ownerKeeps?: boolean;
  /**
   * The stored object holds the wished address, names another one and is about to name this one again. It stays bound; a release of the
   * stored object leaves it a lease for a minute at most, until its next bind. Needs a wish, and `as: 'lease'`.
   */
  readonly returns?: true;
  readonly options: ClaimOptions;
  readonly sharing?: SharingTerms;
  readonly writtenKeys: readonly string[];
  /** `lease`: reserved until bound (admission); `bound`: owned at once (IPAM-API). */
  readonly as: 'lease' | 'bound';
  /**
   * The wished address is in use for the stored object already, so it counts as held before us; see {@link Adoption}. Refused
   * without a wish.
   */
  readonly adopt?: Adoption;
  /**
   * Source of what is said of the cluster: the name of the namespace, and that an address is in use. Absent: an operator, which
   * compares namespaces with the selectors of the zones and sees its Services. `cluster`: the caller alone. `admin`: an
   * administrator.
   */
  readonly assertedBy?: 'cluster' | 'admin';
  /**
   * Idempotency key that the caller chose, unique in its cluster, in place of the one that is made of the claimant and what it
   * asks for; the claimant has a name or a UID then.
   */
  readonly key?: string;
  /** Only while the claim that has the key is so; else `api/outdated`. Beside a `key` alone. */
  readonly expects?: Expectation;
  /** Most addresses that the claimant's cluster may have; counted where it takes one more. */
  readonly clusterQuota?: number;
  /** The same for its namespace. */
  readonly namespaceQuota?: number;
}

/** Terms under which a stored object has its address, as it says them now. */
export interface BindTerms {
  /**
   * Secret that the object names; absent: it is not known now, so the kept one stays. The object is the owner, so its word
   * suffices to rotate, unless others share the address.
   */
  readonly secret?: ClaimantSecret;
  readonly options: ClaimOptions;
  readonly sharing?: SharingTerms;
  readonly writtenKeys: readonly string[];
}

/** One address of a claimant. */
export interface Grant {
  readonly network: string;
  readonly zone: string;
  readonly family: Family;
  readonly address: Address;
  readonly state: ClaimState;
  readonly holderId: string;
  /** Idempotency key, where a caller chose it. */
  readonly key?: string;
  readonly writtenKeys: readonly string[];
  /** True when this very call made the claim, so that undoing the call gives it back. */
  readonly created: boolean;
  /** Others on the same address, as `namespace/name` or the identity triple. */
  readonly sharedWith: readonly string[];
  /** Why a new claim does not share an address with those of its sharing key, where some of them are there. */
  readonly apart?: string;
}

/** Releases a claim of the IPAM-API: by identity and secret. */
export interface ReleaseByService {
  readonly zone: string;
  readonly family: Family;
  readonly address: Address;
  readonly service: ServiceIdentity;
  readonly secret: string;
  readonly options: ClaimOptions;
}

/** Result of {@link Reservations.preview}. */
export interface Preview {
  readonly zone: string;
  readonly family: Family;
  /** Absent where the record does not tell its choice before it takes. */
  readonly address?: Address;
  /** True when the claimant holds the address now, or named it; else the choice of this moment, which may be another one later. */
  readonly certain: boolean;
  /** Reason, in one sentence, why {@link Reservations.reserve} may answer otherwise at this very moment; absent where all was looked at. */
  readonly caveat?: string;
}

/** Changes the secret of an address whose only holder is the claimant. */
export interface RotateRequest {
  readonly zone: string;
  readonly family: Family;
  readonly address: Address;
  readonly claimant: Claimant;
  readonly secret: ClaimantSecret;
  readonly newSecret: ClaimantSecret;
  readonly options: ClaimOptions;
  /** Only while the address has this version; else `api/outdated`. */
  readonly version?: number;
}

/** One live Service of a cluster, for {@link AddressBook.sweep}. */
export interface LiveObject {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Reservation ids that the object still carries. */
  readonly reservation?: string;
  /** Addresses that the stored object names. */
  readonly addresses: readonly Address[];
}

/** One kind of objects that hold claims, with the stored ones of a cluster. */
export interface LiveKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** Lists every stored object; throws rather than returning a part. */
  objects(): Promise<readonly LiveObject[]>;
}

/** One claim of a cluster, for the comparison with its live Services. */
export interface OwnedAddress {
  readonly network: string;
  readonly zone: string;
  readonly address: Address;
  /** `contested`: the owner only shows the address. */
  readonly state: HolderState;
  /** Absent until bound by a controller. */
  readonly serviceUid?: string;
  /** Name of the namespace, empty where only its UID is known. */
  readonly namespace: string;
  readonly name: string;
}

/** An address that its last holder left. */
export interface FreedAddress {
  readonly network: string;
  readonly zone: string;
  readonly address: Address;
  /** When any claimant may have it: now, or at the end of its quarantine; milliseconds since 1970. */
  readonly freeAtMs: number;
}

/** Claimant and address that are compared with the record. */
export interface CheckRequest {
  readonly claimant: Claimant;
  readonly zone: string;
  readonly address: Address;
}

/** Which stored object gets its reservation. */
export interface BindRequest {
  readonly claimant: Claimant & { readonly serviceUid: string };
  readonly grant: Grant;
  readonly terms?: BindTerms;
  /** Only while the address has this version; else `api/outdated`. */
  readonly version?: number;
}

/** Which stored object gives up what. */
export interface ReleaseByUid {
  readonly serviceUid: string;
  /** Only what this cluster holds; absent: whatever cluster it is. */
  readonly clusterUid?: string;
  readonly keep?: readonly Address[];
}

/** An address that a stored object gives up for the one that another object of the same exchange gives up. */
export interface ExchangeMove {
  readonly serviceUid: string;
  readonly clusterUid: string;
  readonly network: string;
  readonly from: Address;
  readonly to: Address;
}

/** How the complete list of one cluster is made, and when that may begin. */
export interface SweepRequest {
  readonly clusterUid: string;
  readonly startedMs: number;
  /** Kinds whose stored objects can be listed: leases of other kinds stay. */
  readonly live: readonly LiveKind[];
}

/** How many claims a sweep ended, and how many it bound. */
export interface SweepCount {
  readonly released: number;
  readonly bound: number;
}

/** An address that a stored object shows although the record does not grant it. */
export interface ContestRequest {
  readonly claimant: Claimant & { readonly serviceUid: string };
  /** Zone that the address is of. */
  readonly zone: string;
  readonly address: Address;
}

/** Which stored object shows what it contested no more. */
export interface EndContests {
  readonly serviceUid: string;
  readonly clusterUid: string;
  /** Addresses that it still shows. */
  readonly keep: readonly Address[];
}

/** Reserve, and what a reservation is compared with. */
export interface Reservations {
  /** Reserves under the claimant's key; asking again gives the same grant. */
  reserve(request: ReserveRequest): Promise<Outcome<Grant>>;
  /**
   * Reserves an address of each family for a claimant that has nothing yet, both or none, in one message to the record. The requests
   * differ in nothing but the family. Absent where each address is a message of its own anyway.
   *
   * @returns the grants in the order of the requests; undefined where {@link reserve} has to answer one by one: nothing was reserved then
   */
  readonly reserveBoth?:
    ((requests: readonly [ReserveRequest, ReserveRequest]) => Promise<readonly Grant[] | undefined>) | undefined;
  /**
   * Tells what {@link reserve} would answer now, in its words; takes, keeps and prolongs nothing.
   *
   * @param request - claimant and wish
   * @param beside - what the same claimant would have taken a moment before, so that limits count it
   */
  preview(request: ReserveRequest, beside?: readonly ReserveRequest[]): Promise<Outcome<Preview>>;
  /** Pure check that the claimant holds `address` in `zone`: reserved under its key or bound to its UID. */
  check(request: CheckRequest): Promise<Outcome<Grant>>;
  /** Everything the claimant holds now, lowest address first. */
  holdings(claimant: Claimant): Promise<readonly Grant[]>;
  /**
   * Gives back what `reserve` made in the same request; does nothing for a grant that existed before, or where the address has
   * another version than the one that is named.
   */
  undo(grant: Grant & { readonly version?: number }): Promise<void>;
}

/** Bind, and what a stored object changes of its claims. */
export interface Bindings {
  /**
   * Binds a reservation to the stored object; with `terms` it changes what the object changed since, and writes nothing where
   * nothing did. A refusal `secret/shared`, `secret/wrong` or `sharing/refused` leaves the claim as it was.
   */
  bind(request: BindRequest): Promise<Outcome<Grant>>;
  /** Rotates the secret. */
  rotate(request: RotateRequest): Promise<Outcome<Grant>>;
  /** Every claim of a cluster that has an owner, is reserved or is contested, lowest address first. O(result). */
  owners(clusterUid: string): Promise<readonly OwnedAddress[]>;
  /** The reserved ones among them, lowest address first. O(reservations of the record). */
  unbound(clusterUid: string): Promise<readonly OwnedAddress[]>;
}

/** Exchange among stored objects that wait for each other's addresses. */
interface AddressExchanges {
  /**
   * Lets the stored objects of a circle have each other's addresses, all of them at once or none. They are of one namespace, and all of
   * the addresses are held under one secret.
   *
   * @returns the new grants, in the order of the moves; or refusal `reservation/missing` where one of them does not hold its address any
   *   more, `secret/wrong`, `sharing/refused`, `store/no-exchange`
   */
  exchange(moves: readonly ExchangeMove[]): Promise<Outcome<readonly Grant[]>>;
}

/** Release, and its listeners. */
export interface Releases {
  /** Releases what the stored object with this UID holds, but for the addresses in `keep`; "nothing held" is success. */
  releaseByUid(request: ReleaseByUid): Promise<Outcome<{ released: readonly Address[] }>>;
  /** Releases one claim by identity and secret (IPAM-API version 2). */
  releaseByService(request: ReleaseByService): Promise<Outcome<{ address: Address }>>;
  /** Tells each address that this process saw freed, once that is durable; returns the function that stops it. */
  onFreed(listener: (freed: FreedAddress) => void): () => void;
}

/** Record of the addresses that stored objects show although it does not grant them. */
export interface Contests {
  /**
   * Notes what a stored object shows, so that it is given to no other claimant meanwhile, unless they prove it: a holder without
   * secret, recall and veto, which counts against the quota of its namespace and is refused by none.
   *
   * @returns whether the address is contested; false where the record grants it to the object; or refusal `cluster/quota` where
   *   objects of the cluster contest it already as often as they may
   */
  contest(request: ContestRequest): Promise<Outcome<boolean>>;
  /** Ends what a stored object contests, but for the addresses in `keep`; returns what ended. Such an address is free at once. */
  endContests(request: EndContests): Promise<Outcome<readonly Address[]>>;
}

/** The comparison of leases with the stored objects. */
export interface Sweeps {
  /**
   * Ends leases of this cluster that ran out before `startedMs` and belong to no object of their kind in `live`; binds those
   * that do; ends retentions that ran out. Never touches other clusters. The list of a kind is asked for after `startedMs`, and
   * only where a lease of the kind ran out. What it throws is thrown once the other kinds are done.
   */
  sweep(request: SweepRequest): Promise<SweepCount>;
}

/** Claims of Services: implemented by the ledger over a record, and by an IPAM-API elsewhere. */
export interface AddressBook extends Reservations, Bindings, AddressExchanges, Releases, Sweeps {
  /** Absent where the record has no place for them, such as version 2 of an IPAM-API elsewhere: it gives such an address to another owner. */
  readonly contests?: Contests | undefined;
}
